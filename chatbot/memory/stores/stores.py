"""The two stores of the quality memory in SQL (ComRAG 4.2): how pairs are added, moved and removed.

In whatever order pairs come, one that outranks all of its near-duplicates ends up in its store, no
two members that ask the same are nearer than δ, and a pair that was removed had a near-duplicate of
at least its rank.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import ColumnElement, Select, func, select, update
from sqlalchemy.orm import Session

from chatbot.errors import UnknownPair
from chatbot.memory.pairs import (
    HUMAN_ORIGINS,
    Role,
    Store,
    Thresholds,
    cited_pages,
    memory_question,
    write_question,
)
from chatbot.memory.questions import QuestionReader
from chatbot.memory.scoring import turns_of, write_score
from chatbot.memory.stores.clusters import Clusters, rank, store_of
from chatbot.memory.suspending import reason_unusable
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow
from corpora.database.tables import ReleaseRow
from corpora.errors import UnknownRelease

_LENGTH_ERROR = 1e-3


@dataclass(frozen=True)
class Stores:
    """The pairs of all releases, in clusters; every change is one transaction.

    A store of a release holds `limit` pairs.
    """

    database: Database
    thresholds: Thresholds
    limit: int

    def add(
        self,
        release_id: int,
        pair: MemoryPairRow,
        *,
        instead_of: Sequence[int] = (),
        turn: int | None = None,
    ) -> int:
        """Add a new pair to the store of its score, unless a near-duplicate outranks it (4.2).

        Returns the id of the one that stands, which may have gone at once where a store is full.
        The pairs that it stands `instead_of` go in any case. A `turn` made it. One whose pages have
        changed meanwhile is kept suspended. Raises UnknownRelease for a release that is gone,
        ValueError for a vector of another length than one.
        """
        length = float(np.linalg.norm(memory_question(pair).vector))
        if not abs(length - 1) < _LENGTH_ERROR:
            raise ValueError(f"The vector of a question has length {length}, not one.")
        with self.database.writing() as session:
            if session.get(ReleaseRow, release_id) is None:
                raise UnknownRelease(f"There is no release {release_id} (any more).")
            of_release = MemoryPairRow.release_id == release_id
            edited = _pairs(session, MemoryPairRow.id.in_(instead_of), of_release)
            pair.release_id = release_id
            # What serves may have changed since it was answered: nothing outdated comes in.
            pair.suspended = reason_unusable(session, release_id, cited_pages(pair))
            stands = self._place(session, pair, beside=edited)
            if stands == pair.id and turn is not None and pair in session:
                session.add(MemoryUseRow(turn_id=turn, pair_id=pair.id, role=Role.SOURCE))
            return stands

    def rescore(self, pair_id: int) -> None:
        """Score a pair by what people say of it now, which may move it. Raises UnknownPair."""
        with self.database.writing() as session:
            row = session.get(MemoryPairRow, pair_id)
            if row is None:
                raise UnknownPair(f"The memory has no answer {pair_id} any more.")
            write_score(session, row, turns_of(pair_id))
            if row.store != store_of(row.score, self.thresholds.gamma):
                self._place(session, row)

    def remove(self, pair_ids: Collection[int]) -> int:
        """Remove pairs from the memory and return how many there were."""
        with self.database.writing() as session:
            return _take_out(session, _pairs(session, MemoryPairRow.id.in_(pair_ids)))

    @staticmethod
    def forget_turns(session: Session, turns: Collection[int] | Select[int]) -> int:
        """Remove what these turns made, unless curated or imported, before they are deleted."""
        made = select(MemoryUseRow.pair_id).where(
            MemoryUseRow.turn_id.in_(turns), MemoryUseRow.role == Role.SOURCE
        )
        not_by_people = MemoryPairRow.origin.not_in(HUMAN_ORIGINS)
        return _take_out(session, _pairs(session, MemoryPairRow.id.in_(made), not_by_people))

    def rebuild(
        self,
        release_id: int,
        reader: QuestionReader,
        product: str,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> int:
        """Place every pair of a release again, the newest first; return how many stay.

        Questions that were embedded by another reader are read again.
        """
        of_release = select(MemoryPairRow.id).where(MemoryPairRow.release_id == release_id)
        with self.database.reading() as session:
            ids = session.scalars(of_release.order_by(MemoryPairRow.id.desc())).all()
        clusters: dict[str, Clusters] = {store: Clusters() for store in Store}
        for done, pair_id in enumerate(ids, 1):
            with self.database.writing() as session:
                if row := session.get(MemoryPairRow, pair_id):
                    if row.embedding != reader.embedding:
                        write_question(row, reader.read(row.question, product))
                    self._place(session, row, clusters=clusters)
            on_progress(done, len(ids))
        with self.database.reading() as session:
            return len(session.scalars(of_release).all())

    def _place(
        self,
        session: Session,
        row: MemoryPairRow,
        *,
        beside: Sequence[MemoryPairRow] = (),
        clusters: dict[str, Clusters] | None = None,
    ) -> int:
        """Let a new or moving pair join its store, unless a near-duplicate outranks it (4.2).

        The pairs `beside` it go in any case.
        """
        row.store = store = store_of(row.score, self.thresholds.gamma)
        vector = memory_question(row).vector
        of_store = (
            MemoryPairRow.release_id == row.release_id,
            MemoryPairRow.store == store,
            MemoryPairRow.embedding == row.embedding,
            MemoryPairRow.id != (row.id or 0),
        )
        rivals = [
            other
            for other in _pairs(session, *of_store, MemoryPairRow.asks == row.asks)
            if other not in beside
            and float(memory_question(other).vector @ vector) >= self.thresholds.delta
        ]
        best = max(rivals, key=rank, default=None)
        if best is not None and rank(best) >= rank(row):
            _supersede(session, [*beside, *([row] if row.id else [])], best.id)
            return best.id
        if clusters is None:
            of_members = select(MemoryPairRow.cluster, MemoryPairRow.vector).where(*of_store)
            members = session.execute(of_members).all()
            own = Clusters((cluster, np.frombuffer(v, "<f4")) for cluster, v in members)
        else:
            own = clusters[store]
        number = own.nearest(vector, self.thresholds.tau)
        if number is None:
            highest = select(func.max(MemoryPairRow.cluster))
            of_release = highest.where(MemoryPairRow.release_id == row.release_id)
            number = (session.scalar(of_release) or 0) + 1
        own.add(number, vector)
        row.cluster = number
        session.add(row)
        session.flush()
        _supersede(session, [*beside, *rivals], row.id)
        self._let_go(session, row.release_id, store)
        return row.id

    def _let_go(self, session: Session, release_id: int, store: Store) -> None:
        """Delete what is beyond the limit of a store: suspended, low, unused and old pairs first.

        Pairs that people wrote or imported stay.
        """
        of_store = (MemoryPairRow.release_id == release_id, MemoryPairRow.store == store)
        count = session.scalar(select(func.count(MemoryPairRow.id)).where(*of_store)) or 0
        in_order = (
            select(MemoryPairRow)
            .where(*of_store, MemoryPairRow.origin.not_in(HUMAN_ORIGINS))
            .order_by(MemoryPairRow.suspended == "", MemoryPairRow.score, MemoryPairRow.reused)
            .order_by(MemoryPairRow.created)
            .limit(max(0, count - self.limit))
        )
        _take_out(session, session.scalars(in_order).all())


def _pairs(session: Session, *chosen: ColumnElement[bool]) -> Sequence[MemoryPairRow]:
    return session.scalars(select(MemoryPairRow).where(*chosen)).all()


def _take_out(session: Session, pairs: Collection[MemoryPairRow]) -> int:
    """Delete pairs with their pages and uses."""
    for pair in pairs:
        session.delete(pair)
    session.flush()
    return len(pairs)


def _supersede(session: Session, old: Collection[MemoryPairRow], by: int) -> None:
    """Delete pairs in whose place another one stands, which takes over their wordings."""
    of_old = MemoryUseRow.pair_id.in_([pair.id for pair in old])
    session.execute(update(MemoryUseRow).where(of_old, MemoryUseRow.asks > "").values(pair_id=by))
    _take_out(session, old)
