"""The building blocks of comparisons in words: citations, short passages, tables."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from chatbot.retrieval.records import LIST_MARK
from chatbot.retrieval.support import cite, plain
from chatbot.text.languages import gettext, shown_list
from chatbot.text.markdown import marks, renumbered, with_marks_as_code, without_marks
from chatbot.text.sanitizer import harmless
from chatbot.turn import Answer, Citation, Record
from prompts.fencing import visible


@dataclass
class Quotes:
    """The citations of an answer while it is written; each passage has one number."""

    _numbers: dict[Citation, int] = field(default_factory=dict)

    def mark(self, record: Record, release: str) -> str:
        """Cite a passage of a release: "[3]"."""
        return self.cite(cite(record, release))

    def cite(self, citation: Citation) -> str:
        """The mark of a citation: "[3]"."""
        return f"[{self._numbers.setdefault(citation, len(self._numbers) + 1)}]"

    def answer(self, lead: str, *more: str) -> Answer:
        """The answer that was written with these citations; abstains where there is none."""
        value = without_marks(lead).strip() if self._numbers else ""
        return Answer("\n\n".join((lead, *more)), not value, tuple(self._numbers), value)


def joined(parts: Sequence[tuple[str, Answer]]) -> Answer:
    """Answers one below the other, each behind its heading; the value is the first one's."""
    texts: list[str] = []
    citations: list[Citation] = []
    for heading, answer in parts:
        texts.append(f"{heading} {_shifted(answer.text, len(citations))}".strip())
        citations += answer.citations
    telling = [answer for _, answer in parts if not answer.abstained]
    return Answer(
        "\n\n".join(texts),
        not telling,
        tuple(citations),
        telling[0].value if telling else "",
        tuple(dict.fromkeys(warning for _, answer in parts for warning in answer.warnings)),
        any(answer.unwritten for answer in telling),
    )


def in_each(releases: Sequence[str], answers: Sequence[Answer]) -> Answer:
    """The answers of releases one below the other, or once where all say the same.

    A passage that was chosen for a question nobody wrote an answer to says nothing of what is the
    same: it may lead in to what differs.
    """
    bare = [without_marks(answer.text).strip() for answer in answers]
    same = {plain(_without(r, text)) for text, r in zip(bare, releases, strict=True)}
    if len(same) > 1 or any(answer.abstained or answer.unwritten for answer in answers):
        return joined([(f"**{r}:**", answer) for r, answer in zip(releases, answers, strict=True)])
    whole = joined([("", answer) for answer in answers])
    numbers = iter(marks(whole.text))
    places = []
    for release, answer in zip(releases, answers, strict=True):
        own = dict.fromkeys(next(numbers) for _ in marks(answer.text))
        places.append(f"{release} {' '.join(f'[{n}]' for n in own)}")
    text = gettext("It is the same in {places}: {text}", places=shown_list(places), text=bare[-1])
    return replace(whole, text=text, value=without_marks(text))


def _without(release: str, text: str) -> str:
    """A text without the words for its own release, which may stand in it as a value as well."""
    name = re.escape(release)
    return re.sub(rf"\bin {name}(?=[.,;:)]|\s*$)|{name}(?= documentation\b)", "", text)


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


def _shifted(text: str, by: int) -> str:
    """A text whose marks have numbers that are so much higher."""
    return renumbered(text, lambda number: f"[{number + by}]")
