"""The prompt of a lead: the passages that the model sees, and its instruction."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.memory.prompting import with_remembered
from chatbot.retrieval.asked_rows import listed_rows, matching_rows
from chatbot.retrieval.passages import Passage, best_passages, section_of, short_section
from chatbot.retrieval.question_types import QuestionType, question_type
from chatbot.turn import Record, Turn
from prompts import Fenced, fenced, fenced_list, render

PROMPT = "answer_lead"
_ELSE = "If the chunks do not tell, reply: I don't know"
HINTS = {
    QuestionType.VALUE: (
        "Name the thing and its value with the unit, and its condition if the chunks state one. "
        f"{_ELSE}"
    ),
    QuestionType.STEPS: (
        "Say in one or two sentences what has to be done, with the command or setting that does "
        "it. If the chunks tell how to do something else only, reply: I don't know"
    ),
    QuestionType.LIST: "Name all of them in one sentence.",
    QuestionType.YES_NO: f"Begin with Yes or No, then say why. {_ELSE}",
}
"""The instruction behind the question, by the question's kind."""
EXPLAIN = "Say in one to three sentences what the chunks state of it."
"""The hint for every other kind."""
NEAR = 0.5
"""The least share of the best passage's score for a passage of another section to be shown."""
BEST = 3
"""Passages of other sections of which at least the best record is shown."""
UNKNOWN = "I don't know"
"""The words that the prompt asks for where the passages have no answer."""


@dataclass(frozen=True)
class Excerpt:
    """A passage, and those of its records that are shown of it, in page order."""

    passage: Passage
    records: tuple[Record, ...]


@dataclass(frozen=True)
class LeadPrompt:
    """The part of the evidence that the model sees, and the kind of the question."""

    turn: Turn
    subject: str
    kind: QuestionType
    passages: Sequence[Passage]
    excerpts: Sequence[Excerpt]

    @property
    def shown(self) -> list[Passage]:
        """The passages of which anything is shown."""
        return [excerpt.passage for excerpt in self.excerpts]

    @property
    def messages(self) -> list[tuple[str, str]]:
        """The prompt as (role, text)."""
        product, release = self.turn.target
        return render(
            PROMPT,
            product=product,
            release=release,
            chunks=with_remembered(as_chunks(self.excerpts), self.turn),
            question=fenced("question", self.turn.queries.base),
            hint=HINTS.get(self.kind, EXPLAIN),
        )


def lead_prompt(turn: Turn, budget: int) -> LeadPrompt | None:
    """The prompt from `budget` characters of the selected records; None where there are none."""
    scored = turn.ranked
    if not scored:
        return None
    subject = turn.queries.subject
    kind, passages = question_type(turn.queries.own_subject, subject), best_passages(scored)
    excerpts = within(budget, passages, scored, subject, kind)
    return LeadPrompt(turn, subject, kind, passages, excerpts)


def beginning_of_prompt() -> list[tuple[str, str]]:
    """A prompt without a question: what every prompt begins with, which the model keeps read."""
    nothing = {"product": "", "release": "", "hint": ""}
    return render(PROMPT, chunks=fenced_list(()), question=fenced("question", ""), **nothing)


def within(
    budget: int,
    passages: Sequence[Passage],
    scored: Sequence[Record],
    subject: str,
    kind: QuestionType = QuestionType.VALUE,
) -> list[Excerpt]:
    """The excerpts that fit into `budget` characters; of the first passage there is always one.

    The best one's section comes first, in page order, since a reason or a list stands together,
    then the others, best first. What scores less than `NEAR` of the best is left out: a small model
    mixes it in. Of the `BEST` others at least the best record is shown: a value often stands in one
    line elsewhere.
    """
    section = [p for p in section_of(passages[0]) if p.records]
    places = {p.place for p in section}
    own = [p for p in passages if p.place in places]
    own += section if short_section(passages[0]) else []
    near = [p for p in passages if p.score >= NEAR * passages[0].score and p.place not in places]
    kept: dict[tuple[int, int], Excerpt] = {}
    for passage in (*own, *near):
        records = shown_records(passage, scored, subject, budget, kind)
        if kept and sum(len(r.reading) for r in records) > budget:
            best = shown_records(passage, scored, subject, 0, kind)
            records = best if passage in near[:BEST] else []
        if records and passage.place not in kept:
            kept[passage.place] = Excerpt(passage, tuple(records))
            budget -= sum(len(record.reading) for record in records)
    in_section = {place: place[1] for place in places}
    return sorted(kept.values(), key=lambda e: in_section.get(e.passage.place, sys.maxsize))


def as_chunks(excerpts: Sequence[Excerpt]) -> Fenced:
    """The excerpts as numbered sections of a prompt."""
    sections = []
    for number, excerpt in enumerate(excerpts, 1):
        passage = excerpt.passage
        where = " › ".join(dict.fromkeys((passage.page.document.title, *passage.path[-2:])))
        text = "\n".join(record.reading for record in excerpt.records)
        sections.append(fenced("chunk", text, number=number, section=where))
    return fenced_list(sections)


def shown_records(
    passage: Passage,
    scored: Sequence[Record],
    subject: str,
    budget: int,
    kind: QuestionType = QuestionType.VALUE,
) -> list[Record]:
    """The records of a passage that fit, in page order, the best in any case.

    Of a table only the rows that the subject asks for: a small model mistakes one row for another.
    """
    scores = {r.place: r.score for r in scored}
    table = [r for r in passage.records if r.cells]
    is_list = kind is QuestionType.LIST
    rows = listed_rows(subject, table)[0] if is_list else matching_rows(subject, table)
    whole = [r for r in passage.records if not r.cells or not rows or r in rows]
    kept: list[Record] = []
    for record in sorted(whole, key=lambda r: -scores.get(r.place, 0.0)):
        if not kept or len(record.reading) <= budget:
            kept.append(record)
            budget -= len(record.reading)
    return sorted(kept, key=lambda r: r.start)
