"""The sentences of an answer, and which of them no page says word for word."""

import re
from collections.abc import Iterable

from chatbot.retrieval.records import sentences
from chatbot.text.citation_markers import without_marks
from chatbot.turn import Answer

_LEAST_WORDS = 3
_ENDS = re.compile(r"[.!?][\"'”’)\]`*]*$")
_MARKUP = re.compile(r"^\s*(?:[-*+•]\s+|\d+[.)]\s+|#+\s+|\|)+")
_NOT_SAID = re.compile(r"^\s*(?:>|```|~~~|[\s|:-]*$)")


def is_told(value: str) -> bool:
    """Whether a lead is a full sentence, not a bare value, name or command."""
    said = value.strip()
    return _ENDS.search(said) is not None and len(said.split()) >= _LEAST_WORDS


def lead_of(answer: Answer) -> tuple[str, ...]:
    """The sentences of the lead."""
    return tuple(s for line in answer.value.splitlines() for s in sentences(line))


def statements_of(answer: Answer) -> tuple[str, ...]:
    """All that an answer says, each once: its sentences, steps, items, rows and lines of code.

    The lead comes first. Marks are left out, and so are quotations, which are their page's words.
    """
    lines = without_marks(answer.text).split("\n")
    said = (_MARKUP.sub("", line).strip() for line in lines if not _NOT_SAID.match(line))
    return tuple(dict.fromkeys((*lead_of(answer), *(s for line in said for s in sentences(line)))))


def not_of_pages(statements: Iterable[str], pages: Iterable[str]) -> list[str]:
    """The statements that are found word for word in no page."""
    texts = [f" {words(page)} " for page in pages]
    return [s for s in statements if not any(f" {words(s)} " in text for text in texts)]


def words(text: str) -> str:
    """The words and figures of a text without marks and signs, folded, in order."""
    return " ".join(re.findall(r"\w+", without_marks(text).casefold()))
