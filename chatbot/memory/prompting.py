"""Saved answers as data in a prompt (ComRAG 4.3), and the record of those that were used."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from chatbot.memory.pairs import HUMAN_ORIGINS, Role, ScoreOrigin, same_value, words
from chatbot.text.markdown import without_marks
from chatbot.turn import Answer, Recollection, Remembered, Route, Turn
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow
from prompts import Fenced, fenced

GOOD = "Answered before, to be checked against the documentation:"
BAD = "Answers that were wrong before:"
RELATIONS = "Relations of what they name, to be checked likewise:"
OUTSIDE = "Not from the documentation, for understanding only, never to be stated:"
PAIRS, CHARACTERS = 2, 600
"""The most pairs and characters of earlier answers in a prompt: a small model reads slowly.

The relations of the good pairs' entities have as many characters of their own.
"""
REJECTED = "The same answer was rated poorly before and is not given again."
"""The warning in place of an answer that people rated poorly before."""


def with_remembered(evidence: Fenced, turn: Turn) -> Fenced:
    """The evidence of a prompt, and behind it the saved answers, if there are any."""
    recollection = turn.recollection or Recollection()
    good = _lines(recollection.good, CHARACTERS - len(GOOD))
    used = len(GOOD) + sum(map(len, good)) if good else 0
    bad = _lines(recollection.bad, CHARACTERS - used - len(BAD))
    triplets = recollection.relations if good else ()
    related = _fitting((r.sentence for r in triplets if not r.source), CHARACTERS - len(RELATIONS))
    left = CHARACTERS - len(OUTSIDE) - sum(map(len, related))
    outside = _fitting((r.attributed for r in triplets if r.source), left)
    sections = [evidence]
    for lead, tag, lines in (
        (GOOD, "answered", good),
        (RELATIONS, "relations", related),
        (OUTSIDE, "relations", outside),
        (BAD, "rejected", bad),
    ):
        if lines:
            text = "\n".join(lines)
            sections.append(Fenced(f"{lead}\n{fenced(tag, text)}"))
    return Fenced("\n\n".join(sections))


def _lines(pairs: Sequence[Remembered], left: int) -> list[str]:
    """One line for each pair, as far as they fit; a pair that only quotes has none."""
    lines = []
    for pair in pairs[:PAIRS]:
        value = pair.value or (without_marks(pair.answer) if pair.origin in HUMAN_ORIGINS else "")
        if value:
            lines.append(f"{' '.join(pair.question.split())} → {value}")
    return _fitting(lines, left)


def _fitting(lines: Iterable[str], left: int) -> list[str]:
    fitting = []
    for line in (" ".join(line.split()) for line in lines):
        if len(line) <= left:
            left -= len(line)
            fitting.append(line)
    return fitting


def route_of(turn: Turn) -> Route:
    """The route of an answer that a model writes: by reference where good pairs stand beside it."""
    recollection = turn.recollection
    shown = recollection and _lines(recollection.good, CHARACTERS - len(GOOD))
    return Route.REFERENCE if shown else turn.route


def is_rejected(turn: Turn, value: str, same: float) -> bool:
    """Whether people rejected this answer to this question (with a cosine of at least `same`)."""
    recollection = turn.recollection
    return any(
        same_value(pair.value, value)
        for pair in (recollection.bad if recollection else ())
        if pair.similarity >= same and pair.origin != ScoreOrigin.MEASURED
    )


def repeats(answer: Answer, pair: Remembered) -> bool:
    """Whether an answer repeats the lead or the body of an earlier one, word for word."""
    text = f" {words(answer.text)} "
    lead = words(pair.value)
    body = words(pair.answer).removeprefix(lead).strip()
    return any(part and f" {part} " in text for part in (lead, body))


def role_of(turn: Turn) -> tuple[Role | None, tuple[Remembered, ...]]:
    """The role of the memory in a turn, and the pairs; None where it had none."""
    recollection = turn.recollection
    if recollection is None:
        return None, ()
    if recollection.reused is not None:
        return Role.REUSE, (recollection.reused,)
    answer = turn.answer
    if turn.route is Route.REFERENCE and answer and not answer.abstained:
        return Role.REFERENCE, recollection.good
    poor = tuple(pair for pair in recollection.bad if pair.origin != ScoreOrigin.MEASURED)
    if poor and answer and not answer.abstained and not any(repeats(answer, p) for p in poor):
        return Role.AVOID, poor
    return None, ()


def uses_of(turn: Turn) -> dict[int, Role]:
    """The ids of the pairs that a turn used, with its role for each."""
    role, pairs = role_of(turn)
    return {pair.id: role for pair in pairs} if role is not None else {}


def keep_uses(session: Session, turn: int, uses: Mapping[int, Role], now: datetime) -> None:
    """Store which pairs a turn used, and count a reuse; pairs that are gone are left out."""
    for pair in session.scalars(select(MemoryPairRow).where(MemoryPairRow.id.in_(uses))):
        session.add(MemoryUseRow(turn_id=turn, pair_id=pair.id, role=uses[pair.id]))
        if uses[pair.id] is Role.REUSE:
            # Counted by the database: others may reuse it at the same time.
            pair.reused, pair.last_used = MemoryPairRow.reused + 1, now
