"""The score of an answer (ComRAG 4.1): measured, then by thumbs, then by an admin's rating."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from chatbot.accounts.people import LOCAL
from chatbot.accounts.program_keys import PROGRAM
from chatbot.memory.pairs import HUMAN_ORIGINS, Rating, Role, ScoreOrigin
from chatbot.retrieval.records import sentences
from chatbot.retrieval.support import shared, unsupported
from chatbot.text.markdown import without_marks
from chatbot.text.words import filtered
from chatbot.turn import Answer, ModelCall
from corpora.database.history_tables import FeedbackRow, ReviewRow, TurnRow
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow
from corpora.indexing.lexical import tokens

DOUBT_LIMIT = 0.15
"""The probability of "I don't know" from which an answer counts as worth nothing.

Of 10 such answers on five products that it had not seen, 5 were wrong, of all 63 one in three.
"""
FAITHFUL = 0.5
"""The least faithfulness at which a thumb up counts: who likes an answer may not know its truth."""
AGREEING = 3
"""The number of people whose thumbs down withdraw an answer for all; 1 without sign-in.

Those of programs do not count for it: one person can make several keys.
"""
_MIN_SUPPORT = 0.5
"""The least share of a sentence's own words that has to stand in the cited pages."""
_FENCES = ("```", "~~~")
GAVE_IT = MemoryUseRow.role.in_((Role.SOURCE, Role.REUSE))
"""Whether a turn made a pair or was answered with it; earlier versions kept other roles, too."""


def faithfulness(answer: Answer, texts: Sequence[str], own: str) -> float:
    """The share of an answer's sentences, items, rows and lines of code that its pages support.

    `texts` are those of the cited pages. The asker's `own` words need no support.
    """
    lines = without_marks(answer.text).split("\n")
    prose = (line for line in lines if not line.lstrip().startswith(_FENCES))
    stated = [s for line in prose for s in sentences(line) if any(map(str.isalnum, s))]
    supported = sum(_is_supported(statement, texts, own) for statement in stated)
    return supported / len(stated) if stated else 0.0


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
    elif (good := agreed({r.owner: r.thumbs for r in thumbs}, row.faithfulness or 0)) is not None:
        origin, score = ScoreOrigin.THUMBS, float(good)
    else:
        origin = ScoreOrigin.MEASURED
        score = min(row.faithfulness or 0.0, 1.0 if row.relevancy is None else row.relevancy)
    if (origin, score, by) != (row.origin, row.score, row.rated_by):
        row.origin, row.score, row.rated_by, row.rated = origin, score, by, at


def agreed(thumbs: Mapping[str, int], faithfulness: float) -> bool | None:
    """Whether the last thumbs of people make an answer good or bad for all; None if neither.

    Fewer thumbs down than `AGREEING` take it from those who gave them alone (`disliked`).
    """
    ups, downs = ([p for p, t in thumbs.items() if t * way > 0] for way in (1, -1))
    if LOCAL.id in downs or sum(not p.startswith(PROGRAM) for p in downs) >= AGREEING:
        return False
    return True if len(ups) > len(downs) and faithfulness >= FAITHFUL else None


def turns_of(pair: int) -> Select[int]:
    """The turns that made a pair, or were answered with it."""
    return select(MemoryUseRow.turn_id).where(MemoryUseRow.pair_id == pair, GAVE_IT)


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
            GAVE_IT,
            MemoryPairRow.origin.not_in((*HUMAN_ORIGINS, ScoreOrigin.RATING)),
        )
        .order_by(FeedbackRow.created)
    )
    last = {row.pair_id: row.thumbs for row in given}
    return {pair for pair, thumbs in last.items() if thumbs < 0}


def _is_supported(statement: str, texts: Sequence[str], own: str) -> bool:
    new = set(tokens(filtered(statement))) - set(tokens(own))
    is_worded = not new or shared(new, " ".join(texts)) >= _MIN_SUPPORT
    return is_worded and not unsupported(statement, texts, own)
