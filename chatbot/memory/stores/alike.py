"""The members of a store that are near-duplicates of a question (ComRAG 4.2), all compared."""

from __future__ import annotations

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from chatbot.memory.stores.centroids import near_duplicates
from chatbot.memory.stores.clusters import Where
from chatbot.memory.stores.held import Held
from chatbot.memory.stores.vector_table import Source, VectorTable
from corpora.embedding import Vectors
from corpora.memory_tables import MemoryPairRow

FEW = 256
"""So many vectors are quicker read from SQL than they are worth holding."""


class Alike:
    """Compares a question with all that ask for the same: no other one can be a near-duplicate.

    Where many do, their vectors stay in memory between transactions.
    """

    def __init__(self, held: Held) -> None:
        self._held = held

    def near(
        self, session: Session, where: Where, asks: str, vector: Vectors, delta: float
    ) -> dict[int, float]:
        """The ids of the members whose cosine is ≥ δ, with that cosine."""
        source = _source(where, asks)
        count = select(func.count()).select_from(MemoryPairRow).where(*source.where)
        if (session.scalar(count) or 0) <= FEW:
            table = VectorTable()
            table.read_newer(session, source)
        else:
            table = self._held.table((where, asks))
            table.follow(session, source)
            self._held.trim()
        ids, similarities = table.compared(vector)
        return {int(ids[i]): float(similarities[i]) for i in near_duplicates(similarities, delta)}


def _source(where: Where, asks: str) -> Source:
    of_group = (
        MemoryPairRow.release_id == where.release_id,
        MemoryPairRow.store == where.store,
        MemoryPairRow.asks == asks,
        MemoryPairRow.embedding == where.embedding,
    )
    return Source(MemoryPairRow.id, MemoryPairRow.seq, MemoryPairRow.vector, of_group, _unpacked)


def _unpacked(packed: bytes) -> Vectors:
    return np.frombuffer(packed, dtype="<f4")
