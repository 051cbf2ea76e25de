"""The clusters of a store and the formulas of the centroid-based memory (ComRAG 4.2)."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from chatbot.memory.pairs import ScoreOrigin, Store
from corpora.database.memory_tables import MemoryPairRow
from corpora.indexing.embedding import Vectors

_BY_ADMINS = (ScoreOrigin.RATING, ScoreOrigin.IMPORTED, ScoreOrigin.CURATED)


def store_of(score: float, gamma: float) -> Store:
    """The quality split (ComRAG 4.2): score ≥ γ goes to the high-quality store."""
    return Store.HIGH if score >= gamma else Store.LOW


def rank(pair: MemoryPairRow) -> tuple[bool, int, float]:
    """The rank of a pair among its near-duplicates, of which the highest stays (ComRAG 4.2).

    The paper compares scores; here pairs that an admin rated or wrote, and those in use, come
    first.
    """
    by_admin = _BY_ADMINS.index(ScoreOrigin(pair.origin)) + 1 if pair.origin in _BY_ADMINS else 0
    return not pair.suspended, by_admin, pair.score


def nearest_cluster(
    members: Iterable[tuple[int, Vectors]], question: Vectors, tau: float
) -> int | None:
    """argmax_C cos(Emb(q), c), if that is ≥ τ (ComRAG 4.2); None: the question founds a cluster.

    The members have the number of their cluster. Its centroid is c = (1/|C|) · Σ_{q∈C} Emb(q), of
    which the sum has the same cosine.
    """
    sums: dict[int, npt.NDArray[np.float64]] = {}
    for number, vector in members:
        sums[number] = sums.get(number, 0.0) + vector.astype(np.float64)
    near = [
        (float(c @ question) / (float(np.linalg.norm(c)) or 1.0), number)
        for number, c in sums.items()
    ]
    cosine, number = max(near, default=(-1.0, 0))
    return number if cosine >= tau else None
