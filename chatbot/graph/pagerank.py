"""Personalized PageRank of a query that joins a graph of questions (GraphContextGen 4.2)."""

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
"""As in the paper (section 5): the L1 norm of what one more step of the walk would change."""


def personalized_pagerank(lower: Adjacency, of_query: Mask) -> Scores:
    """The score of each of n nodes for a query that is joined to those of `of_query`.

    `lower` is the strictly lower triangle of the symmetric adjacency, shape (n, n), so that a node
    is added by one row. The walk starts anew at the query, whose own score is left out: with it,
    the sum is 1. What no path leads to scores 0.

    The walk on an undirected graph is symmetric once it is scaled by the roots of the degrees, so
    that conjugate gradients find its fixed point in a third of the power method's iterations.
    """
    nodes = len(of_query)
    joined = np.flatnonzero(of_query)
    if not len(joined):
        return np.zeros(nodes)
    upper = lower.T

    def spread(mass: Scores) -> Scores:
        """What every node gets if each gives its mass along each of its edges; the query last."""
        got = np.empty_like(mass)
        got[:-1] = lower @ mass[:-1]
        got[:-1] += upper @ mass[:-1]
        got[joined] += mass[-1]
        got[-1] = mass[joined].sum()
        return got

    root = np.sqrt(np.maximum(spread(np.ones(nodes + 1)), 1))
    found = np.zeros(nodes + 1)
    rest = np.zeros(nodes + 1)
    rest[-1] = (1 - ALPHA) / root[-1]
    direction = rest.copy()
    length = _dot(rest, rest)
    for _ in range(MAX_ITERATIONS):
        image = direction - ALPHA * spread(direction / root) / root
        step = length / _dot(direction, image)
        found += step * direction
        rest -= step * image
        if _dot(np.abs(rest), root) < TOLERANCE:
            break
        before, length = length, _dot(rest, rest)
        direction = rest + (length / before) * direction
    scores: Scores = (found * root)[:-1]
    return scores


def _dot(one: Scores, other: Scores) -> float:
    # BLAS would share such short sums among threads, which takes longer on a busy machine.
    return float(np.einsum("i,i->", one, other))
