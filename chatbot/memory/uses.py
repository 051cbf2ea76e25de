"""What a turn has to do with pairs of the memory, kept with the turn."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from chatbot.memory.pairs import Role
from chatbot.turn import Remembered, Route, Turn
from corpora.memory_tables import MemoryPairRow, MemoryUseRow

REJECTED = "the same answer to this question was rated bad before and is withheld"
"""The warning of an answer that would have been a rejected one again."""


def role_of(turn: Turn) -> tuple[Role | None, tuple[Remembered, ...]]:
    """What the memory did for a turn, and with which pairs; None where it had no part in it."""
    found = turn.recollection
    if found is None:
        return None, ()
    if found.reused is not None:
        return Role.REUSE, (found.reused,)
    if turn.route is Route.REFERENCE:
        return Role.REFERENCE, found.good
    warnings = turn.answer.warnings if turn.answer else ()
    if found.bad and (REJECTED in warnings or _model_wrote(turn)):
        return Role.AVOID, found.bad
    return None, ()


def uses_of(turn: Turn) -> dict[int, Role]:
    """The pairs that a turn was answered by or helped by, by their ids."""
    role, pairs = role_of(turn)
    return {pair.id: role for pair in pairs} if role is not None else {}


def keep_uses(session: Session, turn: int, uses: Mapping[int, Role], now: datetime) -> None:
    """Keep what a kept turn used; pairs that are gone by now are left out."""
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


def _model_wrote(turn: Turn) -> bool:
    return any(call.step == "answer_generation" for call in turn.calls)
