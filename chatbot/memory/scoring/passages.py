"""What an answer is held against: the records that it cites, and those beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.grounding import plain
from chatbot.turn import Citation, Record


@dataclass(frozen=True)
class Passage:
    """A text of a page: `read` with what it is about before it, `text` folded with all headings.

    The `cells` of a table row are (header, cell); `score` is the record's, 0 where there is none.
    """

    read: str
    text: str
    cells: tuple[tuple[str, str], ...] = ()
    score: float = 0.0


def passage_of(record: Record) -> Passage:
    """The passage that a record is."""
    words = " ".join((record.quote, record.reading, record.label, *record.path))
    return Passage(f"{record.label}: {record.reading}", plain(words), record.cells, record.score)


def cited_passages(citations: Sequence[Citation], evidence: Sequence[Record]) -> list[Passage]:
    """The passages that are cited, each once: the records they come from, else the quotes."""
    return list(dict.fromkeys(_cited(citation, evidence) for citation in citations))


def _cited(citation: Citation, evidence: Sequence[Record]) -> Passage:
    for record in evidence:
        # A long quote is cut short in its citation.
        if record.page.id == citation.page_id and record.quote.startswith(citation.quote):
            return passage_of(record)
    label = citation.section.rsplit(" › ", 1)[-1] or citation.document
    return Passage(f"{label}: {citation.quote}", plain(f"{citation.quote} {citation.section}"))
