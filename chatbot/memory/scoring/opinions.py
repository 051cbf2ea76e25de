"""The score of an answer (ComRAG 4.1): measured, then by thumbs, then by an admin's rating.

What people say counts over all the turns that made or reused the answer.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from chatbot.accounts.people import LOCAL
from chatbot.accounts.program_keys import PROGRAM
from chatbot.memory.pairs import HUMAN_ORIGINS, Rating, Role, Score, ScoreOrigin
from chatbot.memory.scoring.measuring import Measured
from corpora.database.history_tables import FeedbackRow, ReviewRow, TurnRow
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow

FAITHFUL = 0.5
"""The least faithfulness at which a thumb up counts: who likes an answer may not know its truth."""
RATED = {Rating.GOOD: 1.0, Rating.INCOMPLETE: 0.3, Rating.BAD: 0.0, Rating.WRONG_RELEASE: 0.0}
"""The score of an admin's rating. All but "good" lie below every sensible γ (`LEAST_GAMMA`)."""
AGREEING = 3
"""The number of people whose thumbs down withdraw an answer for all; 1 without sign-in.

Those of programs do not count for it: one person can make several keys.
"""
LEAST_GAMMA = 0.35
"""The least γ that keeps an incomplete answer out of the high store."""


@dataclass(frozen=True)
class Thumb:
    """A person's thumb (1 up, -1 down) on the turn that made a pair, or on one that reused it."""

    person: str
    thumbs: int
    at: datetime


@dataclass(frozen=True)
class Opinions:
    """The thumbs on an answer as they are now, and what an admin said last."""

    thumbs: tuple[Thumb, ...] = ()
    rating: ReviewRow | None = None


def combine(kept: Score, opinions: Opinions, gamma: float) -> Score:
    """The score of a pair by its highest source: measure < thumbs < an admin's rating.

    An imported or curated one stays; of a person only the last thumb counts. Fewer thumbs down than
    `AGREEING` take an answer from those who gave them alone (`disliked`).
    """
    if kept.origin in HUMAN_ORIGINS:
        return kept
    parts = kept.faithfulness, kept.relevancy
    if opinions.rating is not None:
        of = opinions.rating
        return Score(RATED[Rating(of.rating)], ScoreOrigin.RATING, of.updated, of.reviewer, *parts)
    faithfulness = kept.faithfulness or 0.0
    measured = Measured(faithfulness, kept.relevancy).value
    last = {t.person: t for t in sorted(opinions.thumbs, key=lambda t: t.at)}
    ups, downs = (sum(t.thumbs * way > 0 for t in last.values()) for way in (1, -1))
    against = [p for p, t in last.items() if t.thumbs < 0 and not p.startswith(PROGRAM)]
    agreed = len(against) >= AGREEING or LOCAL.id in against
    if not agreed and (ups <= downs or faithfulness < FAITHFUL):
        return Score(measured, ScoreOrigin.MEASURED, kept.at, "", *parts)
    # The measure is one voice and each thumb another, 1 or 0; their mean fills what lies above γ,
    # or below it as soon as enough thumbs are down.
    share = (measured + ups) / (1 + ups + downs)
    up, down = max(measured, gamma + (1 - gamma) * share), min(measured, gamma * share)
    value = down if agreed else up
    return Score(value, ScoreOrigin.THUMBS, max(t.at for t in last.values()), "", *parts)


def opinions_of_pair(session: Session, pair: int) -> Opinions:
    """The opinions on the turns that made a pair, or were answered with it."""
    turns = select(MemoryUseRow.turn_id).where(
        MemoryUseRow.pair_id == pair, MemoryUseRow.role.in_((Role.SOURCE, Role.REUSE))
    )
    return _opinions(session, TurnRow.id.in_(turns))


def disliked(session: Session, person: str, pairs: Collection[int]) -> set[int]:
    """The ids of `pairs` on which a person's last thumb is down, except those people wrote."""
    given = session.execute(
        select(MemoryUseRow.pair_id, FeedbackRow.thumbs)
        .join(FeedbackRow, FeedbackRow.turn_id == MemoryUseRow.turn_id)
        .join(TurnRow, TurnRow.id == MemoryUseRow.turn_id)
        .join(MemoryPairRow, MemoryPairRow.id == MemoryUseRow.pair_id)
        .where(
            TurnRow.owner == person,
            MemoryUseRow.pair_id.in_(pairs),
            MemoryUseRow.role.in_((Role.SOURCE, Role.REUSE)),
            MemoryPairRow.origin.not_in((*HUMAN_ORIGINS, ScoreOrigin.RATING)),
        )
        .order_by(FeedbackRow.created)
    )
    last = {row.pair_id: row.thumbs for row in given}
    return {pair for pair, thumbs in last.items() if thumbs < 0}


def opinions_of_turn(session: Session, turn: int) -> Opinions:
    """The opinions on one turn."""
    return _opinions(session, TurnRow.id == turn)


def _opinions(session: Session, chosen: ColumnElement[bool]) -> Opinions:
    thumbs = session.execute(
        select(TurnRow.owner, FeedbackRow.thumbs, FeedbackRow.created)
        .join(FeedbackRow, FeedbackRow.turn_id == TurnRow.id)
        .where(chosen)
    )
    rating = session.scalar(
        select(ReviewRow)
        .join(TurnRow, TurnRow.id == ReviewRow.turn_id)
        .where(chosen, ReviewRow.rating != "")
        .order_by(ReviewRow.updated.desc())
        .limit(1)
    )
    return Opinions(tuple(Thumb(*row) for row in thumbs), rating)
