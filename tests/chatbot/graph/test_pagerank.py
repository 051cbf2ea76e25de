"""Personalized PageRank, against figures worked out by hand."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.sparse import csr_array

from chatbot.graph.pagerank import personalized_pagerank


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
    edges = csr_array(np.array([[0.0, 0, 0], [0, 0, 1], [0, 1, 0]]))
    scores = personalized_pagerank(edges, np.ones(3, bool), np.array([True, True, False]))
    assert scores == pytest.approx([float(q * share) for share in (a, b, c)], abs=1e-5)


@pytest.mark.parametrize("density", [0.01, 0.03, 0.1])
def test_it_is_the_fixed_point_on_a_random_graph(density: float) -> None:
    """One multiplication by the whole transition matrix, the query's row in it, changes nothing.

    Few nodes are ever reached where edges are sparse, and all where they are dense; a tenth of
    them is left out.
    """
    random = np.random.default_rng(3)
    half = np.tril(random.random((200, 200)) < density, -1)
    present = random.random(200) < 0.9
    of_query = present & (random.random(200) < 0.02)
    dense = (half | half.T).astype(float)
    scores = personalized_pagerank(csr_array(dense), present, of_query)
    assert not scores[~present].any()
    whole = np.zeros((201, 201))
    whole[:200, :200] = dense * present * present[:, np.newaxis]
    whole[200, :200] = whole[:200, 200] = of_query
    with_query = np.append(scores, 1 - scores.sum())
    again = 0.85 * whole @ (with_query / np.maximum(whole.sum(axis=0), 1))
    again[200] += 0.15
    assert np.abs(again - with_query).sum() < 1e-6
