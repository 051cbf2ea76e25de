"""What admins do to pairs: edit, promote, retire, rebuild; done, and recorded in the audit log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import Person
from chatbot.administration.overview import (
    EVERYTHING,
    KeptPair,
    Overview,
    Scope,
    UnknownPair,
)
from chatbot.administration.scope import release_ids
from chatbot.administration.support import Support
from chatbot.administration.written import answer_object, as_answer
from chatbot.assembly import Chatbot
from chatbot.memory.candidates import question_of
from chatbot.memory.pairs import Happened, MemoryQuestion, NewPair, Origin, Role, Score
from chatbot.memory.stores.cluster_assignment import Added
from chatbot.memory.stores.pair_rows import tell
from chatbot.retrieval.provenance import says_unknown
from chatbot.review.ratings import Ratings
from corpora.catalog.catalog import NoCorpus
from corpora.database.history_tables import ReviewRow, TurnRow, TurnTraceRow
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow
from corpora.database.tables import ProductRow, ReleaseRow
from ingestion.errors import StrataError

LONGEST_ANSWER = 20_000
"""Characters."""
LONGEST_REASON = 500


class BadPair(StrataError, ValueError):
    """A pair cannot be changed so; the message says why."""


@dataclass(frozen=True)
class Rebuilt:
    """A release whose stores were built again: the pairs that it had, and has now."""

    product: str
    release: str
    before: int
    pairs: int


def ratings(chatbot: Chatbot) -> Ratings:
    """What admins think of answers; the memory hears of it."""
    return Ratings(
        chatbot.database,
        chatbot.memory.remembering.opinion_changed,
        lambda person, turn, review: Curation(chatbot, person).correct(turn, review),
    )


@dataclass(frozen=True)
class Curation:
    """The changes that one admin makes; raises NotAllowed for whoever is none.

    A pair that is gone raises UnknownPair. Nothing is recorded of what was refused.
    """

    chatbot: Chatbot
    person: Person

    def edit(self, pair_id: int, answer: str) -> KeptPair:
        """Give a pair another answer; what comes of it is a curated pair with an id of its own.

        The pages of its release are searched for what the new words rest on. Raises BadPair.
        """
        old, question = self._stored(pair_id)
        pair = self._curated(old.product, old.release, question, answer, links=old.links)
        added = self._put(old.product, old.release, pair, [pair_id], "edited")
        self._record(
            "edit answer", old, characters=len(as_answer(answer)), citations=len(pair.pages)
        )
        if not added.kept:
            raise BadPair(
                f"Another answer to the same question, {added.pair}, is curated already and stays "
                "in place of this one. Edit that one."
            )
        return self._overview.pair(added.pair or 0)

    def correct(self, turn: int, review: ReviewRow) -> None:
        """Let the corrected answer of a turn be what the next person gets who asks the same.

        It is a curated pair of the release that answered, or should have; whatever the turn made
        or reused goes. Where the correction is taken back, or is that nothing is documented, its
        pair goes, too. A turn of no one release has none. Raises BadPair.
        """
        self.person.require_admin()
        with self.chatbot.database.reading() as session:
            row = session.get(TurnRow, turn)
            of_turn = session.execute(
                select(MemoryPairRow.id, MemoryPairRow.origin)
                .join(MemoryUseRow, MemoryUseRow.pair_id == MemoryPairRow.id)
                .where(
                    MemoryUseRow.turn_id == turn,
                    MemoryUseRow.role.in_((Role.SOURCE, Role.REUSE)),
                )
            ).all()
            asked = question_of(row, session.get(TurnTraceRow, turn)) if row else ""
        if row is None or not row.product or not asked:
            return
        release = review.corrected_release or row.release
        text = review.corrected_answer
        if not release or not text or says_unknown(text):
            made = [pair.id for pair in of_turn if pair.origin == Origin.CURATED]
            told = f"{self._name} took the corrected answer back."
            self.chatbot.memory.stores.remove(made, Happened.RETIRED, told)
            return
        question = self.chatbot.memory.reader.read(asked, row.product)
        pair = self._curated(row.product, release, question, text, turn=turn)
        instead_of = [pair.id for pair in of_turn]
        added = self._put(row.product, release, pair, instead_of, "corrected")
        if not added.kept and added.pair is not None:
            # Of two that admins wrote the later one counts.
            self._put(row.product, release, pair, [added.pair], "corrected")

    def _curated(
        self,
        product: str,
        release: str,
        question: MemoryQuestion,
        answer: str,
        *,
        turn: int | None = None,
        links: Sequence[str] = (),
    ) -> NewPair:
        """A pair with an answer that this admin wrote, and what of its release bears it."""
        text = as_answer(answer)
        if not text:
            raise BadPair("The answer is empty: write one, or retire the old one.")
        if len(text) > LONGEST_ANSWER:
            raise BadPair(
                f"The answer has {len(text):,} characters, the limit is {LONGEST_ANSWER:,}: "
                "shorten it."
            )
        try:
            serving = self.chatbot.catalog.serving(product, release)
            support = Support(self.chatbot.corpora.corpus, self.chatbot.embedder)
            found = support.of(product, release, question.text, text)
        except NoCorpus as error:
            raise BadPair(f"The answer cannot be checked against its release. {error}") from error
        score = Score(1.0, Origin.CURATED, datetime.now(UTC), self._name)
        return NewPair(
            question,
            answer_object(found),
            score,
            found.pages,
            serving.generation,
            turn=turn,
            links=tuple(links),
        )

    def _put(
        self, product: str, release: str, pair: NewPair, instead_of: Sequence[int], done: str
    ) -> Added:
        with self.chatbot.database.reading() as session:
            (release_id,) = release_ids(session, Scope(product, release))
        reason = f"{self._name} {done} the answer."
        return self.chatbot.memory.stores.add(
            release_id, pair, happened=Happened.EDITED, reason=reason, instead_of=instead_of
        )

    def promote(self, pair_id: int) -> KeptPair:
        """Make an answer a curated one: score 1, in the high store, outdone by no measure.

        Raises BadPair for one that is suspended: its pages say something else now.
        """
        old, _ = self._stored(pair_id)
        if old.suspended:
            raise BadPair(
                f"This answer is suspended: {old.suspended}. Edit it, so that it rests on the "
                "pages of today."
            )
        now = datetime.now(UTC)
        score = Score(1.0, Origin.CURATED, now, self._name, old.faithfulness, old.relevancy)
        added = self.chatbot.memory.stores.rescore(pair_id, score)
        with self.chatbot.database.writing() as session:
            (release,) = release_ids(session, Scope(old.product, old.release))
            reason = f"{self._name} made it a curated answer."
            tell(session, release, Happened.PROMOTED, pair_id, reason=reason)
        self._record("promote answer", old, score=old.score)
        return self._overview.pair(added.pair or 0)

    def retire(self, pair_id: int, reason: str = "") -> None:
        """Take a pair out of the memory for good; the reason is kept."""
        old, _ = self._stored(pair_id)
        reason = " ".join(reason.split())[:LONGEST_REASON]
        told = f"{self._name} retired it{f': {reason}' if reason else ''}."
        if not self.chatbot.memory.stores.remove([pair_id], Happened.RETIRED, told):
            raise UnknownPair(f"The memory has no pair {pair_id} (any more).")
        self._record("retire answer", old, reason=len(reason))

    def rebuild(
        self,
        scope: Scope = EVERYTHING,
        on_progress: Callable[[str, int, int], None] = lambda release, done, total: None,
    ) -> tuple[Rebuilt, ...]:
        """Build stores and clusters again by the settings of today.

        `on_progress` is told the release, how many of its pairs are done, and of how many.
        """
        self.person.require_admin()
        memory = self.chatbot.memory
        rebuilt = []
        with self.chatbot.database.reading() as session:
            found = _with_pairs(session, scope)
        for release, product, name, before in found:

            def told(done: int, total: int, of: str = f"{product} {name}") -> None:
                on_progress(of, done, total)

            pairs = memory.stores.rebuild(release, memory.reader, product, told)
            rebuilt.append(Rebuilt(product, name, before, pairs))
            AuditLog(self.chatbot.database).record(
                self.person, "rebuild memory", f"{product} {name}", before=before, pairs=pairs
            )
        return tuple(rebuilt)

    @property
    def _name(self) -> str:
        return self.person.id or self.person.name

    @property
    def _overview(self) -> Overview:
        return Overview(self.chatbot.database, self.person)

    def _stored(self, pair_id: int) -> tuple[KeptPair, MemoryQuestion]:
        pair = self._overview.pair(pair_id)
        with self.chatbot.database.reading() as session:
            row = session.get(MemoryPairRow, pair_id)
            if row is None:
                raise UnknownPair(f"The memory has no pair {pair_id} (any more).")
            vector = np.frombuffer(row.vector, "<f4")
            return pair, MemoryQuestion(row.question, row.asks, vector, row.embedding)

    def _record(self, action: str, pair: KeptPair, **details: Any) -> None:
        AuditLog(self.chatbot.database).record(
            self.person, action, f"{pair.product} {pair.release}", pair=pair.id, **details
        )


def _with_pairs(session: Session, scope: Scope) -> list[tuple[int, str, str, int]]:
    """The releases of a scope that have pairs: id, product, name, and how many."""
    counted = (
        select(ReleaseRow.id, ProductRow.name, ReleaseRow.name, func.count())
        .join(ProductRow, ProductRow.id == ReleaseRow.product_id)
        .join(MemoryPairRow, MemoryPairRow.release_id == ReleaseRow.id)
        .where(ReleaseRow.id.in_(release_ids(session, scope)))
        .group_by(ReleaseRow.id, ProductRow.name, ReleaseRow.name)
        .order_by(ReleaseRow.id)
    )
    return [(of, product, name, pairs) for of, product, name, pairs in session.execute(counted)]
