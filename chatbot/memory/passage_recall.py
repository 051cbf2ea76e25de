"""What the memory knows of the passage that was retrieved for a question."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from chatbot.memory.pairs import Origin, Store, same_value
from chatbot.memory.questions import QuestionReader, asked_text, difference_on
from chatbot.memory.recall import as_remembered, is_reusable, serving_release
from chatbot.memory.scoring.measuring import evidence_of
from chatbot.memory.stores.neighbours import NearPair
from chatbot.memory.stores.pair_rows import memory_question
from chatbot.retrieval.forms import read_value
from chatbot.retrieval.passages import Passage, best_passages
from chatbot.turn import Record, Remembered, Turn
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPageRow, MemoryPairRow

_OF_PAGE = 20
"""Pairs of one page that are looked at."""


@dataclass(frozen=True)
class PassageRecall:
    """Looks for a good answer that was read from the passage that answers a turn best, too.

    Two questions ask the same if one passage of the release answers both best, their cosine is at
    least `delta`, and they differ in nothing that the passage speaks of
    (`chatbot.memory.questions.difference_on`). Not in the paper: docs/decisions/0012.
    """

    database: Database
    reader: QuestionReader
    delta: float

    def recall(self, turn: Turn) -> Remembered | None:
        """What there is on the best passage of a turn whose context is selected."""
        product, release = turn.asked
        records = evidence_of(turn)
        release_id = serving_release(self.database, product, release)
        if not records or release_id is None:
            return None
        passage = best_passages(records)[0]
        pairs = self._of_page(release_id, passage.page.id)
        borne = [row for row in pairs if _stands_in(row.answer["citations"][0], passage)]
        if not borne:
            return None
        text = asked_text(turn)
        asked = self.reader.read(text, product)
        reading = read_value(text, records)
        near = [
            NearPair(row, float(asked.vector @ memory_question(row).vector))
            for row in borne
            if row.embedding == asked.embedding
            and (reading is None or reading.sentence == row.answer.get("value", ""))
        ]
        meant = [
            pair
            for pair in near
            if pair.similarity >= self.delta
            and not difference_on(words_of(passage), text, pair.row.question, product)
        ]
        good = _good(meant)
        return as_remembered(good) if good and is_reusable(good.row) else None

    def _of_page(self, release_id: int, page_id: int) -> Sequence[MemoryPairRow]:
        """The usable pairs whose answer is borne by a page, the bad ones first."""
        with self.database.reading() as session:
            return session.scalars(
                select(MemoryPairRow)
                .join(MemoryPageRow, MemoryPageRow.pair_id == MemoryPairRow.id)
                .where(
                    MemoryPageRow.page_id == page_id,
                    MemoryPageRow.ordinal == 0,
                    MemoryPairRow.release_id == release_id,
                    MemoryPairRow.suspended == "",
                )
                .order_by(MemoryPairRow.store.desc(), MemoryPairRow.score.desc(), MemoryPairRow.id)
                .limit(_OF_PAGE)
            ).all()


def _good(meant: Sequence[NearPair]) -> NearPair | None:
    """The first good one of pairs that ask the same, the bad ones first.

    None where people called one bad, or where the good one has another value than those that were
    measured as bad: measures err, and the same answer may be good for a question in other words.
    """
    doubted: list[str] = []
    for pair in meant:
        value = pair.row.answer.get("value", "")
        if pair.row.store == Store.HIGH:
            return None if any(not same_value(v, value) for v in doubted) else pair
        if pair.row.origin != Origin.MEASURED:
            return None
        doubted.append(value)
    return None


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


def _stands_in(citation: dict[str, Any], passage: Passage) -> bool:
    """Whether a citation stands in a passage of its page."""
    return any(
        r.quote in citation["quote"] or citation["quote"] in r.quote for r in passage.records
    )
