"""The pairs nearest to a question: the vectors of a release are one matrix, held in memory.

SQL is the truth: what is held is read again where SQL has changed, and the pairs themselves are
read for each question.
"""

from __future__ import annotations

from collections import OrderedDict
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
"""How much the matrices of all releases may take together; the last searched one stays."""


@dataclass(frozen=True, slots=True)
class NearPair:
    """A pair and its cosine to a question."""

    row: MemoryPairRow
    similarity: float


@dataclass(frozen=True)
class _Matrix:
    """The pairs of a release: `changed` is (last change, how many), the vectors are (n, d)."""

    changed: tuple[int, int]
    ids: npt.NDArray[np.int64]
    high: npt.NDArray[np.bool_]
    vectors: Vectors

    def near(self, store: Store, vector: Vectors, cosine: float) -> dict[int, float]:
        """The ids of the members of a store that are so near, the nearest first."""
        similarities = self.vectors @ vector
        found = np.flatnonzero((similarities >= cosine) & (self.high == (store is Store.HIGH)))
        order = found[np.lexsort((self.ids[found], -similarities[found]))]
        return {int(self.ids[i]): float(similarities[i]) for i in order}


class Neighbours:
    """Searches the stores of all releases; any number of threads and processes may do so."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = Lock()
        self._held: OrderedDict[tuple[int, str], _Matrix] = OrderedDict()

    def nearest(
        self, release_id: int, store: Store, question: MemoryQuestion, *, cosine: float, limit: int
    ) -> list[NearPair]:
        """The usable pairs of a store at least so near, the nearest first, at most `limit`.

        Suspended pairs and those of another embedding are left out.
        """
        found: list[NearPair] = []
        with self._database.reading() as session:
            matrix = self._matrix(session, release_id, question)
            near = matrix.near(store, question.vector, cosine)
            ids = list(near)
            for first in range(0, len(ids), limit):
                some = ids[first : first + limit]
                rows = session.scalars(select(MemoryPairRow).where(MemoryPairRow.id.in_(some)))
                usable = {row.id: row for row in rows if row.store == store and not row.suspended}
                found += [NearPair(usable[i], near[i]) for i in some if i in usable]
                if len(found) >= limit:
                    break
        return found[:limit]

    def _matrix(self, session: Session, release_id: int, question: MemoryQuestion) -> _Matrix:
        embedding, dimension = question.embedding, len(question.vector)
        of_release = (
            MemoryPairRow.release_id == release_id,
            MemoryPairRow.embedding == embedding,
        )
        last, count = session.execute(
            select(func.max(MemoryPairRow.seq), func.count()).where(*of_release)
        ).one()
        changed = (last or 0, count)
        with self._lock:
            held = self._held.get((release_id, embedding))
            if held is None or held.changed != changed:
                rows = session.execute(
                    select(MemoryPairRow.id, MemoryPairRow.store, MemoryPairRow.vector).where(
                        *of_release
                    )
                ).all()
                held = _Matrix(
                    changed,
                    np.array([row.id for row in rows], dtype=np.int64),
                    np.array([row.store == Store.HIGH for row in rows], dtype=np.bool_),
                    np.frombuffer(b"".join(row.vector for row in rows), "<f4").reshape(
                        len(rows), dimension
                    ),
                )
                self._held[release_id, embedding] = held
            self._held.move_to_end((release_id, embedding))
            while len(self._held) > 1 and sum(m.vectors.nbytes for m in self._held.values()) > (
                HELD_BYTES
            ):
                self._held.popitem(last=False)
        return held
