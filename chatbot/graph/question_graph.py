"""The graph of the answered questions of a release (GraphContextGen 4.2).

Nodes are the good pairs of the memory, edges join those whose cosine exceeds a threshold. Nothing
of it is stored: it follows the memory's matrix of vectors, which follows SQL.
"""

from functools import lru_cache
from threading import Lock

import numpy as np
import numpy.typing as npt
from sqlalchemy import and_, select

from chatbot.graph.pagerank import Adjacency, Mask, personalized_pagerank
from chatbot.memory.pairs import MemoryQuestion, Store
from chatbot.memory.stores.neighbours import Matrix, NearPair, Neighbours
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPairRow
from corpora.indexing.embedding import Vectors

GRAPHS_HELD = 8
"""Releases whose edges are held; the one asked about longest ago goes first."""
Places = npt.NDArray[np.integer]
_AT_ONCE = 256


class QuestionGraph:
    """Finds related questions in all releases, each in its own graph; any thread may do so.

    `threshold` is the cosine that an edge exceeds (the paper: 0.8).
    """

    def __init__(self, database: Database, search: Neighbours, threshold: float) -> None:
        self._database = database
        self._search = search
        self._threshold = threshold
        self._edges = lru_cache(GRAPHS_HELD)(lambda release_id, embedding: _Edges(threshold))

    def related(self, release_id: int, question: MemoryQuestion, limit: int) -> list[NearPair]:
        """The good pairs of a release with the best personalized PageRank, at most `limit`.

        The question joins the graph as a node. Of the same score the nearer pair comes first; a
        pair that no path leads to is not related. Suspended pairs and those of the low store are
        no nodes.
        """
        of_release = MemoryPairRow.release_id == release_id
        high, low = (MemoryPairRow.store == store for store in (Store.HIGH, Store.LOW))
        # Each of the two is read from an index alone, however many pairs are in use.
        left_out = (low, and_(high, MemoryPairRow.suspended > ""))
        ids = select(MemoryPairRow.id).where(of_release)
        with self._database.reading() as session:
            matrix = self._search.matrix(session, release_id, question)
            out = [pair for which in left_out for pair in session.scalars(ids.where(which))]
            cosines = matrix.vectors @ question.vector
            present = ~np.isin(matrix.ids, out)
            near = present & (cosines > self._threshold)
            nodes, lower = self._edges(release_id, question.embedding).around(matrix, near, present)
            scores = personalized_pagerank(lower, near[nodes])
            order = nodes[np.lexsort((-cosines[nodes], -scores))]
            best = order[: min(limit, np.count_nonzero(scores > 0))]
            of_best = MemoryPairRow.id.in_(matrix.ids[best].tolist())
            rows = {row.id: row for row in session.scalars(select(MemoryPairRow).where(of_best))}
            return [
                NearPair(rows[pair], float(cosines[place]))
                for place, pair in zip(best, matrix.ids[best].tolist(), strict=True)
                if pair in rows
            ]

    def size(self, release_id: int, question: MemoryQuestion) -> tuple[int, int]:
        """Nodes and edges of a release's graph, brought up to date; both stores count."""
        with self._database.reading() as session:
            matrix = self._search.matrix(session, release_id, question)
        lower, _ = self._edges(release_id, question.embedding).of(matrix)
        return lower.shape[0], lower.nnz


class _Edges:
    """The edges between the rows of a matrix, kept as the lower triangle of their adjacency."""

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._lock = Lock()
        self._ids = np.empty(0, dtype=np.int64)
        self._lower = _triangle([], np.zeros(1, dtype=np.int64))
        self._components: Places = np.empty(0, dtype=np.int32)

    def around(self, matrix: Matrix, near: Mask, present: Mask) -> tuple[Places, Adjacency]:
        """The rows that paths may lead to from those that are `near`, and the triangle of these.

        Rows that are not `present` are left out.
        """
        lower, components = self.of(matrix)
        reached = np.zeros(components.max(initial=-1) + 1, dtype=np.bool_)
        reached[components[near]] = True
        nodes = np.flatnonzero(present & reached[components])
        return nodes, lower if len(nodes) == len(present) else lower[nodes][:, nodes]

    def of(self, matrix: Matrix) -> tuple[Adjacency, Places]:
        """The triangle for a matrix, and the number of the component that each row is in.

        Rows that went are cut out, new ones are compared with all. Rows that only one that went
        had joined may still have one number, which costs time and changes no score.
        """
        with self._lock:
            if np.array_equal(self._ids, matrix.ids):
                return self._lower, self._components
            stays = np.isin(self._ids, matrix.ids)
            if not np.array_equal(self._ids[stays], matrix.ids[: np.count_nonzero(stays)]):
                stays[:] = False
            if not stays.all():
                self._lower = self._lower[stays][:, stays]
                self._components = self._components[stays]
            self._lower = _grown(self._lower, matrix.vectors, self._threshold)
            self._components = _components(self._lower, self._components)
            self._ids = matrix.ids
            return self._lower, self._components


def _grown(lower: Adjacency, vectors: Vectors, threshold: float) -> Adjacency:
    """A triangle with a row for every vector behind those that it has one for."""
    columns = [lower.indices]
    ends = [lower.indptr]
    for first in range(lower.shape[0], len(vectors), _AT_ONCE):
        last = min(first + _AT_ONCE, len(vectors))
        near = vectors[first:last] @ vectors[:last].T > threshold
        near[:, first:] = np.tril(near[:, first:], -1)
        columns.append(np.nonzero(near)[1])
        ends.append(ends[-1][-1] + np.cumsum(np.count_nonzero(near, axis=1)))
    return lower if len(ends) == 1 else _triangle(columns, np.concatenate(ends))


def _components(lower: Adjacency, known: Places) -> Places:
    """The number of the component of each row; `known` are those of the first rows."""
    from scipy.sparse.csgraph import connected_components

    new = range(len(known), lower.shape[0])
    if len(new) > _AT_ONCE:
        found: Places = connected_components(lower, directed=False)[1]
        return found
    numbers = np.append(known, known.max(initial=-1) + 1 + np.arange(len(new)))
    for row in new:
        near = lower.indices[lower.indptr[row] : lower.indptr[row + 1]]
        numbers[np.isin(numbers, numbers[near])] = numbers[row]
    return numbers


def _triangle(columns: list[Places], ends: Places) -> Adjacency:
    from scipy.sparse import csr_array

    indices = np.concatenate(columns) if columns else np.empty(0, dtype=np.int64)
    size = len(ends) - 1
    return csr_array(
        (np.ones(len(indices)), indices.astype(np.int32), ends.astype(np.int32)), shape=(size, size)
    )
