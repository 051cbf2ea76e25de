"""Delivered answers become pairs of the memory, and are scored again when people rate them."""

import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

from langchain_core.language_models import BaseChatModel
from sqlalchemy import select
from sqlalchemy.orm import Session

from chatbot.memory.background_worker import LATER
from chatbot.memory.pairs import NewPair, Origin, Role, Score, same_value
from chatbot.memory.questions import as_typed
from chatbot.memory.recall import Recall
from chatbot.memory.scoring.judging import judge_turn
from chatbot.memory.scoring.measuring import Measured, measure, measure_turn
from chatbot.memory.scoring.opinions import (
    combine,
    opinions_of_pair,
    opinions_of_turn,
)
from chatbot.memory.scoring.own_words import is_told
from chatbot.memory.stores.pair_rows import score_of
from chatbot.memory.stores.stores import Stores, UnknownPair
from chatbot.memory.uses import count_reuse, uses_of
from chatbot.models.errors import GeneratorError
from chatbot.reply import Reply, Trace
from chatbot.runtime.concurrency import run_on_event_loop
from chatbot.turn import Answer, Route, Turn
from corpora.catalog.catalog import find_release
from corpora.catalog.memory_review import CitedPage, page_hash
from corpora.database.engine import Database, insert_or_ignore
from corpora.database.history_tables import TurnRow, TurnTraceRow
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow
from corpora.database.tables import DocumentRow, PageRow
from corpora.indexing.embedding import Embedder

_log = logging.getLogger(__name__)

LONGEST_QUESTION = 400
"""Characters; nobody asks a longer text twice."""
ANSWERED = (Route.DOCUMENTS, Route.REFERENCE)


@dataclass(frozen=True)
class Candidate:
    """An answered turn that may become a pair.

    `question` is what it asks without its release; there is a page for each citation of the
    `answer`, and `texts` are those of the pages, each once.
    """

    turn: int
    product: str
    release: str
    release_id: int
    question: str
    answer: Answer
    pages: tuple[CitedPage, ...]
    texts: tuple[str, ...]


@dataclass(frozen=True)
class Remembering:
    """Keeps answers that were delivered, in the background, and their scores up to date.

    Answers are scored by the `judge` if there is one, else by words and vectors. One that is not
    `active` remembers nothing new.
    """

    database: Database
    stores: Stores
    recall: Recall
    embedder: Embedder
    judge: BaseChatModel | None
    active: bool

    def delivered(self, turn: Turn, kept_as: int | None) -> None:
        """Have a delivered turn remembered in the background.

        Of a turn that was not kept only its reuse of a pair is counted.
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
        """Wait until all answers are remembered, at most `seconds`; return whether they are."""
        return LATER.flush(seconds)

    def opinion_changed(self, turn: int) -> None:
        """Score the pairs that a turn made or reused again, after its feedback or rating changed.

        A turn whose answer lost to another one is tried again if an admin rated it, or if it got
        thumbs and no judge has to be asked: in the background, behind the turn itself, which may
        still wait there to be remembered.
        """
        if not self._rescore_pairs_of(turn) and self.active:
            LATER.do(partial(self._reconsider, turn))

    def _rescore_pairs_of(self, turn: int) -> bool:
        """Score the pairs of a turn again; False if it has none."""
        with self.database.reading() as session:
            pairs = session.scalars(
                select(MemoryUseRow.pair_id).where(
                    MemoryUseRow.turn_id == turn, MemoryUseRow.role.in_((Role.SOURCE, Role.REUSE))
                )
            ).all()
        for pair in pairs:
            self._rescore(pair)
        return bool(pairs)

    def _reconsider(self, turn: int) -> None:
        if self._rescore_pairs_of(turn):
            return
        with self.database.reading() as session:
            candidate = candidate_of(session, turn)
            opinions = opinions_of_turn(session, turn)
        if candidate and (opinions.rating or (opinions.thumbs and self.judge is None)):
            measured = measure(
                candidate.question,
                (candidate.product, candidate.release),
                candidate.answer,
                (),
                self.embedder,
                pages=candidate.texts,
                known=f"{candidate.product} {candidate.release}",
            )
            self._keep(candidate, measured)

    def _remember(self, turn: Turn, kept_as: int) -> None:
        with self.database.reading() as session:
            candidate = candidate_of(session, kept_as)
        if candidate is not None:
            self._keep(candidate, self._measure(turn))

    def _measure(self, turn: Turn) -> Measured:
        judged = None
        if self.judge is not None:
            try:
                judged = run_on_event_loop(judge_turn(self.judge, turn), lambda: False)
            except GeneratorError as error:
                _log.warning("the judge did not answer, the answer is measured instead: %s", error)
        return judged or measure_turn(turn, self.embedder)

    def _rescore(self, pair: int) -> None:
        with self.database.reading() as session:
            row = session.get(MemoryPairRow, pair)
            if row is None:
                return
            before = score_of(row)
            after = combine(before, opinions_of_pair(session, pair), self.recall.thresholds.gamma)
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
                score=combine(by_measure, opinions, self.recall.thresholds.gamma),
                pages=candidate.pages,
                turn=candidate.turn,
            )
            added = self.stores.add(candidate.release_id, pair)
            again = None if added.kept else added.pair
        if again is not None:
            self._is_again(candidate, again)

    def _is_again(self, candidate: Candidate, pair: int) -> None:
        """Count a turn that gives the answer of a pair as if it had reused the pair.

        "Answer again from the documents" does without the memory and may give the same answer: so
        a bad one does not come back, and what people think of either counts for both.
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


