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
        """What there is on the best passage of a turn whose context is selected.

        None where people called an answer to the same question bad, or where one that was measured
        as bad has another value.
        """
        product, release = turn.asked
        records = evidence_of(turn)
        release_id = serving_release(self.database, product, release)
        if not records or release_id is None:
            return None
        passage = best_passages(records)[0]
        pairs = self._of_page(release_id, passage.page.id)
        if not pairs:
            return None
        text = asked_text(turn)
        asked = self.reader.read(text, product)
        reading = read_value(text, records)
        doubted: list[str] = []
        for row in pairs:
            pair = NearPair(row, float(asked.vector @ memory_question(row).vector))
            value = row.answer.get("value", "")
            if (
                pair.similarity < self.delta
                or (reading is not None and reading.sentence != value)
                or not _stands_in(row.answer["citations"][0], passage)
                or difference_on(words_of(passage), text, row.question, product)
            ):
                continue
            if row.store == Store.HIGH:
                contested = any(not same_value(v, value) for v in doubted)
                return None if contested or not is_reusable(row) else as_remembered(pair)
            if row.origin != Origin.MEASURED:
                return None
            # Measures err, and the same answer may be good for a question in other words.
            doubted.append(value)
        return None

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
                    MemoryPairRow.embedding == self.reader.embedding,
                    MemoryPairRow.suspended == "",
                )
                .order_by(MemoryPairRow.store.desc(), MemoryPairRow.score.desc(), MemoryPairRow.id)
                .limit(_OF_PAGE)
            ).all()


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
