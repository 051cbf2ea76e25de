"""Which answered turns may become pairs of the memory, and what their answers rest on."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from chatbot.memory.pairs import CitedPage
from chatbot.memory.questions import asked_text
from chatbot.memory.scoring.own_words import is_told
from chatbot.reply import Reply, Trace
from chatbot.turn import Answer, Route, Turn
from corpora.catalog.memory_review import page_hash
from corpora.database.history_tables import TurnRow, TurnTraceRow
from corpora.database.tables import DocumentRow, PageRow, ProductRow, ReleaseRow

_log = logging.getLogger(__name__)

LONGEST_QUESTION = 400
"""Characters; what is longer is a text that nobody asks twice."""
_ANSWERED = (Route.DOCUMENTS, Route.REFERENCE)


@dataclass(frozen=True)
class Candidate:
    """An answered turn that may become a pair; `question` is what it asks without its release."""

    turn: int
    product: str
    release: str
    question: str
    answer: Answer


def answer_object(answer: Answer) -> dict[str, Any]:
    """An answer as a pair keeps it."""
    citations = [asdict(citation) for citation in answer.citations]
    return {"text": answer.text, "value": answer.value, "citations": citations}


def candidate_of(turn: Turn, kept_as: int) -> Candidate | None:
    """What there is to remember of a turn: an answer of one release that rests on its pages."""
    if turn.answer is None or turn.resolution is None or len(turn.resolution.releases) != 1:
        return None
    # What is led by "not in 5.1" is no answer to a question of the release that it is from.
    if turn.route not in _ANSWERED or turn.sides or turn.found_in:
        return None
    candidate = Candidate(kept_as, *turn.asked, asked_text(turn), turn.answer)
    return candidate if _is_worth_it(candidate) else None


def kept_candidate(row: TurnRow, trace: TurnTraceRow | None) -> Candidate | None:
    """The same of a turn that was kept with its trace."""
    reply = Reply.model_validate(row.answer)
    if trace is None or reply.route not in _ANSWERED or not row.product or not row.release:
        return None
    told, asked = Trace.unpacked(trace.trace), question_of(row, trace)
    if not asked or not told.value or reply.found_in:
        return None
    answer = Answer(
        reply.answer,
        reply.abstained,
        reply.citations,
        told.value,
        reply.warnings,
        told.unwritten,
    )
    candidate = Candidate(row.id, row.product, row.release, asked, answer)
    return candidate if _is_worth_it(candidate) else None


def question_of(row: TurnRow, trace: TurnTraceRow | None) -> str:
    """What a kept turn asked, without its release; as it was typed where nothing else is known."""
    queries = Trace.unpacked(trace.trace).queries if trace else None
    kept = Reply.model_validate(row.answer).queries
    return (queries and queries.subject) or kept.versionless or kept.base or row.question


def _is_worth_it(candidate: Candidate) -> bool:
    """Whether somebody was told something in full sentences, all of it borne by passages."""
    answer = candidate.answer
    return (
        len(candidate.question) <= LONGEST_QUESTION
        and not (answer.abstained or answer.unwritten or answer.warnings)
        and bool(answer.citations)
        and is_told(answer.value)
    )


def pages_cited(session: Session, answer: Answer) -> tuple[str, ...]:
    """The texts of the pages that an answer cites, as far as they are there."""
    cited = {citation.page_id for citation in answer.citations}
    return tuple(session.scalars(select(PageRow.text).where(PageRow.id.in_(cited))))


def supported(
    session: Session, candidate: Candidate
) -> tuple[int, int, tuple[CitedPage, ...]] | None:
    """The release, what serves it, and the cited pages; None where these are not its own."""
    serving = session.execute(
        select(ReleaseRow.id, ReleaseRow.published_generation_id)
        .join(ProductRow, ProductRow.id == ReleaseRow.product_id)
        .where(ProductRow.name == candidate.product, ReleaseRow.name == candidate.release)
    ).one_or_none()
    if serving is None or serving.published_generation_id is None:
        return None
    cited = candidate.answer.citations
    rows = session.execute(
        select(PageRow.id, PageRow.text, DocumentRow.file)
        .join(DocumentRow, DocumentRow.id == PageRow.document_id)
        .where(
            PageRow.id.in_({citation.page_id for citation in cited}),
            DocumentRow.release_id == serving.id,
        )
    )
    there = {row.id: row for row in rows}
    pages = []
    for citation in cited:
        page = there.get(citation.page_id)
        if page is None or page.file != citation.file or citation.quote not in page.text:
            _log.warning(
                "the answer of turn %d is not remembered: its citation of %s does not stand there",
                candidate.turn,
                citation.file,
            )
            return None
        pages.append(CitedPage(page.file, page_hash(page.text), page.id))
    return serving.id, serving.published_generation_id, tuple(pages)
