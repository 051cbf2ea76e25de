"""The graph of the answered questions of a release (GraphContextGen 4.2).

Nodes are the good pairs of the memory, edges join those whose cosine exceeds a threshold. Nothing
of it is stored: it follows the memory's matrix of vectors, which follows SQL.
"""

from functools import lru_cache
from threading import Lock

import numpy as np
from sqlalchemy import and_, select

from chatbot.graph.pagerank import Adjacency, personalized_pagerank
from chatbot.memory.pairs import MemoryQuestion, Store
from chatbot.memory.stores.neighbours import Matrix, NearPair, Neighbours
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPairRow
from corpora.indexing.embedding import Vectors

GRAPHS_HELD = 8
"""Releases whose edges are held; the one asked about longest ago goes first."""
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
        from scipy.sparse import csr_array

        self._threshold = threshold
        self._lock = Lock()
        self._ids = np.empty(0, dtype=np.int64)
        self._adjacency: Adjacency = csr_array((0, 0))

    def of(self, matrix: Matrix) -> Adjacency:
        """The adjacency for a matrix: rows that went are cut out, new ones compared with all."""
        with self._lock:
            stays = np.isin(self._ids, matrix.ids)
            if not np.array_equal(self._ids[stays], matrix.ids[: np.count_nonzero(stays)]):
                stays[:] = False
            if not stays.all():
                self._adjacency = self._adjacency[stays][:, stays]
            while self._adjacency.shape[0] < len(matrix.ids):
                self._adjacency = self._grown(matrix.vectors)
            self._ids = matrix.ids
            return self._adjacency

    def _grown(self, vectors: Vectors) -> Adjacency:
        from scipy.sparse import csr_array, hstack, vstack

        known = self._adjacency.shape[0]
        some, there = vectors[known : known + _AT_ONCE], vectors[: known + _AT_ONCE]
        # See `Matrix.cosines`: only many rows are worth the threads.
        few = len(some) < _FEW
        near = np.vecdot(some[:, np.newaxis], there) if few else some @ there.T
        joined = near > self._threshold
        among = np.tril(joined[:, known:], -1)
        old, new = (
            csr_array(joined[:, :known], dtype=float),
            csr_array(among | among.T, dtype=float),
        )
        above = hstack([self._adjacency, old.T.tocsr()], format="csr")
        return vstack([above, hstack([old, new], format="csr")], format="csr")
