"""The prompt of a written lead: which passages the model sees, and what it is asked to do."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from chatbot.memory.prompting import with_remembered
from chatbot.retrieval.forms import named_rows
from chatbot.retrieval.kinds import Kind, kind_of
from chatbot.retrieval.passages import Passage, best_passages, section_of, short_section
from chatbot.turn import Record, Turn
from prompts import Fenced, fenced, fenced_list, render

PROMPT = "answer_lead"
HINTS = {
    Kind.VALUE: (
        "Name the thing, its value with the unit, and its range or condition if the chunks state "
        "one. If they do not tell this value, reply: I don't know"
    ),
    Kind.STEPS: (
        "Say in one or two sentences what has to be done, with the command or setting that does "
        "it. If the chunks tell how to do something else only, reply: I don't know"
    ),
    Kind.LIST: "Name all of them in one sentence.",
    Kind.TABLE: "Answer from the rows, with names, values and units.",
    Kind.DEFINITION: "Say in one to three sentences what it is and what it is for.",
    Kind.YES_NO: (
        "Begin with Yes or No, then say why. If the chunks do not speak of it, reply: I don't know"
    ),
    Kind.EXPLANATION: (
        "Say in two or three sentences for what reason, or how it works, as the chunks state it."
    ),
    Kind.CHANGE: "Say what changed, and in which release.",
}
ROWS_NEAR = 0.85
"""Of the best row's score, below which a row of the same table is not shown to the model."""
NEAR = 0.5
"""Of the best passage's score, below which a passage of another section is not shown."""
BEST = 3
"""Passages of which at least the best record is shown, wherever they stand."""
MORE_FOR = {Kind.EXPLANATION: 1.6}
"""How much more evidence is shown: a reason often stands some paragraphs from what it explains."""
NEAR_FOR = {Kind.EXPLANATION: 0.8}
"""What a passage of another section scores at least, of the best: a model makes reasons of all."""
UNKNOWN = "I don't know"
"""What the prompt asks the model to say where the passages do not tell."""


@dataclass(frozen=True)
class Excerpt:
    """A passage, and those of its records that are shown of it, in page order."""

    passage: Passage
    records: tuple[Record, ...]


@dataclass(frozen=True)
class LeadPrompt:
    """What of the evidence the model sees, for which kind of question; records best first."""

    turn: Turn
    subject: str
    kind: Kind
    scored: Sequence[Record]
    passages: Sequence[Passage]
    excerpts: Sequence[Excerpt]

    @property
    def shown(self) -> list[Passage]:
        """The passages of which anything is shown."""
        return [excerpt.passage for excerpt in self.excerpts]

    @property
    def messages(self) -> list[tuple[str, str]]:
        """The prompt as (role, text)."""
        assert self.turn.queries is not None
        product, release = self.turn.asked
        on_row = self.kind is Kind.VALUE and named_rows(self.subject, self.passages[0].records)
        return render(
            PROMPT,
            product=product,
            release=release,
            chunks=with_remembered(as_chunks(self.excerpts), self.turn),
            question=fenced("question", self.turn.queries.base),
            hint=HINTS[Kind.TABLE if on_row else self.kind],
        )


def lead_prompt(turn: Turn, budget: int) -> LeadPrompt | None:
    """The prompt from `budget` characters of the selected records; None where there are none."""
    assert turn.queries is not None
    scored = turn.ranked
    if not scored:
        return None
    subject = turn.queries.subject
    passages = best_passages(scored)
    kind = kind_of(turn.queries, passages[0])
    room = int(budget * MORE_FOR.get(kind, 1.0))
    excerpts = within(room, passages, scored, subject, NEAR_FOR.get(kind, NEAR))
    return LeadPrompt(turn, subject, kind, scored, passages, excerpts)


def beginning_of_prompt() -> list[tuple[str, str]]:
    """A prompt without a question: what every prompt begins with, which the model keeps read."""
    nothing = {"product": "", "release": "", "hint": ""}
    return render(PROMPT, chunks=fenced_list(()), question=fenced("question", ""), **nothing)


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
