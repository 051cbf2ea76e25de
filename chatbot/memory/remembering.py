"""Delivered answers become pairs of the memory, and are scored again when people rate them."""

import logging
from dataclasses import asdict, dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from chatbot.memory.pairs import (
    Role,
    ScoreOrigin,
    memory_question,
    new_pair,
    same_value,
)
from chatbot.memory.questions import QuestionReader, as_typed, normalized, standalone_text
from chatbot.memory.recall import Recall
from chatbot.memory.scoring import relevancy, write_score
from chatbot.memory.stores.neighbours import Neighbours
from chatbot.memory.stores.stores import Stores
from chatbot.memory.suspending import page_hash
from chatbot.reply import Reply, Trace
from chatbot.settings import Settings
from chatbot.turn import Route, Turn
from corpora.catalog.catalog import find_release
from corpora.database.engine import Database, insert_or_ignore
from corpora.database.history_tables import TurnRow, TurnTraceRow
from corpora.database.memory_tables import MemoryPageRow, MemoryPairRow, MemoryUseRow
from corpora.database.tables import DocumentRow, PageRow
from corpora.errors import EmbedderFailed
from corpora.indexing.embedding import Embedder
from ingestion.errors import StrataError

_log = logging.getLogger(__name__)

WITH_MEMORY = ("direct", "embedded", "qamr")
"""The profiles with a memory; the others are baselines, which are measured without one.

Those of GraphContextGen and `extractive` read from it, and neither reuse an answer nor remember
one.
"""
ANSWERED = (Route.DOCUMENTS, Route.REFERENCE)


@dataclass(frozen=True)
class Memory:
    """The memory of a chatbot: recalls saved answers, keeps delivered ones and their scores.

    One that is not `active` remembers nothing new. Where a `capable` model writes, its answers are
    good by measure; else people or an admin have to say so.
    """

    stores: Stores
    recall: Recall
    active: bool
    capable: bool = False

    def delivered(self, turn: Turn, kept_as: int | None) -> None:
        """Remember a kept turn, or what it reused; a failure is logged, since it is answered."""
        if not self.active or kept_as is None:
            return
        reused = turn.recollection.reused if turn.recollection else None
        try:
            if reused is not None:
                asks = normalized(standalone_text(turn), turn.target[0])
                self._use(kept_as, reused.id, asks if reused.id == turn.same_as else "")
            elif turn.route in ANSWERED:
                self._remember(kept_as)
        except StrataError:
            _log.exception("an answer could not be remembered")

    def opinion_changed(self, turn: int) -> None:
        """Score the pairs that a turn made or reused again, after its feedback or rating changed.

        A turn whose answer lost to another one is tried again.
        """
        of_turn = select(MemoryUseRow.pair_id).where(MemoryUseRow.turn_id == turn)
        with self.stores.database.reading() as session:
            pairs = session.scalars(of_turn).all()
        for pair in pairs:
            self.stores.rescore(pair)
        if not pairs and self.active:
            try:
                self._remember(turn)
            except EmbedderFailed:
                _log.exception("an answer could not be remembered")

    def _remember(self, turn: int) -> None:
        """Save the answer of a turn; if it is there already, count the turn as its reuse.

        So a bad one that is given afresh does not come back, and opinions on either count for both.
        """
        with self.stores.database.reading() as session:
            pair = self.pair_of(session, turn)
        if pair is None:
            return
        value = pair.answer["value"]
        bad = self.recall.rejected(pair.release_id, memory_question(pair))
        again = next((b.id for b in bad if same_value(b.value, value)), None)
        if again is None:
            again = self.stores.add(pair.release_id, pair, turn=turn)
        with self.stores.database.reading() as session:
            row = session.get(MemoryPairRow, again)
        if row is not None and row.id != pair.id and same_value(row.answer["value"], value):
            self._use(turn, row.id)
            self.stores.rescore(row.id)

    def _use(self, turn: int, pair: int, asks: str = "") -> None:
        """Keep that a turn gave the answer of a pair, unless that is gone.

        `asks` are the turn's words, if somebody took them for another wording of the pair.
        """
        with self.stores.database.writing() as session:
            if row := session.get(MemoryPairRow, pair):
                use = {"turn_id": turn, "pair_id": pair, "role": Role.REUSE, "asks": asks}
                session.execute(insert_or_ignore(session, MemoryUseRow), use)
                row.reused += 1

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
            or not question
            or not is_whole
            or not reply.citations
        ):
            return None
        pages = []
        for cited in reply.citations:
            page = session.get(PageRow, cited.page_id)
            document = page and session.get(DocumentRow, page.document_id)
            of = document and (document.release_id, document.file)
            if page is None or of != (release.id, cited.file) or cited.quote not in page.text:
                _log.warning("turn %d is not remembered: a citation is not there", turn)
                return None
            hashed = page_hash(page.text)
            pages.append(MemoryPageRow(file=cited.file, page_hash=hashed, page_id=page.id))
        pair = new_pair(
            self.recall.reader.read(question, row.product),
            {
                "text": reply.answer,
                "value": traced.value,
                "citations": list(map(asdict, reply.citations)),
            },
            pages,
            origin=ScoreOrigin.MEASURED,
            relevancy=relevancy(traced.calls, by_capable=self.capable),
            release_id=release.id,
        )
        write_score(session, pair, [turn])
        return pair


def open_memory(settings: Settings, database: Database, embedder: Embedder) -> Memory:
    """Wire the memory, and bring up to date what another version or other settings have saved.

    Admins can see it even where the settings leave it out of answering.
    """
    recall = Recall(database, Neighbours(database), QuestionReader(embedder), settings)
    stores, profile = Stores(database, settings), settings.profile_in_use
    try:
        stores.refresh(recall.reader)
    except StrataError:
        _log.exception("saved answers could not be brought up to date")
    active = settings.memory == "on" and profile in WITH_MEMORY
    capable = profile in ("direct", "qamr")
    return Memory(stores, recall, active, capable)


def question_of(row: TurnRow, trace: TurnTraceRow | None) -> str:
    """The question of a kept turn, without its release."""
    queries = Trace.unpacked(trace.trace).queries if trace else None
    kept = Reply.model_validate(row.answer).queries
    asked = queries and (queries.asked or queries.subject)
    return as_typed(asked or kept.versionless or kept.base or row.question)
