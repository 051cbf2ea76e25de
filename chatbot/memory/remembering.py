"""An answer becomes a pair of the memory once it is delivered, and is scored anew by opinions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

from sqlalchemy import select

from chatbot.memory.background_worker import LATER, Later
from chatbot.memory.candidates import (
    Candidate,
    answer_object,
    candidate_of,
    kept_candidate,
    pages_cited,
    supported,
)
from chatbot.memory.pairs import NewPair, Origin, Role, Score, same_value
from chatbot.memory.recall import Recall
from chatbot.memory.scoring.combining import combine
from chatbot.memory.scoring.measuring import Measured, measure
from chatbot.memory.scoring.opinions import Opinions, opinions_of_pair, opinions_of_turn
from chatbot.memory.stores.stores import Stores, UnknownPair
from chatbot.memory.uses import count_reuse, uses_of
from chatbot.turn import Turn
from corpora.catalog.memory_review import review_release
from corpora.database.engine import Database, insert_or_ignore
from corpora.database.history_tables import TurnRow, TurnTraceRow
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow
from corpora.database.tables import ReleaseRow
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
    later: Later = LATER

    def delivered(self, turn: Turn, kept_as: int | None) -> None:
        """Remember a turn that was delivered, as far as it is one to remember; at once back here.

        One that was not kept only counts as a reuse.
        """
        if not self.active:
            return
        if kept_as is None:
            uses = {pair: role for pair, role in uses_of(turn).items() if role is Role.REUSE}
            if uses:
                self.later.do(partial(self._count, uses))
        elif (candidate := candidate_of(turn, kept_as)) is not None:
            self.later.do(lambda: self._keep(candidate, self.measure(turn)))

    def flush(self, seconds: float | None = None) -> bool:
        """Wait until everything delivered is remembered, at most so long; say whether it is."""
        return self.later.flush(seconds)

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
            row = None if pairs else session.get(TurnRow, turn)
            trace = None if row is None else session.get(TurnTraceRow, turn)
            opinions = opinions_of_turn(session, turn)
            counts = opinions.rating or (opinions.thumbs and not self.judged)
            again = self.active and counts
            candidate = kept_candidate(row, trace) if row and again else None
            texts = pages_cited(session, candidate.answer) if candidate else ()
        for pair in pairs:
            self._rescore(pair)
        if candidate is not None:
            answer, release = candidate.answer, candidate.release
            measured = measure(candidate.question, release, answer, (), self.embedder, pages=texts)
            self._keep(candidate, measured)

    def _rescore(self, pair: int) -> None:
        with self.database.reading() as session:
            row = session.get(MemoryPairRow, pair)
            if row is None:
                return
            before = _score_of(row)
            after = self._combined(before, before.at, opinions_of_pair(session, pair))
        if after == before:
            return
        try:
            self.stores.rescore(pair, after)
        except UnknownPair:
            # Another process took it out in the meantime.
            return

    def _keep(self, candidate: Candidate, measured: Measured) -> None:
        now = datetime.now(UTC)
        with self.database.reading() as session:
            found = supported(session, candidate)
            opinions = opinions_of_turn(session, candidate.turn)
        if found is None:
            return
        release_id, generation, pages = found
        score = self._combined(
            Score(
                measured.value,
                Origin.MEASURED,
                now,
                faithfulness=measured.faithfulness,
                relevancy=measured.relevancy,
            ),
            now,
            opinions,
        )
        question = self.recall.reader.read(candidate.question, candidate.product)
        bad = self.recall.rejected(release_id, question)
        again = next((b.id for b in bad if same_value(b.value, candidate.answer.value)), None)
        if again is None:
            pair = NewPair(
                question=question,
                answer=answer_object(candidate.answer),
                score=score,
                pages=pages,
                generation=generation,
                turn=candidate.turn,
            )
            added = self.stores.add(release_id, pair)
            again = None if added.kept else added.pair
            self._review(release_id, generation)
        if again is not None:
            self._is_again(candidate, again)

    def _review(self, release_id: int, generation: int) -> None:
        """Look at the pairs again if what serves has changed since their pages were looked up."""
        with self.database.writing() as session:
            serving = select(ReleaseRow.published_generation_id).where(ReleaseRow.id == release_id)
            if session.scalar(serving) != generation:
                review_release(session, release_id)

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

    def _combined(self, kept: Score, measured_at: datetime, opinions: Opinions) -> Score:
        score = combine(
            kept,
            measured_at,
            gamma=self.gamma,
            thumbs=opinions.thumbs,
            rating=opinions.rating,
        )
        if score.origin is Origin.THUMBS:
            # Who asked is nobody's business, and what is kept of a person goes when they say so.
            score = replace(score, by="")
        return score

    def _count(self, uses: Mapping[int, Role]) -> None:
        with self.database.writing() as session:
            count_reuse(session, uses, datetime.now(UTC))


def _score_of(row: MemoryPairRow) -> Score:
    return Score(
        row.score,
        Origin(row.origin),
        row.rated or row.created,
        row.rated_by,
        row.faithfulness,
        row.relevancy,
    )
