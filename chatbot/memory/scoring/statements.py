"""What an answer says, sentence by sentence, and the passages that it is held against."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from chatbot.retrieval.provenance import plain
from chatbot.retrieval.records import sentences
from chatbot.text.citation_markers import without_marks
from chatbot.turn import Answer, Citation, Record

CUT = 500
"""Characters from which on the words of a citation may be the beginning of what is cited."""
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


def own_statements(answer: Answer, pages: Iterable[str]) -> list[str]:
    """The sentences, items, rows and code that no page says word for word, the lead first."""
    lines = without_marks(answer.text).split("\n")
    said = (_MARKUP.sub("", line).strip() for line in lines if not _NOT_SAID.match(line))
    stated = (*lead_of(answer), *(s for line in said for s in sentences(line)))
    return not_of_pages(dict.fromkeys(stated), pages)


def not_of_pages(statements: Iterable[str], pages: Iterable[str]) -> list[str]:
    """The statements that are found word for word in no page."""
    texts = [f" {words(page)} " for page in pages]
    return [s for s in statements if not any(f" {words(s)} " in text for text in texts)]


def words(text: str) -> str:
    """The words and figures of a text without marks and signs, folded, in order."""
    return " ".join(re.findall(r"\w+", without_marks(text).casefold()))


@dataclass(frozen=True)
class Passage:
    """A text of a page: `read` with what it is about before it, `text` folded with all headings."""

    read: str
    text: str
    cells: tuple[tuple[str, str], ...] = ()
    score: float = 0.0


def passage_of(record: Record) -> Passage:
    """The passage that a record is."""
    said = " ".join((record.quote, record.reading, record.label, *record.path))
    return Passage(f"{record.label}: {record.reading}", plain(said), record.cells, record.score)


def cited_passages(citations: Sequence[Citation], evidence: Sequence[Record]) -> list[Passage]:
    """The passages that are cited, each once: the records of each citation, else its words."""
    return list(dict.fromkeys(p for citation in citations for p in _cited(citation, evidence)))


def _cited(citation: Citation, evidence: Sequence[Record]) -> list[Passage]:
    of_page = [record for record in evidence if record.page.id == citation.page_id]
    exact = [record for record in of_page if record.quote == citation.quote]
    if found := exact or [record for record in of_page if _is_cited(record, citation)]:
        return list(map(passage_of, found))
    label = citation.section.rsplit(" › ", 1)[-1] or citation.document
    said = plain(f"{citation.quote} {citation.section}")
    return [Passage(f"{label}: {citation.quote}", said)]


def _is_cited(record: Record, citation: Citation) -> bool:
    if record.quote in citation.quote or record.quote.startswith(citation.quote):
        return True
    return len(citation.quote) >= CUT and " › ".join(record.path) == citation.section
