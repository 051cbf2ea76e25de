"""Curation of saved answers by admins: edit, correct, retire; with the audit log."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import delete, select

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import Person, require_short
from chatbot.administration.citation_finder import as_answer, cite_pages
from chatbot.administration.overview import KeptPair, Overview
from chatbot.chatbot import Chatbot
from chatbot.errors import BadInput
from chatbot.memory.pairs import (
    HUMAN_ORIGINS,
    MemoryQuestion,
    Role,
    ScoreOrigin,
    memory_question,
    new_pair,
)
from chatbot.memory.remembering import question_of
from chatbot.retrieval.support import says_unknown
from chatbot.review.ratings import Ratings
from chatbot.text.languages import gettext
from corpora.catalog.catalog import require_release
from corpora.database.history_tables import ReviewRow, TurnRow, TurnTraceRow
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow
from corpora.errors import NoCorpus

LONGEST_ANSWER = 20_000
"""Characters."""


def ratings(chatbot: Chatbot) -> Ratings:
    """The ratings of admins; each change updates the memory."""
    return Ratings(
        chatbot.database,
        chatbot.memory.opinion_changed,
        lambda person, turn: Curation(chatbot, person).correct(turn),
    )


@dataclass(frozen=True)
class Curation:
    """The changes of one admin; others raise NotAllowed, a pair that is gone UnknownPair."""

    chatbot: Chatbot
    person: Person

    def __post_init__(self) -> None:
        self.person.require_admin(self.chatbot.database)

    def edit(self, pair_id: int, answer: str) -> KeptPair:
        """Replace a pair by a curated one with another answer, and return it. Raises BadInput.

        The question stays that of the turn that made the old one, and goes with that turn.
        """
        old = self._overview.pair(pair_id)
        made_by = select(MemoryUseRow.turn_id).where(
            MemoryUseRow.pair_id == pair_id, MemoryUseRow.role == Role.SOURCE
        )
        with self.chatbot.database.reading() as session:
            turn = session.scalar(made_by)
        of = (old.product, old.release, memory_question(old.row), answer)
        pair, stands = self._put(*of, [pair_id], turn=turn)
        if stands != pair.id:
            raise BadInput(
                gettext(
                    "Another answer to the same question, {number}, is curated already and stays "
                    "in place of this one. Edit that one.",
                    number=stands,
                )
            )
        sizes = {"characters": len(as_answer(answer)), "citations": len(pair.pages)}
        self._record("edit answer", old, **sizes)
        return self._overview.pair(stands)

    def correct(self, turn: int) -> None:
        """Make the corrected answer of a turn the one for the next person who asks the same.

        It becomes a curated pair of the release that answered, or should have, in place of the
        pairs that the turn made or reused. It is removed when the correction is withdrawn, or says
        that nothing is documented. A turn without a release has none. Raises BadInput.
        """
        done: tuple[str, str] | None = None
        # Another admin may correct it while this is on its way: what the review says last counts.
        while (now := self._correction(turn)) != done:
            self._correct(turn, *now)
            done = now

    def _correction(self, turn: int) -> tuple[str, str]:
        with self.chatbot.database.reading() as session:
            review = session.get(ReviewRow, turn)
        return (review.corrected_answer, review.corrected_release) if review else ("", "")

    def _correct(self, turn: int, text: str, release: str) -> None:
        memory, of_turn = self.chatbot.memory, MemoryUseRow.turn_id == turn
        with self.chatbot.database.writing() as session:
            # What answers another question was shown for this one, and stays as it is.
            session.execute(delete(MemoryUseRow).where(of_turn, MemoryUseRow.asks > ""))
            used = select(MemoryPairRow).join(MemoryUseRow).where(of_turn)
            pairs = {pair.id: pair.origin for pair in session.scalars(used)}
            row = session.get(TurnRow, turn)
            question_text = question_of(row, session.get(TurnTraceRow, turn)) if row else ""
        if row is None or not row.product or not question_text:
            return
        release = release or row.release or ""
        if not release or not text or says_unknown(text):
            memory.stores.remove([i for i, o in pairs.items() if o == ScoreOrigin.CURATED])
            return
        of = (row.product, release, memory.recall.reader.read(question_text, row.product), text)
        pair, stands = self._put(*of, [*pairs], turn=turn)
        if stands != pair.id:
            # Of two that admins wrote the later one counts.
            self._put(*of, [stands], turn=turn)
        # Where the answer belongs to another release, the one that was given is wrong in its own.
        memory.stores.remove([i for i, origin in pairs.items() if origin not in HUMAN_ORIGINS])

    def _put(
        self,
        product: str,
        release: str,
        question: MemoryQuestion,
        answer: str,
        instead_of: Sequence[int],
        *,
        turn: int | None = None,
    ) -> tuple[MemoryPairRow, int]:
        """Store an answer that this admin wrote, with its citations, in place of some pairs.

        Returns the pair, and the id of the one that stands.
        """
        text = as_answer(answer)
        if not text:
            raise BadInput(gettext("The answer is empty: write one, or retire the old one."))
        require_short("answer", text, LONGEST_ANSWER)
        try:
            corpus = self.chatbot.corpora.corpus(product, release)
            cited = cite_pages(corpus, self.chatbot.embedder, question.text, text)
        except NoCorpus as error:
            raise BadInput(
                "The answer cannot be checked against its release. {error}", error=error
            ) from error
        pair = new_pair(question, *cited, origin=ScoreOrigin.CURATED, by=self._name)
        with self.chatbot.database.reading() as session:
            release_id = require_release(session, product, release).id
        stores = self.chatbot.memory.stores
        return pair, stores.add(release_id, pair, instead_of=instead_of, turn=turn)

    def retire(self, pair_id: int) -> None:
        """Remove a pair from the memory for good."""
        old = self._overview.pair(pair_id)
        self.chatbot.memory.stores.remove([pair_id])
        self._record("retire answer", old)

    @property
    def _name(self) -> str:
        return self.person.id or self.person.name

    @property
    def _overview(self) -> Overview:
        return Overview(self.chatbot.database, self.person)

    def _record(self, action: str, pair: KeptPair, **details: Any) -> None:
        AuditLog(self.chatbot.database).record(
            self.person, action, f"{pair.product} {pair.release}", pair=pair.row.id, **details
        )
