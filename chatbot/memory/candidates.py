"""Which answered turns may become pairs of the memory, and what their answers rest on."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from chatbot.memory.questions import as_typed
from chatbot.memory.scoring.own_words import is_told
from chatbot.reply import Reply, Trace
from chatbot.turn import Answer, Route
from corpora.catalog.catalog import find_release
from corpora.catalog.memory_review import CitedPage, page_hash
from corpora.database.history_tables import TurnRow, TurnTraceRow
from corpora.database.tables import DocumentRow, PageRow

_log = logging.getLogger(__name__)

LONGEST_QUESTION = 400
"""Characters; what is longer is a text that nobody asks twice."""
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


def answer_object(answer: Answer) -> dict[str, Any]:
    """An answer as a pair keeps it."""
    citations = [asdict(citation) for citation in answer.citations]
    return {"text": answer.text, "value": answer.value, "citations": citations}


def candidate_of(session: Session, turn: int) -> Candidate | None:
    """What there is to remember of a kept turn: an answer of one release that cites its pages.

    None where a citation does not stand in a page of the release. Nor is what is led by "not in
    5.1" an answer to a question of the release that it is from.
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
    """What a kept turn asked, without its release; as it was typed where nothing else is known."""
    queries = Trace.unpacked(trace.trace).queries if trace else None
    kept = Reply.model_validate(row.answer).queries
    return as_typed((queries and queries.subject) or kept.versionless or kept.base or row.question)


def _is_worth_it(question: str, answer: Answer) -> bool:
    """Whether somebody was told something in full sentences, all of it borne by passages."""
    return (
        0 < len(question) <= LONGEST_QUESTION
        and not (answer.abstained or answer.unwritten or answer.warnings)
        and bool(answer.citations)
        and is_told(answer.value)
    )
