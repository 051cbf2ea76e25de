"""The graph of the answered questions of a release (GraphContextGen 4.2).

Nodes are the good pairs of the memory, edges join those whose cosine exceeds a threshold. Nothing
of it is stored: it follows the memory's matrix of vectors, which follows SQL.
"""

from functools import lru_cache
from threading import Lock

import numpy as np
import numpy.typing as npt
from sqlalchemy import and_, select

from chatbot.graph.pagerank import Adjacency, personalized_pagerank
from chatbot.memory.pairs import MemoryQuestion, Store
from chatbot.memory.stores.neighbours import NearPair, Neighbours, VectorMatrix
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPairRow
from corpora.indexing.embedding import Vectors

GRAPHS_HELD = 8
"""Releases whose edges are held; the one asked about longest ago goes first."""
Places = npt.NDArray[np.integer]
_AT_ONCE = 256
_FEW = 8


class QuestionGraph:
    """Finds related questions, each release in its own graph; edges exceed `threshold`."""

    def __init__(self, database: Database, search: Neighbours, threshold: float) -> None:
        self._database = database
        self._search = search
        self._threshold = threshold
        self._edges = lru_cache(GRAPHS_HELD)(lambda release_id, embedding: _Edges(threshold))

    def related(self, release_id: int, question: MemoryQuestion, limit: int) -> list[NearPair]:
        """The good pairs of a release with the best personalized PageRank, at most `limit`.

        The question joins the graph as a node. Of the same score the nearer pair comes first.
        """
        of_release = MemoryPairRow.release_id == release_id
        high, low = (MemoryPairRow.store == store for store in (Store.HIGH, Store.LOW))
        # Each of the two is read from an index alone, however many pairs are in use.
        left_out = (low, and_(high, MemoryPairRow.suspended > ""))
        ids = select(MemoryPairRow.id).where(of_release)
        with self._database.reading() as session:
            matrix = self._search.matrix(session, release_id, question)
            out = [pair for which in left_out for pair in session.scalars(ids.where(which))]
            cosines = matrix.cosines(question)
            present = ~np.isin(matrix.ids, out)
            near = present & (cosines > self._threshold)
            adjacency = self._edges(release_id, question.embedding).of(matrix)
            scores = personalized_pagerank(adjacency, present, near)
            reached = np.flatnonzero(scores > 0)
            best = reached[np.lexsort((-cosines[reached], -scores[reached]))][:limit]
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
        adjacency = self._edges(release_id, question.embedding).of(matrix)
        return adjacency.shape[0], adjacency.nnz // 2


class _Edges:
    """The edges between the rows of a matrix, kept as their symmetric adjacency."""

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold
        self._lock = Lock()
        self._ids = np.empty(0, dtype=np.int64)
        self._adjacency = _adjacency(np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int32))

    def of(self, matrix: VectorMatrix) -> Adjacency:
        """The adjacency for a matrix: rows that went are cut out, new ones compared with all."""
        with self._lock:
            if np.array_equal(self._ids, matrix.ids):
                return self._adjacency
            stays = np.isin(self._ids, matrix.ids)
            if not np.array_equal(self._ids[stays], matrix.ids[: np.count_nonzero(stays)]):
                stays[:] = False
            if not stays.all():
                self._adjacency = self._adjacency[stays][:, stays]
            self._adjacency = _grown(self._adjacency, matrix.vectors, self._threshold)
            self._ids = matrix.ids
            return self._adjacency


def _grown(adjacency: Adjacency, vectors: Vectors, threshold: float) -> Adjacency:
    """An adjacency with a row for every vector behind those that it has one for."""
    columns, degrees = adjacency.indices, np.diff(adjacency.indptr)
    for first in range(len(degrees), len(vectors), _AT_ONCE):
        last = min(first + _AT_ONCE, len(vectors))
        some = vectors[first:last]
        # See `VectorMatrix.cosines`: only many rows are worth the threads.
        few = len(some) < _FEW
        cosines = np.vecdot(some[:, np.newaxis], vectors[:last]) if few else some @ vectors[:last].T
        near = cosines > threshold
        near[:, first:] = np.tril(near[:, first:], -1)
        new, old = np.nonzero(near)
        one, other = np.append(new + first, old), np.append(old, new + first)
        order = np.lexsort((other, one))
        degrees = np.append(degrees, np.zeros(last - first, dtype=np.int32))
        # What is new stands behind all that a row has.
        columns = np.insert(columns, np.cumsum(degrees)[one[order]], other[order])
        degrees = degrees + np.bincount(one, minlength=last)
    return _adjacency(columns, degrees)


def _adjacency(columns: Places, degrees: Places) -> Adjacency:
    from scipy.sparse import csr_array

    ends = np.append(0, np.cumsum(degrees)).astype(np.int32)
    size = len(degrees)
    return csr_array((np.ones(len(columns)), columns, ends), shape=(size, size))
