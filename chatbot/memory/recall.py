"""What the memory has on a question: an answer to reuse, good and bad ones near it (ComRAG 4.3)."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from chatbot.memory.pairs import MemoryQuestion, Store, Thresholds
from chatbot.memory.questions.question import ProductQuestions, QuestionReader, asked_text
from chatbot.memory.reusing import SERVING, as_remembered, as_reused
from chatbot.memory.stores.nearest import NearPair
from chatbot.turn import Recollection, Remembered, Turn
from corpora.database import Database

LOOKED_AT = 8
"""Pairs of each store that are looked at, at most."""


class Found(Protocol):
    """What a search found."""

    def at_least(self, cosine: float) -> Iterator[NearPair]:
        """Yield the usable pairs that are so near, the nearest first."""


class Search(Protocol):
    """Finds the pairs nearest to a question."""

    def nearest(self, release_id: int, store: Store, question: MemoryQuestion) -> Found:
        """Search a store."""


@dataclass(frozen=True)
class Recall:
    """Looks for what was answered before in the release of a turn, and in no other.

    A high pair at least δ near that asks the same is reused. Else at most `references` high pairs
    that are at least τ near are good ones to go by; where there is none, low pairs as near are
    bad ones. A low pair that asks the same is a bad one in any case, lest its answer be given
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
        questions = self.reader.of(product)
        asked = questions.read(asked_text(turn))
        # Both at once, since most questions are in neither.
        with ThreadPoolExecutor(1) as pool:
            searching = pool.submit(self.search.nearest, release_id, Store.LOW, asked)
            high = self.search.nearest(release_id, Store.HIGH, asked)
            low = searching.result()
        good: list[Remembered] = []
        differs = ""
        for pair in islice(high.at_least(self.thresholds.tau), LOOKED_AT):
            if pair.similarity >= self.thresholds.delta:
                reason = questions.difference(asked.text, pair.row.question)
                if not reason and (reused := as_reused(self.database, pair, release_id, release)):
                    return Recollection(reused=reused)
                differs = differs or reason
            elif len(good) >= self.references:
                break
            if len(good) < self.references:
                good.append(as_remembered(pair))
        return Recollection(
            good=tuple(good),
            bad=tuple(self._bad(low, asked, questions, topic=not good)),
            differs=differs,
        )

    def rejected(
        self, release_id: int, asked: MemoryQuestion, product: str
    ) -> tuple[Remembered, ...]:
        """The answers to this very question that are bad ones."""
        low = self.search.nearest(release_id, Store.LOW, asked)
        return tuple(self._bad(low, asked, self.reader.of(product), topic=False))

    def _bad(
        self,
        low: Found,
        asked: MemoryQuestion,
        questions: ProductQuestions,
        *,
        topic: bool,
    ) -> Iterator[Remembered]:
        """Low pairs that ask the same; with `topic` also others of the topic; the nearest first."""
        others = self.references if topic else 0
        least = self.thresholds.tau if topic else self.thresholds.delta
        for pair in islice(low.at_least(least), LOOKED_AT):
            if pair.similarity >= self.thresholds.delta:
                if not questions.difference(asked.text, pair.row.question):
                    yield as_remembered(pair)
            elif others > 0:
                others -= 1
                yield as_remembered(pair)
            else:
                break
