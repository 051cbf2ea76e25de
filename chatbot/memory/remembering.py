"""Delivered answers become pairs of the memory, and are scored again when people rate them."""

import logging
from contextlib import suppress
from dataclasses import asdict, dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from chatbot.errors import UnknownPair
from chatbot.memory.pairs import Role, ScoreOrigin, memory_question, new_pair, same_value
from chatbot.memory.questions import as_typed
from chatbot.memory.recall import Recall
from chatbot.memory.scoring import GAVE_IT, faithfulness, relevancy, write_score
from chatbot.memory.stores.stores import Stores
from chatbot.memory.suspending import CitedPage, page_hash
from chatbot.reply import Reply, Trace
from chatbot.turn import Answer, Route, Turn
from corpora.catalog.catalog import find_release
from corpora.database.engine import Database, insert_or_ignore
from corpora.database.history_tables import TurnRow, TurnTraceRow
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow
from corpora.database.tables import DocumentRow, PageRow
from ingestion.errors import StrataError

_log = logging.getLogger(__name__)

LONGEST_QUESTION = 400
"""Characters of a question that is remembered; a longer one is hardly asked twice."""
ANSWERED = (Route.DOCUMENTS, Route.REFERENCE)


@dataclass(frozen=True)
class Remembering:
    """Keeps delivered answers and their scores up to date.

    One that is not `active` remembers nothing new. Where a `capable` model writes, what its pages
    support is good by measure; else people or an admin have to say so.
    """

    database: Database
    stores: Stores
    recall: Recall
    active: bool
    capable: bool = False

    def delivered(self, turn: Turn, kept_as: int | None) -> None:
        """Have a turn remembered, if it is kept; a failure is logged, since it is answered."""
        if self.active and kept_as is not None and turn.route in ANSWERED:
            try:
                self._remember(kept_as)
            except StrataError:
                _log.exception("an answer could not be remembered")

    def opinion_changed(self, turn: int) -> None:
        """Score the pairs that a turn made or reused again, after its feedback or rating changed.

        A turn whose answer lost to another one is tried again.
        """
        of_turn = select(MemoryUseRow.pair_id).where(MemoryUseRow.turn_id == turn, GAVE_IT)
        with self.database.reading() as session:
            pairs = session.scalars(of_turn).all()
        for pair in pairs:
            # Another process may have taken it out in the meantime.
            with suppress(UnknownPair):
                self.stores.rescore(pair)
        if not pairs and self.active:
            self._remember(turn)

    def _remember(self, turn: int) -> None:
        with self.database.reading() as session:
            pair = self.pair_of(session, turn)
        if pair is None:
            return
        value = pair.answer["value"]
        bad = self.recall.rejected(pair.release_id, memory_question(pair))
        again = next((b.id for b in bad if same_value(b.value, value)), None)
        if again is None:
            again = self.stores.add(pair.release_id, pair, turn=turn)
        if again != pair.id:
            self._is_again(turn, again, value)

    def _is_again(self, turn: int, pair: int, value: str) -> None:
        """Count a turn that gives the answer of a pair, asked afresh, as if it had reused the pair.

        So a bad one does not come back, and opinions on either count for both.
        """
        with self.database.writing() as session:
            row = session.get(MemoryPairRow, pair)
            if row is None or not same_value(row.answer["value"], value):
                return
            use = {"turn_id": turn, "pair_id": pair, "role": Role.REUSE}
            session.execute(insert_or_ignore(session, MemoryUseRow), use)
        self.stores.rescore(pair)

    def pair_of(self, session: Session, turn: int) -> MemoryPairRow | None:
        """The pair that a kept turn makes: a whole answer from one release that cites its pages.

        An answer that begins with "not in 5.1" is not about the release that it is from.
        """
        row, trace = session.get(TurnRow, turn), session.get(TurnTraceRow, turn)
        if row is None or trace is None or not row.product or not row.release:
            return None
        reply, traced = Reply.model_validate(row.answer), Trace.unpacked(trace.trace)
        question, release = question_of(row, trace), find_release(session, row.product, row.release)
        is_whole = traced.value and not (reply.abstained or traced.unwritten or reply.warnings)
        if (
            reply.route not in ANSWERED
            or reply.found_in
            or release is None
            or not 0 < len(question) <= LONGEST_QUESTION
            or not is_whole
            or not reply.citations
        ):
            return None
        cited = (
            select(PageRow, DocumentRow.file)
            .join(DocumentRow)
            .where(
                PageRow.id.in_([citation.page_id for citation in reply.citations]),
                DocumentRow.release_id == release.id,
            )
        )
        there = {page.id: (page, file) for page, file in session.execute(cited)}
        pages, texts = [], []
        for citation in reply.citations:
            page, file = there.get(citation.page_id, (None, ""))
            if page is None or file != citation.file or citation.quote not in page.text:
                _log.warning("turn %d is not remembered: %s lacks its citation", turn, file)
                return None
            pages.append(CitedPage(file, page_hash(page.text), page.id, page.number))
            texts.append(f"{citation.document} › {citation.section}\n{page.text}")
        answer = Answer(reply.answer, False, reply.citations, traced.value)
        own = " ".join((row.question, reply.queries.base, row.product, row.release))
        pair = new_pair(
            self.recall.reader.read(question, row.product),
            {
                "text": answer.text,
                "value": answer.value,
                "citations": list(map(asdict, answer.citations)),
            },
            pages,
            origin=ScoreOrigin.MEASURED,
            faithfulness=faithfulness(answer, texts, own),
            relevancy=relevancy(traced.calls, by_capable=self.capable),
            release_id=release.id,
        )
        write_score(session, pair, [turn])
        return pair


def question_of(row: TurnRow, trace: TurnTraceRow | None) -> str:
    """The question of a kept turn, without its release."""
    queries = Trace.unpacked(trace.trace).queries if trace else None
    kept = Reply.model_validate(row.answer).queries
    return as_typed((queries and queries.subject) or kept.versionless or kept.base or row.question)
