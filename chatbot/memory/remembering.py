"""Delivered answers become pairs of the memory, and are scored again when people rate them."""

import logging
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial

from langchain_core.language_models import BaseChatModel
from sqlalchemy import select, update
from sqlalchemy.orm import Session

from chatbot.errors import GeneratorError, UnknownPair
from chatbot.memory.background_worker import BACKGROUND
from chatbot.memory.pairs import NewPair, Role, Score, ScoreOrigin, same_value
from chatbot.memory.questions import as_typed, normalized, standalone_text
from chatbot.memory.recall import Recall
from chatbot.memory.scoring.judging import judge
from chatbot.memory.scoring.measuring import Measured, measure
from chatbot.memory.scoring.opinions import combine, opinions_of_pair, opinions_of_turn
from chatbot.memory.stores.pair_rows import score_of
from chatbot.memory.stores.stores import Stores
from chatbot.memory.suspending import CitedPage, page_hash
from chatbot.reply import Reply, Trace
from chatbot.runtime.concurrency import run_on_event_loop
from chatbot.turn import Answer, Route, Turn
from corpora.catalog.catalog import find_release
from corpora.database.engine import Database, insert_or_ignore
from corpora.database.history_tables import TurnRow, TurnTraceRow
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow
from corpora.database.tables import DocumentRow, PageRow

_log = logging.getLogger(__name__)

LONGEST_QUESTION = 400
"""Characters of a question that is remembered; a longer one is hardly asked twice."""
ANSWERED = (Route.DOCUMENTS, Route.REFERENCE)


@dataclass(frozen=True)
class Candidate:
    """An answered turn that may become a pair, with a page for each of its citations.

    `texts` are those of the cited pages, and `own` are the words of the asker. `doubt` is how
    likely the model was to say that it does not know.
    """

    turn: int
    product: str
    release_id: int
    question: str
    answer: Answer
    pages: tuple[CitedPage, ...]
    texts: tuple[str, ...]
    own: str
    doubt: float


@dataclass(frozen=True)
class Remembering:
    """Keeps delivered answers, in the background, and their scores up to date.

    One that is not `active` remembers nothing new. Where a `capable` model writes, what its pages
    support is good by measure; else people, an admin or a `judge` have to say so.
    """

    database: Database
    stores: Stores
    recall: Recall
    judge: BaseChatModel | None
    active: bool
    capable: bool = False

    def delivered(self, turn: Turn, kept_as: int | None) -> None:
        """Have a turn remembered, if it is kept.

        The words of one that was taken for the same question as a pair are another wording of it.
        """
        if not self.active or kept_as is None:
            return
        recollection = turn.recollection
        if recollection and recollection.reused and recollection.reused.id == turn.same_as:
            asks = normalized(standalone_text(turn), turn.target[0])
            use = update(MemoryUseRow).where(MemoryUseRow.turn_id == kept_as)
            with self.database.writing() as session:
                session.execute(use.values(asks=asks))
        if turn.route in ANSWERED:
            BACKGROUND.do(partial(self._remember, kept_as))

    def flush(self, seconds: float | None = None) -> bool:
        """Wait until all answers are remembered, at most `seconds`; return whether they are."""
        return BACKGROUND.flush(seconds)

    def opinion_changed(self, turn: int) -> None:
        """Score the pairs that a turn made or reused again, after its feedback or rating changed.

        A turn whose answer lost to another one is tried again, behind the turn itself.
        """
        if not self._rescore_pairs_of(turn) and self.active:
            BACKGROUND.do(partial(self._reconsider, turn))

    def _rescore_pairs_of(self, turn: int) -> bool:
        """Score the pairs of a turn again; False if it has none."""
        roles = MemoryUseRow.role.in_((Role.SOURCE, Role.REUSE))
        of_turn = select(MemoryUseRow.pair_id).where(MemoryUseRow.turn_id == turn, roles)
        with self.database.reading() as session:
            pairs = session.scalars(of_turn).all()
        for pair in pairs:
            self._rescore(pair)
        return bool(pairs)

    def _rescore(self, pair: int) -> None:
        with self.database.reading() as session:
            row = session.get(MemoryPairRow, pair)
            if row is None:
                return
            before = score_of(row)
            after = combine(before, opinions_of_pair(session, pair), self.recall.thresholds.gamma)
        # Another process may have taken it out in the meantime.
        with suppress(UnknownPair):
            if after != before:
                self.stores.rescore(pair, after)

    def _reconsider(self, turn: int) -> None:
        if self._rescore_pairs_of(turn):
            return
        with self.database.reading() as session:
            candidate = candidate_of(session, turn)
            opinions = opinions_of_turn(session, turn)
        if candidate and (opinions.rating or (opinions.thumbs and self.judge is None)):
            self._keep(candidate, self._measured(candidate))

    def _remember(self, turn: int) -> None:
        with self.database.reading() as session:
            candidate = candidate_of(session, turn)
        if candidate is not None:
            self._keep(candidate, self._judged(candidate) or self._measured(candidate))

    def _judged(self, candidate: Candidate) -> Measured | None:
        """The judge's score of an answer; None without a judge, or for an unreadable verdict."""
        if self.judge is None:
            return None
        question, answer = candidate.question, candidate.answer
        verdict = judge(self.judge, question, answer, candidate.texts, candidate.own)
        try:
            return run_on_event_loop(verdict, lambda: False)
        except GeneratorError as error:
            _log.warning("the judge did not answer, the answer is measured instead: %s", error)
            return None

    def _measured(self, of: Candidate) -> Measured:
        return measure(of.answer, of.texts, of.own, of.doubt, by_capable=self.capable)

    def _keep(self, candidate: Candidate, scored: Measured) -> None:
        with self.database.reading() as session:
            opinions = opinions_of_turn(session, candidate.turn)
        question = self.recall.reader.read(candidate.question, candidate.product)
        bad = self.recall.rejected(candidate.release_id, question)
        again = next((b.id for b in bad if same_value(b.value, candidate.answer.value)), None)
        if again is None:
            answer = candidate.answer
            now, parts = datetime.now(UTC), (scored.faithfulness, scored.relevancy)
            by_measure = Score(scored.value, ScoreOrigin.MEASURED, now, "", *parts)
            pair = NewPair(
                question=question,
                answer={
                    "text": answer.text,
                    "value": answer.value,
                    "citations": list(map(asdict, answer.citations)),
                },
                score=combine(by_measure, opinions, self.recall.thresholds.gamma),
                pages=candidate.pages,
                turn=candidate.turn,
            )
            added = self.stores.add(candidate.release_id, pair)
            again = None if added.kept else added.pair
        if again is not None:
            self._is_again(candidate, again)

    def _is_again(self, candidate: Candidate, pair: int) -> None:
        """Count a turn that gives the answer of a pair, asked afresh, as if it had reused the pair.

        So a bad one does not come back, and opinions on either count for both.
        """
        with self.database.writing() as session:
            row = session.get(MemoryPairRow, pair)
            if row is None or not same_value(row.answer["value"], candidate.answer.value):
                return
            use = {"turn_id": candidate.turn, "pair_id": pair, "role": Role.REUSE}
            session.execute(insert_or_ignore(session, MemoryUseRow), use)
        self._rescore(pair)


