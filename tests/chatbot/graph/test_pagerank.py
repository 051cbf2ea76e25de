"""Personalized PageRank, against figures worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from chatbot.graph.pagerank import Scores, personalized_pagerank


def graph(size: int, *edges: tuple[int, int]) -> csr_array:
    """The adjacency of a graph with these edges."""
    dense = np.zeros((size, size))
    for one, other in edges:
        dense[one, other] = dense[other, one] = 1
    return csr_array(dense)


def scored(adjacency: csr_array, *of_query: int, left_out: tuple[int, ...] = ()) -> Scores:
    """The scores for a query that is joined to these nodes."""
    nodes = np.arange(adjacency.shape[0])
    return personalized_pagerank(
        adjacency, np.isin(nodes, left_out, invert=True), np.isin(nodes, of_query)
    )


def test_four_nodes_score_what_the_equations_say() -> None:
    """The query is joined to a and b, b to c as well.

    With α = 17/20: a = α·q/2, b = α·(q/2 + c), c = α·b/2 and q = 1 − α + α·(a + b/2), so that
    b = α/2 ÷ (1 − α²/2) · q, and q follows.
    """
    alpha = Fraction(17, 20)
    a = alpha / 2
    b = (alpha / 2) / (1 - alpha**2 / 2)
    c = alpha / 2 * b
    q = (1 - alpha) / (1 - alpha * (a + b / 2))
    assert q * (1 + a + b + c) == 1
    scores = scored(graph(3, (1, 2)), 0, 1)
    assert scores == pytest.approx([float(q * share) for share in (a, b, c)], abs=1e-5)
    assert float(q) == pytest.approx(0.42138, abs=1e-5)


def test_what_no_path_leads_to_scores_nothing() -> None:
    scores = scored(graph(4, (0, 1), (2, 3)), 0)
    assert scores[0] > scores[1] > 0
    assert scores[2:].tolist() == [0, 0]
    assert scored(graph(2, (0, 1))).tolist() == [0, 0]


def test_what_is_left_out_takes_its_edges_with_it() -> None:
    """Whether the walk would have gone through it or only lost some of its mass to it."""
    with_it = graph(5, (0, 1), (1, 2), (2, 3), (1, 4))
    without = scored(graph(5, (0, 1), (1, 4)), 0)
    assert scored(with_it, 0, left_out=(2,)).tolist() == without.tolist()
    assert without[[2, 3]].tolist() == [0, 0]


def test_nodes_alike_score_the_same_to_the_last_digit() -> None:
    everyone = [(one, other) for one in range(9) for other in range(one)]
    scores = scored(graph(40, *everyone), *range(9))
    assert np.unique(scores[:9]).size == 1


@pytest.mark.parametrize("density", [0.01, 0.03, 0.1])
def test_it_is_the_fixed_point_on_a_random_graph(density: float) -> None:
    """One multiplication by the whole transition matrix, the query's row in it, changes nothing.

    Few nodes are ever reached where edges are sparse, and all where they are dense.
    """
    random = np.random.default_rng(3)
    half = np.tril(random.random((200, 200)) < density, -1)
    present = random.random(200) < 0.9
    of_query = present & (random.random(200) < 0.02)
    dense = (half | half.T).astype(float)
    scores = personalized_pagerank(csr_array(dense), present, of_query)
    whole = np.zeros((201, 201))
    whole[:200, :200] = dense * present * present[:, np.newaxis]
    whole[200, :200] = whole[:200, 200] = of_query
    with_query = np.append(scores, 1 - scores.sum())
    again = 0.85 * whole @ (with_query / np.maximum(whole.sum(axis=0), 1))
    again[200] += 0.15
    assert np.abs(again - with_query).sum() < 1e-6
