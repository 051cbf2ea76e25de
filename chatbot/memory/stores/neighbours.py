"""The pairs nearest to a question: the vectors of a release are one matrix in memory.

SQL is the truth: a matrix is read again when its rows have changed, and the pairs themselves are
read for each question.
"""

from dataclasses import dataclass
from threading import Lock

import numpy as np
import numpy.typing as npt
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from chatbot.memory.pairs import MemoryQuestion, Store
from corpora.database.engine import Database
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
class _Matrix:
    """The pairs of a release, both stores: `changed` differs whenever the ids do."""

    changed: tuple[int, ...]
    ids: npt.NDArray[np.int64]
    vectors: Vectors


class Neighbours:
    """Searches the stores of all releases; any number of threads and processes may do so."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = Lock()
        self._held: dict[tuple[int, str], _Matrix] = {}

    def nearest(
        self, release_id: int, store: Store, question: MemoryQuestion, *, cosine: float, limit: int
    ) -> list[NearPair]:
        """The usable pairs of a store at least so near, the nearest first, at most `limit`.

        Suspended pairs and those of another embedding are left out.
        """
        found: list[NearPair] = []
        with self._database.reading() as session:
            matrix = self._matrix(session, release_id, question)
            similarities = matrix.vectors @ question.vector
            order = np.argsort(-similarities, kind="stable")
            near = order[: np.count_nonzero(similarities >= cosine)]
            for first in range(0, len(near), _AT_ONCE):
                some = near[first : first + _AT_ONCE]
                usable = select(MemoryPairRow).where(
                    MemoryPairRow.id.in_(matrix.ids[some].tolist()),
                    MemoryPairRow.store == store,
                    MemoryPairRow.suspended == "",
                )
                rows = {row.id: row for row in session.scalars(usable)}
                found += [
                    NearPair(rows[pair], float(similarities[i]))
                    for i, pair in zip(some, matrix.ids[some].tolist(), strict=True)
                    if pair in rows
                ]
                if len(found) >= limit:
                    break
        return found[:limit]

    def _matrix(self, session: Session, release_id: int, question: MemoryQuestion) -> _Matrix:
        of_release = (
            MemoryPairRow.release_id == release_id,
            MemoryPairRow.embedding == question.embedding,
        )
        # A pair gets a new id and never another vector, unless it comes from another embedding.
        ids = MemoryPairRow.id
        told = session.execute(
            select(func.count(), func.max(ids), func.sum(ids)).where(*of_release)
        ).one()
        key = release_id, question.embedding
        with self._lock:
            held = self._held.pop(key, None)
            if held is None or held.changed != tuple(told):
                rows = session.execute(
                    select(ids, MemoryPairRow.vector).where(*of_release).order_by(ids)
                ).all()
                vectors = np.frombuffer(b"".join(row.vector for row in rows), "<f4")
                held = _Matrix(
                    tuple(told),
                    np.array([row.id for row in rows], dtype=np.int64),
                    vectors.reshape(len(rows), len(question.vector)),
                )
            # The one that was searched last stands last, and goes last.
            self._held[key] = held
            held_bytes = sum(matrix.vectors.nbytes for matrix in self._held.values())
            while len(self._held) > 1 and held_bytes > HELD_BYTES:
                held_bytes -= self._held.pop(next(iter(self._held))).vectors.nbytes
        return held
