"""Made-up pairs of a memory, and what the memory must hold to at any time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from sqlalchemy import select

from chatbot.memory.pairs import MemoryQuestion, ScoreOrigin, Thresholds, new_pair
from chatbot.memory.stores.stores import Stores
from chatbot.memory.suspending import CitedPage
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPairRow
from corpora.database.tables import ProductRow, ReleaseRow
from corpora.indexing.embedding import Vectors

THRESHOLDS = Thresholds(tau=0.6, delta=0.9, gamma=0.6)
WHEN = datetime(2024, 5, 1, tzinfo=UTC)
EMBEDDING = "made-up"


def new_release(database: Database) -> int:
    """The id of a new release, of a product of its own."""
    with database.writing() as session:
        number = len(session.scalars(select(ProductRow.id)).all())
        product = ProductRow(name=f"product {number}", aliases=[])
        session.add(product)
        session.flush()
        row = ReleaseRow(product_id=product.id, name="1.0", aliases=[], retired=False)
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
    pages: Sequence[CitedPage] = (),
    quotes: Sequence[str] = (),
    **others: Any,
) -> MemoryPairRow:
    """A pair with this vector, which cites these pages."""
    question = MemoryQuestion(text, asks, vector, embedding)
    citations = [
        {"file": page.file, "page": page.number, "page_id": page.page_id, "quote": quote}
        for page, quote in zip(pages, quotes or [""] * len(pages), strict=True)
    ]
    answer = {"text": f"{text} So.", "value": "So.", "citations": citations}
    return new_pair(question, answer, pages, score=score, origin=origin, **others)


def members(database: Database, release: int) -> list[MemoryPairRow]:
    """All pairs of a release, the oldest first."""
    of_release = select(MemoryPairRow).where(MemoryPairRow.release_id == release)
    with database.reading() as session:
        return list(session.scalars(of_release.order_by(MemoryPairRow.id)))


def rescore(stores: Stores, pair: int, measured: float) -> None:
    """Let the pages of a pair support so much of it."""
    with stores.database.writing() as session:
        session.get_one(MemoryPairRow, pair).faithfulness = measured
    stores.rescore(pair)


def suspend(database: Database, pair: int) -> None:
    """Let a pair rest on a page that has changed."""
    with database.writing() as session:
        session.get_one(MemoryPairRow, pair).suspended = "the page 1 of guide.md has changed"


def require_sound(database: Database, release: int, thresholds: Thresholds = THRESHOLDS) -> None:
    """A cluster lies in one store, that of its scores, and near-duplicates are not together."""
    rows = members(database, release)
    vectors = {row.id: np.frombuffer(row.vector, "<f4").astype(np.float64) for row in rows}
    store_of: dict[int, str] = {}
    for row in rows:
        assert row.store == ("high" if row.score >= thresholds.gamma else "low")
        assert store_of.setdefault(row.cluster, row.store) == row.store
    for a in rows:
        for b in rows:
            if a.id < b.id and (a.store, a.asks, a.embedding) == (b.store, b.asks, b.embedding):
                assert vectors[a.id] @ vectors[b.id] < thresholds.delta + 1e-6
