"""What of the passages stands in the prompt: a few of the best, and the section of the best."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chatbot.retrieval.forms import named_rows
from chatbot.retrieval.passages import Passage, section_of, short_section
from chatbot.turn import Record
from prompts import Fenced, fenced, fenced_list

ROWS_NEAR = 0.85
"""Of the best row's score, below which a row of the same table is not shown to the model."""


NEAR = 0.5
"""Of the best passage's score, below which a passage of another section is not shown."""


BEST = 3
"""Passages of which at least the best record is shown, wherever they stand."""


@dataclass(frozen=True)
class Excerpt:
    """A passage, and those of its records that are shown of it, in page order."""

    passage: Passage
    records: tuple[Record, ...]


def within(
    budget: int,
    passages: Sequence[Passage],
    scored: Sequence[Record],
    subject: str,
    near: float = NEAR,
) -> list[Excerpt]:
    """What of the passages fits into so many characters; of the first something in any case.

    They come best first, and those of the best one's section before all others, since a reason or
    a list stands together; it is put in page order. What scores less than `near` of the best is
    left out: a small model mixes it in. Where the section fills the room, the best record of each
    of the `BEST` passages is shown beyond it: a value is often told in one line elsewhere.
    """
    kept: list[Excerpt] = []
    for passage in _section_first(passages, near):
        records = shown_records(passage, scored, subject, budget)
        size = sum(len(r.reading) for r in records)
        if kept and size > budget:
            continue
        kept.append(Excerpt(passage, tuple(records)))
        budget -= size
        if budget <= 0:
            break
    shown = {e.passage.place for e in kept}
    least = near * passages[0].score
    missed = (p for p in passages[:BEST] if p.place not in shown and p.score >= least)
    kept += [Excerpt(p, tuple(shown_records(p, scored, subject, 0))) for p in missed]
    section = {p.place for p in section_of(passages[0])}
    together = [e for e in kept if e.passage.place in section]
    others = [e for e in kept if e.passage.place not in section]
    return sorted(together, key=lambda e: e.passage.start) + others


def _section_first(passages: Sequence[Passage], least: float) -> list[Passage]:
    """The passages of the best one's section, of a short one all of them; then those near it."""
    best = passages[0]
    # A record that begins in the passage before may hold all of a short one.
    section = {p.place: p for p in section_of(best) if p.records}
    found = [p for p in passages if p.place in section]
    if short_section(best):
        found += [p for place, p in section.items() if place not in {f.place for f in found}]
    near = (p for p in passages if p.score >= least * best.score)
    return [*found, *(p for p in near if p.place not in section)]


def as_chunks(excerpts: Sequence[Excerpt]) -> Fenced:
    """The excerpts as numbered sections of a prompt."""
    sections = []
    for number, excerpt in enumerate(excerpts, 1):
        passage = excerpt.passage
        where = " › ".join(dict.fromkeys((passage.page.document.title, *passage.path[-2:])))
        sections.append(fenced("chunk", _together(excerpt.records), number=number, section=where))
    return fenced_list(sections)


def _together(records: Sequence[Record]) -> str:
    """The readings in lines; a sentence that leads in to several items stands once."""
    lines: list[str] = []
    for record in records:
        lead = record.reading.removesuffix(record.quote).strip()
        told = lead and any(lead in line for line in lines)
        lines.append(record.quote if told else record.reading)
    return "\n".join(lines)


def shown_records(
    passage: Passage, scored: Sequence[Record], subject: str, budget: int
) -> list[Record]:
    """The records of a passage that fit, in page order: all of them, else the best and the first.

    Of a table only the rows that the subject names, else those that answer about as well as its
    best, since a small model mistakes one row for another. A record counts by its own score where
    it was scored, else by none.
    """
    scores = {r.place: r.score for r in scored}
    found = [replace(r, score=scores.get(r.place, 0.0)) for r in passage.records]
    least = ROWS_NEAR * max((r.score for r in found if r.cells), default=0.0)
    rows = named_rows(subject, found) or [r for r in found if r.cells and r.score >= least]
    whole = [r for r in found if not r.cells or r in rows]
    if sum(len(r.reading) for r in whole) <= budget:
        return whole
    ranked = sorted(whole, key=lambda r: -r.score)
    kept: list[Record] = []
    for record in [*ranked[:1], *whole[:1], *ranked[1:]]:
        if record not in kept and (not kept or len(record.reading) <= budget):
            kept.append(record)
            budget -= len(record.reading)
    return sorted(kept, key=lambda r: r.start)
