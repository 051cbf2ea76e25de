"""The clusters of the stores: which one a question joins, and what becomes of it (ComRAG 4.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sqlalchemy import Row, delete, select, update
from sqlalchemy.orm import Session

from chatbot.memory.pairs import Store
from chatbot.memory.stores.centroids import Sums, direction, joins, with_member, without_member
from chatbot.memory.stores.held import Held
from chatbot.memory.stores.pair_rows import inserted
from chatbot.memory.stores.vector_table import Source
from corpora.embedding import Vectors
from corpora.memory_tables import MemoryClusterRow, MemoryPairRow

_AT_ONCE = 500
_NO_SYNC = {"synchronize_session": False}


@dataclass(frozen=True)
class Where:
    """One store of a release, as far as its vectors are of one embedding."""

    release_id: int
    store: Store
    embedding: str


class Clusters:
    """Finds, founds and leaves clusters within a transaction that has locked their release.

    The centroids of a store stay in memory between transactions, and what others changed is read
    from SQL first.
    """

    def __init__(self, held: Held) -> None:
        self._held = held

    def join(self, session: Session, where: Where, vector: Vectors, tau: float, seq: int) -> int:
        """Let a question join the cluster of the nearest centroid or found one; return its id."""
        table = self._held.table(where)
        table.follow(session, _source(where))
        self._held.trim()
        ids, similarities = table.compared(vector)
        nearest = joins(similarities, tau)
        if nearest is None:
            return self.found(session, where, vector, seq)
        joined = int(ids[nearest])
        size, total = session.execute(
            select(MemoryClusterRow.size, MemoryClusterRow.total).where(
                MemoryClusterRow.id == joined
            )
        ).one()
        grown = with_member(np.frombuffer(total, "<f8"), vector)
        _write(session, joined, size + 1, grown, seq)
        table.put(joined, direction(grown), seq)
        return joined

    def found(self, session: Session, where: Where, vector: Vectors, seq: int) -> int:
        """Found a cluster with one member and return its id."""
        total = with_member(np.zeros(len(vector)), vector)
        cluster = inserted(
            session,
            MemoryClusterRow,
            release_id=where.release_id,
            store=where.store,
            embedding=where.embedding,
            seq=seq,
            size=1,
            total=total.astype("<f8").tobytes(),
        )
        if (table := self._held.get(where)) is not None:
            table.put(cluster, direction(total), seq)
        return cluster

    def leave(
        self, session: Session, members: Iterable[tuple[int, Vectors]], seq: int
    ) -> list[int]:
        """Take members, as (cluster, vector), out of their clusters; return those left empty.

        They are to be removed by `clear` once no pair points there any more.
        """
        leaving: dict[int, list[Vectors]] = {}
        for cluster, vector in members:
            leaving.setdefault(cluster, []).append(vector)
        emptied = []
        for row in _rows(session, list(leaving)):
            gone = leaving[row.id]
            left = np.frombuffer(row.total, "<f8")
            for vector in gone:
                left = without_member(left, vector)
            if row.size == len(gone):
                emptied.append(row.id)
                left = np.zeros_like(left)
            _write(session, row.id, row.size - len(gone), left, seq)
            self._hold(row, left, seq)
        return emptied

    def clear(self, session: Session, emptied: Sequence[int]) -> None:
        """Remove clusters that have no members."""
        for row in _rows(session, emptied):
            if (table := self._held.get(_where(row))) is not None:
                table.take(row.id)
        for first in range(0, len(emptied), _AT_ONCE):
            some = MemoryClusterRow.id.in_(emptied[first : first + _AT_ONCE])
            session.execute(delete(MemoryClusterRow).where(some), execution_options=_NO_SYNC)

    def sum_anew(self, session: Session, release_id: int, seq: int) -> None:
        """Add up the vectors of every cluster of a release again."""
        of_release = select(MemoryClusterRow.id).where(MemoryClusterRow.release_id == release_id)
        clusters = session.scalars(of_release).all()
        for first in range(0, len(clusters), _AT_ONCE):
            some = clusters[first : first + _AT_ONCE]
            members: dict[int, list[Vectors]] = {cluster: [] for cluster in some}
            in_some = MemoryPairRow.cluster_id.in_(some)
            vectors = select(MemoryPairRow.cluster_id, MemoryPairRow.vector).where(in_some)
            for cluster, vector in session.execute(vectors):
                members[cluster].append(np.frombuffer(vector, "<f4"))
            for cluster, own in members.items():
                if own:
                    _write(session, cluster, len(own), np.sum(own, axis=0, dtype=np.float64), seq)
            self.clear(session, [cluster for cluster, own in members.items() if not own])
        self._held.drop()

    def _hold(self, row: Row[*tuple[Any, ...]], total: Sums, seq: int) -> None:
        if (table := self._held.get(_where(row))) is not None:
            table.put(row.id, direction(total), seq)


def _source(where: Where) -> Source:
    of_store = (
        MemoryClusterRow.release_id == where.release_id,
        MemoryClusterRow.store == where.store,
        MemoryClusterRow.embedding == where.embedding,
    )
    return Source(
        MemoryClusterRow.id, MemoryClusterRow.seq, MemoryClusterRow.total, of_store, _unpacked
    )


def _unpacked(total: bytes) -> Vectors:
    return direction(np.frombuffer(total, "<f8"))


def _rows(session: Session, clusters: Sequence[int]) -> Iterator[Row[*tuple[Any, ...]]]:
    for first in range(0, len(clusters), _AT_ONCE):
        query = select(
            MemoryClusterRow.id,
            MemoryClusterRow.release_id,
            MemoryClusterRow.store,
            MemoryClusterRow.embedding,
            MemoryClusterRow.size,
            MemoryClusterRow.total,
        ).where(MemoryClusterRow.id.in_(clusters[first : first + _AT_ONCE]))
        yield from session.execute(query).all()


def _where(row: Row[*tuple[Any, ...]]) -> Where:
    return Where(row.release_id, Store(row.store), row.embedding)


def _write(session: Session, cluster: int, size: int, total: Sums, seq: int) -> None:
    session.execute(
        update(MemoryClusterRow)
        .where(MemoryClusterRow.id == cluster)
        .values(size=size, total=total.astype("<f8").tobytes(), seq=seq),
        execution_options=_NO_SYNC,
    )
