"""The two stores of the quality memory in SQL (ComRAG 4.2): how pairs are added, moved and removed.

In whatever order pairs come, one that outranks all of its near-duplicates ends up in its store, no
two members that ask the same are nearer than δ, and a pair that was removed had a near-duplicate of
at least its rank.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Select, and_, delete, func, or_, select, update
from sqlalchemy.orm import Session

from chatbot.memory.pairs import (
    Role,
    Store,
    memory_question,
    write_question,
)
from chatbot.memory.questions import QuestionReader
from chatbot.memory.scoring import write_score
from chatbot.memory.settings import MemorySettings
from chatbot.memory.stores.clusters import nearest_cluster, rank, store_of
from chatbot.memory.suspending import review_release
from corpora.database.engine import Database, portions
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow
from corpora.database.tables import ReleaseRow
from corpora.errors import UnknownRelease

_AT_ONCE = 100


@dataclass(frozen=True)
class Stores:
    """The pairs of all releases, in clusters; every change is one transaction."""

    database: Database
    settings: MemorySettings

    def add(
        self,
        release_id: int,
        pair: MemoryPairRow,
        *,
        instead_of: Sequence[int] = (),
        turn: int | None = None,
    ) -> int:
        """Add a new pair to the store of its score, unless a near-duplicate outranks it (4.2).

        Returns the id of the one that stands. The pairs that it stands `instead_of` go in any case.
        A `turn` made it. One whose pages have changed meanwhile is kept suspended. Raises
        UnknownRelease for a release that is gone.
        """
        with self.database.writing() as session:
            if session.get(ReleaseRow, release_id) is None:
                raise UnknownRelease(
                    "There is no release {release_id} (any more).", release_id=release_id
                )
            pair.release_id = release_id
            pair.store = store_of(pair.score, self.settings.memory_gamma)
            session.add(pair)
            session.flush()
            # What serves may have changed since it was answered: nothing outdated comes in.
            review_release(session, release_id, pair.id)
            edited = select(MemoryPairRow.id).where(
                MemoryPairRow.id.in_(instead_of), MemoryPairRow.release_id == release_id
            )
            _supersede(session, session.scalars(edited).all(), pair.id)
            stands = self._place(session, pair)
            if stands == pair.id and turn is not None:
                session.add(MemoryUseRow(turn_id=turn, pair_id=pair.id, role=Role.SOURCE))
            return stands

    def rescore(self, pair_id: int) -> None:
        """Score a pair by what people say of it now, which may move it, unless it is gone."""
        with self.database.writing() as session:
            if row := session.get(MemoryPairRow, pair_id):
                gave_it = select(MemoryUseRow.turn_id).where(MemoryUseRow.pair_id == pair_id)
                write_score(session, row, gave_it)
                if row.store != store_of(row.score, self.settings.memory_gamma):
                    self._place(session, row)

    def remove(self, pair_ids: Collection[int]) -> None:
        """Remove pairs from the memory."""
        with self.database.writing() as session:
            session.execute(delete(MemoryPairRow).where(MemoryPairRow.id.in_(pair_ids)))

    @staticmethod
    def forget_turns(session: Session, turns: Collection[int] | Select[int]) -> None:
        """Remove what these turns made, curated or not, before they are deleted.

        It holds the words of their askers. What an admin imported has no turn, and stays.
        """
        made = select(MemoryUseRow.pair_id).where(
            MemoryUseRow.turn_id.in_(turns), MemoryUseRow.role == Role.SOURCE
        )
        session.execute(delete(MemoryPairRow).where(MemoryPairRow.id.in_(made)))

    def refresh(self, reader: QuestionReader) -> None:
        """Bring pairs up to date that another version read, or that another γ has sorted."""
        gamma, score, store = self.settings.memory_gamma, MemoryPairRow.score, MemoryPairRow.store
        stale = or_(
            MemoryPairRow.embedding != reader.embedding,
            and_(store == Store.HIGH, score < gamma),
            and_(store == Store.LOW, score >= gamma),
        )
        with self.database.reading() as session:
            ids = session.scalars(select(MemoryPairRow.id).where(stale)).all()
        for some in portions(ids, _AT_ONCE):
            with self.database.writing() as session:
                for row in filter(None, (session.get(MemoryPairRow, pair) for pair in some)):
                    product = session.get_one(ReleaseRow, row.release_id).product.name
                    write_question(row, reader.read(row.question, product))
                    self._place(session, row)

    def _place(self, session: Session, row: MemoryPairRow) -> int:
        """Let a pair join the store of its score, unless a near-duplicate there outranks it (4.2).

        Returns the id of the one that stands. One that stays in its store keeps its cluster.
        """
        store = store_of(row.score, self.settings.memory_gamma)
        vector = memory_question(row).vector
        of_store = (
            MemoryPairRow.release_id == row.release_id,
            MemoryPairRow.store == store,
            MemoryPairRow.embedding == row.embedding,
            MemoryPairRow.id != row.id,
        )
        same_words = MemoryPairRow.asks == row.asks
        rivals = [
            other
            for other in session.scalars(select(MemoryPairRow).where(*of_store, same_words))
            if float(memory_question(other).vector @ vector) >= self.settings.memory_delta
        ]
        best = max(rivals, key=rank, default=None)
        if best is not None and rank(best) >= rank(row):
            _supersede(session, [row.id], best.id)
            return best.id
        if row.store != store or not row.cluster:
            rows = session.execute(
                select(MemoryPairRow.cluster, MemoryPairRow.vector).where(*of_store)
            )
            members = ((cluster, np.frombuffer(v, "<f4")) for cluster, v in rows)
            highest = select(func.max(MemoryPairRow.cluster))
            last = session.scalar(highest.where(MemoryPairRow.release_id == row.release_id)) or 0
            near = nearest_cluster(members, vector, self.settings.memory_tau)
            row.store, row.cluster = store, near or last + 1
        _supersede(session, [rival.id for rival in rivals], row.id)
        return row.id


def _supersede(session: Session, old: Collection[int], by: int) -> None:
    """Delete pairs in whose place another one stands, which takes over their wordings."""
    worded = MemoryUseRow.pair_id.in_(old), MemoryUseRow.asks > ""
    session.execute(update(MemoryUseRow).where(*worded).values(pair_id=by))
    session.execute(delete(MemoryPairRow).where(MemoryPairRow.id.in_(old)))
