"""What may be reused: of a release that serves, with its citations where they stand now."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from chatbot.memory.pairs import BY_HAND, Origin
from chatbot.memory.scoring.own_words import is_told
from chatbot.memory.stores.neighbours import NearPair
from chatbot.turn import Citation, Remembered
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPageRow
from corpora.database.tables import DocumentRow, PageRow, ProductRow, ReleaseRow

# Made once, like all that every question asks of SQL: to put it together takes longer than to ask.
SERVING = (
    select(ReleaseRow.id)
    .join(ProductRow, ProductRow.id == ReleaseRow.product_id)
    .where(
        ProductRow.name == bindparam("product"),
        ReleaseRow.name == bindparam("release"),
        ReleaseRow.published_generation_id.is_not(None),
        ~ReleaseRow.retired,
    )
)
"""The id of the `release` of a `product` by their names; none if it does not serve any more."""


def as_reused(
    database: Database, pair: NearPair, release_id: int, release: str
) -> Remembered | None:
    """The pair with the citations where they stand now; None without support in the release.

    None, too, for a bare value, as earlier versions kept them: it is no answer.
    """
    kept = pair.row.answer.get("citations", [])
    by_hand = Origin(pair.row.origin) in BY_HAND
    if not by_hand and not is_told(pair.row.answer.get("value", "")):
        return None
    with database.reading() as session:
        pages = _pages(session, pair.row.id, release_id)
    there = [page for page in pages if page is not None]
    if len(pages) != len(kept) or len(there) != len(kept):
        return None
    if not there and not by_hand:
        return None
    citations = [_citation(c, page, release) for c, page in zip(kept, there, strict=True)]
    return as_remembered(pair, citations)


def as_remembered(pair: NearPair, citations: Sequence[Citation] = ()) -> Remembered:
    """The pair as a turn keeps it."""
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


@dataclass(frozen=True)
class _Place:
    """A page that a pair cites, as it stands now."""

    id: int
    number: int
    anchor: str | None
    blocks: str


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
