"""What the memory has on a question: an answer to reuse, good and bad ones near it (ComRAG 4.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from chatbot.memory.pairs import MemoryQuestion, Store, Thresholds
from chatbot.memory.questions import QuestionReader, asked_text, difference
from chatbot.memory.reusing import SERVING, as_remembered, as_reused
from chatbot.memory.stores.neighbours import NearPair
from chatbot.turn import Recollection, Remembered, Turn
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPairRow

LOOKED_AT = 8
"""Pairs of each store that are looked at, at most."""


class Search(Protocol):
    """Finds the pairs nearest to a question (`chatbot.memory.stores.neighbours.Neighbours`)."""

    def nearest(
        self, release_id: int, store: Store, question: MemoryQuestion, *, cosine: float, limit: int
    ) -> list[NearPair]:
        """The usable pairs of a store at least so near, the nearest first, at most `limit`."""


@dataclass(frozen=True)
class Recall:
    """Looks for what was answered before in the release of a turn, and in no other.

    A high pair that asks the same in the same words is reused. Else at most `references` high
    pairs that are at least τ near are good ones to go by; where there is none, low pairs as near
    are bad ones. A low pair that asks the same is a bad one in any case, lest its answer be given
    again.
    """

    database: Database
    search: Search
    reader: QuestionReader
    thresholds: Thresholds
    references: int

    def recall(self, turn: Turn) -> Recollection:
        """What there is on the question of a turn that has its release and its queries."""
        product, release = turn.asked
        with self.database.reading() as session:
            release_id = session.scalar(SERVING, {"product": product, "release": release})
        if release_id is None:
            return Recollection()
        asked = self.reader.read(asked_text(turn), product)
        good: list[Remembered] = []
        differs = ""
        for pair in self._near(release_id, Store.HIGH, asked, self.thresholds.tau):
            reason = difference(asked.asks, pair.row.asks)
            if not reason and (reused := as_reused(self.database, pair, release_id, release)):
                return Recollection(reused=reused)
            if pair.similarity >= self.thresholds.delta:
                differs = differs or reason
            if len(good) < self.references:
                good.append(as_remembered(pair))
        return Recollection(
            good=tuple(good),
            bad=tuple(self._bad(release_id, asked, topic=not good)),
            differs=differs,
        )

    def reusable(self, turn: Turn, pair: Remembered) -> Remembered | None:
        """A pair that was found for a turn, as it answers it now; None where it does not."""
        with self.database.reading() as session:
            row = session.get(MemoryPairRow, pair.id)
        if row is None or row.suspended:
            return None
        near = NearPair(row, pair.similarity)
        return as_reused(self.database, near, row.release_id, turn.asked[1])

    def rejected(self, release_id: int, asked: MemoryQuestion) -> tuple[Remembered, ...]:
        """The answers to this very question that are bad ones."""
        return tuple(self._bad(release_id, asked, topic=False))

    def _near(
        self, release_id: int, store: Store, asked: MemoryQuestion, cosine: float
    ) -> list[NearPair]:
        return self.search.nearest(release_id, store, asked, cosine=cosine, limit=LOOKED_AT)

    def _bad(self, release_id: int, asked: MemoryQuestion, *, topic: bool) -> Iterator[Remembered]:
        """Low pairs that ask the same; with `topic` also others of the topic; the nearest first."""
        others = self.references if topic else 0
        least = self.thresholds.tau if topic else self.thresholds.delta
        for pair in self._near(release_id, Store.LOW, asked, least):
            if not difference(asked.asks, pair.row.asks):
                yield as_remembered(pair)
            elif others > 0 and pair.similarity < self.thresholds.delta:
                others -= 1
                yield as_remembered(pair)
