"""Made-up pairs in a release of a memory, and what the memory must hold to at any time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
from sqlalchemy import select

from chatbot.memory.pairs import MemoryQuestion, NewPair, Score, ScoreOrigin, Thresholds
from chatbot.memory.suspending import CitedPage
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPairRow
from corpora.database.tables import ProductRow, ReleaseRow
from corpora.indexing.embedding import Vectors

THRESHOLDS = Thresholds(tau=0.6, delta=0.9, gamma=0.6)
WHEN = datetime(2024, 5, 1, tzinfo=UTC)
EMBEDDING = "made-up"


def new_release(database: Database, name: str = "1.0") -> int:
    """The id of a new release, of a product of its own."""
    with database.writing() as session:
        number = len(session.scalars(select(ProductRow.id)).all())
        product = ProductRow(name=f"product {number}", aliases=[])
        session.add(product)
        session.flush()
        row = ReleaseRow(product_id=product.id, name=name, aliases=[], retired=False)
        session.add(row)
        session.flush()
        return row.id


def unit(*numbers: float) -> Vectors:
    """A vector of length one in this direction."""
    vector = np.array(numbers, dtype=np.float64)
    scaled: Vectors = (vector / np.linalg.norm(vector)).astype(np.float32)
    return scaled


def made_pair(
    vector: Vectors,
    score: float = 0.8,
    origin: ScoreOrigin = ScoreOrigin.MEASURED,
    *,
    text: str = "How?",
    asks: str = "",
    embedding: str = EMBEDDING,
    turn: int | None = None,
    pages: Sequence[CitedPage] = (),
) -> NewPair:
    """A pair with this vector."""
    return NewPair(
        MemoryQuestion(text, asks, vector, embedding),
        {
            "text": f"{text} So.",
            "value": "So.",
            "citations": [{"page": p.number, "page_id": p.page_id, "quote": ""} for p in pages],
        },
        Score(score, origin, WHEN),
        pages=tuple(pages),
        turn=turn,
    )


def members(database: Database, release: int) -> list[MemoryPairRow]:
    """All pairs of a release, the oldest first."""
    with database.reading() as session:
        rows = session.scalars(
            select(MemoryPairRow)
            .where(MemoryPairRow.release_id == release)
            .order_by(MemoryPairRow.id)
        ).all()
        session.expunge_all()
        return list(rows)


def centroids(database: Database, release: int) -> dict[int, tuple[str, Vectors]]:
    """Store and centroid of every cluster of a release."""
    of_cluster: dict[int, list[MemoryPairRow]] = {}
    for row in members(database, release):
        of_cluster.setdefault(row.cluster, []).append(row)
    return {
        cluster: (rows[0].store, np.mean([np.frombuffer(r.vector, "<f4") for r in rows], axis=0))
        for cluster, rows in of_cluster.items()
    }


def require_sound(database: Database, release: int, thresholds: Thresholds = THRESHOLDS) -> None:
    """A cluster lies in one store, that of its scores, and near-duplicates are not together."""
    rows = members(database, release)
    vectors = {row.id: np.frombuffer(row.vector, "<f4").astype(np.float64) for row in rows}
    store_of: dict[int, str] = {}
    for row in rows:
        assert row.store == ("high" if row.score >= thresholds.gamma else "low")
        assert store_of.setdefault(row.cluster, row.store) == row.store
        assert row.cluster > 0
    for a in rows:
        for b in rows:
            if a.id < b.id and (a.store, a.asks, a.embedding) == (b.store, b.asks, b.embedding):
                assert vectors[a.id] @ vectors[b.id] < thresholds.delta + 1e-6
