"""Related questions of a release by the question graph, with real pairs in a real database."""

from __future__ import annotations

import numpy as np
import pytest

from chatbot.graph.question_graph import QuestionGraph
from chatbot.memory.pairs import MemoryQuestion, Thresholds
from chatbot.memory.stores.neighbours import Neighbours
from chatbot.memory.stores.stores import Stores
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPairRow
from corpora.indexing.embedding import Vectors
from tests.chatbot.made_memory import EMBEDDING, made_pair, members, new_release, unit

pytestmark = pytest.mark.database

LOOSE = Thresholds(0.6, 0.9999, 0.6)


@pytest.fixture
def release(database: Database) -> int:
    return new_release(database)


@pytest.fixture
def stores(database: Database) -> Stores:
    return Stores(database, LOOSE, limit=10_000)


@pytest.fixture
def graph(database: Database) -> QuestionGraph:
    return made_graph(database)


def made_graph(database: Database, threshold: float = 0.8) -> QuestionGraph:
    return QuestionGraph(database, Neighbours(database), threshold)


def at(degrees: float) -> Vectors:
    """A direction in the plane: two have an edge if they are less than 36.9° apart."""
    return unit(np.cos(np.radians(degrees)), np.sin(np.radians(degrees)))


def asked(vector: Vectors, embedding: str = EMBEDDING) -> MemoryQuestion:
    return MemoryQuestion("How?", "", vector, embedding)


def add(stores: Stores, release: int, *degrees: float, score: float = 0.8) -> list[int]:
    """The ids of new pairs in these directions."""
    added = (stores.add(release, made_pair(at(d), score)).pair for d in degrees)
    return [pair or 0 for pair in added]


def related(graph: QuestionGraph, release: int, degrees: float = 0, limit: int = 9) -> list[int]:
    return [near.row.id for near in graph.related(release, asked(at(degrees)), limit)]


def test_the_question_with_more_relations_comes_before_the_nearer_one(
    stores: Stores, graph: QuestionGraph, release: int
) -> None:
    """The four nodes of `test_pagerank`: the query at 0°, a, b, and c that is near b alone."""
    a, b, c = add(stores, release, -20, 30, 60)
    assert related(graph, release) == [b, a, c]
    assert related(graph, release, limit=2) == [b, a]
    (first,) = graph.related(release, asked(at(0)), 1)
    assert first.similarity == pytest.approx(np.cos(np.radians(30)), abs=1e-6)


def test_a_release_never_sees_the_questions_of_another(
    stores: Stores, graph: QuestionGraph, release: int, database: Database
) -> None:
    other = new_release(database)
    (there,) = add(stores, other, 10)
    (here,) = add(stores, release, 60)
    assert related(graph, release) == []
    add(stores, release, 30)
    assert there not in related(graph, release)
    assert here in related(graph, release)
    assert related(graph, other) == [there]


def test_low_suspended_and_otherwise_embedded_pairs_are_no_nodes(
    stores: Stores, graph: QuestionGraph, release: int, database: Database
) -> None:
    """They carry no path either: the pair behind the suspended one is not reached."""
    between, behind = add(stores, release, 30, 60)
    add(stores, release, 5, score=0.1)
    stores.add(release, made_pair(unit(1, 0, 0), embedding="another"))
    assert related(graph, release) == [between, behind]
    set_suspended(database, between, "its page has changed")
    assert related(graph, release) == []
    set_suspended(database, between, "")
    assert related(graph, release) == [between, behind]


def set_suspended(database: Database, pair: int, reason: str) -> None:
    with database.writing() as session:
        session.get_one(MemoryPairRow, pair).suspended = reason


def test_however_pairs_come_and_go_the_graph_is_that_of_a_new_one(
    stores: Stores, release: int, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two graphs, as in two processes, against one that is built from the database afresh."""
    # The two take in less than this at once, the other all in several turns.
    monkeypatch.setattr("chatbot.graph.question_graph._AT_ONCE", 13)
    two = (made_graph(database, 0.3), made_graph(database, 0.3))
    random = np.random.default_rng(5)
    for turn in range(6):
        for _ in range(12):
            stores.add(release, made_pair(unit(*random.normal(size=6))))
        ids = [row.id for row in members(database, release)]
        stores.remove(random.choice(ids, turn, replace=False).tolist())
        question = asked(unit(*random.normal(size=6)))
        anew = made_graph(database, 0.3)
        wanted = [near.row.id for near in anew.related(release, question, 8)]
        assert wanted
        for graph in two:
            assert graph.size(release, question) == anew.size(release, question)
            assert [near.row.id for near in graph.related(release, question, 8)] == wanted


def test_the_edges_are_those_that_comparing_all_finds(
    stores: Stores, graph: QuestionGraph, release: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chatbot.graph.question_graph._AT_ONCE", 7)
    add(stores, release, *range(0, 360, 12))
    # Each question has three others within 36.9° on either side.
    assert graph.size(release, asked(at(0))) == (30, 90)
