"""Prompts, one Markdown file each, filled in strictly.

A prompt file has a `# system` and a `# user` part and `{{name}}` placeholders. What is filled in
is data: it is substituted once and never looked at again, and it cannot close the section of the
prompt that it stands in (design, law 7).
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from importlib.resources import files

from prompts.fencing import Fenced, as_data, fenced, fenced_list

__all__ = ["Fenced", "PromptError", "as_data", "fenced", "fenced_list", "fingerprint", "render"]

_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_PARTS = re.compile(r"\A# system\n(?P<system>.*?)\n# user\n(?P<user>.*)\Z", re.S)


class PromptError(ValueError):
    """A prompt file is malformed, or was given too few or too many variables."""


@cache
def _source(name: str) -> str:
    return files("prompts").joinpath(f"{name}.md").read_text("utf-8")


def render(name: str, **variables: str) -> list[tuple[str, str]]:
    """Fill in the prompt `name`: [("system", …), ("user", …)].

    A plain string is made harmless first (`as_data`); sections come from `fenced`. Raises
    PromptError where a placeholder has no variable or a variable no placeholder.
    """
    source = _source(name)
    wanted = set(_PLACEHOLDER.findall(source))
    if missing := wanted - variables.keys():
        raise PromptError(f"prompt {name}: no value for {', '.join(sorted(missing))}")
    if unknown := variables.keys() - wanted:
        raise PromptError(f"prompt {name}: no placeholder for {', '.join(sorted(unknown))}")
    parts = _PARTS.match(source)
    if parts is None:
        raise PromptError(f"prompt {name}: expected a '# system' part and a '# user' part")
    safe = {key: as_data(value) for key, value in variables.items()}
    return [
        (role, _PLACEHOLDER.sub(lambda m: safe[m[1]], parts[role]).strip())
        for role in ("system", "user")
    ]


def fingerprint(name: str) -> str:
    """The first 12 hex digits of the sha256 of the prompt's file, for evaluation rows."""
    return hashlib.sha256(_source(name).encode()).hexdigest()[:12]
