"""Related questions of a release by the question graph, with real pairs in a real database."""

from dataclasses import dataclass

import numpy as np
import pytest

from chatbot.graph.question_graph import QuestionGraph
from chatbot.memory.pairs import MemoryQuestion
from chatbot.memory.stores.neighbours import Neighbours
from chatbot.memory.stores.stores import Stores
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPairRow
from corpora.indexing.embedding import Vectors
from tests.chatbot.made_memory import EMBEDDING, SETTINGS, made_pair, members, new_release, unit

pytestmark = pytest.mark.database


def at(degrees: float) -> Vectors:
    """A direction in the plane: two have an edge if they are less than 36.9° apart."""
    return unit(np.cos(np.radians(degrees)), np.sin(np.radians(degrees)))


def asked(vector: Vectors) -> MemoryQuestion:
    return MemoryQuestion("How?", "", vector, EMBEDDING)


@dataclass
class Asked:
    """The pairs of a release, and those that its graph has for a question at 0°."""

    database: Database
    release: int

    @property
    def stores(self) -> Stores:
        return Stores(self.database, SETTINGS.model_copy(update={"memory_delta": 0.9999}))

    def graph(self, threshold: float = 0.8) -> QuestionGraph:
        return QuestionGraph(self.database, Neighbours(self.database), threshold)

    def add(self, *degrees: float, score: float = 0.8) -> list[int]:
        """The ids of new pairs in these directions."""
        return [self.stores.add(self.release, made_pair(at(d), score)) for d in degrees]

    def related(self, limit: int = 9) -> list[int]:
        near = self.graph().related(self.release, asked(at(0)), limit)
        return [pair.row.id for pair in near]

    def suspend(self, pair: int, reason: str) -> None:
        with self.database.writing() as session:
            session.get_one(MemoryPairRow, pair).suspended = reason


@pytest.fixture
def pairs(database: Database) -> Asked:
    return Asked(database, new_release(database))


def test_the_question_with_more_relations_comes_before_the_nearer_one(pairs: Asked) -> None:
    """The four nodes of `test_pagerank`: the query at 0°, a, b, and c that is near b alone."""
    a, b, c = pairs.add(-20, 30, 60)
    assert pairs.related() == [b, a, c]
    assert pairs.related(limit=2) == [b, a]
    (first,) = pairs.graph().related(pairs.release, asked(at(0)), 1)
    assert first.similarity == pytest.approx(np.cos(np.radians(30)), abs=1e-6)


def test_a_release_never_sees_the_questions_of_another(pairs: Asked) -> None:
    other = Asked(pairs.database, new_release(pairs.database))
    (there,) = other.add(10)
    (here,) = pairs.add(60)
    assert pairs.related() == []
    (between,) = pairs.add(30)
    assert pairs.related() == [between, here]
    assert other.related() == [there]


def test_low_suspended_and_otherwise_embedded_pairs_are_no_nodes(pairs: Asked) -> None:
    """They carry no path either: the pair behind the suspended one is not reached."""
    both = pairs.add(30, 60)
    pairs.add(5, score=0.1)
    pairs.stores.add(pairs.release, made_pair(unit(1, 0, 0), embedding="another"))
    assert pairs.related() == both
    pairs.suspend(both[0], "its page has changed")
    assert pairs.related() == []
    pairs.suspend(both[0], "")
    assert pairs.related() == both


def test_however_pairs_come_and_go_the_graph_is_that_of_a_new_one(
    pairs: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two graphs, as in two processes, against one that is built from the database afresh."""
    # The two take in less than this at once, the other all in several turns.
    monkeypatch.setattr("chatbot.graph.question_graph._AT_ONCE", 13)
    two, stores, release = (pairs.graph(0.3), pairs.graph(0.3)), pairs.stores, pairs.release
    random = np.random.default_rng(5)
    for turn in range(6):
        for _ in range(12):
            stores.add(release, made_pair(unit(*random.normal(size=6))))
        ids = [row.id for row in members(pairs.database, release)]
        stores.remove(random.choice(ids, turn, replace=False).tolist())
        question = asked(unit(*random.normal(size=6)))
        anew = pairs.graph(0.3)
        wanted = [near.row.id for near in anew.related(release, question, 8)]
        assert wanted
        for graph in two:
            assert graph.size(release, question) == anew.size(release, question)
            assert [near.row.id for near in graph.related(release, question, 8)] == wanted


def test_the_edges_are_those_that_comparing_all_finds(
    pairs: Asked, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("chatbot.graph.question_graph._AT_ONCE", 7)
    pairs.add(*range(0, 360, 12))
    # Each question has three others within 36.9° on either side.
    assert pairs.graph().size(pairs.release, asked(at(0))) == (30, 90)
