"""An answer that somebody wrote, as the chatbot writes its own (`chatbot.text.markdown`)."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any

from chatbot.administration.support import Supported
from chatbot.text.citation_markers import without_marks
from chatbot.text.sanitizer import harmless
from prompts.fencing import visible

_SHORT = 200
"""Characters up to which an answer of one line is its own short answer."""
_FENCE = re.compile(r"\s*(?:```|~~~)")
_LEAD = re.compile(r"\s*(?P<quoted>(?:>\s?)*)")


def as_answer(text: str) -> str:
    """The text without pictures, links and marks of citations; addresses and code are code spans.

    A quotation stays one, line by line: whoever shows it sees to it that it is one.
    """
    lines, in_code = [], False
    for line in visible(text).split("\n"):
        if _FENCE.match(line):
            in_code = not in_code
        elif in_code:
            lines.append(f"`{line.replace('`', chr(39))}`" if line.strip() else "")
        else:
            lines.append(_line(line, text))
    return "\n".join(lines).strip()


def as_value(text: str) -> str:
    """The same for a short answer on one line."""
    return " ".join(as_answer(text.replace("\n", " ")).split())


def answer_object(found: Supported, value: str = "") -> dict[str, Any]:
    """An answer that somebody wrote, as a pair has it; a short one is its own value."""
    bare = without_marks(found.text)
    if not value and "\n" not in bare and len(bare) <= _SHORT:
        value = bare
    return {
        "text": found.text,
        "value": value,
        "citations": [asdict(citation) for citation in found.citations],
    }


def _line(line: str, text: str) -> str:
    lead = _LEAD.match(line)
    assert lead is not None
    indent = line[: len(line) - len(line.lstrip())]
    # What the text holds itself it may show as code: whoever wrote it answers for it.
    bare = without_marks(harmless(line[lead.end() :], evidence=text)).rstrip()
    if not bare:
        return ""
    return f"> {bare}" if lead["quoted"] else f"{indent}{bare}"
