"""An answer's own words, and its sentences with the citations that each carries."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from chatbot.text.markdown import marks, without_marks

_FENCE = re.compile(r"\s*```")
_ITEM = re.compile(r"\s*(?:\d+[.)]|[-*+])\s+")
_RULE = re.compile(r"[\s|:\-]*")
_MARKS = r"(?:\s*\[\d+(?:\s*[,;]\s*\d+)*\])+"
_MARK_BEHIND = re.compile(rf"([.!?:])({_MARKS})(?=\s|$)")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\sa-z\d])")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, an item, a row or a code block of an answer, with the citations it carries."""

    text: str
    cited: tuple[int, ...]


def own_words(answer: str) -> str:
    """The answer without its marks, and without lines that quote ("> ...")."""
    return "\n".join(
        line if code else without_marks(line)
        for line, code in _lines(answer)
        if code or not line.lstrip().startswith(">")
    )


def sentences(answer: str) -> tuple[Sentence, ...]:
    """The sentences of the answer's own words in order; headings are none.

    A mark stands for what comes before it in its paragraph. Items, rows and code carry the
    citations of the line that leads in to them, unless they have their own.
    """
    found: list[Sentence] = []
    lead: tuple[int, ...] = ()
    code: list[str] = []
    for line, is_code in [*_lines(answer), ("", False)]:
        if is_code:
            code += [] if _FENCE.match(line) else [line]
            continue
        if code:
            found.append(Sentence("\n".join(code), lead))
            code = []
        if not line.strip() or line.lstrip().startswith((">", "#")) or _RULE.fullmatch(line):
            continue
        block = line.lstrip().startswith("|") or _ITEM.match(line) is not None
        # A mark may stand before the full stop or behind it; it is the sentence's either way.
        parts = _SENTENCE_END.split(_MARK_BEHIND.sub(r"\2\1", _ITEM.sub("", line, count=1)))
        for i, part in enumerate(parts):
            cited = tuple(marks(part))
            behind = next((own for later in parts[i + 1 :] if (own := tuple(marks(later)))), ())
            text = without_marks(part).strip()
            if re.search(r"\w", text):
                found.append(Sentence(text, cited or behind or (lead if block else ())))
            if not block:
                lead = cited or lead
    return tuple(found)


def _lines(answer: str) -> Iterator[tuple[str, bool]]:
    """The lines, and whether each belongs to a fenced code block."""
    inside = False
    for line in answer.splitlines():
        fence = _FENCE.match(line) is not None
        yield line, inside or fence
        inside ^= fence
