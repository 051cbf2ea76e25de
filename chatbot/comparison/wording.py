"""What all answers to comparisons are written with: citations, short passages, tables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from chatbot.retrieval.records import LIST_MARK
from chatbot.retrieval.support import cite
from chatbot.text.markdown import with_marks_as_code, without_marks
from chatbot.text.sanitizer import harmless
from chatbot.turn import Answer, Citation, Record
from prompts.fencing import visible


@dataclass
class Quotes:
    """The citations of an answer while it is written; each passage has one number."""

    _numbers: dict[Citation, int] = field(default_factory=dict)

    @property
    def any(self) -> bool:
        """Whether there is one."""
        return bool(self._numbers)

    def mark(self, record: Record, release: str) -> str:
        """Cite a passage of a release: "[3]"."""
        return f"[{self._numbers.setdefault(cite(record, release), len(self._numbers) + 1)}]"

    def answer(self, lead: str, *more: str, unwritten: bool = False) -> Answer:
        """The answer that was written with these citations; abstains where there is none."""
        value = without_marks(lead).strip() if self.any else ""
        text = "\n\n".join((lead, *more))
        return Answer(text, not value, tuple(self._numbers), value, unwritten=unwritten)


def in_short(text: str, longest: int = 220) -> str:
    """A passage on one line, cut at a word; it loads, links and cites nothing."""
    text = " ".join(LIST_MARK.sub("", visible(text)).split())
    cut = text if len(text) <= longest else f"{text[:longest].rsplit(' ', 1)[0]} …"
    return with_marks_as_code(harmless(cut, evidence=cut))


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown."""
    lines = (header, ["---"] * len(header), *rows)
    cells = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)
