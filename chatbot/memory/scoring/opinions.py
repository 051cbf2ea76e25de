"""What people say of an answer, gathered over the turns that made or reused it."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from chatbot.memory.pairs import Role
from chatbot.memory.scoring.combining import Rated, Thumb
from corpora.database.history_tables import FeedbackRow, ReviewRow, TurnRow
from corpora.database.memory_tables import MemoryUseRow


@dataclass(frozen=True)
class Opinions:
    """The thumbs on an answer, each with whose it is, and what an admin said last."""

    thumbs: tuple[Thumb, ...] = ()
    rating: Rated | None = None


def opinions_of_pair(session: Session, pair: int) -> Opinions:
    """What is said of the turns that made a pair, or were answered with it."""
    turns = select(MemoryUseRow.turn_id).where(
        MemoryUseRow.pair_id == pair, MemoryUseRow.role.in_((Role.SOURCE, Role.REUSE))
    )
    return _opinions(session, TurnRow.id.in_(turns))


def opinions_of_turn(session: Session, turn: int) -> Opinions:
    """What is said of one turn."""
    return _opinions(session, TurnRow.id == turn)


def _opinions(session: Session, chosen: ColumnElement[bool]) -> Opinions:
    thumbs = session.execute(
        select(TurnRow.owner, FeedbackRow.thumbs, FeedbackRow.created)
        .join(FeedbackRow, FeedbackRow.turn_id == TurnRow.id)
        .where(chosen)
    )
    rating = session.execute(
        select(ReviewRow.rating, ReviewRow.reviewer, ReviewRow.updated)
        .join(TurnRow, TurnRow.id == ReviewRow.turn_id)
        .where(chosen, ReviewRow.rating != "")
        .order_by(ReviewRow.updated.desc())
        .limit(1)
    ).one_or_none()
    return Opinions(tuple(Thumb(*row) for row in thumbs), Rated(*rating) if rating else None)
