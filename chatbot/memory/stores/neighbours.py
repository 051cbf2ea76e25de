"""The pairs nearest to a question: the vectors of a release are one matrix in memory.

SQL is the truth: a matrix is read again when its rows have changed, and the pairs themselves are
read for each question.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from threading import Lock

import numpy as np
import numpy.typing as npt
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from chatbot.memory.pairs import MemoryQuestion, Store
from corpora.database.engine import Database, portions
from corpora.database.memory_tables import MemoryPairRow
from corpora.indexing.embedding import Vectors

HELD_BYTES = 256 * 2**20
"""The memory for the matrices of all releases; the last searched one always stays."""
_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class NearPair:
    """A pair and its cosine to a question."""

    row: MemoryPairRow
    similarity: float


@dataclass(frozen=True)
class VectorMatrix:
    """The vectors of a release's pairs, one row a pair; `fingerprint` changes with the ids."""

    fingerprint: tuple[int, ...]
    ids: npt.NDArray[np.int64]
    vectors: Vectors

    def cosines(self, question: MemoryQuestion) -> Vectors:
        """The cosine of each row to a question."""
        # By "@", BLAS shares it among threads that go on to wait busily for ten times as long.
        cosines: Vectors = np.vecdot(self.vectors, question.vector)
        return cosines


class Neighbours:
    """Searches the stores of all releases; any number of threads and processes may do so."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = Lock()
        self._held: dict[tuple[int, str], VectorMatrix] = {}

    def nearest(
        self, release_id: int, store: Store, question: MemoryQuestion, *, cosine: float, limit: int
    ) -> list[NearPair]:
        """The usable pairs of a store at least so near, the nearest first, at most `limit`."""
        return self.of_each([release_id], store, question, cosine=cosine, limit=limit)[release_id]

    def of_each(
        self,
        release_ids: Sequence[int],
        store: Store,
        question: MemoryQuestion,
        *,
        cosine: float,
        limit: int,
    ) -> dict[int, list[NearPair]]:
        """The nearest pairs of each of some releases, by its id."""
        with self._database.reading() as session:
            return {
                release_id: list(islice(_usable(session, matrix, store, question, cosine), limit))
                for release_id, matrix in self._matrices(session, release_ids, question)
            }

    def matrix(self, session: Session, release_id: int, question: MemoryQuestion) -> VectorMatrix:
        """The vectors that a question can be compared with, as `session` sees the rows."""
        return next(self._matrices(session, [release_id], question))[1]

    def _matrices(
        self, session: Session, release_ids: Sequence[int], question: MemoryQuestion
    ) -> Iterator[tuple[int, VectorMatrix]]:
        """Those of each release, one at a time: all at once may be more than is held."""
        ids, of_release, embedding = (
            MemoryPairRow.id,
            MemoryPairRow.release_id,
            MemoryPairRow.embedding == question.embedding,
        )
        # A pair gets a new id and never another vector, unless it comes from another embedding.
        count = select(of_release, func.count(), func.max(ids), func.sum(ids))
        of_these = count.where(of_release.in_(release_ids), embedding).group_by(of_release)
        found = {row[0]: tuple(row[1:]) for row in session.execute(of_these)}
        for i in release_ids:
            yield i, self._held_now(session, i, found.get(i, ()), question)

    def _held_now(
        self,
        session: Session,
        release_id: int,
        fingerprint: tuple[int, ...],
        question: MemoryQuestion,
    ) -> VectorMatrix:
        key = release_id, question.embedding
        with self._lock:
            held = self._held.pop(key, None)
            if held is None or held.fingerprint != fingerprint:
                of_release = MemoryPairRow.release_id == key[0], MemoryPairRow.embedding == key[1]
                chosen = select(MemoryPairRow.id, MemoryPairRow.vector).where(*of_release)
                rows = session.execute(chosen).all() if fingerprint else ()
                vectors = np.frombuffer(b"".join(row.vector for row in rows), "<f4")
                numbers = np.array([row.id for row in rows], dtype=np.int64)
                held = VectorMatrix(fingerprint, numbers, vectors.reshape(-1, len(question.vector)))
            # The one that was searched last stands last, and goes last.
            self._held[key] = held
            size = sum(matrix.vectors.nbytes for matrix in self._held.values())
            while size > HELD_BYTES and len(self._held) > 1:
                size -= self._held.pop(next(iter(self._held))).vectors.nbytes
        return held


def _usable(
    session: Session, matrix: VectorMatrix, store: Store, question: MemoryQuestion, cosine: float
) -> Iterator[NearPair]:
    """The usable pairs of a store at least so near, the nearest first."""
    similarities = matrix.cosines(question)
    order = np.argsort(-similarities, kind="stable")
    near = order[: np.count_nonzero(similarities >= cosine)].tolist()
    for some in portions(near, _AT_ONCE):
        query = select(MemoryPairRow).where(
            MemoryPairRow.id.in_(matrix.ids[some].tolist()),
            MemoryPairRow.store == store,
            MemoryPairRow.suspended == "",
        )
        rows = {row.id: row for row in session.scalars(query)}
        for place in some:
            if row := rows.get(int(matrix.ids[place])):
                yield NearPair(row, float(similarities[place]))
