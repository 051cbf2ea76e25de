"""What the memory has on the passage that the documents give for a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, select

from chatbot.answering.forms import read_value
from chatbot.memory.pairs import Origin, Store, same_value
from chatbot.memory.questions.question import ProductQuestions, QuestionReader, asked_text
from chatbot.memory.questions.same_passage import asks_for_another_part
from chatbot.memory.reusing import SERVING, as_reused
from chatbot.memory.stores.nearest import NearPair
from chatbot.turn import Record, Remembered, Turn
from corpora.database import Database
from corpora.memory_tables import MemoryPageRow, MemoryPairRow

_OF_PAGE = 20
"""Pairs of one page that are looked at."""

_BAD_FIRST = (MemoryPairRow.store.desc(), MemoryPairRow.score.desc(), MemoryPairRow.id)
# Hundreds may cite a page: which ones are read is found in indexes, without their wide rows.
_FIRST_OF_PAGE = (
    select(MemoryPairRow.id)
    .where(
        MemoryPairRow.id.in_(
            select(MemoryPageRow.pair_id).where(
                MemoryPageRow.page_id == bindparam("page"), MemoryPageRow.ordinal < 2
            )
        ),
        MemoryPairRow.release_id == SERVING.scalar_subquery(),
        MemoryPairRow.suspended == "",
    )
    .order_by(*_BAD_FIRST)
    .limit(_OF_PAGE)
)
_READ_FROM = (
    select(
        MemoryPairRow.id,
        MemoryPairRow.store,
        MemoryPairRow.origin,
        MemoryPairRow.question,
        MemoryPairRow.answer,
    )
    .where(MemoryPairRow.id.in_(_FIRST_OF_PAGE))
    .order_by(*_BAD_FIRST)
)
"""What tells whether one of the usable pairs that cite a page first or second is meant."""


@dataclass(frozen=True)
class PassageRecall:
    """Looks for a good answer read from the passage that answers the question of a turn best, too.

    The questions may hardly share a word: that the release's own pages answer both in one place
    says that they ask the same, as far as they name the same and no other part of it
    (`chatbot.memory.questions.same_passage`). Not in the paper: docs/decisions/0012.
    """

    database: Database
    reader: QuestionReader

    def recall(self, turn: Turn) -> Remembered | None:
        """What there is on the best passage of a turn whose context is selected."""
        product, release = turn.asked
        records = sorted((r for c in turn.selected for r in c.records), key=lambda r: -r.score)
        if not records:
            return None
        of_page = {"product": product, "release": release, "page": records[0].page.id}
        with self.database.reading() as session:
            pairs = session.execute(_READ_FROM, of_page).all()
        borne = [
            (row, passage)
            for row in pairs
            if (passage := _common_passage(row.answer["citations"], records)) is not None
        ]
        if not borne:
            return None
        text = asked_text(turn)
        questions = self.reader.of(product)
        row = _meant(questions, text, records, borne)
        if row is None:
            return None
        with self.database.reading() as session:
            pair = session.get(MemoryPairRow, row.id)
        if pair is None or pair.store != Store.HIGH or pair.suspended:
            return None
        asked, answered = (question.vector for question in questions.read_all([text, row.question]))
        return as_reused(
            self.database, NearPair(pair, float(asked @ answered)), pair.release_id, release
        )


def _meant(
    questions: ProductQuestions,
    text: str,
    records: Sequence[Record],
    borne: Sequence[tuple[Any, Record]],
) -> Any | None:
    """The first of the pairs, each with its passage, that asks for the same part of it.

    None where it is a bad one, or has the value of one that was measured as bad.
    """
    reading = read_value(text, records)
    asked = questions.asking(text)
    doubted: list[str] = []
    for row, passage in borne:
        value = row.answer.get("value", "")
        if reading and reading.sentence != value:
            continue
        if asks_for_another_part(asked, questions.asking(row.question), passage):
            continue
        if row.store == Store.HIGH:
            return None if any(not same_value(v, value) for v in doubted) else row
        if row.origin != Origin.MEASURED:
            return None
        # Measures err: the same answer to other words of the question may be a good one.
        doubted.append(value)
    return None


def _common_passage(
    citations: Sequence[dict[str, Any]], records: Sequence[Record]
) -> Record | None:
    """The passage that bears an earlier answer, if it is one of the best here, and the other way.

    An answer cites first what bears it, then what was best for its question.
    """

    def cited(record: Record, among: Sequence[dict[str, Any]]) -> bool:
        # A long passage is cited by its beginning.
        return any(
            c["page_id"] == record.page.id and record.quote.startswith(c["quote"]) for c in among
        )

    if not cited(records[0], citations[:2]):
        return None
    return next((r for r in records[:3] if cited(r, citations[:1])), None)
