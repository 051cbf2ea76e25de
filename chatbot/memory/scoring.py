"""The score of an answer (ComRAG 4.1): measured, then by thumbs, then by an admin's rating.

What is remembered has passed the check of its support, so that its pages bear all of it; whether it
meets the question is known of a capable model, or by people.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from chatbot.accounts.people import LOCAL
from chatbot.accounts.program_keys import PROGRAM
from chatbot.memory.pairs import HUMAN_ORIGINS, Rating, ScoreOrigin
from chatbot.turn import ModelCall
from corpora.database.history_tables import FeedbackRow, ReviewRow, TurnRow
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow

DOUBT_LIMIT = 0.15
"""The probability of "I don't know" from which an answer counts as worth nothing.

Of 10 such answers on five products that it had not seen, 5 were wrong, of all 63 one in three.
"""
AGREEING = 3
"""The number of people whose thumbs down withdraw an answer for all; 1 without sign-in.

Those of programs do not count for it: one person can make several keys.
"""


def relevancy(calls: Sequence[ModelCall], *, by_capable: bool) -> float | None:
    """How well an answer meets its question: 0 where its model was in doubt, 1 for a capable one.

    Else None: the answer is neither good nor poor until people say so.
    """
    if any(call.doubt >= DOUBT_LIMIT for call in calls):
        return 0.0
    return 1.0 if by_capable else None


def is_vouched(row: MemoryPairRow) -> bool:
    """Whether people or a capable model scored the pair; a measured one is lent to no question."""
    return row.origin != ScoreOrigin.MEASURED or bool(row.relevancy)


def write_score(session: Session, row: MemoryPairRow, turns: Select[int] | Collection[int]) -> None:
    """Score a pair by what people said of these turns: measure < thumbs < an admin's rating.

    An imported or curated pair stays as it is.
    """
    if row.origin in HUMAN_ORIGINS:
        return
    thumbs = session.execute(
        select(TurnRow.owner, FeedbackRow.thumbs)
        .join(FeedbackRow, FeedbackRow.turn_id == TurnRow.id)
        .where(TurnRow.id.in_(turns))
        .order_by(FeedbackRow.created)
    )
    rating = session.scalar(
        select(ReviewRow)
        .where(ReviewRow.turn_id.in_(turns), ReviewRow.rating != "")
        .order_by(ReviewRow.updated.desc())
        .limit(1)
    )
    by, at = "", datetime.now(UTC)
    if rating is not None:
        origin, score = ScoreOrigin.RATING, float(rating.rating == Rating.GOOD)
        by, at = rating.reviewer, rating.updated
    elif (good := agreed({r.owner: r.thumbs for r in thumbs})) is not None:
        origin, score = ScoreOrigin.THUMBS, float(good)
    else:
        origin, score = ScoreOrigin.MEASURED, 1.0 if row.relevancy is None else row.relevancy
    if (origin, score, by) != (row.origin, row.score, row.rated_by):
        row.origin, row.score, row.rated_by, row.rated = origin, score, by, at


def agreed(thumbs: Mapping[str, int]) -> bool | None:
    """Whether the last thumbs of people make an answer good or bad for all; None if neither.

    Fewer thumbs down than `AGREEING` take it from those who gave them alone (`disliked`).
    """
    ups, downs = ([p for p, t in thumbs.items() if t * way > 0] for way in (1, -1))
    if LOCAL.id in downs or sum(not p.startswith(PROGRAM) for p in downs) >= AGREEING:
        return False
    return True if len(ups) > len(downs) else None


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
            MemoryPairRow.origin.not_in((*HUMAN_ORIGINS, ScoreOrigin.RATING)),
        )
        .order_by(FeedbackRow.created)
    )
    last = {row.pair_id: row.thumbs for row in given}
    return {pair for pair, thumbs in last.items() if thumbs < 0}
