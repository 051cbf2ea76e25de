"""Which pairs of the memory a turn used, kept with the turn."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from chatbot.memory.pairs import Origin, Role
from chatbot.memory.prompting import repeats
from chatbot.turn import Remembered, Route, Turn
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow

REJECTED = "The same answer was rated poorly before and is not given again."
"""The warning in place of an answer that people rated poorly before."""


def role_of(turn: Turn) -> tuple[Role | None, tuple[Remembered, ...]]:
    """What the memory did for a turn, and with which pairs; None where it did nothing.

    Poorly rated answers count as avoided only if the new one does not repeat their words.
    """
    found = turn.recollection
    if found is None:
        return None, ()
    if found.reused is not None:
        return Role.REUSE, (found.reused,)
    if turn.route is Route.REFERENCE:
        return Role.REFERENCE, found.good
    answer = turn.answer
    poor = tuple(pair for pair in found.bad if pair.origin != Origin.MEASURED)
    if poor and answer and not answer.abstained and not any(repeats(answer, p) for p in poor):
        return Role.AVOID, poor
    return None, ()


def uses_of(turn: Turn) -> dict[int, Role]:
    """The ids of the pairs that a turn used, with its role for each."""
    role, pairs = role_of(turn)
    return {pair.id: role for pair in pairs} if role is not None else {}


def keep_uses(session: Session, turn: int, uses: Mapping[int, Role], now: datetime) -> None:
    """Store which pairs a turn used; pairs that were deleted meanwhile are left out."""
    if not uses:
        return
    there = session.scalars(select(MemoryPairRow.id).where(MemoryPairRow.id.in_(uses)))
    rows = [{"turn_id": turn, "pair_id": pair, "role": uses[pair]} for pair in there]
    if rows:
        session.execute(insert(MemoryUseRow), rows)
    count_reuse(session, uses, now)


def count_reuse(session: Session, uses: Mapping[int, Role], now: datetime) -> None:
    """Count the reuse of a pair."""
    reused = [pair for pair, role in uses.items() if role is Role.REUSE]
    session.execute(
        update(MemoryPairRow)
        .where(MemoryPairRow.id.in_(reused))
        .values(reused=MemoryPairRow.reused + 1, last_used=now)
    )
