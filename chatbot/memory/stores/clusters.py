"""A change of the memory of one release, and the clusters that it touches (ComRAG 4.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from chatbot.memory.stores.centroids import Sums, direction, joins, with_member, without_member
from chatbot.memory.stores.pair_rows import StoredPair, delete_pairs, draw_seq, inserted
from corpora.database.memory_tables import MemoryClusterRow, MemoryPairRow
from corpora.indexing.embedding import Vectors

_AT_ONCE = 500
_NO_SYNC = {"synchronize_session": False}


class Change:
    """What joins and leaves clusters in a transaction that has locked the release.

    `finish` it when every pair has its place again: clusters that are left empty go then, and
    with them would go whatever points there.
    """

    def __init__(self, session: Session, release_id: int) -> None:
        self.session = session
        self.release_id = release_id
        self._sums: dict[tuple[str, str], dict[int, tuple[int, Sums]]] = {}
        self._emptied: set[int] = set()

    @cached_property
    def seq(self) -> int:
        """The number of this change; the release has none that is greater."""
        return draw_seq(self.session, self.release_id)

    def join(self, store: str, embedding: str, vector: Vectors, tau: float) -> int:
        """Let a question join the cluster of the nearest centroid or found one; return its id."""
        clusters = self._clusters(store, embedding)
        ids = list(clusters)
        centroids = np.array([direction(total) for _, total in clusters.values()])
        nearest = joins(centroids @ vector, tau) if ids else None
        if nearest is None:
            return self.found(store, embedding, vector)
        size, total = clusters[ids[nearest]]
        self._write(store, embedding, ids[nearest], size + 1, with_member(total, vector))
        return ids[nearest]

    def found(self, store: str, embedding: str, vector: Vectors) -> int:
        """Found a cluster with one member and return its id."""
        total = with_member(np.zeros(len(vector)), vector)
        cluster = inserted(
            self.session,
            MemoryClusterRow,
            release_id=self.release_id,
            store=store,
            embedding=embedding,
            seq=self.seq,
            size=1,
            total=total.astype("<f8").tobytes(),
        )
        self._clusters(store, embedding)[cluster] = (1, total)
        return cluster

    def leave(self, pairs: Sequence[StoredPair]) -> None:
        """Take pairs out of their clusters."""
        for pair in pairs:
            store, embedding = self.session.execute(
                select(MemoryClusterRow.store, MemoryClusterRow.embedding).where(
                    MemoryClusterRow.id == pair.cluster
                )
            ).one()
            size, total = self._clusters(store, embedding)[pair.cluster]
            left = without_member(total, pair.question.vector) if size > 1 else 0 * total
            self._write(store, embedding, pair.cluster, size - 1, left)
            if size == 1:
                self._emptied.add(pair.cluster)

    def take_out(self, pairs: Sequence[StoredPair]) -> None:
        """Take pairs out of the memory."""
        if pairs:
            delete_pairs(self.session, [pair.id for pair in pairs])
            self.leave(pairs)

    def finish(self) -> None:
        """Remove the clusters that are left empty."""
        emptied = list(self._emptied)
        for first in range(0, len(emptied), _AT_ONCE):
            some = MemoryClusterRow.id.in_(emptied[first : first + _AT_ONCE])
            empty = delete(MemoryClusterRow).where(some, MemoryClusterRow.size == 0)
            self.session.execute(empty, execution_options=_NO_SYNC)
        self._emptied.clear()
        for clusters in self._sums.values():
            for cluster in [c for c, (size, _) in clusters.items() if not size]:
                del clusters[cluster]

    def sum_anew(self) -> None:
        """Add up the vectors of every cluster of the release again; empty ones go."""
        sums: dict[int, tuple[int, Sums]] = {}
        for cluster, vector in self._members():
            size, total = sums.get(cluster, (0, np.zeros(len(vector))))
            sums[cluster] = (size + 1, with_member(total, vector))
        of_release = MemoryClusterRow.release_id == self.release_id
        for cluster in self.session.scalars(select(MemoryClusterRow.id).where(of_release)).all():
            size, total = sums.get(cluster, (0, np.zeros(0)))
            self._store(cluster, size, total)
            if not size:
                self._emptied.add(cluster)
        self._sums.clear()
        self.finish()

    def _members(self) -> Iterator[tuple[int, Vectors]]:
        members = select(MemoryPairRow.cluster_id, MemoryPairRow.vector).where(
            MemoryPairRow.release_id == self.release_id
        )
        for cluster, vector in self.session.execute(members.execution_options(yield_per=_AT_ONCE)):
            yield cluster, np.frombuffer(vector, "<f4")

    def _clusters(self, store: str, embedding: str) -> dict[int, tuple[int, Sums]]:
        """The clusters of a store by their ids: size and sum of the vectors, read once."""
        if (store, embedding) not in self._sums:
            rows = self.session.execute(
                select(MemoryClusterRow.id, MemoryClusterRow.size, MemoryClusterRow.total)
                .where(
                    MemoryClusterRow.release_id == self.release_id,
                    MemoryClusterRow.store == store,
                    MemoryClusterRow.embedding == embedding,
                    MemoryClusterRow.size > 0,
                )
                .order_by(MemoryClusterRow.id)
            )
            self._sums[store, embedding] = {
                row.id: (row.size, np.frombuffer(row.total, "<f8")) for row in rows
            }
        return self._sums[store, embedding]

    def _write(self, store: str, embedding: str, cluster: int, size: int, total: Sums) -> None:
        self._clusters(store, embedding)[cluster] = (size, total)
        self._store(cluster, size, total)

    def _store(self, cluster: int, size: int, total: Sums) -> None:
        self.session.execute(
            update(MemoryClusterRow)
            .where(MemoryClusterRow.id == cluster)
            .values(size=size, total=total.astype("<f8").tobytes(), seq=self.seq),
            execution_options=_NO_SYNC,
        )
