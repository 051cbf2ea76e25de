"""Prompts, one Markdown file each, filled in strictly.

A prompt file has a `# system` part, worked examples as pairs of `# user` and `# assistant`, a last
`# user` part, and `{{name}}` placeholders. What is filled in is data: it is substituted once and
never looked at again, and it cannot close the section of the prompt that it stands in (design,
law 8).
"""

import hashlib
import re
from functools import cache
from importlib.resources import files

from prompts.fencing import Fenced, as_data, fenced, fenced_list

__all__ = ["Fenced", "PromptError", "as_data", "fenced", "fenced_list", "fingerprint", "render"]

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_PART = re.compile(r"^# (system|user|assistant)\n", re.M)


class PromptError(ValueError):
    """A prompt file is malformed, or was given too few or too many variables."""


@cache
def _source(name: str) -> str:
    return files("prompts").joinpath(f"{name}.md").read_text("utf-8")


def render(name: str, **variables: str) -> list[tuple[str, str]]:
    """Fill in the prompt `name`: [("system", …), …, ("user", …)].

    A plain string is made harmless first (`as_data`); sections come from `fenced`. Raises
    PromptError where a placeholder has no variable or a variable no placeholder.
    """
    source = _source(name)
    wanted = set(_PLACEHOLDER.findall(source))
    if missing := wanted - variables.keys():
        raise PromptError(f"prompt {name}: no value for {', '.join(sorted(missing))}")
    if unknown := variables.keys() - wanted:
        raise PromptError(f"prompt {name}: no placeholder for {', '.join(sorted(unknown))}")
    before, *parts = _PART.split(source)
    roles, texts = parts[::2], parts[1::2]
    examples = ["user", "assistant"] * ((len(roles) - 2) // 2)
    if before.strip() or roles != ["system", *examples, "user"]:
        raise PromptError(
            f"prompt {name}: expected a '# system' part, pairs of '# user' and '# assistant', "
            "and a '# user' part"
        )
    safe = {key: as_data(value) for key, value in variables.items()}
    return [
        (role, _PLACEHOLDER.sub(lambda m: safe[m[1]], text).strip())
        for role, text in zip(roles, texts, strict=True)
    ]


def fingerprint(name: str) -> str:
    """The first 12 hex digits of the sha256 of the prompt's file, for evaluation rows."""
    return hashlib.sha256(_source(name).encode()).hexdigest()[:12]
