"""The formulas of the centroid-based memory (ComRAG 4.2), each by itself.

Vectors have length one, so that a cosine is a dot product; sums of a cluster are float64.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from chatbot.memory.pairs import Origin, Score, Store
from corpora.indexing.embedding import Vectors

Sums = npt.NDArray[np.float64]

_BY_ADMINS = (Origin.RATING, Origin.IMPORTED, Origin.CURATED)


def store_of(score: float, gamma: float) -> Store:
    """The quality split (ComRAG 4.2): score ≥ γ goes to the high-quality store."""
    return Store.HIGH if score >= gamma else Store.LOW


def with_member(total: Sums, vector: Vectors) -> Sums:
    """The sum of a cluster's vectors with one more."""
    return total + vector.astype(np.float64)


def without_member(total: Sums, vector: Vectors) -> Sums:
    """The sum of a cluster's vectors with one less."""
    return total - vector.astype(np.float64)


def centroid(total: Sums, size: int) -> Sums:
    """The centroid of a cluster C: c = (1/|C|) · Σ_{q∈C} Emb(q) (ComRAG 4.2)."""
    return total / size


def direction(total: Sums) -> Vectors:
    """A centroid scaled to length one, which is all that a cosine needs; zero stays zero."""
    length = float(np.linalg.norm(total))
    return (total / (length or 1.0)).astype(np.float32)


def joins(similarities: Vectors, tau: float) -> int | None:
    """The cluster that a question joins: argmax_C cos(Emb(q), c), if that is ≥ τ (ComRAG 4.2).

    `similarities` are its cosines to the centroids; None where it founds a cluster of its own.
    """
    if not len(similarities):
        return None
    best = int(np.argmax(similarities))
    return best if similarities[best] >= tau else None


def near_duplicates(similarities: Vectors, delta: float) -> list[int]:
    """The members of a store whose cosine to a question is ≥ δ (ComRAG 4.2)."""
    return [int(i) for i in np.flatnonzero(similarities >= delta)]


def rank(score: Score, *, suspended: bool = False) -> tuple[bool, int, float]:
    """What near-duplicates are compared by; the one that ranks higher stays (ComRAG 4.2).

    The paper compares scores. Here what an admin says (a rating, an import, a curated answer)
    outranks what was measured whatever the number, and what may be used outranks what may not.
    """
    by_admin = _BY_ADMINS.index(score.origin) + 1 if score.origin in _BY_ADMINS else 0
    return not suspended, by_admin, score.value
