"""Made-up pairs of a memory, some that cite pages, and what the memory must hold to at any time."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import select

from chatbot.memory.pairs import MemoryQuestion, ScoreOrigin, new_pair
from chatbot.memory.settings import MemorySettings
from chatbot.memory.stores.stores import Stores
from chatbot.memory.suspending import page_hash
from corpora.catalog.catalog import Catalog
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPageRow, MemoryPairRow
from corpora.database.tables import (
    DocumentRow,
    GenerationRow,
    MemberRow,
    PageRow,
    ProductRow,
    ReleaseRow,
)
from corpora.indexing.embedding import Vectors

SETTINGS = MemorySettings(memory_tau=0.6, memory_delta=0.9, memory_gamma=0.6)
WHEN = datetime(2024, 5, 1, tzinfo=UTC)
EMBEDDING = "made-up"


class CitedPage(NamedTuple):
    """A page to cite."""

    file: str
    hash: bytes
    id: int
    number: int


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
    **others: Any,
) -> MemoryPairRow:
    """A pair with this vector, which cites these pages."""
    question = MemoryQuestion(text, asks, vector, embedding)
    citations = [{"file": p.file, "page": p.number, "page_id": p.id, "quote": ""} for p in pages]
    answer = {"text": f"{text} So.", "value": "So.", "citations": citations}
    cited = [MemoryPageRow(file=p.file, page_hash=p.hash, page_id=p.id) for p in pages]
    return new_pair(question, answer, cited, score=score, origin=origin, **others)


def members(database: Database, release: int) -> list[MemoryPairRow]:
    """All pairs of a release, the oldest first."""
    of_release = select(MemoryPairRow).where(MemoryPairRow.release_id == release)
    with database.reading() as session:
        return list(session.scalars(of_release.order_by(MemoryPairRow.id)))


def rescore(stores: Stores, pair: int, measured: float) -> None:
    """Let a pair be measured so, and score it."""
    with stores.database.writing() as session:
        session.get_one(MemoryPairRow, pair).relevancy = measured
    stores.rescore(pair)


def suspend(database: Database, pair: int) -> None:
    """Let a pair rest on a page that has changed."""
    with database.writing() as session:
        session.get_one(MemoryPairRow, pair).suspended = "the page 1 of guide.md has changed"


def require_sound(database: Database, release: int) -> None:
    """A cluster lies in one store, that of its scores, and near-duplicates are not together."""
    rows = members(database, release)
    vectors = {row.id: np.frombuffer(row.vector, "<f4").astype(np.float64) for row in rows}
    store_of: dict[int, str] = {}
    for row in rows:
        assert row.store == ("high" if row.score >= SETTINGS.memory_gamma else "low")
        assert store_of.setdefault(row.cluster, row.store) == row.store
    for a in rows:
        for b in rows:
            if a.id < b.id and (a.store, a.asks, a.embedding) == (b.store, b.asks, b.embedding):
                assert vectors[a.id] @ vectors[b.id] < SETTINGS.memory_delta + 1e-6


def page_with(
    database: Database, words: str, release: str = "17.10", product: str = "Beacon"
) -> CitedPage:
    """The page that holds these words in what serves a release now."""
    serving = Catalog(database).serving(product, release).generation
    query = (
        select(PageRow, DocumentRow.file)
        .join(DocumentRow, DocumentRow.id == PageRow.document_id)
        .join(MemberRow, MemberRow.document_id == DocumentRow.id)
        .where(MemberRow.generation_id == serving, PageRow.text.contains(words))
    )
    with database.reading() as session:
        page, file = session.execute(query).one()
        return CitedPage(file, page_hash(page.text), page.id, page.number)


def remember(database: Database, release: str, *words: str, product: str = "Beacon") -> int:
    """Remember an answer that cites for each of `words` the page of a release that holds it."""
    pages = [page_with(database, of_page, release, product) for of_page in words]
    serving = Catalog(database).serving(product, release).generation
    with database.writing() as session:
        of = {"release_id": session.get_one(GenerationRow, serving).release_id, "store": "high"}
        pair = made_pair(unit(1, 0), 0.9, pages=pages, **of, cluster=1)
        session.add(pair)
        session.flush()
        return pair.id


def suspended(database: Database, *pairs: int) -> list[str]:
    """Why each pair is suspended; empty: it is used."""
    with database.reading() as session:
        return [session.get_one(MemoryPairRow, pair).suspended for pair in pairs]
