from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chatbot.memory.pairs import Origin, Score, Store
from chatbot.memory.stores.centroids import (
    centroid,
    direction,
    joins,
    near_duplicates,
    rank,
    store_of,
    with_member,
    without_member,
)
from corpora.indexing.embedding import Vectors

NOW = datetime(2024, 5, 1, tzinfo=UTC)


@st.composite
def unit_vectors(draw: st.DrawFn, dimension: int = 4) -> Vectors:
    """A vector of length one in any direction."""
    numbers = draw(st.lists(st.integers(-9, 9), min_size=dimension, max_size=dimension))
    assume(any(numbers))
    vector = np.array(numbers, dtype=np.float64)
    unit: Vectors = (vector / np.linalg.norm(vector)).astype(np.float32)
    return unit


@given(
    st.lists(unit_vectors(), min_size=1, max_size=20),
    st.lists(st.booleans(), min_size=20, max_size=20),
)
def test_a_centroid_is_the_mean_of_its_members_after_any_joining_and_leaving(
    vectors: list[Vectors], leaves: list[bool]
) -> None:
    total = np.zeros(4)
    there: list[Vectors] = []
    for vector, left in zip(vectors, leaves, strict=False):
        total = with_member(total, vector)
        there.append(vector)
        if left and len(there) > 1:
            total = without_member(total, there.pop(0))
    mean = np.mean(np.array(there, dtype=np.float64), axis=0)
    np.testing.assert_allclose(centroid(total, len(there)), mean, atol=1e-12)


@given(st.lists(unit_vectors(), min_size=1, max_size=12), unit_vectors(), st.floats(0.05, 0.95))
def test_a_question_joins_the_nearest_centroid_if_that_is_as_near_as_tau(
    others: list[Vectors], question: Vectors, tau: float
) -> None:
    similarities = np.array(others) @ question
    joined = joins(similarities, tau)
    if joined is None:
        assert similarities.max() < tau
    else:
        assert similarities[joined] == similarities.max() >= tau


def test_the_first_question_of_all_founds_a_cluster() -> None:
    assert joins(np.array([], dtype=np.float32), 0.6) is None


def test_near_duplicates_are_those_of_delta_and_above() -> None:
    similarities = np.array([0.9, 0.89999, 1.0, -1.0], dtype=np.float32)
    assert near_duplicates(similarities, 0.9 - 1e-7) == [0, 2]


@pytest.mark.parametrize(
    ("score", "store"), [(0.6, Store.HIGH), (0.59999, Store.LOW), (1, Store.HIGH), (0, Store.LOW)]
)
def test_gamma_parts_the_stores(score: float, store: Store) -> None:
    assert store_of(score, 0.6) is store


@given(unit_vectors(), st.integers(1, 50))
def test_a_direction_has_length_one_however_many_members_there_are(
    vector: Vectors, size: int
) -> None:
    np.testing.assert_allclose(direction(vector.astype(np.float64) * size), vector, atol=1e-6)


def test_what_has_no_direction_is_near_nothing() -> None:
    assert not direction(np.zeros(4)).any()


def test_people_outrank_measures_and_what_may_be_used_outranks_what_may_not() -> None:
    def scored(value: float, origin: Origin) -> tuple[bool, int, float]:
        return rank(Score(value, origin, NOW))

    ranked = [
        rank(Score(1.0, Origin.CURATED, NOW), suspended=True),
        scored(0.2, Origin.MEASURED),
        scored(0.7, Origin.THUMBS),
        scored(0.9, Origin.MEASURED),
        scored(0.1, Origin.RATING),
        scored(0.8, Origin.RATING),
        scored(0.0, Origin.IMPORTED),
        scored(0.0, Origin.CURATED),
    ]
    assert ranked == sorted(ranked)
    assert scored(0.7, Origin.THUMBS) == scored(0.7, Origin.MEASURED)
