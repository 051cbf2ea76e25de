from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from sqlalchemy import func, select, update

from chatbot.assembly import open_embedder
from chatbot.conversations.conversations import Conversations
from chatbot.memory.pairs import NewPair, Score, ScoreOrigin, Store, Thresholds
from chatbot.memory.questions import QuestionReader
from chatbot.memory.stores.stores import Stores
from chatbot.reply import Reply
from chatbot.settings import Settings
from corpora.database.engine import Database
from corpora.database.memory_tables import (
    MemoryPageRow,
    MemoryPairRow,
    MemoryUseRow,
)
from corpora.indexing.embedding import Vectors
from tests.chatbot.made_memory import (
    THRESHOLDS,
    WHEN,
    centroids,
    made_pair,
    members,
    new_release,
    require_sound,
    unit,
)
from tests.hash_embedder import HashEmbedder

pytestmark = pytest.mark.database

IN_ONE_DATABASE = settings(
    max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


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


PAIRS = st.builds(
    made_pair,
    unit_vectors(),
    st.sampled_from([0.0, 0.3, 0.59, 0.6, 0.8, 1.0]),
    st.sampled_from(list(ScoreOrigin)),
)
CHANGES = st.one_of(
    st.tuples(st.just("add"), PAIRS),
    st.tuples(st.just("add"), PAIRS),
    st.tuples(st.just("rescore"), st.integers(0, 9), st.sampled_from([0.1, 0.5, 0.7, 0.9])),
    st.tuples(st.just("remove"), st.sets(st.integers(0, 9), max_size=3)),
    st.tuples(st.just("suspend"), st.integers(0, 9)),
    st.just(("rebuild",)),
)


@IN_ONE_DATABASE
@given(changes=st.lists(CHANGES, max_size=14), limit=st.integers(2, 8))
def test_after_any_changes_clusters_are_of_one_store_and_no_two_are_nearer_than_delta(
    database: Database,
    changes: Sequence[tuple[Any, ...]],
    limit: int,
) -> None:
    release = new_release(database)
    # Two of them, as in two processes: each has to see what the other one did.
    two = (Stores(database, THRESHOLDS, limit), Stores(database, THRESHOLDS, limit))
    for number, (change, *arguments) in enumerate(changes):
        stores, there = two[number % 2], members(database, release)
        if change == "add":
            _add_and_check(database, stores, release, arguments[0])
        elif change == "rebuild":
            assert stores.rebuild(release) == len(members(database, release))
        elif change == "remove":
            ids = {there[i % len(there)].id for i in arguments[0]} if there else set()
            assert stores.remove(ids) == len(ids)
        elif there and change == "suspend":
            _suspend(database, there[arguments[0] % len(there)].id)
        elif there:
            pair, score = there[arguments[0] % len(there)].id, arguments[1]
            stores.rescore(pair, Score(score, ScoreOrigin.MEASURED, WHEN))
        require_sound(database, release)
        for store in Store:
            own = [row for row in members(database, release) if row.store == store]
            by_hand = [
                row for row in own if row.origin in (ScoreOrigin.IMPORTED, ScoreOrigin.CURATED)
            ]
            assert len(own) <= max(limit, len(by_hand))


def _add_and_check(database: Database, stores: Stores, release: int, pair: NewPair) -> None:
    before = {row.id: row for row in members(database, release)}
    at = centroids(database, release)
    added = stores.add(release, pair)
    after = {row.id: row for row in members(database, release)}
    vector = pair.question.vector.astype(np.float64)
    if not added.kept:
        if added.pair is not None:
            assert before.keys() == after.keys()
            assert _cosine(after[added.pair], vector) >= THRESHOLDS.delta - 1e-6
        return
    assert added.pair is not None
    for gone in added.replaced:
        assert _cosine(before[gone], vector) >= THRESHOLDS.delta - 1e-6
    if added.replaced:
        return
    similar = {
        cluster: float(vector @ centroid / np.linalg.norm(centroid))
        for cluster, (store, centroid) in at.items()
        if store == added.store and np.linalg.norm(centroid) > 1e-9
    }
    best = max(similar.values(), default=-1.0)
    joined = after[added.pair].cluster
    if joined in at:
        assert similar[joined] >= max(best, THRESHOLDS.tau) - 1e-6
    else:
        assert best < THRESHOLDS.tau + 1e-6


def _cosine(row: MemoryPairRow, vector: Vectors) -> float:
    return float(np.frombuffer(row.vector, "<f4").astype(np.float64) @ vector)


def _suspend(database: Database, pair: int) -> None:
    with database.writing() as session:
        session.get_one(MemoryPairRow, pair).suspended = "The page guide.md has changed."


@IN_ONE_DATABASE
@given(
    st.lists(st.tuples(unit_vectors(), st.sampled_from([0.7, 0.8, 0.9])), max_size=12),
    st.randoms(use_true_random=False),
)
def test_in_any_order_a_pair_that_outranks_its_near_duplicates_stays(
    database: Database, pairs: list[tuple[Vectors, float]], random: Random
) -> None:
    def is_near(a: Vectors, b: Vectors) -> bool:
        return bool(a @ b >= THRESHOLDS.delta)

    outranking = {
        number
        for number, (vector, score) in enumerate(pairs)
        if all(
            other_score < score or other == number
            for other, (other_vector, other_score) in enumerate(pairs)
            if is_near(vector, other_vector)
        )
    }
    order = list(range(len(pairs)))
    random.shuffle(order)
    release = new_release(database)
    stores = Stores(database, THRESHOLDS, limit=100)
    for number in order:
        vector, score = pairs[number]
        stores.add(release, made_pair(vector, score, text=str(number)))
    kept = {int(row.question) for row in members(database, release)}
    assert outranking <= kept
    for number in set(order) - kept:
        vector, score = pairs[number]
        assert any(
            is_near(vector, pairs[other][0]) and pairs[other][1] >= score
            for other in order
            if other != number
        )


def test_a_better_answer_replaces_a_near_duplicate_with_all_that_hung_on_it(
    database: Database, stores: Stores, release: int
) -> None:
    old = stores.add(release, made_pair(unit(1, 0, 0), 0.7))
    with database.writing() as session:
        session.add(
            MemoryPageRow(
                pair_id=old.pair, ordinal=0, file="guide.md", page_hash=b"h" * 32, page_id=7
            )
        )
    new = stores.add(release, made_pair(unit(1, 0.1, 0), 0.8))
    assert (new.replaced, new.kept, new.store) == ((old.pair,), True, Store.HIGH)
    assert [row.id for row in members(database, release)] == [new.pair]
    with database.reading() as session:
        assert session.scalars(select(MemoryPageRow)).all() == []


@pytest.mark.parametrize("origin", [ScoreOrigin.RATING, ScoreOrigin.IMPORTED, ScoreOrigin.CURATED])
def test_what_an_admin_made_outranks_a_measure_whatever_the_number(
    database: Database, stores: Stores, release: int, origin: ScoreOrigin
) -> None:
    measured = stores.add(release, made_pair(unit(1, 0, 0), 1.0))
    by_hand = stores.add(release, made_pair(unit(1, 0, 0), 0.6, origin))
    assert by_hand.replaced == (measured.pair,)
    assert not stores.add(release, made_pair(unit(1, 0, 0), 1.0, ScoreOrigin.THUMBS)).kept


def test_a_suspended_pair_gives_way_to_any_new_one_but_not_to_one_that_is_outdone(
    database: Database, stores: Stores, release: int
) -> None:
    suspended = stores.add(release, made_pair(unit(1, 0.4, 0), 1.0, ScoreOrigin.CURATED))
    assert suspended.pair is not None
    _suspend(database, suspended.pair)
    living = stores.add(release, made_pair(unit(1, -0.4, 0), 0.9))
    assert not stores.add(release, made_pair(unit(1, 0, 0), 0.8)).kept
    assert {row.id for row in members(database, release)} == {suspended.pair, living.pair}
    new = stores.add(release, made_pair(unit(1, 0.4, 0), 0.61))
    assert new.replaced == (suspended.pair,)


def test_the_same_question_may_stand_in_both_stores_and_in_every_release(
    database: Database, stores: Stores, release: int
) -> None:
    other = new_release(database)
    assert stores.add(release, made_pair(unit(1, 0, 0), 0.9)).store is Store.HIGH
    assert stores.add(release, made_pair(unit(1, 0, 0), 0.1)).store is Store.LOW
    assert stores.add(other, made_pair(unit(1, 0, 0), 0.7)).kept
    assert len(members(database, release)) == 2
    require_sound(database, release)
    require_sound(database, other)


def test_a_rating_moves_a_pair_to_the_other_store_at_once(
    database: Database, stores: Stores, release: int
) -> None:
    pair = stores.add(release, made_pair(unit(1, 0, 0), 0.9)).pair
    assert pair is not None
    moved = stores.rescore(pair, Score(0.1, ScoreOrigin.RATING, WHEN, "ada@example.org", 0.9, 0.8))
    assert (moved.pair, moved.store, moved.kept) == (pair, Store.LOW, True)
    (row,) = members(database, release)
    assert (row.store, row.score, row.origin, row.rated_by) == (
        *("low", 0.1, "rating", "ada@example.org"),
    )
    assert (row.faithfulness, row.relevancy) == (0.9, 0.8)
    require_sound(database, release)


def test_a_moved_pair_meets_the_near_duplicates_of_the_other_store(
    database: Database, stores: Stores, release: int
) -> None:
    good = stores.add(release, made_pair(unit(1, 0, 0), 0.9)).pair
    bad = stores.add(release, made_pair(unit(1, 0, 0), 0.1)).pair
    assert good is not None
    assert bad is not None
    outdone = stores.rescore(bad, Score(0.8, ScoreOrigin.THUMBS, WHEN))
    assert (outdone.kept, outdone.pair) == (False, good)
    assert [row.id for row in members(database, release)] == [good]
    bad = stores.add(release, made_pair(unit(1, 0, 0), 0.1)).pair
    assert bad is not None
    assert stores.rescore(bad, Score(0.7, ScoreOrigin.RATING, WHEN)).replaced == (good,)
    assert [row.id for row in members(database, release)] == [bad]
    require_sound(database, release)


def test_an_edited_answer_stands_instead_of_the_old_one(
    database: Database, stores: Stores, release: int
) -> None:
    old = stores.add(release, made_pair(unit(1, 0, 0), 1.0, ScoreOrigin.CURATED)).pair
    assert old is not None
    edited = made_pair(unit(1, 0, 0), 1.0, ScoreOrigin.CURATED)
    new = stores.add(release, edited, instead_of=[old])
    assert new.kept
    assert [row.id for row in members(database, release)] == [new.pair]
    require_sound(database, release)


def test_a_full_store_lets_go_suspended_ones_then_the_lowest_then_the_least_reused(
    database: Database, release: int
) -> None:
    stores = Stores(database, THRESHOLDS, limit=5)
    axes = np.eye(12)
    ids = [
        stores.add(release, made_pair(unit(*axes[i]), score, origin)).pair or 0
        for i, (score, origin) in enumerate(
            [
                (0.9, ScoreOrigin.MEASURED),
                (0.7, ScoreOrigin.MEASURED),
                (0.7, ScoreOrigin.MEASURED),
                (0.6, ScoreOrigin.IMPORTED),
                (0.8, ScoreOrigin.MEASURED),
            ]
        )
    ]
    with database.writing() as session:
        session.execute(update(MemoryPairRow).where(MemoryPairRow.id == ids[1]).values(reused=3))
    _suspend(database, ids[0])
    gone = []
    for number in range(5, 10):
        before = {row.id for row in members(database, release)}
        stores.add(release, made_pair(unit(*axes[number]), 0.95))
        gone += sorted(before - {row.id for row in members(database, release)})
    assert gone[:4] == [ids[0], ids[2], ids[1], ids[4]]
    assert ids[3] in {row.id for row in members(database, release)}
    require_sound(database, release)


def test_deleting_turns_forgets_their_pairs_unless_people_made_them_their_own(
    database: Database, stores: Stores, release: int
) -> None:
    conversations = Conversations(database)
    conversation = conversations.start("product", "A talk")
    turns = [conversations.add(conversation, f"Question {i}", _reply()) for i in range(3)]
    origins = [ScoreOrigin.MEASURED, ScoreOrigin.CURATED, ScoreOrigin.RATING]
    ids = [
        stores.add(release, made_pair(unit(*axis), 0.9, origin, turn=turn)).pair
        for axis, origin, turn in zip(np.eye(3), origins, turns, strict=True)
    ]
    with database.writing() as session:
        assert session.scalar(select(func.count()).select_from(MemoryUseRow)) == 3
        assert Stores.forget_turns(session, turns[:2]) == 1
    assert [row.id for row in members(database, release)] == ids[1:]
    # The one that has added them holds centroids of before.
    stores.add(release, made_pair(unit(1, 0.1, 0), 0.9))
    require_sound(database, release)


def _reply() -> Reply:
    return Reply(answer="So.", release="1.0", product="product")


def test_a_change_that_fails_leaves_nothing_behind(
    database: Database, stores: Stores, release: int
) -> None:
    stores.add(release, made_pair(unit(1, 0, 0), 0.7))
    unknown_turn = made_pair(unit(1, 0.9, 0), 0.9, turn=999)
    with pytest.raises(Exception, match=r"(?i)foreign key"):
        stores.add(release, unknown_turn)
    assert len(members(database, release)) == 1
    stores.add(release, replace(unknown_turn, turn=None))
    require_sound(database, release)


@pytest.mark.parametrize("vector", [np.zeros(3), np.full(3, np.nan), np.ones(3)])
def test_a_vector_that_has_not_length_one_is_refused(
    stores: Stores, release: int, vector: Vectors
) -> None:
    with pytest.raises(ValueError, match="length"):
        stores.add(release, made_pair(vector.astype(np.float32)))


def test_with_other_thresholds_a_rebuild_puts_every_pair_where_it_belongs(
    database: Database, release: int
) -> None:
    loose = Stores(database, Thresholds(0.99, 0.999, 0.9), limit=100)
    for number in range(30):
        angle = number / 10
        pair = made_pair(unit(np.cos(angle), np.sin(angle), 0), 0.5 + number / 100)
        loose.add(release, pair)
    told: list[tuple[int, int]] = []
    stores = Stores(database, THRESHOLDS, limit=100)
    left = stores.rebuild(release, on_progress=lambda done, total: told.append((done, total)))
    assert left == len(members(database, release)) < 30
    assert told == [(30, 30)]
    require_sound(database, release)
    loose.add(release, made_pair(unit(0, 0, 1), 0.95))
    assert len(members(database, release)) == left + 1


def test_with_another_embedding_a_rebuild_reads_every_question_again(
    database: Database, stores: Stores, release: int
) -> None:
    questions = [
        "What is the hold time?",
        "what is the hold time",
        "Where are the logs kept?",
    ]
    for axis, score, question in zip(np.eye(3), (0.7, 0.8, 0.7), questions, strict=True):
        assert stores.add(release, made_pair(unit(*axis), score, text=question)).kept
    reader = QuestionReader(HashEmbedder())
    assert stores.rebuild(release, reader) == 2
    rows = members(database, release)
    assert [row.question for row in rows] == questions[1:]
    assert {row.embedding for row in rows} == {reader.embedding}
    assert {len(row.vector) for row in rows} == {4 * HashEmbedder.dimension}
    require_sound(database, release)


def test_questions_that_ask_for_something_else_live_side_by_side(
    database: Database, release: int
) -> None:
    embedder = open_embedder(Settings())
    reader = QuestionReader(embedder)
    stores = Stores(database, Thresholds(0.6, 0.75, 0.6), limit=100)
    traps = [
        "How do I enable the loopback test on port 1/1?",
        "How do I disable the loopback test on port 1/1?",
        "How do I enable the loopback test on port 1/2?",
        "What is the default size of the packet buffer?",
        "What is the maximum size of the packet buffer?",
    ]
    for text in traps:
        pair = replace(made_pair(unit(1, 0)), question=reader.read(text, ""))
        assert stores.add(release, pair).kept, text
    again = reader.read("what is the default size of the packet buffer", "")
    better = stores.add(release, replace(made_pair(unit(1, 0), 0.9), question=again))
    assert len(better.replaced) == 1
    asked = {row.question for row in members(database, release)}
    assert asked == {*traps, again.text} - {traps[3]}
    require_sound(database, release, Thresholds(0.6, 0.75, 0.6))
