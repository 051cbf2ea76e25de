"""What all answers to comparisons are written with: citations, short passages, tables."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from chatbot.retrieval.provenance import cite
from chatbot.text.citation_markers import with_marks_as_code, without_marks
from chatbot.text.sanitizer import harmless
from chatbot.turn import Citation, Record
from prompts.fencing import visible

_LEAD_IN = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


@dataclass
class Quotes:
    """The citations of an answer while it is written; each passage has one number."""

    citations: list[Citation] = field(default_factory=list)

    def mark(self, record: Record, release: str) -> str:
        """Cite a passage of a release: "[3]"."""
        return self.number(cite(record, release))

    def number(self, citation: Citation) -> str:
        """Number a citation, the same one always alike."""
        if citation not in self.citations:
            self.citations.append(citation)
        return f"[{self.citations.index(citation) + 1}]"


def in_short(text: str, longest: int = 220) -> str:
    """A passage on one line, cut at a word; it loads, links and cites nothing."""
    text = " ".join(_LEAD_IN.sub("", visible(text)).split())
    cut = text if len(text) <= longest else f"{text[:longest].rsplit(' ', 1)[0]} …"
    return with_marks_as_code(harmless(cut, evidence=cut))


def in_bare_words(sentence: str) -> str:
    """A sentence without its marks: what an answer's value is."""
    return re.sub(r"\s+([.;:,])", r"\1", without_marks(sentence)).strip()


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = (header, ["---"] * len(header), *rows)
    cells = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)
