"""What the memory has on the passage that the documents give for a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, select

from chatbot.memory.pairs import Origin, Store, same_value
from chatbot.memory.questions import QuestionReader, asked_text, difference_on
from chatbot.memory.reusing import SERVING, as_reused
from chatbot.memory.stores.neighbours import NearPair
from chatbot.retrieval.forms import read_value
from chatbot.retrieval.passages import Passage, best_passages
from chatbot.turn import Record, Remembered, Turn
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPageRow, MemoryPairRow

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

    That the release's own pages answer both questions in one place, and that they are at least
    `delta` near, says that they ask the same, as far as they name the same and no other part of
    it (`chatbot.memory.questions.difference_on`). Not in the paper: docs/decisions/0012.
    """

    database: Database
    reader: QuestionReader
    delta: float

    def recall(self, turn: Turn) -> Remembered | None:
        """What there is on the best passage of a turn whose context is selected."""
        product, release = turn.asked
        records = best_records(turn)
        if not records:
            return None
        passage = best_passages(records)[0]
        of_page = {"product": product, "release": release, "page": passage.page.id}
        with self.database.reading() as session:
            pairs = session.execute(_READ_FROM, of_page).all()
        borne = [row for row in pairs if _cites_first(row.answer["citations"], passage)]
        if not borne:
            return None
        text = asked_text(turn)
        asked, *others = self.reader.read_all([text, *(row.question for row in borne)], product)
        near = {
            row.id: float(asked.vector @ other.vector)
            for row, other in zip(borne, others, strict=True)
        }
        reading = read_value(text, records)
        meant = [
            row
            for row in borne
            if near[row.id] >= self.delta
            and (reading is None or reading.sentence == row.answer.get("value", ""))
            and not difference_on(words_of(passage), text, row.question, product)
        ]
        row = _good(meant)
        if row is None:
            return None
        with self.database.reading() as session:
            pair = session.get(MemoryPairRow, row.id)
        if pair is None or pair.store != Store.HIGH or pair.suspended:
            return None
        return as_reused(self.database, NearPair(pair, near[row.id]), pair.release_id, release)


def _good(meant: Sequence[Any]) -> Any | None:
    """The first good one of pairs that ask the same, the bad ones first.

    None where people said of one that it is bad, or a good one has not the value of those that
    were measured as bad: measures err, and the same answer may be a good one to other words.
    """
    doubted: list[str] = []
    for row in meant:
        value = row.answer.get("value", "")
        if row.store == Store.HIGH:
            return None if any(not same_value(v, value) for v in doubted) else row
        if row.origin != Origin.MEASURED:
            return None
        doubted.append(value)
    return None


def best_records(turn: Turn) -> list[Record]:
    """The records that were selected for a turn, the best first."""
    return sorted((r for c in turn.selected for r in c.records), key=lambda r: -r.score)


def same_passage(one: Sequence[Record], other: Sequence[Record]) -> Passage | None:
    """The passage that is best for both of two questions, by their records; None where it is not.

    That is so where the best record of each stands in the best passage of the other.
    """
    if not one or not other:
        return None
    passages = [best_passages(records)[0] for records in (one, other)]
    both = zip(passages, (other[0], one[0]), strict=True)
    shared = all((r.page.id, r.start) in {(x.page.id, x.start) for x in p.records} for p, r in both)
    return passages[0] if shared else None


def words_of(passage: Passage) -> str:
    """All that a passage says, with its headings."""
    readings = (f"{r.quote} {r.reading} {r.label}" for r in passage.records)
    return " ".join((passage.text, *readings, *passage.path))


def _cites_first(citations: Sequence[dict[str, Any]], passage: Passage) -> bool:
    """Whether the first citation of an answer, which bears it, stands in a passage."""
    return any(
        c["page_id"] == passage.page.id
        and any(r.quote in c["quote"] or c["quote"] in r.quote for r in passage.records)
        for c in citations[:1]
    )
