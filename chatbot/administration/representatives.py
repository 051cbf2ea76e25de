"""The question that stands for a cluster: the member nearest to the centroid (ComRAG 4.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from chatbot.administration.kept import KeptPair, kept_pair, pairs_with_names
from corpora.database.memory_tables import MemoryClusterRow, MemoryPairRow

_AT_ONCE = 500


def representatives(session: Session, clusters: Sequence[MemoryClusterRow]) -> dict[int, KeptPair]:
    """The representative of each cluster by the cluster's id, those without a member left out."""
    totals = {cluster.id: np.frombuffer(cluster.total, "<f8") for cluster in clusters}
    nearest: dict[int, tuple[float, int]] = {}
    for member, cluster, vector in _members(session, clusters):
        total = totals.get(cluster)
        read = np.frombuffer(vector, "<f4")
        if total is None or read.shape != total.shape:
            continue
        # The members have length one, so the centroid's own length changes nothing.
        candidate = float(read @ total), -member
        if cluster not in nearest or candidate > nearest[cluster]:
            nearest[cluster] = candidate
    return _pairs(session, {cluster: -member for cluster, (_, member) in nearest.items()})


def _members(
    session: Session, clusters: Sequence[MemoryClusterRow]
) -> Iterator[tuple[int, int, bytes]]:
    """The members of the clusters as (pair, cluster, vector), few at a time in memory."""
    columns = select(MemoryPairRow.id, MemoryPairRow.cluster_id, MemoryPairRow.vector)
    ids = [cluster.id for cluster in clusters]
    for first in range(0, len(ids), _AT_ONCE):
        batch = ids[first : first + _AT_ONCE]
        rows = session.execute(columns.where(MemoryPairRow.cluster_id.in_(batch)))
        yield from ((row.id, row.cluster_id, row.vector) for row in rows)


def _pairs(session: Session, chosen: dict[int, int]) -> dict[int, KeptPair]:
    found: dict[int, KeptPair] = {}
    ids = list(chosen.values())
    for first in range(0, len(ids), _AT_ONCE):
        batch = ids[first : first + _AT_ONCE]
        rows = session.execute(pairs_with_names().where(MemoryPairRow.id.in_(batch)))
        found |= {pair.cluster: pair for pair in map(kept_pair, rows)}
    return found
