"""The stores of the memory: what is added, replaced, moved, found and let go, in any order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sqlalchemy import update

from chatbot.conversations.conversations import Conversations
from chatbot.memory.pairs import (
    HUMAN_ORIGINS,
    MemoryQuestion,
    ScoreOrigin,
    Store,
    Thresholds,
)
from chatbot.memory.questions import QuestionReader
from chatbot.memory.stores.clusters import Clusters, rank
from chatbot.memory.stores.neighbours import Neighbours
from chatbot.memory.stores.stores import Stores
from chatbot.reply import Reply
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPairRow
from corpora.errors import UnknownRelease
from corpora.indexing.embedding import Vectors
from tests.chatbot.made_memory import (
    EMBEDDING,
    THRESHOLDS,
    made_pair,
    members,
    new_release,
    require_sound,
    rescore,
    suspend,
    unit,
)
from tests.hash_embedder import HashEmbedder

pytestmark = pytest.mark.database

IN_ONE_DATABASE = settings(
    max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
READER = QuestionReader(HashEmbedder())  # type: ignore[arg-type]


@pytest.fixture
def stores(database: Database) -> Stores:
    return Stores(database, THRESHOLDS, limit=100)


@pytest.fixture
def release(database: Database) -> int:
    return new_release(database)


@st.composite
def unit_vectors(draw: st.DrawFn) -> Vectors:
    numbers = draw(st.lists(st.integers(-3, 3), min_size=3, max_size=3))
    assume(any(numbers))
    return unit(*numbers)


@given(
    st.lists(st.tuples(st.integers(1, 3), unit_vectors()), max_size=12),
    unit_vectors(),
    st.floats(0.05, 0.95),
)
def test_a_question_joins_the_nearest_centroid_if_that_is_as_near_as_tau(
    in_clusters: list[tuple[int, Vectors]], question: Vectors, tau: float
) -> None:
    near = {}
    for number in {number for number, _ in in_clusters}:
        mean = np.mean([v for n, v in in_clusters if n == number], axis=0, dtype=np.float64)
        near[number] = float(mean @ question) / (float(np.linalg.norm(mean)) or 1.0)
    joined = Clusters(in_clusters).nearest(question, tau)
    best = max(near.values(), default=-1.0)
    assert best < tau + 1e-6 if joined is None else near[joined] >= max(best, tau) - 1e-6


CHANGES = st.one_of(
    st.tuples(
        st.just("add"),
        unit_vectors(),
        st.sampled_from([0.0, 0.3, 0.59, 0.6, 0.8, 1.0]),
        st.sampled_from(list(ScoreOrigin)),
    ),
    st.tuples(st.just("rescore"), st.integers(0, 9), st.sampled_from([0.1, 0.5, 0.7, 0.9])),
    st.tuples(st.just("remove"), st.sets(st.integers(0, 9), max_size=3)),
    st.tuples(st.just("suspend"), st.integers(0, 9)),
    st.just(("rebuild",)),
)


@IN_ONE_DATABASE
@given(changes=st.lists(CHANGES, max_size=14), limit=st.integers(2, 8))
def test_after_any_changes_clusters_are_of_one_store_and_no_two_are_nearer_than_delta(
    database: Database, changes: Sequence[tuple[Any, ...]], limit: int
) -> None:
    release = new_release(database)
    # Two of them, as in two processes: each has to see what the other one did.
    two = (Stores(database, THRESHOLDS, limit), Stores(database, THRESHOLDS, limit))
    for number, (change, *arguments) in enumerate(changes):
        stores, there = two[number % 2], members(database, release)
        if change == "add":
            pair = made_pair(*arguments, embedding=READER.embedding)
            stands = stores.add(release, pair)
            if stands != pair.id:
                (best,) = (row for row in there if row.id == stands)
                vectors = (np.frombuffer(row.vector, "<f4") for row in (best, pair))
                assert np.dot(*vectors) >= THRESHOLDS.delta - 1e-6
                pair.store, pair.suspended = best.store, ""
                assert rank(best) >= rank(pair)
        elif change == "rebuild":
            assert stores.rebuild(release, READER, "") == len(members(database, release))
        elif change == "remove":
            ids = {there[i % len(there)].id for i in arguments[0]} if there else set()
            assert stores.remove(ids) == len(ids)
        elif there and change == "suspend":
            suspend(database, there[arguments[0] % len(there)].id)
        elif there:
            rescore(stores, there[arguments[0] % len(there)].id, arguments[1])
        require_sound(database, release)
        for store in Store:
            own = [row for row in members(database, release) if row.store == store]
            assert len(own) <= max(limit, sum(row.origin in HUMAN_ORIGINS for row in own))


def test_what_stays_of_near_duplicates() -> None:
    def ranked(score: float, origin: str, suspended: str = "") -> tuple[bool, int, float]:
        return rank(MemoryPairRow(score=score, origin=origin, suspended=suspended))

    ranks = [
        ranked(1.0, ScoreOrigin.CURATED, "its page has changed"),
        ranked(0.2, ScoreOrigin.MEASURED),
        ranked(0.7, ScoreOrigin.THUMBS),
        ranked(0.9, ScoreOrigin.MEASURED),
        ranked(0.1, ScoreOrigin.RATING),
        ranked(0.0, ScoreOrigin.IMPORTED),
        ranked(0.0, ScoreOrigin.CURATED),
    ]
    assert ranks == sorted(ranks)


def test_a_moved_pair_meets_the_near_duplicates_of_the_other_store(
    database: Database, stores: Stores, release: int
) -> None:
    good = stores.add(release, made_pair(unit(1, 0, 0), 0.9))
    bad = stores.add(release, made_pair(unit(1, 0, 0), 0.1))
    rescore(stores, bad, 0.8)
    assert [row.id for row in members(database, release)] == [good]
    bad = stores.add(release, made_pair(unit(1, 0, 0), 0.1))
    rescore(stores, bad, 1.0)
    assert [row.id for row in members(database, release)] == [bad]


def test_a_full_store_lets_go_suspended_ones_then_the_lowest_then_the_least_reused(
    database: Database, release: int
) -> None:
    stores = Stores(database, THRESHOLDS, limit=5)
    scores = (0.9, 0.7, 0.7, 0.6, 0.8)
    ids = [
        stores.add(release, made_pair(unit(*axis), score, origin))
        for axis, score, origin in zip(
            np.eye(12),
            scores,
            [ScoreOrigin.IMPORTED if score == 0.6 else ScoreOrigin.MEASURED for score in scores],
            strict=False,
        )
    ]
    with database.writing() as session:
        session.execute(update(MemoryPairRow).where(MemoryPairRow.id == ids[1]).values(reused=3))
    suspend(database, ids[0])
    gone = []
    for axis in np.eye(12)[5:9]:
        before = {row.id for row in members(database, release)}
        stores.add(release, made_pair(unit(*axis), 0.95))
        gone += sorted(before - {row.id for row in members(database, release)})
    assert gone == [ids[0], ids[2], ids[1], ids[4]]


def test_deleting_turns_forgets_their_pairs_unless_people_made_them_their_own(
    database: Database, stores: Stores, release: int
) -> None:
    conversations = Conversations(database)
    conversation = conversations.start("product", "A talk")
    reply = Reply(answer="So.", release="1.0", product="product")
    turns = [conversations.add(conversation, f"Question {i}", reply) for i in range(3)]
    ids = [
        stores.add(release, made_pair(unit(*axis), 0.9, origin), turn=turn)
        for axis, origin, turn in zip(
            np.eye(3),
            [ScoreOrigin.MEASURED, ScoreOrigin.CURATED, ScoreOrigin.RATING],
            turns,
            strict=True,
        )
    ]
    with database.writing() as session:
        assert Stores.forget_turns(session, turns[:2]) == 1
    assert [row.id for row in members(database, release)] == ids[1:]


def test_a_change_that_fails_leaves_nothing_behind(
    database: Database, stores: Stores, release: int
) -> None:
    first = stores.add(release, made_pair(unit(1, 0, 0), 0.7))
    with pytest.raises(Exception, match=r"(?i)foreign key"):
        stores.add(release, made_pair(unit(1, 0, 0), 0.9), turn=999)
    with pytest.raises(ValueError, match="length"):
        stores.add(release, made_pair(np.ones(3, np.float32)))
    with pytest.raises(UnknownRelease):
        stores.add(999, made_pair(unit(1, 0, 0)))
    assert [row.id for row in members(database, release)] == [first]


def test_a_rebuild_reads_every_question_again_and_puts_it_where_it_belongs(
    database: Database, release: int
) -> None:
    loose = Stores(database, Thresholds(0.99, 0.999, 0.9), limit=100)
    questions = ["What is the hold time?", "what is the hold time", "Where are the logs kept?"]
    for axis, score, question in zip(np.eye(3), (0.7, 0.8, 0.7), questions, strict=True):
        loose.add(release, made_pair(unit(*axis), score, text=question))
    told: list[tuple[int, int]] = []
    stores = Stores(database, THRESHOLDS, limit=100)
    assert stores.rebuild(release, READER, "", lambda *done: told.append(done)) == 2
    assert told[-1] == (3, 3)
    rows = members(database, release)
    assert [row.question for row in rows] == questions[1:]
    assert {row.embedding for row in rows} == {READER.embedding}
    require_sound(database, release)


def test_the_nearest_pairs_are_those_that_comparing_all_would_find(
    database: Database, stores: Stores, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two searches, as in two processes, that hold one release at a time."""
    monkeypatch.setattr("chatbot.memory.stores.neighbours.HELD_BYTES", 100)
    two = (Neighbours(database), Neighbours(database))
    releases = [new_release(database), new_release(database)]
    random = np.random.default_rng(1)
    ids: list[int] = []
    for turn in range(4):
        for release in releases:
            for _ in range(8):
                ids.append(stores.add(release, made_pair(unit(*random.normal(size=8)))))
            stores.add(release, made_pair(unit(*random.normal(size=8)), embedding="another"))
        stores.remove(ids[turn * 10 : turn * 10 + 3])
        rescore(stores, ids[turn * 10 + 5], 0.1)
        suspend(database, ids[turn * 10 + 7])
        for neighbours, release in zip((*two, *two), (*releases, *releases[::-1]), strict=True):
            asked = MemoryQuestion("How?", "", unit(*random.normal(size=8)), EMBEDDING)
            near = neighbours.nearest(release, Store.HIGH, asked, cosine=-1, limit=5)
            good = {
                row.id: float(np.frombuffer(row.vector, "<f4") @ asked.vector)
                for row in members(database, release)
                if (row.store, row.suspended, row.embedding) == ("high", "", EMBEDDING)
            }
            best = sorted(good, key=lambda pair: -good[pair])[:5]
            assert [n.row.id for n in near] == best
            assert [n.similarity for n in near] == pytest.approx([good[i] for i in best])
            assert len(neighbours._held) == 1
