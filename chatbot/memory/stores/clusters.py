"""The clusters of a store and the formulas of the centroid-based memory (ComRAG 4.2).

Vectors have length one, so that a cosine is a dot product.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from chatbot.memory.pairs import Origin, Store
from corpora.database.memory_tables import MemoryPairRow
from corpora.indexing.embedding import Vectors

_BY_ADMINS = (Origin.RATING, Origin.IMPORTED, Origin.CURATED)


def store_of(score: float, gamma: float) -> Store:
    """The quality split (ComRAG 4.2): score ≥ γ goes to the high-quality store."""
    return Store.HIGH if score >= gamma else Store.LOW


def rank(pair: MemoryPairRow) -> tuple[bool, int, float]:
    """The rank of a pair among its near-duplicates, of which the highest stays (ComRAG 4.2).

    The paper compares scores. Here what an admin rated, imported or wrote outranks what was
    measured, whatever its score, and a pair in use outranks a suspended one.
    """
    by_admin = _BY_ADMINS.index(Origin(pair.origin)) + 1 if pair.origin in _BY_ADMINS else 0
    return not pair.suspended, by_admin, pair.score


class Clusters:
    """The clusters of a store, each a number and the sum of its members' vectors.

    The centroid of a cluster C is c = (1/|C|) · Σ_{q∈C} Emb(q) (ComRAG 4.2). Its length changes no
    cosine, so the sum stands for it.
    """

    def __init__(self, members: Iterable[tuple[int, Vectors]] = ()) -> None:
        self._numbers: list[int] = []
        self._sums: npt.NDArray[np.float64] = np.zeros((0, 0))
        rows = list(members)
        if rows:
            numbers, of_member = np.unique([n for n, _ in rows], return_inverse=True)
            self._numbers = numbers.tolist()
            self._sums = np.zeros((len(numbers), len(rows[0][1])))
            np.add.at(self._sums, of_member, np.array([vector for _, vector in rows]))

    def join(self, vector: Vectors, tau: float) -> int | None:
        """Let a question join argmax_C cos(Emb(q), c), if that is ≥ τ (ComRAG 4.2).

        Returns the number of the cluster; None where it has to found one of its own.
        """
        if not self._numbers:
            return None
        lengths = np.linalg.norm(self._sums, axis=1)
        similarities = (self._sums @ vector) / np.where(lengths > 0, lengths, 1.0)
        best = int(np.argmax(similarities))
        if similarities[best] < tau:
            return None
        self._sums[best] += vector
        return self._numbers[best]

    def found(self, number: int, vector: Vectors) -> None:
        """Add a cluster with one member."""
        self._numbers.append(number)
        self._sums = np.vstack([self._sums.reshape(-1, len(vector)), vector])
