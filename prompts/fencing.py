"""Data inside a prompt: between tags that it cannot close, without a model's control tokens."""

import re
from collections.abc import Iterable

TAGS = (
    "answer",
    "answered",
    "chunk",
    "conversation",
    "documentation",
    "excerpts",
    "gold_answer",
    "passage",
    "question",
    "rejected",
    "relations",
    "releases",
    "statement",
    "unsupported",
)
"""The sections of prompts that hold data."""

_SECTION = re.compile(rf"<(?=[\s/\\]*(?:{'|'.join(TAGS)})\b)", re.I)
# What chat templates of the common model families are made of; a tokenizer would obey them.
_CONTROL_TOKEN = re.compile(
    r"<(?=[|｜])"
    r"|<(?=/?(?:s|[be]os|pad|unk|mask|[be]o[hpt]|sop|(?:bos|eos|pad)_token|think|tools?|tool_\w+"
    r"|(?:start|end)_(?:of|header)_\w+|begin_of_\w+|(?:im|fim)_\w+|unused\d+|extra_id_\d+)>)"
    r"|<(?=</?SYS>>)"
    r"|\[(?=/?(?:INST|AVAILABLE_TOOLS|TOOL_\w+|SYSTEM_PROMPT|THINK|ARGS|CALL_ID|IMG\w*|g?MASK)\])",
    re.I,
)
_SEPARATOR = re.compile("\r\n|[\u000b\u000c\u001c-\u001f\u0085\u2028\u2029]")
_INVISIBLE = re.compile(
    "[\u0000-\u0008\u000e-\u001b\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5"
    "\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


class Fenced(str):
    """Text that is safe to stand in a prompt as it is: data between its tags."""

    __slots__ = ()


def visible(text: str) -> str:
    """The text without what no reader sees: zero-width, direction, tag and control characters.

    Unusual line ends become newlines; half a surrogate pair, which no file can hold, goes too.
    """
    return _INVISIBLE.sub("", _SEPARATOR.sub("\n", text))


def as_data(text: str) -> str:
    """The text as it may stand in a prompt: it opens and closes nothing.

    The sign that opens a tag or a control token becomes one that looks alike.
    """
    if isinstance(text, Fenced):
        return text
    return without_control_tokens(_SECTION.sub("‹", visible(text)))


def without_control_tokens(text: str) -> str:
    """The text in which no model's tokenizer finds a control token: its first sign is another."""
    return _CONTROL_TOKEN.sub(lambda m: "‹" if m[0] == "<" else "［", text)


def fenced(tag: str, text: str, **attributes: str | int) -> Fenced:
    """Put data into a section of its own; raises ValueError for a tag that prompts do not have."""
    if tag not in TAGS:
        raise ValueError(f"no section is called {tag!r}; there are {', '.join(TAGS)}")
    written = "".join(f' {name}="{_attribute(value)}"' for name, value in attributes.items())
    return Fenced(f"<{tag}{written}>\n{as_data(text)}\n</{tag}>")


def fenced_list(sections: Iterable[Fenced]) -> Fenced:
    """Join sections, a line apart."""
    return Fenced("\n".join(sections))


def _attribute(value: str | int) -> str:
    return as_data(" ".join(re.sub(r'["<>]', " ", visible(str(value))).split()))
