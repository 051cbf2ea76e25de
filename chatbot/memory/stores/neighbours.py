"""The pairs nearest to a question: the vectors of a release are one matrix in memory.

SQL is the truth: a matrix follows its rows when they have changed, and the pairs themselves are
read for each question.
"""

from dataclasses import dataclass
from threading import Lock

import numpy as np
import numpy.typing as npt
from sqlalchemy import ColumnElement, func, select
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
class Matrix:
    """The vectors of the pairs of a release, one row a pair; `told` differs whenever the ids do."""

    told: tuple[int, ...]
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
        self._held: dict[tuple[int, str], Matrix] = {}

    def nearest(
        self, release_id: int, store: Store, question: MemoryQuestion, *, cosine: float, limit: int
    ) -> list[NearPair]:
        """The usable pairs of a store at least so near, the nearest first, at most `limit`."""
        found: list[NearPair] = []
        with self._database.reading() as session:
            matrix = self.matrix(session, release_id, question)
            similarities = matrix.cosines(question)
            order = np.argsort(-similarities, kind="stable")
            near = order[: np.count_nonzero(similarities >= cosine)]
            for some in portions(near.tolist(), _AT_ONCE):
                pairs = matrix.ids[some].tolist()
                usable = select(MemoryPairRow).where(
                    MemoryPairRow.id.in_(pairs),
                    MemoryPairRow.store == store,
                    MemoryPairRow.suspended == "",
                )
                rows = {row.id: row for row in session.scalars(usable)}
                found += [
                    NearPair(rows[pair], float(similarities[i]))
                    for i, pair in zip(some, pairs, strict=True)
                    if pair in rows
                ]
                if len(found) >= limit:
                    break
        return found[:limit]

    def matrix(self, session: Session, release_id: int, question: MemoryQuestion) -> Matrix:
        """The vectors that a question can be compared with, as `session` sees the rows."""
        of_release = (
            MemoryPairRow.release_id == release_id,
            MemoryPairRow.embedding == question.embedding,
        )
        ids, key = MemoryPairRow.id, (release_id, question.embedding)
        # A pair gets a new id and never another vector, unless it comes from another embedding.
        count = select(func.count(), func.max(ids), func.sum(ids)).where(*of_release)
        told = tuple(session.execute(count).one())
        with self._lock:
            held = self._held.pop(key, None)
            if held is None:
                empty = np.empty((0, len(question.vector)), np.float32)
                held = Matrix((), np.empty(0, np.int64), empty)
            if held.told != told:
                held = _followed(session, of_release, told, held)
            # The one that was searched last stands last, and goes last.
            self._held[key] = held
            while len(self._held) > 1 and self._bytes() > HELD_BYTES:
                del self._held[next(iter(self._held))]
        return held

    def _bytes(self) -> int:
        return sum(matrix.vectors.nbytes for matrix in self._held.values())


def _followed(
    session: Session,
    of_release: tuple[ColumnElement[bool], ...],
    told: tuple[int, ...],
    held: Matrix,
) -> Matrix:
    """A matrix as its rows are now: without those that went, with those that came.

    Its array has room for an eighth more, so that what comes by and by is written behind the rest.
    """
    ids = MemoryPairRow.id
    rows = select(ids, MemoryPairRow.vector).where(*of_release).order_by(ids)
    last = int(held.ids.max(initial=0))
    came = session.execute(rows.where(ids > last)).all()
    count, _, total = told
    stays = np.ones(len(held.ids), dtype=np.bool_)
    if len(stays) + len(came) != count or held.ids.sum() + sum(row.id for row in came) != total:
        older = session.scalars(select(ids).where(*of_release, ids <= last)).all()
        stays = np.isin(held.ids, older)
        if np.count_nonzero(stays) != len(older):
            # Pairs that another embedding had before stand among the older ones.
            stays[:] = False
            came = session.execute(rows).all()
    new_ids = np.array([row.id for row in came], dtype=np.int64)
    new = np.frombuffer(b"".join(row.vector for row in came), "<f4")
    kept, width = np.flatnonzero(stays), held.vectors.shape[1]
    room, end = held.vectors.base, len(kept) + len(new_ids)
    # Only the held matrix is followed by another, so that no two write into the same room.
    if room is None or len(room) < end or len(kept) < len(stays):
        room = np.empty((end + end // 8, width), np.float32)
        # With "clip", numpy needs no copy to check places in.
        np.take(held.vectors, kept, axis=0, out=room[: len(kept)], mode="clip")
    room[len(kept) : end] = new.reshape(-1, width)
    return Matrix(told, np.concatenate([held.ids[stays], new_ids]), room[:end])
