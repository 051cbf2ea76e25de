"""What the memory has on a question: an answer to reuse, good and bad ones near it (ComRAG 4.3)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from chatbot.memory.pairs import BY_HAND, MemoryQuestion, Origin, Store, Thresholds, same_value
from chatbot.memory.questions.question import ProductQuestions, QuestionReader, asked_text
from chatbot.memory.questions.same_passage import asks_for_another_part
from chatbot.memory.stores.nearest import NearPair
from chatbot.readers import read_value
from chatbot.turn import Citation, Recollection, Record, Remembered, Turn
from corpora.database import Database
from corpora.memory_tables import MemoryPageRow, MemoryPairRow
from corpora.tables import DocumentRow, PageRow, ProductRow, ReleaseRow

LOOKED_AT = 8
"""Pairs of each store that are looked at, at most."""
_OF_PAGE = 20
"""Pairs of one page that are looked at."""

# Made once: to put these together takes longer than to ask them.
_SERVING = (
    select(ReleaseRow.id)
    .join(ProductRow, ProductRow.id == ReleaseRow.product_id)
    .where(
        ProductRow.name == bindparam("product"),
        ReleaseRow.name == bindparam("release"),
        ReleaseRow.published_generation_id.is_not(None),
        ~ReleaseRow.retired,
    )
)
"""The id of a release that serves; none if it does not any more."""
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
        MemoryPairRow.release_id == _SERVING.scalar_subquery(),
        MemoryPairRow.suspended == "",
    )
    .order_by(*_BAD_FIRST)
    .limit(_OF_PAGE)
)
_READ_FROM = (
    select(
        MemoryPairRow.id,
        MemoryPairRow.release_id,
        MemoryPairRow.store,
        MemoryPairRow.origin,
        MemoryPairRow.question,
        MemoryPairRow.answer,
    )
    .where(MemoryPairRow.id.in_(_FIRST_OF_PAGE))
    .order_by(*_BAD_FIRST)
)
"""What tells whether one of the usable pairs that cite a page first or second is meant."""


class Found(Protocol):
    """What a search found."""

    def at_least(self, cosine: float) -> Iterator[NearPair]:
        """Yield the usable pairs that are so near, the nearest first."""


class Search(Protocol):
    """Finds the pairs nearest to a question."""

    def nearest(self, release_id: int, store: Store, question: MemoryQuestion) -> Found:
        """Search a store."""


@dataclass(frozen=True)
class Recall:
    """Looks for what was answered before in the release of a turn, and in no other.

    A high pair at least δ near that asks the same is reused. Else at most `references` high pairs
    that are at least τ near are good ones to go by; where there is none, low pairs as near are
    bad ones. A low pair that asks the same is a bad one in any case, lest its answer be given
    again.
    """

    database: Database
    search: Search
    reader: QuestionReader
    thresholds: Thresholds
    references: int

    def recall(self, turn: Turn) -> Recollection:
        """What there is on the question of a turn that has its release and its queries."""
        product, release = turn.asked
        with self.database.reading() as session:
            of_turn = {"product": product, "release": release}
            release_id = session.scalar(_SERVING, of_turn)
            if release_id is None:
                return Recollection()
        questions = self.reader.of(product)
        asked = questions.read(asked_text(turn))
        # Both at once, since most questions are in neither.
        with ThreadPoolExecutor(1) as pool:
            searching = pool.submit(self.search.nearest, release_id, Store.LOW, asked)
            high = self.search.nearest(release_id, Store.HIGH, asked)
            low = searching.result()
        good: list[Remembered] = []
        differs = ""
        for pair in islice(high.at_least(self.thresholds.tau), LOOKED_AT):
            if pair.similarity >= self.thresholds.delta:
                reason = questions.difference(asked.text, pair.row.question)
                if not reason and (found := self._reusable(pair, release_id, release)) is not None:
                    return Recollection(reused=found)
                differs = differs or reason
            elif len(good) >= self.references:
                break
            if len(good) < self.references:
                good.append(_remembered(pair))
        return Recollection(
            good=tuple(good),
            bad=tuple(self._bad(low, asked, questions, topic=not good)),
            differs=differs,
        )

    def rejected(
        self, release_id: int, asked: MemoryQuestion, product: str
    ) -> tuple[Remembered, ...]:
        """The answers to this very question that are bad ones."""
        low = self.search.nearest(release_id, Store.LOW, asked)
        return tuple(self._bad(low, asked, self.reader.of(product), topic=False))

    def from_passage(self, turn: Turn) -> Remembered | None:
        """A good answer that was read from the passage which answers this question best, too.

        The questions may hardly share a word: that the release's own pages answer both in one
        place says that they ask the same, as far as they name the same and no other part of it
        (`chatbot.memory.questions.same_passage`). Only for a turn whose context is selected.
        """
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
        reading = read_value(text, records)
        questions = self.reader.of(product)
        asked = questions.asking(text)
        doubted: list[str] = []
        for row, passage in borne:
            if reading and reading.value != row.answer.get("value"):
                continue
            if asks_for_another_part(asked, questions.asking(row.question), passage):
                continue
            if row.store == Store.LOW and row.origin == Origin.MEASURED:
                # Measures err: the same answer to other words of the question may be a good one.
                doubted.append(row.answer.get("value", ""))
                continue
            if row.store == Store.LOW or not all(
                same_value(value, row.answer.get("value", "")) for value in doubted
            ):
                return None
            vectors = questions.read_all([text, row.question])
            cosine = float(vectors[0].vector @ vectors[1].vector)
            with self.database.reading() as session:
                pair = session.get(MemoryPairRow, row.id)
            if pair is None or pair.store != Store.HIGH or pair.suspended:
                return None
            return self._reusable(NearPair(pair, cosine), row.release_id, release)
        return None

    def _bad(
        self,
        low: Found,
        asked: MemoryQuestion,
        questions: ProductQuestions,
        *,
        topic: bool,
    ) -> Iterator[Remembered]:
        """Low pairs that ask the same; with `topic` also others of the topic; the nearest first."""
        others = self.references if topic else 0
        least = self.thresholds.tau if topic else self.thresholds.delta
        for pair in islice(low.at_least(least), LOOKED_AT):
            if pair.similarity >= self.thresholds.delta:
                if not questions.difference(asked.text, pair.row.question):
                    yield _remembered(pair)
            elif others > 0:
                others -= 1
                yield _remembered(pair)
            else:
                break

    def _reusable(self, pair: NearPair, release_id: int, release: str) -> Remembered | None:
        """The pair with the citations where they stand now; None without support in the release."""
        kept = pair.row.answer.get("citations", [])
        with self.database.reading() as session:
            pages = _pages(session, pair.row.id, release_id)
        there = [page for page in pages if page is not None]
        if len(pages) != len(kept) or len(there) != len(kept):
            return None
        if not there and Origin(pair.row.origin) not in BY_HAND:
            return None
        citations = [_citation(c, page, release) for c, page in zip(kept, there, strict=True)]
        return _remembered(pair, citations)


@dataclass(frozen=True)
class _Place:
    """A page that a pair cites, as it stands now."""

    id: int
    number: int
    anchor: str | None
    blocks: str


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


def _pages(session: Session, pair: int, release_id: int) -> Sequence[_Place | None]:
    """The pages behind the citations of a pair, in order; None for one the release has not."""
    rows = session.execute(
        select(PageRow.id, PageRow.number, PageRow.anchor, PageRow.blocks)
        .select_from(MemoryPageRow)
        .outerjoin(PageRow, PageRow.id == MemoryPageRow.page_id)
        .outerjoin(DocumentRow, DocumentRow.id == PageRow.document_id)
        .where(
            MemoryPageRow.pair_id == pair,
            DocumentRow.release_id.is_(None) | (DocumentRow.release_id == release_id),
        )
        .order_by(MemoryPageRow.ordinal)
    )
    return [None if row.id is None else _Place(*row) for row in rows]


def _citation(kept: dict[str, Any], page: _Place, release: str) -> Citation:
    """A citation at the place that its page has now; the text is the same, an anchor may be not."""
    anchor = kept["anchor"]
    if anchor is not None and json.dumps(anchor, ensure_ascii=False) not in page.blocks:
        anchor = page.anchor
    return Citation(
        document=kept["document"],
        file=kept["file"],
        release=release,
        page=page.number,
        section=kept["section"],
        anchor=anchor,
        quote=kept["quote"],
        page_id=page.id,
    )


def _remembered(pair: NearPair, citations: Sequence[Citation] = ()) -> Remembered:
    row = pair.row
    return Remembered(
        id=row.id,
        question=row.question,
        answer=row.answer["text"],
        value=row.answer.get("value", ""),
        citations=tuple(citations),
        score=row.score,
        origin=row.origin,
        rated_by=row.rated_by,
        rated=row.rated or row.created,
        similarity=pair.similarity,
    )
