"""What an answer is held against: the records that it cites, and those beside them."""

from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.retrieval.provenance import plain
from chatbot.turn import Citation, Record

CUT = 500
"""Characters from which on the words of a citation may be the beginning of what is cited."""


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
    """The passages that are cited, each once: the records of each citation, else its words.

    What is said has to stand in one of them: the words of a section together say many things.
    """
    return list(dict.fromkeys(p for citation in citations for p in _cited(citation, evidence)))


def _cited(citation: Citation, evidence: Sequence[Record]) -> list[Passage]:
    of_page = [record for record in evidence if record.page.id == citation.page_id]
    exact = [record for record in of_page if record.quote == citation.quote]
    found = [passage_of(r) for r in exact or of_page if exact or _is_cited(r, citation)]
    return found or [_quoted(citation)]


def _is_cited(record: Record, citation: Citation) -> bool:
    """Whether a record stands in cited words, which are cut short where they are long."""
    if record.quote in citation.quote or record.quote.startswith(citation.quote):
        return True
    return len(citation.quote) >= CUT and " › ".join(record.path) == citation.section


def _quoted(citation: Citation) -> Passage:
    label = citation.section.rsplit(" › ", 1)[-1] or citation.document
    return Passage(f"{label}: {citation.quote}", plain(f"{citation.quote} {citation.section}"))
