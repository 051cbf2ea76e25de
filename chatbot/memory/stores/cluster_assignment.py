"""How a pair finds its place: the rule by which the stores of the memory grow (ComRAG 4.2)."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import select

from chatbot.memory.pairs import Happened, MemoryQuestion, NewPair, Score, Store, Thresholds
from chatbot.memory.stores.centroids import rank, store_of
from chatbot.memory.stores.clusters import Change
from chatbot.memory.stores.eviction import first_to_go
from chatbot.memory.stores.pair_rows import (
    StoredPair,
    delete_pairs,
    insert_pair,
    read_pairs,
    settle_pair,
    tell,
)
from chatbot.memory.stores.same_answer import beyond_wordings
from corpora.database.memory_tables import MemoryPairRow


@dataclass(frozen=True)
class Added:
    """What became of a pair on its way into a store.

    `kept` says whether it is a member now; `pair` is its id then, else that of the one which
    outdid it (None: the store is full of better ones). `replaced` are the ids that it outdid.
    """

    pair: int | None
    store: Store
    replaced: tuple[int, ...] = ()
    kept: bool = True


@dataclass(frozen=True)
class Comer:
    """A pair on its way into a store: a `new` one, or an `old` one that leaves its place."""

    question: MemoryQuestion
    score: Score
    suspended: str = ""
    new: NewPair | None = None
    old: StoredPair | None = None

    @property
    def id(self) -> int:
        """The id of an old pair; 0 for a new one."""
        return self.old.id if self.old is not None else 0

    @property
    def rank(self) -> tuple[bool, int, float]:
        """What it is compared by."""
        return rank(self.score, suspended=bool(self.suspended))


@dataclass(frozen=True)
class _Rival:
    """A member that is a near-duplicate of a comer."""

    pair: StoredPair
    similarity: float

    @property
    def rank(self) -> tuple[bool, int, float]:
        return rank(self.pair.score, suspended=bool(self.pair.suspended))


@dataclass(frozen=True)
class Placing:
    """The rule with its parameters; `Stores` says what they are."""

    thresholds: Thresholds
    limit: int
    wordings: int | None
    clustering: bool

    def place(self, change: Change, comer: Comer, happened: Happened | None, reason: str) -> Added:
        """Let a pair join its store, unless a near-duplicate outdoes it (ComRAG 4.2).

        An old pair leaves its place first. What `happened` and the `reason` are told in an event.
        """
        session, release_id = change.session, change.release_id
        store = store_of(comer.score.value, self.thresholds.gamma)
        if comer.old is not None:
            change.leave([comer.old])
        rivals = self._rivals(change, comer, store) if self.clustering else []
        best = max(rivals, key=lambda rival: rival.rank, default=None)
        if best is not None and best.rank >= comer.rank:
            delete_pairs(session, [comer.id] if comer.old is not None else [])
            change.finish()
            why = _same(best.pair.id, best.similarity, best.pair, comer)
            tell(session, release_id, Happened.OUTDONE, comer.id, best.pair.id, why)
            return Added(best.pair.id, store, kept=False)
        change.take_out([rival.pair for rival in rivals])
        pair_id = self._settle(change, comer, store)
        change.finish()
        if happened is not None:
            tell(session, release_id, happened, pair_id, reason=reason)
        for rival in rivals:
            why = _same(pair_id, rival.similarity, comer, rival.pair)
            tell(session, release_id, Happened.REPLACED, rival.pair.id, pair_id, why)
        replaced = [rival.pair.id for rival in rivals]
        replaced += self._leave_wordings(change, pair_id)
        gone = self._evict(change, store)
        return Added(
            None if pair_id in gone else pair_id, store, tuple(replaced), pair_id not in gone
        )

    def _rivals(self, change: Change, comer: Comer, store: Store) -> list[_Rival]:
        """The members that are near-duplicates of a pair: as near as δ, and asking the same."""
        session, question = change.session, comer.question
        alike = select(MemoryPairRow.id).where(
            MemoryPairRow.release_id == change.release_id,
            MemoryPairRow.store == store,
            MemoryPairRow.asks == question.asks,
            MemoryPairRow.embedding == question.embedding,
            MemoryPairRow.id != comer.id,
        )
        rivals = [
            _Rival(pair, float(pair.question.vector @ question.vector))
            for pair in read_pairs(session, session.scalars(alike).all())
        ]
        return [rival for rival in rivals if rival.similarity >= self.thresholds.delta]

    def _settle(self, change: Change, comer: Comer, store: Store) -> int:
        """Give a pair its cluster and write it."""
        session, question = change.session, comer.question
        of, vector = question.embedding, question.vector
        if self.clustering:
            cluster = change.join(store, of, vector, self.thresholds.tau)
        else:
            cluster = change.found(store, of, vector)
        if comer.old is not None:
            settle_pair(session, comer.old, question, cluster, store, change.seq)
            return comer.old.id
        assert comer.new is not None
        return insert_pair(
            session, change.release_id, comer.new, cluster, store, change.seq, comer.suspended
        )

    def _leave_wordings(self, change: Change, pair_id: int) -> list[int]:
        """Let go the wordings that an answer has beyond some; return the ids."""
        if self.wordings is None or not self.clustering:
            return []
        going = beyond_wordings(change.session, pair_id, self.wordings)
        change.take_out(list(read_pairs(change.session, going)))
        change.finish()
        why = f"Pair {pair_id} has the same answer, which keeps {self.wordings} wordings."
        for other in going:
            tell(change.session, change.release_id, Happened.REPLACED, other, pair_id, why)
        return going

    def _evict(self, change: Change, store: Store) -> list[int]:
        """Let go what is beyond the limit of a store; return the ids."""
        going = first_to_go(change.session, change.release_id, store, self.limit)
        if going:
            change.take_out(list(read_pairs(change.session, going)))
            change.finish()
            for pair_id in going:
                reason = f"The store is full ({self.limit} pairs)."
                tell(change.session, change.release_id, Happened.EVICTED, pair_id, reason=reason)
        return going


def _same(
    stays: int, similarity: float, winner: Comer | StoredPair, loser: Comer | StoredPair
) -> str:
    """Why of two pairs that ask the same one stays; without a word of them."""
    asks = f"Pair {stays} asks the same (cosine {similarity:.2f})"
    if loser.suspended and not winner.suspended:
        return f"{asks}, and this one was suspended."
    return f"{asks} and stays: {told(winner.score)} against {told(loser.score)}."


def told(score: Score) -> str:
    """A score and where it comes from, for people."""
    return f"{score.value:.2f} ({score.origin})"
