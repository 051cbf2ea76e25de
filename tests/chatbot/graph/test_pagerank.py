"""Personalized PageRank, against figures worked out by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from chatbot.graph.pagerank import personalized_pagerank


def lower(size: int, *edges: tuple[int, int]) -> csr_array:
    """The lower triangle of a graph with these edges."""
    dense = np.zeros((size, size))
    for one, other in edges:
        dense[max(one, other), min(one, other)] = 1
    return csr_array(dense)


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
    scores = personalized_pagerank(lower(3, (1, 2)), np.array([True, True, False]))
    assert scores == pytest.approx([float(q * share) for share in (a, b, c)], abs=1e-5)
    assert float(q) == pytest.approx(0.42138, abs=1e-5)


def test_what_no_path_leads_to_scores_nothing() -> None:
    graph = lower(4, (0, 1), (2, 3))
    scores = personalized_pagerank(graph, np.array([True, False, False, False]))
    assert scores[0] > scores[1] > 0
    assert scores[2:].tolist() == [0, 0]


def test_a_query_without_edges_reaches_nothing() -> None:
    assert personalized_pagerank(lower(2, (0, 1)), np.zeros(2, dtype=bool)).tolist() == [0, 0]


def test_it_is_the_fixed_point_on_a_random_graph() -> None:
    """One multiplication by the whole transition matrix, the query's row in it, changes nothing."""
    random = np.random.default_rng(3)
    dense = np.tril(random.random((60, 60)) < 0.1, -1)
    of_query = random.random(60) < 0.1
    scores = personalized_pagerank(csr_array(dense.astype(float)), of_query)
    whole = np.zeros((61, 61))
    whole[:60, :60] = dense | dense.T
    whole[60, :60] = whole[:60, 60] = of_query
    with_query = np.append(scores, 1 - scores.sum())
    again = 0.85 * whole @ (with_query / np.maximum(whole.sum(axis=0), 1))
    again[60] += 0.15
    assert again == pytest.approx(with_query, abs=1e-5)
