"""Saved answers as data in a prompt (ComRAG 4.3), and what a turn has to do with them."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from sqlalchemy.orm import Session

from chatbot.memory.pairs import HUMAN_ORIGINS, Role, ScoreOrigin, same_value
from chatbot.memory.questions import normalized, standalone_text
from chatbot.text.markdown import without_marks
from chatbot.turn import Recollection, Remembered, Route, Turn
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


class Reuse(NamedTuple):
    """The pair that a turn gave again; `asks` are its words, if they are another wording of it."""

    pair: int
    asks: str


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
    return any(same_value(p.value, value) for p in _rejected(turn) if p.similarity >= same)


def role_of(turn: Turn) -> tuple[Role | None, tuple[Remembered, ...]]:
    """The role of the memory in a turn, and the pairs; None where it had none."""
    recollection = turn.recollection or Recollection()
    if recollection.reused is not None:
        return Role.REUSE, (recollection.reused,)
    if turn.answer is None or turn.answer.abstained:
        return None, ()
    if turn.route is Route.REFERENCE:
        return Role.REFERENCE, recollection.good
    poor = _rejected(turn)
    return (Role.AVOID, poor) if poor else (None, ())


def _rejected(turn: Turn) -> tuple[Remembered, ...]:
    bad = turn.recollection.bad if turn.recollection else ()
    return tuple(pair for pair in bad if pair.origin != ScoreOrigin.MEASURED)


def reuse_of(turn: Turn) -> Reuse | None:
    """The pair that a turn gave again, with the turn's words if somebody took both for the same."""
    reused = turn.recollection.reused if turn.recollection else None
    if reused is None:
        return None
    is_worded = reused.id == turn.same_as
    return Reuse(reused.id, normalized(standalone_text(turn), turn.target[0]) if is_worded else "")


def keep_reuse(session: Session, turn: int, reuse: Reuse, now: datetime) -> None:
    """Store that a turn reused a pair, and count it, unless the pair is gone."""
    if pair := session.get(MemoryPairRow, reuse.pair):
        session.add(MemoryUseRow(turn_id=turn, pair_id=pair.id, role=Role.REUSE, asks=reuse.asks))
        pair.reused, pair.last_used = pair.reused + 1, now
