"""The two stores of the quality memory in SQL (ComRAG 4.2): how pairs are added, moved and removed.

In whatever order pairs come, one that outranks all of its near-duplicates ends up in its store, no
two members that ask the same are nearer than δ, and a pair that was removed had a near-duplicate of
at least its rank.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import Session

from chatbot.errors import UnknownPair
from chatbot.memory.pairs import (
    HUMAN_ORIGINS,
    MemoryQuestion,
    NewPair,
    Role,
    Score,
    Store,
    Thresholds,
)
from chatbot.memory.questions import QuestionReader
from chatbot.memory.stores import pair_rows as rows
from chatbot.memory.stores.clusters import Clusters, rank, store_of
from chatbot.memory.suspending import reason_unusable
from corpora.database.engine import Database, portions
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow

_REBUILT_AT_ONCE = 50
_LENGTH_ERROR = 1e-3

_Clusters = defaultdict[tuple[str, str], Clusters]
"""The clusters by store and embedding, held while a release is rebuilt."""


@dataclass(frozen=True)
class Added:
    """A pair was `kept` as `pair` and outranked those of `replaced`, or was outranked by `pair`."""

    pair: int | None
    store: Store
    replaced: tuple[int, ...] = ()
    kept: bool = True


class Stores:
    """The pairs of all releases, in clusters; every change is one transaction.

    A store of a release holds `limit` pairs.
    """

    def __init__(self, database: Database, thresholds: Thresholds, limit: int) -> None:
        self._database = database
        self._thresholds = thresholds
        self._limit = limit

    def add(self, release_id: int, pair: NewPair, *, instead_of: Sequence[int] = ()) -> Added:
        """Add a pair to the store of its score, unless a near-duplicate outranks it (ComRAG 4.2).

        The pairs that it stands `instead_of` go in any case. One whose pages have changed meanwhile
        is kept suspended. Raises LookupError for a release that is gone, ValueError for a vector of
        another length.
        """
        length = float(np.linalg.norm(pair.question.vector))
        if not abs(length - 1) < _LENGTH_ERROR:
            raise ValueError(f"The vector of a question has length {length}, not one.")
        with self._database.writing() as session:
            rows.require_release(session, release_id)
            of_these = (MemoryPairRow.id.in_(instead_of), MemoryPairRow.release_id == release_id)
            edited = session.scalars(select(MemoryPairRow).where(*of_these)).all()
            # What serves may have changed since it was answered: nothing outdated comes in.
            outdated = reason_unusable(session, release_id, pair.pages)
            row = rows.new_row(release_id, pair, outdated)
            added = self._place(session, row, beside=edited, turn=pair.turn)
            if added.kept and pair.turn is not None:
                session.add(MemoryUseRow(turn_id=pair.turn, pair_id=row.id, role=Role.SOURCE))
            return added

    def rescore(self, pair_id: int, score: Score) -> Added:
        """Give a pair another score, which may move it. Raises UnknownPair if it is gone."""
        with self._database.writing() as session:
            of_pair = select(MemoryPairRow.release_id).where(MemoryPairRow.id == pair_id)
            release_id = session.scalar(of_pair)
            if release_id is not None:
                rows.require_release(session, release_id)
            row = session.get(MemoryPairRow, pair_id)
            if row is None:
                raise UnknownPair(f"The memory has no pair {pair_id} (any more).")
            rows.write_score(row, score)
            store = store_of(score.value, self._thresholds.gamma)
            return Added(pair_id, store) if store == row.store else self._place(session, row)

    def remove(self, pair_ids: Collection[int]) -> int:
        """Remove pairs from the memory and return how many there were."""
        with self._database.writing() as session:
            return _remove(session, MemoryPairRow.id.in_(pair_ids))

    @staticmethod
    def forget_turns(session: Session, turns: Collection[int] | Select[int]) -> int:
        """Remove what these turns made, unless curated or imported, before they are deleted."""
        made = select(MemoryUseRow.pair_id).where(
            MemoryUseRow.turn_id.in_(turns), MemoryUseRow.role == Role.SOURCE
        )
        return _remove(
            session, MemoryPairRow.id.in_(made) & MemoryPairRow.origin.not_in(HUMAN_ORIGINS)
        )

    def rebuild(
        self,
        release_id: int,
        reader: QuestionReader | None = None,
        product: str = "",
        on_progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> int:
        """Place every pair of a release again, the newest first; return how many stay.

        A `reader` reads the questions again that were embedded by another one.
        """
        of_release = MemoryPairRow.release_id == release_id
        with self._database.reading() as session:
            every = select(MemoryPairRow.id).where(of_release)
            ids = session.scalars(every.order_by(MemoryPairRow.id.desc())).all()
        clusters: _Clusters = defaultdict(Clusters)
        done = 0
        for some in portions(ids, _REBUILT_AT_ONCE):
            read = self._read_anew(some, reader, product)
            with self._database.writing() as session:
                rows.require_release(session, release_id)
                for pair_id in some:
                    row = session.get(MemoryPairRow, pair_id)
                    if row is None:
                        continue
                    if pair_id in read:
                        rows.write_question(row, read[pair_id])
                    self._place(session, row, clusters=clusters)
            done += len(some)
            on_progress(done, len(ids))
        with self._database.reading() as session:
            return session.scalar(select(func.count()).where(of_release)) or 0

    def _read_anew(
        self, ids: Sequence[int], reader: QuestionReader | None, product: str
    ) -> dict[int, MemoryQuestion]:
        if reader is None:
            return {}
        of_other = MemoryPairRow.embedding != reader.embedding
        query = select(MemoryPairRow.id, MemoryPairRow.question)
        with self._database.reading() as session:
            stale = session.execute(query.where(MemoryPairRow.id.in_(ids), of_other))
            other = {row.id: row.question for row in stale}
        return dict(zip(other, reader.read_all(list(other.values()), product), strict=True))

    def _place(
        self,
        session: Session,
        row: MemoryPairRow,
        *,
        beside: Sequence[MemoryPairRow] = (),
        turn: int | None = None,
        clusters: _Clusters | None = None,
    ) -> Added:
        """Let a new or moving pair join its store, unless a near-duplicate outranks it (4.2).

        The pairs `beside` it go in any case. A `turn` made it.
        """
        row.store = store = store_of(row.score, self._thresholds.gamma)
        near = rows.rivals_of(session, row, self._thresholds.delta)
        rivals = [rival for rival in near if rival not in beside]
        best = max(rivals, key=rank, default=None)
        if best is not None and rank(best) >= rank(row):
            rows.supersede(session, [*beside, *([row] if row.id else [])], best.id, turn)
            return Added(best.id, store, kept=False)
        if clusters is None:
            own = rows.read_clusters(session, row)
        else:
            own = clusters[store, row.embedding]
        vector = rows.memory_question(row).vector
        number = own.nearest(vector, self._thresholds.tau)
        if number is None:
            highest = select(func.max(MemoryPairRow.cluster))
            of_release = highest.where(MemoryPairRow.release_id == row.release_id)
            number = (session.scalar(of_release) or 0) + 1
        own.add(number, vector)
        row.cluster = number
        session.add(row)
        session.flush()
        rows.supersede(session, [*beside, *rivals], row.id, turn)
        beyond = rows.first_to_go(session, row.release_id, store, self._limit)
        rows.take_out(session, beyond)
        kept = row not in beyond
        return Added(row.id if kept else None, store, tuple(r.id for r in rivals), kept)


def _remove(session: Session, chosen: ColumnElement[bool]) -> int:
    # In one order, so that two who remove pairs of the same releases never wait for each other.
    releases = select(MemoryPairRow.release_id).where(chosen).distinct()
    locked = session.scalars(releases.order_by(MemoryPairRow.release_id)).all()
    for release_id in locked:
        rows.require_release(session, release_id)
    of_these = MemoryPairRow.release_id.in_(locked)
    pairs = session.scalars(select(MemoryPairRow).where(chosen, of_these)).all()
    rows.take_out(session, pairs)
    return len(pairs)
