from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from chatbot.memory.pairs import ScoreOrigin
from chatbot.memory.stores.clusters import Clusters, rank
from corpora.database.memory_tables import MemoryPairRow
from corpora.indexing.embedding import Vectors


@st.composite
def unit_vectors(draw: st.DrawFn, dimension: int = 4) -> Vectors:
    """A vector of length one in any direction."""
    numbers = draw(st.lists(st.integers(-9, 9), min_size=dimension, max_size=dimension))
    assume(any(numbers))
    vector = np.array(numbers, dtype=np.float64)
    unit: Vectors = (vector / np.linalg.norm(vector)).astype(np.float32)
    return unit


@given(
    st.lists(st.tuples(st.integers(1, 3), unit_vectors()), min_size=1, max_size=12),
    unit_vectors(),
    st.floats(0.05, 0.95),
)
def test_a_question_joins_the_nearest_centroid_if_that_is_as_near_as_tau(
    members: list[tuple[int, Vectors]], question: Vectors, tau: float
) -> None:
    similarities = {}
    for number in {number for number, _ in members}:
        mean = np.mean([v for n, v in members if n == number], axis=0, dtype=np.float64)
        similarities[number] = float(mean @ question) / (float(np.linalg.norm(mean)) or 1.0)
    joined = Clusters(members).nearest(question, tau)
    if joined is None:
        assert max(similarities.values()) < tau + 1e-6
    else:
        assert similarities[joined] >= max(*similarities.values(), tau) - 1e-6


def test_the_first_question_of_all_founds_a_cluster_and_the_next_ones_move_it() -> None:
    clusters = Clusters()
    east, north = np.eye(2, dtype=np.float32)
    assert clusters.nearest(east, 0.6) is None
    clusters.add(7, east)
    assert clusters.nearest(north, 0.6) is None
    between = (east + north) / np.sqrt(2, dtype=np.float32)
    assert clusters.nearest(between, 0.6) == 7
    clusters.add(7, between)
    assert clusters.nearest(north, 0.38) == 7
    clusters.add(7, north)
    assert clusters.nearest(north, 0.6) == 7


def test_people_outrank_measures_and_what_may_be_used_outranks_what_may_not() -> None:
    def scored(value: float, origin: ScoreOrigin, suspended: str = "") -> tuple[bool, int, float]:
        return rank(MemoryPairRow(score=value, origin=origin, suspended=suspended))

    ranked = [
        scored(1.0, ScoreOrigin.CURATED, "its page has changed"),
        scored(0.2, ScoreOrigin.MEASURED),
        scored(0.7, ScoreOrigin.THUMBS),
        scored(0.9, ScoreOrigin.MEASURED),
        scored(0.1, ScoreOrigin.RATING),
        scored(0.8, ScoreOrigin.RATING),
        scored(0.0, ScoreOrigin.IMPORTED),
        scored(0.0, ScoreOrigin.CURATED),
    ]
    assert ranked == sorted(ranked)
    assert scored(0.7, ScoreOrigin.THUMBS) == scored(0.7, ScoreOrigin.MEASURED)
