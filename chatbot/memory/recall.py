"""What the memory knows of a question: an answer to reuse, or some near it (ComRAG 4.3)."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select

from chatbot.memory.pairs import BY_HAND, MemoryQuestion, Store, Thresholds, same_value
from chatbot.memory.pairs import Origin as ScoredBy
from chatbot.memory.questions import QuestionReader, asked_text, difference, difference_on
from chatbot.memory.scoring.statements import is_told
from chatbot.memory.stores.neighbours import NearPair, Neighbours
from chatbot.memory.stores.pair_rows import memory_question
from chatbot.retrieval.forms import read_value
from chatbot.retrieval.passages import Passage, best_passages
from chatbot.turn import Citation, Origin, Recollection, Record, Remembered, Turn
from corpora.catalog.catalog import find_release
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPageRow, MemoryPairRow

LOOKED_AT = 8
"""Pairs of each store that are looked at, at most."""
_OF_PAGE = 20
"""Pairs of one page that are looked at."""


@dataclass(frozen=True)
class Recall:
    """Looks for what was answered before in the release of a turn, and in no other."""

    database: Database
    search: Neighbours
    reader: QuestionReader
    thresholds: Thresholds
    references: int

    def recall(self, turn: Turn) -> Recollection:
        """What there is on the question of a turn that has its release and its queries.

        A high pair that asks the same in the same words is reused. Else high pairs with a cosine of
        at least τ are good examples; low ones that ask the same, or where there is no good one, bad
        ones.
        """
        product, release = turn.asked
        release_id = serving_release(self.database, product, release)
        if release_id is None:
            return Recollection()
        asked = self.reader.read(asked_text(turn), product)
        good: list[Remembered] = []
        differs = ""
        tau, delta = self.thresholds.tau, self.thresholds.delta
        for pair in self.search.nearest(release_id, Store.HIGH, asked, cosine=tau, limit=LOOKED_AT):
            reason = difference(asked.asks, pair.row.asks)
            if not reason and is_reusable(pair.row):
                return Recollection(reused=as_remembered(pair))
            if pair.similarity >= delta:
                differs = differs or reason
            if len(good) < self.references:
                good.append(as_remembered(pair))
        bad = self.rejected(release_id, asked, topic=not good)
        return Recollection(good=tuple(good), bad=bad, differs=differs)

    def of_passage(self, turn: Turn) -> Remembered | None:
        """A good answer whose passage answers this turn best, too (not in the paper: decision 12).

        None where people called an answer to the same question bad, or where one that was measured
        as bad has another value.
        """
        product, release = turn.asked
        release_id = serving_release(self.database, product, release)
        if not turn.ranked or release_id is None:
            return None
        passage = best_passages(turn.ranked)[0]
        pairs = self._of_page(release_id, passage.page.id)
        if not pairs:
            return None
        text = asked_text(turn)
        asked = self.reader.read(text, product)
        reading = read_value(text, turn.ranked)
        doubted: list[str] = []
        for row in pairs:
            pair = NearPair(row, float(asked.vector @ memory_question(row).vector))
            value = row.answer.get("value", "")
            quote = row.answer["citations"][0]["quote"]
            if (
                pair.similarity < self.thresholds.delta
                or (reading is not None and reading.sentence != value)
                or not any(r.quote in quote or quote in r.quote for r in passage.records)
                or difference_on(words_of(passage), text, row.question, product)
            ):
                continue
            if row.store == Store.HIGH:
                contested = any(not same_value(v, value) for v in doubted)
                return None if contested or not is_reusable(row) else as_remembered(pair)
            if row.origin != ScoredBy.MEASURED:
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

    def reusable(self, pair: Remembered) -> Remembered | None:
        """A pair that was found, as it answers now; None where it may not."""
        with self.database.reading() as session:
            row = session.get(MemoryPairRow, pair.id)
        if row is None or row.suspended or not is_reusable(row):
            return None
        return as_remembered(NearPair(row, pair.similarity))

    def rejected(
        self, release_id: int, asked: MemoryQuestion, *, topic: bool = False
    ) -> tuple[Remembered, ...]:
        """Low pairs that ask the same, with `topic` also others on its topic; the nearest first."""
        bad: list[Remembered] = []
        others = self.references if topic else 0
        least = self.thresholds.tau if topic else self.thresholds.delta
        for pair in self.search.nearest(
            release_id, Store.LOW, asked, cosine=least, limit=LOOKED_AT
        ):
            if not difference(asked.asks, pair.row.asks):
                bad.append(as_remembered(pair))
            elif others > 0 and pair.similarity < self.thresholds.delta:
                others -= 1
                bad.append(as_remembered(pair))
        return tuple(bad)


def serving_release(database: Database, product: str, release: str) -> int | None:
    """The id of a release by its names; None if it does not serve any more."""
    with database.reading() as session:
        row = find_release(session, product, release)
    if row is None or row.published_generation_id is None or row.retired:
        return None
    return row.id


def is_reusable(row: MemoryPairRow) -> bool:
    """Whether a pair answers in full sentences with citations, or a person wrote it."""
    told = is_told(row.answer.get("value", "")) and bool(row.answer.get("citations"))
    return row.origin in BY_HAND or told


def as_remembered(pair: NearPair) -> Remembered:
    """The pair as a turn keeps it; its citations stand where their pages are now."""
    row = pair.row
    citations = row.answer.get("citations", ())
    return Remembered(
        id=row.id,
        question=row.question,
        answer=row.answer["text"],
        value=row.answer.get("value", ""),
        # Those of earlier versions do not say where they come from.
        citations=tuple(
            Citation(**{**kept, "origin": Origin(kept.get("origin", Origin.DOCUMENTS))})
            for kept in citations
        ),
        score=row.score,
        origin=row.origin,
        rated_by=row.rated_by,
        rated=row.rated or row.created,
        similarity=pair.similarity,
    )


def same_passage(one: Sequence[Record], other: Sequence[Record]) -> Passage | None:
    """The passage that is best for both of two questions, by their records, the best first."""
    if not one or not other:
        return None
    mine, theirs = (best_passages(records)[0] for records in (one, other))
    shared = _has(mine, other[0]) and _has(theirs, one[0])
    return mine if shared else None


def _has(passage: Passage, record: Record) -> bool:
    return record.place in {other.place for other in passage.records}


def words_of(passage: Passage) -> str:
    """All that a passage says, with its headings."""
    readings = (f"{r.quote} {r.reading} {r.label}" for r in passage.records)
    return " ".join((passage.text, *readings, *passage.path))
