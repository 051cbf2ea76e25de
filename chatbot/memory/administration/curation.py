"""What admins do to pairs: edit, promote, retire, rebuild; done, and recorded in the audit log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from chatbot.audit import AuditLog
from chatbot.memory.administration.overview import (
    EVERYTHING,
    KeptPair,
    Overview,
    Scope,
    UnknownPair,
)
from chatbot.memory.administration.scope import release_ids
from chatbot.memory.administration.support import Support
from chatbot.memory.administration.written import answer_object, as_answer
from chatbot.memory.pairs import Happened, MemoryQuestion, NewPair, Origin, Score
from chatbot.memory.stores.pair_rows import tell
from chatbot.people import Person
from corpora.catalog import NoCorpus
from corpora.memory_tables import MemoryPairRow
from corpora.tables import ProductRow, ReleaseRow

if TYPE_CHECKING:
    from chatbot.assembly import Chatbot

LONGEST_ANSWER = 20_000
"""Characters."""
LONGEST_REASON = 500


class BadPair(ValueError):
    """A pair cannot be changed so; the message says why."""


@dataclass(frozen=True)
class Rebuilt:
    """A release whose stores were built again: the pairs that it had, and has now."""

    product: str
    release: str
    before: int
    pairs: int


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
        text = as_answer(answer)
        if not text:
            raise BadPair("The answer is empty: write one, or retire the old one.")
        if len(text) > LONGEST_ANSWER:
            raise BadPair(
                f"The answer has {len(text):,} characters, the limit is {LONGEST_ANSWER:,}: "
                "shorten it."
            )
        try:
            serving = self.chatbot.catalog.serving(old.product, old.release)
            support = Support(self.chatbot.corpora.corpus, self.chatbot.embedder)
            found = support.of(old.product, old.release, old.question, text)
        except NoCorpus as error:
            raise BadPair(f"The answer cannot be checked against its release. {error}") from error
        with self.chatbot.database.reading() as session:
            (release,) = release_ids(session, Scope(old.product, old.release))
        pair = NewPair(
            question,
            answer_object(found),
            Score(1.0, Origin.CURATED, datetime.now(UTC), self._name),
            found.pages,
            serving.generation,
            links=old.links,
        )
        added = self.chatbot.memory.stores.add(
            release,
            pair,
            happened=Happened.EDITED,
            reason=f"{self._name} edited the answer.",
            instead_of=[pair_id],
        )
        self._record("edit answer", old, characters=len(text), citations=len(found.citations))
        if not added.kept:
            raise BadPair(
                f"Another answer to the same question, {added.pair}, is curated already and stays "
                "in place of this one. Edit that one."
            )
        return self._overview.pair(added.pair or 0)

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
        """Build stores, clusters and indexes again by the settings of today.

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

            pairs = memory.stores.rebuild(release, memory.reader, told)
            memory.nearest.rebuild(release)
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
