"""Remembered answers that cite pages, and what a test asks of them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from chatbot.memory.suspending import CitedPage, page_hash
from corpora.catalog.catalog import Catalog
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPairRow
from corpora.database.tables import DocumentRow, GenerationRow, MemberRow, PageRow
from tests.chatbot.made_memory import made_pair, unit


def page_with(
    database: Database, words: str, release: str = "17.10", product: str = "Beacon"
) -> CitedPage:
    """The page that holds these words in what serves a release now."""
    serving = Catalog(database).serving(product, release).generation
    query = (
        select(PageRow, DocumentRow.file)
        .join(DocumentRow, DocumentRow.id == PageRow.document_id)
        .join(MemberRow, MemberRow.document_id == DocumentRow.id)
        .where(MemberRow.generation_id == serving, PageRow.text.contains(words))
    )
    with database.reading() as session:
        page, file = session.execute(query).one()
        return CitedPage(file, page_hash(page.text), page.id, page.number)


def remember(database: Database, release: str, *words: str, product: str = "Beacon") -> int:
    """Remember an answer that cites for each of `words` the page of a release that holds it."""
    pages = [page_with(database, of_page, release, product) for of_page in words]
    serving = Catalog(database).serving(product, release).generation
    with database.writing() as session:
        of = {"release_id": session.get_one(GenerationRow, serving).release_id, "store": "high"}
        pair = made_pair(unit(1, 0), 0.9, pages=pages, quotes=words, **of, cluster=1)
        session.add(pair)
        session.flush()
        return pair.id


def pair_of(database: Database, pair: int) -> MemoryPairRow:
    """Return the row of a pair as it is now, with its pages."""
    with database.reading() as session:
        row = session.get_one(MemoryPairRow, pair)
        assert row.pages is not None
        return row


def suspended(database: Database, *pairs: int) -> list[str]:
    """Return why each pair is suspended; empty: it is used."""
    return [pair_of(database, pair).suspended for pair in pairs]


def cited(database: Database, pair: int) -> list[tuple[int, dict[str, Any]]]:
    """Return for each citation of a pair the id of its page, and the citation in its answer."""
    row = pair_of(database, pair)
    ids = [page.page_id for page in row.pages]
    return list(zip(ids, row.answer["citations"], strict=True))
