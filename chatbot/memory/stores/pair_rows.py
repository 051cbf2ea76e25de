"""Rows of the memory: pairs are written, compared, found and deleted.

All of it runs in a transaction that has locked the release.
"""

from collections.abc import Collection
from datetime import UTC, datetime

import numpy as np
from sqlalchemy import ColumnElement, func, select, update
from sqlalchemy.orm import Session

from chatbot.memory.pairs import HUMAN_ORIGINS, MemoryQuestion, NewPair, Score, ScoreOrigin
from chatbot.memory.stores.clusters import Clusters
from corpora.database.memory_tables import MemoryPageRow, MemoryPairRow, MemoryUseRow
from corpora.database.tables import ReleaseRow

_AT_ONCE = 500


def require_release(session: Session, release_id: int) -> None:
    """Raise LookupError if a release is gone."""
    if session.get(ReleaseRow, release_id) is None:
        raise LookupError(f"There is no release {release_id} (any more).")


def take_out(session: Session, pairs: Collection[MemoryPairRow]) -> None:
    """Delete pairs with their pages and uses."""
    for pair in pairs:
        session.delete(pair)
    session.flush()


def supersede(session: Session, old: Collection[MemoryPairRow], by: int, turn: int | None) -> None:
    """Delete pairs in whose place another one stands, which takes over their wordings.

    Not that of the `turn` that made it, which is its question.
    """
    wordings = update(MemoryUseRow).where(
        MemoryUseRow.pair_id.in_([pair.id for pair in old]),
        MemoryUseRow.asks > "",
        MemoryUseRow.turn_id != (turn or 0),
    )
    session.execute(wordings.values(pair_id=by))
    take_out(session, old)


def new_row(release_id: int, pair: NewPair, suspended: str) -> MemoryPairRow:
    """The row of a new pair with its pages, not in a store yet."""
    row = MemoryPairRow(
        release_id=release_id,
        cluster=0,
        answer=dict(pair.answer),
        links=list(pair.links),
        suspended=suspended,
        reused=0,
        created=datetime.now(UTC),
        pages=[
            MemoryPageRow(
                ordinal=ordinal, file=page.file, page_hash=page.page_hash, page_id=page.page_id
            )
            for ordinal, page in enumerate(pair.pages)
        ],
    )
    write_question(row, pair.question)
    write_score(row, pair.score)
    return row


def write_question(row: MemoryPairRow, question: MemoryQuestion) -> None:
    """Give a pair a question as it is read now."""
    row.question, row.asks, row.embedding = question.text, question.asks, question.embedding
    row.vector = question.vector.astype("<f4").tobytes()


def memory_question(row: MemoryPairRow) -> MemoryQuestion:
    """The question of a pair."""
    vector = np.frombuffer(row.vector, "<f4")
    return MemoryQuestion(row.question, row.asks, vector, row.embedding)


def write_score(row: MemoryPairRow, score: Score) -> None:
    """Give a pair another score, without moving it."""
    row.score, row.origin = score.value, score.origin
    row.faithfulness, row.relevancy = score.faithfulness, score.relevancy
    row.rated_by, row.rated = score.by, score.at


def score_of(row: MemoryPairRow) -> Score:
    """The score of a pair."""
    at = row.rated or row.created
    return Score(
        row.score, ScoreOrigin(row.origin), at, row.rated_by, row.faithfulness, row.relevancy
    )


def rivals_of(session: Session, row: MemoryPairRow, delta: float) -> list[MemoryPairRow]:
    """The near-duplicates of a pair: those that ask the same, with a cosine of at least δ."""
    vector = memory_question(row).vector
    alike = select(MemoryPairRow).where(*_beside(row), MemoryPairRow.asks == row.asks)
    return [
        other
        for other in session.scalars(alike)
        if float(memory_question(other).vector @ vector) >= delta
    ]


def read_clusters(session: Session, row: MemoryPairRow) -> Clusters:
    """The clusters of the store that a pair joins, without itself."""
    members = session.execute(
        select(MemoryPairRow.cluster, MemoryPairRow.vector).where(*_beside(row))
    )
    return Clusters((cluster, np.frombuffer(vector, "<f4")) for cluster, vector in members)


def _beside(row: MemoryPairRow) -> tuple[ColumnElement[bool], ...]:
    return (
        MemoryPairRow.release_id == row.release_id,
        MemoryPairRow.store == row.store,
        MemoryPairRow.embedding == row.embedding,
        MemoryPairRow.id != (row.id or 0),
    )


def first_to_go(session: Session, release_id: int, store: str, limit: int) -> list[MemoryPairRow]:
    """The pairs beyond `limit` in a store: suspended, low, unused and old ones first.

    Pairs that people wrote or imported stay.
    """
    of_store = (MemoryPairRow.release_id == release_id, MemoryPairRow.store == store)
    count = session.scalar(select(func.count()).select_from(MemoryPairRow).where(*of_store)) or 0
    excess = min(count - limit, _AT_ONCE)
    going: list[int] = []
    # Asked one after the other, each is answered from the index in its order.
    for suspended in (MemoryPairRow.suspended > "", MemoryPairRow.suspended == ""):
        if excess > len(going):
            in_order = (
                select(MemoryPairRow.id)
                .where(*of_store, suspended, MemoryPairRow.origin.not_in(HUMAN_ORIGINS))
                .order_by(MemoryPairRow.score, MemoryPairRow.reused, MemoryPairRow.created)
                .limit(excess - len(going))
            )
            going += session.scalars(in_order)
    return list(session.scalars(select(MemoryPairRow).where(MemoryPairRow.id.in_(going))))