def answer_object(answer: Answer) -> dict[str, Any]:
    """An answer as a pair keeps it."""
    citations = [asdict(citation) for citation in answer.citations]
    return {"text": answer.text, "value": answer.value, "citations": citations}


def candidate_of(session: Session, turn: int) -> Candidate | None:
    """What can be remembered of a kept turn: an answer from one release that cites its pages.

    None where a citation is not found in a page of the release, and for an answer that begins
    with "not in 5.1": it is no answer about the release that it is from.
    """
    row, trace = session.get(TurnRow, turn), session.get(TurnTraceRow, turn)
    if row is None or trace is None or not row.product or not row.release:
        return None
    reply, told = Reply.model_validate(row.answer), Trace.unpacked(trace.trace)
    if reply.route not in ANSWERED or reply.found_in:
        return None
    answer = Answer(
        reply.answer, reply.abstained, reply.citations, told.value, reply.warnings, told.unwritten
    )
    question, release = question_of(row, trace), find_release(session, row.product, row.release)
    if release is None or not _is_worth_it(question, answer):
        return None
    cited = [citation.page_id for citation in answer.citations]
    pages = session.execute(
        select(PageRow.id, PageRow.number, PageRow.text, DocumentRow.file)
        .join(DocumentRow, DocumentRow.id == PageRow.document_id)
        .where(PageRow.id.in_(cited), DocumentRow.release_id == release.id)
    ).all()
    there = {page.id: page for page in pages}
    for citation in answer.citations:
        page = there.get(citation.page_id)
        if page is None or page.file != citation.file or citation.quote not in page.text:
            _log.warning(
                "the answer of turn %d is not remembered: its citation of %s does not stand there",
                turn,
                citation.file,
            )
            return None
    return Candidate(
        turn,
        row.product,
        row.release,
        release.id,
        question,
        answer,
        tuple(
            CitedPage(page.file, page_hash(page.text), page.id, page.number)
            for page in (there[page_id] for page_id in cited)
        ),
        tuple(page.text for page in pages),
    )


def question_of(row: TurnRow, trace: TurnTraceRow | None) -> str:
    """What a kept turn asked, without its release."""
    queries = Trace.unpacked(trace.trace).queries if trace else None
    kept = Reply.model_validate(row.answer).queries
    return as_typed((queries and queries.subject) or kept.versionless or kept.base or row.question)


def _is_worth_it(question: str, answer: Answer) -> bool:
    """Whether it is an answer in full sentences, without warnings, that cites its passages."""
    return (
        0 < len(question) <= LONGEST_QUESTION
        and not (answer.abstained or answer.unwritten or answer.warnings)
        and bool(answer.citations)
        and is_told(answer.value)
    )
