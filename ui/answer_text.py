"""An answer's text as Markdown: its own few marks are kept, everything else shows as text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from ui.escaping import as_code, as_text, inline, visible

_LEAD = re.compile(r"\*\*([^*\n]+)\*\*")
_SHORT = 80
_CODE = re.compile(r"`([^`\n]+)`")


def answer_markdown(text: str) -> str:
    """Turn the text of `chatbot.turn.Answer` into Markdown for the page.

    Of Markdown it may use quotes ("> "), lists ("- "), code spans, and bold at the start of a
    line. What is quoted comes from documents and is shown letter for letter. A short line before
    its evidence is set in bold.
    """
    return "\n\n".join(_paragraphs(visible(text)))


def _paragraphs(text: str) -> Iterator[str]:
    groups = [(kind, list(lines)) for kind, lines in groupby(text.split("\n"), key=_kind)]
    groups = [(kind, lines) for kind, lines in groups if kind != "blank"]
    for (kind, lines), (following, _) in zip(groups, [*groups[1:], ("", [])], strict=True):
        if kind == "quote":
            yield from _quotes([line[1:].removeprefix(" ") for line in lines])
        elif kind == "list":
            yield "\n".join(f"- {_formatted(line[2:])}" for line in lines)
        elif following == "quote" and _is_value(lines):
            yield f"**{inline(lines[0].strip())}**"
        else:
            yield "\\\n".join(_formatted(line) for line in lines)


def _is_value(lines: list[str]) -> bool:
    """Say whether this is the short answer that its evidence follows."""
    line = lines[0].strip()
    return len(lines) == 1 and len(line) <= _SHORT and not line.endswith(":") and "**" not in line


def _kind(line: str) -> str:
    if line.startswith(">"):
        return "quote"
    if line.startswith("- "):
        return "list"
    return "text" if line.strip() else "blank"


def _quotes(lines: list[str]) -> Iterator[str]:
    """Each quote apart: an empty line stands between two of them, or inside one."""
    paragraphs = "\n".join(lines).split("\n\n")
    quoted = [as_text(paragraph).replace("\n", "\n> ") for paragraph in paragraphs]
    yield "\n>\n".join(f"> {paragraph}" for paragraph in quoted if paragraph)


def _formatted(line: str) -> str:
    line = line.strip()
    if lead := _LEAD.match(line):
        return f"**{inline(lead[1].strip())}**{_with_code(line[lead.end() :])}"
    return _with_code(line)


def _with_code(text: str) -> str:
    parts = _CODE.split(text)
    return "".join(as_code(part) if i % 2 else inline(part) for i, part in enumerate(parts))
