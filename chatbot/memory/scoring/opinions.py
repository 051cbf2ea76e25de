"""The score of an answer (ComRAG 4.1): measured, then by thumbs, then by an admin's rating.

What people say counts over all the turns that made or reused the answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session

from chatbot.memory.pairs import BY_HAND, Origin, Rating, Role, Score
from chatbot.memory.scoring.measuring import Measured
from corpora.database.history_tables import FeedbackRow, ReviewRow, TurnRow
from corpora.database.memory_tables import MemoryUseRow

FAITHFUL = 0.5
"""The least faithfulness at which a thumb up counts.

Who asks knows whether an answer pleases, not whether it is true: one of which less than half is
found in the release's own pages does not become good because people like it.
"""

RATED = {
    Rating.GOOD: 1.0,
    Rating.INCOMPLETE: 0.3,
    Rating.BAD: 0.0,
    Rating.WRONG_RELEASE: 0.0,
}
"""The score of an admin's rating. All but "good" lie below every sensible γ (`LEAST_GAMMA`)."""

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
    """The score of a pair by whoever outranks the others: measure < thumbs < an admin's rating.

    `kept` is the score so far, with what was measured; an imported or curated one stays as it is.
    Only the last thumb of a person counts, and who gave it is not kept.
    """
    if kept.origin in BY_HAND:
        return kept
    faithfulness, relevancy = kept.faithfulness, kept.relevancy
    if opinions.rating is not None:
        of = opinions.rating
        value = RATED[Rating(of.rating)]
        return Score(value, Origin.RATING, of.updated, of.reviewer, faithfulness, relevancy)
    measured = 0.0
    if faithfulness is not None and relevancy is not None:
        measured = Measured(faithfulness, relevancy).value
    last = {t.person: t for t in sorted(opinions.thumbs, key=lambda t: t.at)}.values()
    thumbs = [t.thumbs for t in last]
    by_thumbs = _by_thumbs(measured, faithfulness or 0.0, thumbs, gamma)
    if by_thumbs is None:
        return Score(measured, Origin.MEASURED, kept.at, "", faithfulness, relevancy)
    newest = max(t.at for t in last)
    return Score(by_thumbs, Origin.THUMBS, newest, "", faithfulness, relevancy)


def _by_thumbs(
    measured: float, faithfulness: float, thumbs: Sequence[int], gamma: float
) -> float | None:
    """The score by thumbs; None where they do not count.

    The measure is one voice and each thumb another, 1 or 0; their mean fills what lies above γ,
    or below it as soon as one thumb is down.
    """
    ups, downs = sum(t > 0 for t in thumbs), sum(t < 0 for t in thumbs)
    share = (measured + ups) / (1 + ups + downs)
    if downs:
        return min(measured, gamma * share)
    if not ups or faithfulness < FAITHFUL:
        return None
    return max(measured, gamma + (1 - gamma) * share)


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
    rating = session.scalar(
        select(ReviewRow)
        .join(TurnRow, TurnRow.id == ReviewRow.turn_id)
        .where(chosen, ReviewRow.rating != "")
        .order_by(ReviewRow.updated.desc())
        .limit(1)
    )
    return Opinions(tuple(Thumb(*row) for row in thumbs), rating)
