"""Which pairs of the memory are near a question, compared with what comparing all would find."""

from __future__ import annotations

import numpy as np
import pytest

from chatbot.memory.pairs import MemoryQuestion, Score, ScoreOrigin, Store, Thresholds
from chatbot.memory.stores.neighbours import NearPair, Neighbours
from chatbot.memory.stores.stores import Stores
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPairRow
from corpora.indexing.embedding import Vectors
from tests.chatbot.made_memory import EMBEDDING, WHEN, made_pair, members, new_release, unit

LOOSE = Thresholds(0.6, 0.9999, 0.6)


@pytest.fixture
def neighbours(database: Database) -> Neighbours:
    return Neighbours(database)


@pytest.fixture
def release(database: Database) -> int:
    return new_release(database)


@pytest.fixture
def stores(database: Database) -> Stores:
    return Stores(database, LOOSE, limit=10_000)


def near(
    neighbours: Neighbours, release: int, vector: Vectors, store: Store = Store.HIGH, **of: str
) -> list[NearPair]:
    question = MemoryQuestion("How?", "", vector, of.get("embedding", EMBEDDING))
    return neighbours.nearest(release, store, question, cosine=-1, limit=5)


def compared(database: Database, release: int, vector: Vectors, limit: int) -> list[int]:
    """The ids of the usable good pairs nearest to a vector, by comparing all."""
    good = [row for row in members(database, release) if row.store == "high" and not row.suspended]
    cosines = {row.id: float(np.frombuffer(row.vector, "<f4") @ vector) for row in good}
    return sorted(cosines, key=lambda pair: (-cosines[pair], pair))[:limit]


def test_other_stores_releases_embeddings_and_suspended_pairs_are_not_found(
    database: Database, stores: Stores, neighbours: Neighbours, release: int
) -> None:
    stores.add(release, made_pair(unit(1, 0, 0), 0.1))
    stores.add(new_release(database), made_pair(unit(1, 0, 0)))
    stores.add(release, made_pair(unit(1, 0, 0, 0), embedding="another"))
    suspended = stores.add(release, made_pair(unit(1, 0.5, 0))).pair
    with database.writing() as session:
        session.get_one(MemoryPairRow, suspended).suspended = "its page has changed"
    assert near(neighbours, release, unit(1, 0, 0)) == []
    assert len(near(neighbours, release, unit(1, 0, 0), Store.LOW)) == 1
    assert len(near(neighbours, release, unit(1, 0, 0, 0), embedding="another")) == 1


def test_what_another_process_changes_is_seen_at_once(
    database: Database, stores: Stores, release: int
) -> None:
    """Two searches, as in two processes; a third store writes: both find what all would."""
    two = (Neighbours(database), Neighbours(database))
    random = np.random.default_rng(1)
    ids: list[int] = []
    for turn in range(6):
        for _ in range(15):
            added = stores.add(release, made_pair(unit(*random.normal(size=8)))).pair
            ids.append(added or 0)
        stores.remove(ids[turn * 10 : turn * 10 + 5])
        stores.rescore(ids[turn * 10 + 7], Score(0.1, ScoreOrigin.RATING, WHEN))
        for neighbours in two:
            asked = unit(*random.normal(size=8))
            found = [n.row.id for n in near(neighbours, release, asked)]
            assert found == compared(database, release, asked, 5)
