"""The two stores of the quality memory in SQL (ComRAG 4.2): what joins, stays, moves and goes.

The order in which pairs come matters little: whatever it is, a pair that outranks all of its
near-duplicates ends up in its store, no two members that ask the same are nearer than δ, and a pair
that went had a near-duplicate of at least its rank. Where near-duplicates are so of each other, and
clusters lie apart, every order gives the same members in the same clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from chatbot.memory.pairs import (
    BY_HAND,
    Happened,
    MemoryQuestion,
    NewPair,
    Role,
    Score,
    Thresholds,
)
from chatbot.memory.stores.centroids import store_of
from chatbot.memory.stores.cluster_assignment import Added as Added
from chatbot.memory.stores.cluster_assignment import Comer, Placing, told
from chatbot.memory.stores.clusters import Change
from chatbot.memory.stores.pair_rows import (
    lock_release,
    read_pairs,
    tell,
    write_score,
)
from corpora.catalog.memory_review import still_stands
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow
from corpora.indexing.embedding import Vectors
from ingestion.errors import StrataError

if TYPE_CHECKING:
    from chatbot.memory.questions import QuestionReader

_REBUILT_AT_ONCE = 50
_TURNS_AT_ONCE = 500
_LENGTH_ERROR = 1e-3


class UnknownPair(StrataError, LookupError):
    """The memory has no such pair (any more)."""


class Stores:
    """The pairs of all releases, in clusters; every change is one transaction.

    `limit` is how many pairs a store of a release holds, and `wordings` how many of them with one
    answer (None: as many as come). Without `clustering` pairs are only appended, each in a cluster
    of its own: the ablation of ComRAG 5.
    """

    def __init__(
        self,
        database: Database,
        thresholds: Thresholds,
        limit: int,
        *,
        wordings: int | None = None,
        clustering: bool = True,
    ) -> None:
        self._database = database
        self._placing = Placing(thresholds, limit, wordings, clustering)

    def add(
        self,
        release_id: int,
        pair: NewPair,
        *,
        happened: Happened = Happened.ADDED,
        reason: str = "",
        instead_of: Sequence[int] = (),
    ) -> Added:
        """Put a pair into the store that its score says, unless a near-duplicate outdoes it.

        It outdoes all its near-duplicates or none: then they go, else it goes and nothing
        changes. The pairs that it stands `instead_of` go in any case (an edited answer). One
        whose pages do not serve any more is kept suspended, and outdoes none that is used.
        `happened` and `reason` are told in the event. Raises LookupError if there is no such
        release, ValueError if the vector has not length one.
        """
        _require_unit(pair.question.vector)
        with self._database.writing() as session:
            lock_release(session, release_id)
            change = Change(session, release_id)
            edited = [p for p in read_pairs(session, instead_of) if p.release_id == release_id]
            change.take_out(edited)
            # What serves may have changed since it was answered: nothing outdated comes in.
            outdated = still_stands(session, release_id, pair.pages)
            comer = Comer(pair.question, pair.score, outdated, new=pair)
            added = self._placing.place(change, comer, happened, reason)
            if outdated and added.kept:
                tell(session, release_id, Happened.SUSPENDED, added.pair or 0, reason=outdated)
            for old in edited:
                tell(session, release_id, Happened.REPLACED, old.id, added.pair, reason)
            return added

    def rescore(self, pair_id: int, score: Score) -> Added:
        """Give a pair another score; where that is of the other store, it moves there at once.

        There the rule of `add` holds. Raises UnknownPair if it is gone.
        """
        with self._database.writing() as session:
            of_pair = select(MemoryPairRow.release_id).where(MemoryPairRow.id == pair_id)
            release_id = session.scalar(of_pair)
            if release_id is not None:
                lock_release(session, release_id)
            stored = next(read_pairs(session, [pair_id]), None)
            if release_id is None or stored is None:
                raise UnknownPair(f"The memory has no pair {pair_id} (any more).")
            write_score(session, pair_id, score)
            store = store_of(score.value, self._placing.thresholds.gamma)
            if store == stored.store:
                return Added(pair_id, store)
            change = Change(session, release_id)
            comer = Comer(stored.question, score, stored.suspended, old=stored)
            reason = f"Its score is {told(score)} now, after {told(stored.score)}."
            return self._placing.place(change, comer, Happened.MOVED, reason)

    def remove(self, pair_ids: Collection[int], happened: Happened, reason: str) -> int:
        """Take pairs out of the memory and say how many there were."""
        with self._database.writing() as session:
            return _remove(session, pair_ids, happened, reason)

    @staticmethod
    def forget_turns(session: Session, turn_ids: Collection[int]) -> int:
        """Forget the pairs that these turns were the source of, unless curated or imported.

        To be called before the turns are deleted, in the same transaction; says how many.
        """
        turns = list(turn_ids)
        forgotten: set[int] = set()
        for first in range(0, len(turns), _TURNS_AT_ONCE):
            sources = (
                select(MemoryUseRow.pair_id)
                .join(MemoryPairRow, MemoryPairRow.id == MemoryUseRow.pair_id)
                .where(
                    MemoryUseRow.turn_id.in_(turns[first : first + _TURNS_AT_ONCE]),
                    MemoryUseRow.role == Role.SOURCE,
                    MemoryPairRow.origin.not_in(BY_HAND),
                )
            )
            forgotten.update(session.scalars(sources))
        reason = "The turn that it came from was deleted."
        return _remove(session, forgotten, Happened.FORGOTTEN, reason)

    def rebuild(
        self,
        release_id: int,
        reader: QuestionReader | None = None,
        product: str = "",
        on_progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> int:
        """Put every pair of a release through the rule of `add` again, the newest first.

        That is for other thresholds, or another embedding: where there is a `reader`, it reads
        the questions of the `product` that are not of its embedding. Some pairs are one
        transaction, so that others can write in between. Returns how many pairs there are now.
        """
        of_release = MemoryPairRow.release_id == release_id
        with self._database.reading() as session:
            every = select(MemoryPairRow.id).where(of_release)
            ids = session.scalars(every.order_by(MemoryPairRow.id.desc())).all()
        for first in range(0, len(ids), _REBUILT_AT_ONCE):
            some = ids[first : first + _REBUILT_AT_ONCE]
            read = self._read_anew(some, reader, product)
            with self._database.writing() as session:
                lock_release(session, release_id)
                change = Change(session, release_id)
                for pair_id in some:
                    for stored in read_pairs(session, [pair_id]):
                        question = read.get(pair_id, stored.question)
                        comer = Comer(question, stored.score, stored.suspended, old=stored)
                        self._placing.place(change, comer, None, "")
            on_progress(min(first + _REBUILT_AT_ONCE, len(ids)), len(ids))
        with self._database.writing() as session:
            lock_release(session, release_id)
            Change(session, release_id).sum_anew()
            return session.scalar(select(func.count()).where(of_release)) or 0

    def _read_anew(
        self, ids: Sequence[int], reader: QuestionReader | None, product: str
    ) -> dict[int, MemoryQuestion]:
        """Read the questions of pairs that are of another embedding than the reader's."""
        if reader is None:
            return {}
        with self._database.reading() as session:
            other = [
                (pair.id, pair.question.text)
                for pair in read_pairs(session, ids)
                if pair.question.embedding != reader.embedding
            ]
        read = reader.read_all([text for _, text in other], product)
        return {pair_id: question for (pair_id, _), question in zip(other, read, strict=True)}


def _remove(session: Session, pair_ids: Collection[int], happened: Happened, reason: str) -> int:
    removed = 0
    # In one order, so that two who remove pairs of the same releases never wait for each other.
    for release_id in sorted({pair.release_id for pair in read_pairs(session, pair_ids)}):
        lock_release(session, release_id)
        pairs = [p for p in read_pairs(session, pair_ids) if p.release_id == release_id]
        change = Change(session, release_id)
        change.take_out(pairs)
        change.finish()
        for pair in pairs:
            tell(session, release_id, happened, pair.id, reason=reason)
        removed += len(pairs)
    return removed


def _require_unit(vector: Vectors) -> None:
    length = float(np.linalg.norm(vector))
    if not abs(length - 1) < _LENGTH_ERROR:
        raise ValueError(f"The vector of a question has length {length}, not one.")
