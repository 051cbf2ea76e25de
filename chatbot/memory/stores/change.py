"""A change of the memory of one release, within a transaction that has locked it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from sqlalchemy.orm import Session

from chatbot.memory.stores.clusters import Clusters
from chatbot.memory.stores.pair_rows import StoredPair, delete_pairs, draw_seq


class Change:
    """What leaves its place in a transaction; `finish` it when every pair has its place again."""

    def __init__(self, session: Session, clusters: Clusters, release_id: int) -> None:
        self.session = session
        self.clusters = clusters
        self.release_id = release_id
        self._emptied: list[int] = []

    @cached_property
    def seq(self) -> int:
        """The number of this change; the release has none that is greater."""
        return draw_seq(self.session, self.release_id)

    def leave(self, pairs: Sequence[StoredPair]) -> None:
        """Take pairs out of their clusters."""
        members = [(pair.cluster, pair.question.vector) for pair in pairs]
        self._emptied += self.clusters.leave(self.session, members, self.seq)

    def take_out(self, pairs: Sequence[StoredPair]) -> None:
        """Take pairs out of the memory."""
        if pairs:
            delete_pairs(self.session, [pair.id for pair in pairs])
            self.leave(pairs)

    def finish(self) -> None:
        """Remove the clusters that are left empty; with them would go whatever points there."""
        self.clusters.clear(self.session, self._emptied)
        self._emptied = []
