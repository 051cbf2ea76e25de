"""An answer becomes a pair of the memory once it is delivered, and is scored anew by opinions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from sqlalchemy import select

from chatbot.memory.background_worker import LATER
from chatbot.memory.candidates import (
    ANSWERED,
    Candidate,
    answer_object,
    candidate_of,
)
from chatbot.memory.pairs import NewPair, Origin, Role, Score, same_value
from chatbot.memory.recall import Recall
from chatbot.memory.scoring.measuring import Measured, measure
from chatbot.memory.scoring.opinions import (
    combine,
    opinions_of_pair,
    opinions_of_turn,
)
from chatbot.memory.stores.pair_rows import score_of
from chatbot.memory.stores.stores import Stores, UnknownPair
from chatbot.memory.uses import count_reuse, uses_of
from chatbot.turn import Turn
from corpora.database.engine import Database, insert_or_ignore
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow
from corpora.indexing.embedding import Embedder

Measure = Callable[[Turn], Measured]
"""Measures the answer of a turn; it may take its time."""


@dataclass(frozen=True)
class Remembering:
    """Keeps answers that were delivered, in the background, and their scores up to date.

    `measure` says how good an answer is, `judged` whether a model says so, and γ from which score
    on it is a good one. One that is not `active` remembers nothing more.
    """

    database: Database
    stores: Stores
    recall: Recall
    embedder: Embedder
    measure: Measure
    gamma: float
    judged: bool = False
    active: bool = True

    def delivered(self, turn: Turn, kept_as: int | None) -> None:
        """Remember a turn that was delivered, as far as it is one to remember; at once back here.

        One that was not kept only counts as a reuse.
        """
        if not self.active:
            return
        if kept_as is None:
            uses = {pair: role for pair, role in uses_of(turn).items() if role is Role.REUSE}
            if uses:
                LATER.do(partial(self._count, uses))
        elif turn.route in ANSWERED:
            LATER.do(partial(self._remember, turn, kept_as))

    def flush(self, seconds: float | None = None) -> bool:
        """Wait until everything delivered is remembered, at most so long; say whether it is."""
        return LATER.flush(seconds)

    def opinion_changed(self, turn: int) -> None:
        """Score anew what a turn made or reused, now that somebody thinks otherwise of it.

        A turn whose answer was outdone by another one gets its chance again: where an admin gives
        it, or where thumbs do and what was measured then can be measured now.
        """
        with self.database.reading() as session:
            pairs = session.scalars(
                select(MemoryUseRow.pair_id).where(
                    MemoryUseRow.turn_id == turn, MemoryUseRow.role.in_((Role.SOURCE, Role.REUSE))
                )
            ).all()
            candidate = None if pairs or not self.active else candidate_of(session, turn)
            opinions = opinions_of_turn(session, turn)
        for pair in pairs:
            self._rescore(pair)
        if candidate and (opinions.rating or (opinions.thumbs and not self.judged)):
            measured = measure(
                candidate.question,
                candidate.release,
                candidate.answer,
                (),
                self.embedder,
                pages=candidate.texts,
            )
            self._keep(candidate, measured)

    def _remember(self, turn: Turn, kept_as: int) -> None:
        with self.database.reading() as session:
            candidate = candidate_of(session, kept_as)
        if candidate is not None:
            self._keep(candidate, self.measure(turn))

    def _rescore(self, pair: int) -> None:
        with self.database.reading() as session:
            row = session.get(MemoryPairRow, pair)
            if row is None:
                return
            before = score_of(row)
            after = combine(before, opinions_of_pair(session, pair), self.gamma)
        if after == before:
            return
        try:
            self.stores.rescore(pair, after)
        except UnknownPair:
            # Another process took it out in the meantime.
            return

    def _keep(self, candidate: Candidate, measured: Measured) -> None:
        with self.database.reading() as session:
            opinions = opinions_of_turn(session, candidate.turn)
        question = self.recall.reader.read(candidate.question, candidate.product)
        bad = self.recall.rejected(candidate.release_id, question)
        again = next((b.id for b in bad if same_value(b.value, candidate.answer.value)), None)
        if again is None:
            by_measure = Score(
                measured.value,
                Origin.MEASURED,
                datetime.now(UTC),
                faithfulness=measured.faithfulness,
                relevancy=measured.relevancy,
            )
            pair = NewPair(
                question=question,
                answer=answer_object(candidate.answer),
                score=combine(by_measure, opinions, self.gamma),
                pages=candidate.pages,
                turn=candidate.turn,
            )
            added = self.stores.add(candidate.release_id, pair)
            again = None if added.kept else added.pair
        if again is not None:
            self._is_again(candidate, again)

    def _is_again(self, candidate: Candidate, pair: int) -> None:
        """A turn that says what a pair says belongs to it, as if it had been answered with it.

        "Answer again from the documents" knows no memory and may well come to the same: what was
        called bad does not come back so, and what people think of either counts for both.
        """
        with self.database.writing() as session:
            row = session.get(MemoryPairRow, pair)
            if row is None or not same_value(row.answer["value"], candidate.answer.value):
                return
            use = {"turn_id": candidate.turn, "pair_id": pair, "role": Role.REUSE}
            session.execute(insert_or_ignore(session, MemoryUseRow), use)
        self._rescore(pair)

    def _count(self, uses: Mapping[int, Role]) -> None:
        with self.database.writing() as session:
            count_reuse(session, uses, datetime.now(UTC))
