"""Personalized PageRank of a query that joins a graph of questions (GraphContextGen 4.2)."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Adjacency = Any
"""A `scipy.sparse.csr_array`, which has no types."""
Scores = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

ALPHA = 0.85
MAX_ITERATIONS = 100
TOLERANCE = 1e-6
"""As in the paper (section 5): the L1 norm of what one more iteration changes."""


def personalized_pagerank(lower: Adjacency, of_query: Mask) -> Scores:
    """The score of each of n nodes for a query that is joined to those of `of_query`.

    `lower` is the strictly lower triangle of the symmetric adjacency, shape (n, n), so that a node
    is added by one row. The walk starts anew at the query, whose own score is left out: with it,
    the sum is 1. What no path leads to scores 0.
    """
    upper = lower.T
    joined = np.flatnonzero(of_query)
    scores = np.zeros(len(of_query))
    if not len(joined):
        return scores
    every = np.ones(len(of_query))
    degree = lower @ every + upper @ every + of_query
    passed_on = ALPHA / np.maximum(degree, 1)
    given = np.empty_like(scores)
    own = 1.0
    for _ in range(MAX_ITERATIONS):
        np.multiply(scores, passed_on, out=given)
        new = lower @ given
        new += upper @ given
        new[joined] += ALPHA * own / len(joined)
        new_own = float(given[joined].sum()) + 1 - ALPHA
        np.subtract(new, scores, out=given)
        change = float(np.abs(given, out=given).sum()) + abs(new_own - own)
        scores, own = new, new_own
        if change < TOLERANCE:
            break
    return scores
