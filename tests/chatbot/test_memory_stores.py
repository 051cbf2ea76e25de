"""The stores of the memory: what is added, replaced, moved and found, in any order."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from chatbot.conversations.conversations import Conversations
from chatbot.memory.pairs import MemoryQuestion, ScoreOrigin, Store
from chatbot.memory.questions import QuestionReader
from chatbot.memory.stores.clusters import nearest_cluster, rank
from chatbot.memory.stores.neighbours import Neighbours
from chatbot.memory.stores.stores import Stores
from chatbot.reply import Reply
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPairRow
from corpora.errors import UnknownRelease
from corpora.indexing.embedding import Vectors
from tests.chatbot.made_memory import (
    EMBEDDING,
    SETTINGS,
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
    return Stores(database, SETTINGS)


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
    joined = nearest_cluster(in_clusters, question, tau)
    best = max(near.values(), default=-1.0)
    assert best < tau + 1e-6 if joined is None else near[joined] >= max(best, tau) - 1e-6


SCORES = st.sampled_from([0.0, 0.3, 0.59, 0.6, 0.8, 1.0])
CHANGES = st.one_of(
    st.tuples(st.just("add"), unit_vectors(), SCORES, st.sampled_from(list(ScoreOrigin))),
    st.tuples(st.just("rescore"), st.integers(0, 9), SCORES),
    st.tuples(st.just("remove"), st.sets(st.integers(0, 9), max_size=3)),
    st.tuples(st.just("suspend"), st.integers(0, 9)),
    st.just(("refresh",)),
)


@IN_ONE_DATABASE
@given(changes=st.lists(CHANGES, max_size=14))
def test_after_any_changes_clusters_are_of_one_store_and_no_two_are_nearer_than_delta(
    database: Database, changes: Sequence[tuple[Any, ...]]
) -> None:
    release = new_release(database)
    # Two of them, as in two processes: each has to see what the other one did.
    two = (Stores(database, SETTINGS), Stores(database, SETTINGS))
    for number, (change, *arguments) in enumerate(changes):
        stores, there = two[number % 2], members(database, release)
        if change == "add":
            pair = made_pair(*arguments, embedding=READER.embedding)
            stands = stores.add(release, pair)
            if stands != pair.id:
                (best,) = (row for row in there if row.id == stands)
                vectors = (np.frombuffer(row.vector, "<f4") for row in (best, pair))
                assert np.dot(*vectors) >= SETTINGS.memory_delta - 1e-6
                assert rank(best) >= rank(pair)
        elif change == "refresh":
            stores.refresh(READER)
            assert len(members(database, release)) == len(there), "nothing was stale"
        elif change == "remove":
            ids = {there[i % len(there)].id for i in arguments[0]} if there else set()
            stores.remove(ids)
            assert len(members(database, release)) == len(there) - len(ids)
        elif there and change == "suspend":
            suspend(database, there[arguments[0] % len(there)].id)
        elif there:
            rescore(stores, there[arguments[0] % len(there)].id, arguments[1])
        require_sound(database, release)


def test_what_stays_of_near_duplicates() -> None:
    rows = [
        (1.0, ScoreOrigin.CURATED, "its page has changed"),
        (0.2, ScoreOrigin.MEASURED, ""),
        (0.7, ScoreOrigin.THUMBS, ""),
        (0.9, ScoreOrigin.MEASURED, ""),
        (0.1, ScoreOrigin.RATING, ""),
        (0.0, ScoreOrigin.IMPORTED, ""),
        (0.0, ScoreOrigin.CURATED, ""),
    ]
    ranks = [rank(MemoryPairRow(score=s, origin=o, suspended=why)) for s, o, why in rows]
    assert ranks == sorted(ranks)


def test_a_moved_pair_meets_the_near_duplicates_of_the_other_store(
    database: Database, stores: Stores, release: int
) -> None:
    good = stores.add(release, made_pair(unit(1, 0, 0), 0.9))
    for measured, stands_new in ((0.8, False), (1.0, True)):
        bad = stores.add(release, made_pair(unit(1, 0, 0), 0.1))
        rescore(stores, bad, measured)
        assert [row.id for row in members(database, release)] == [bad if stands_new else good]


def test_deleting_turns_forgets_their_pairs_those_too_that_an_admin_corrected(
    database: Database, stores: Stores, release: int
) -> None:
    conversations = Conversations(database)
    conversation = conversations.start("product", "A talk")
    reply = Reply(answer="So.", release="1.0", product="product")
    turns = [conversations.add(conversation, f"Question {i}", reply) for i in range(3)]
    origins = (ScoreOrigin.MEASURED, ScoreOrigin.CURATED, ScoreOrigin.RATING)
    ids = [
        stores.add(release, made_pair(unit(*axis), 0.9, origin), turn=turn)
        for axis, origin, turn in zip(np.eye(3), origins, turns, strict=True)
    ]
    imported = stores.add(release, made_pair(unit(1, 1, 0), 0.9, ScoreOrigin.IMPORTED))
    with database.writing() as session:
        Stores.forget_turns(session, turns[:2])
    assert [row.id for row in members(database, release)] == [ids[2], imported]


def test_a_change_that_fails_leaves_nothing_behind(
    database: Database, stores: Stores, release: int
) -> None:
    first = stores.add(release, made_pair(unit(1, 0, 0), 0.7))
    with pytest.raises(Exception, match=r"(?i)foreign key"):
        stores.add(release, made_pair(unit(1, 0, 0), 0.9), turn=999)
    with pytest.raises(UnknownRelease):
        stores.add(999, made_pair(unit(1, 0, 0)))
    assert [row.id for row in members(database, release)] == [first]


def test_what_an_earlier_version_read_or_another_gamma_sorted_is_brought_up_to_date(
    database: Database, release: int
) -> None:
    strict = Stores(database, SETTINGS.model_copy(update={"memory_gamma": 0.9}))
    questions = ["What is the hold time?", "what is the hold time", "Where are the logs kept?"]
    for axis, score, question in zip(np.eye(3), (0.7, 0.8, 0.7), questions, strict=True):
        strict.add(release, made_pair(unit(*axis), score, text=question))
    assert {row.store for row in members(database, release)} == {"low"}
    Stores(database, SETTINGS).refresh(READER)
    rows = members(database, release)
    assert [row.question for row in rows] == questions[1:]
    assert {(row.embedding, row.store) for row in rows} == {(READER.embedding, "high")}
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
