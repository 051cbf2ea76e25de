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
"""As in the paper (section 5): the L1 norm of the change by one more step of the walk."""


def personalized_pagerank(adjacency: Adjacency, present: Mask, of_query: Mask) -> Scores:
    """The score of each of n nodes for a query that is joined to those of `of_query`.

    `adjacency` is symmetric and made of ones, shape (n, n); nodes that are not `present` are left
    out. The walk starts anew at the query, whose own score is left out. It is symmetric once it is
    scaled by the roots of the degrees, so that conjugate gradients find its fixed point.
    """
    joined = np.flatnonzero(of_query)
    if not len(joined):
        return np.zeros(len(of_query))

    def spread(mass: Scores) -> Scores:
        """The mass that each node receives if all pass theirs along every edge; the query last."""
        got = np.append(_product(adjacency, mass[:-1]), mass[joined].sum())
        got[joined] += mass[-1]
        return got

    left_out = _product(adjacency, np.where(present, 0.0, 1.0))
    degrees = np.append(np.diff(adjacency.indptr) - left_out + of_query, len(joined))
    root = np.sqrt(np.maximum(degrees, 1))
    scale = np.append(present, True) / root
    solution = np.zeros_like(root)
    rest = np.zeros_like(root)
    rest[-1] = (1 - ALPHA) * scale[-1]
    direction = rest.copy()
    length = _dot(rest, rest)
    for _ in range(MAX_ITERATIONS):
        image = direction - ALPHA * scale * spread(scale * direction)
        step = length / _dot(direction, image)
        solution += step * direction
        rest -= step * image
        if _dot(np.abs(rest), root) < TOLERANCE:
            break
        before, length = length, _dot(rest, rest)
        direction = rest + (length / before) * direction
    scores: Scores = (solution * root)[:-1]
    return scores


def _product(adjacency: Adjacency, mass: Scores) -> Scores:
    """The product with the mass; while few nodes have any, only their rows are read."""
    reached = mass != 0
    few = np.count_nonzero(reached) < len(mass) / 4
    product: Scores = adjacency[reached].T @ mass[reached] if few else adjacency @ mass
    return product


def _dot(one: Scores, other: Scores) -> float:
    # BLAS would share such short sums among threads, which takes longer on a busy machine.
    return float(np.einsum("i,i->", one, other))