def candidate_of(session: Session, turn: int) -> Candidate | None:
    """The candidate made from a kept turn: a whole answer from one release that cites its pages.

    An answer that begins with "not in 5.1" is not about the release that it is from.
    """
    row, trace = session.get(TurnRow, turn), session.get(TurnTraceRow, turn)
    if row is None or trace is None or not row.product or not row.release:
        return None
    reply, traced = Reply.model_validate(row.answer), Trace.unpacked(trace.trace)
    question, release = question_of(row, trace), find_release(session, row.product, row.release)
    flawed = reply.abstained or traced.unwritten or reply.warnings or not reply.citations
    if (
        reply.route not in ANSWERED
        or reply.found_in
        or release is None
        or not 0 < len(question) <= LONGEST_QUESTION
        or flawed
        or not traced.value
    ):
        return None
    cited = [citation.page_id for citation in reply.citations]
    pages = session.execute(
        select(PageRow.id, PageRow.number, PageRow.text, DocumentRow.file)
        .join(DocumentRow, DocumentRow.id == PageRow.document_id)
        .where(PageRow.id.in_(cited), DocumentRow.release_id == release.id)
    ).all()
    there = {page.id: page for page in pages}
    for citation in reply.citations:
        page = there.get(citation.page_id)
        if page is None or page.file != citation.file or citation.quote not in page.text:
            _log.warning(
                "the answer of turn %d is not remembered: its citation of %s does not stand there",
                turn,
                citation.file,
            )
            return None
    cited_pages = (there[page_id] for page_id in cited)
    sections: dict[int, str] = {}
    for of in reply.citations:
        sections[of.page_id] = f"{sections.get(of.page_id, of.document)} › {of.section}"
    return Candidate(
        turn=turn,
        product=row.product,
        release_id=release.id,
        question=question,
        answer=Answer(reply.answer, False, reply.citations, traced.value),
        pages=tuple(CitedPage(p.file, page_hash(p.text), p.id, p.number) for p in cited_pages),
        texts=tuple(f"{sections[page.id]}\n{page.text}" for page in pages),
        own=" ".join((row.question, reply.queries.base, row.product, row.release)),
        doubt=max((call.doubt for call in traced.calls), default=0.0),
    )


def question_of(row: TurnRow, trace: TurnTraceRow | None) -> str:
    """The question of a kept turn, without its release."""
    queries = Trace.unpacked(trace.trace).queries if trace else None
    kept = Reply.model_validate(row.answer).queries
    return as_typed((queries and queries.subject) or kept.versionless or kept.base or row.question)
