"""Remembered answers as the memory writes them, and what a test asks of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select

from chatbot.memory.suspending import page_hash
from corpora.catalog.catalog import Catalog
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPageRow, MemoryPairRow
from corpora.database.tables import DocumentRow, GenerationRow, MemberRow, PageRow


def remember(database: Database, release: str, *words: str, product: str = "Beacon") -> int:
    """Remember an answer that cites for each of `words` the page of a release that holds it."""
    serving = Catalog(database).serving(product, release).generation
    with database.writing() as session:
        release_id = session.get_one(GenerationRow, serving).release_id
        pages = [
            session.execute(
                select(PageRow.id, PageRow.number, PageRow.text, DocumentRow.file)
                .join(DocumentRow, DocumentRow.id == PageRow.document_id)
                .join(MemberRow, MemberRow.document_id == DocumentRow.id)
                .where(MemberRow.generation_id == serving, PageRow.text.contains(of_page))
            ).one()
            for of_page in words
        ]
        pair = MemoryPairRow(
            release_id=release_id,
            cluster=1,
            store="high",
            question="How high is the mast?",
            asks="",
            vector=b"",
            embedding="model",
            answer={
                "text": "12 metres [1]",
                "value": "12 metres",
                "citations": [
                    {"file": p.file, "page": p.number, "page_id": p.id, "quote": of_page}
                    for p, of_page in zip(pages, words, strict=True)
                ],
            },
            links=[],
            score=0.9,
            origin="measured",
            faithfulness=0.9,
            relevancy=0.9,
            rated_by="",
            rated=None,
            suspended="",
            reused=0,
            last_used=None,
            created=datetime.now(UTC),
        )
        session.add(pair)
        session.flush()
        session.add_all(
            MemoryPageRow(
                pair_id=pair.id,
                ordinal=ordinal,
                file=p.file,
                page_hash=page_hash(p.text),
                page_id=p.id,
            )
            for ordinal, p in enumerate(pages)
        )
        return pair.id


def pair_of(database: Database, pair: int) -> MemoryPairRow:
    """Return the row of a pair as it is now."""
    with database.reading() as session:
        return session.get_one(MemoryPairRow, pair)


def suspended(database: Database, *pairs: int) -> list[str]:
    """Return why each pair is suspended; empty: it is used."""
    return [pair_of(database, pair).suspended for pair in pairs]


def cited(database: Database, pair: int) -> list[tuple[int, dict[str, Any]]]:
    """Return for each citation of a pair the id of its page, and the citation in its answer."""
    query = (
        select(MemoryPageRow.page_id)
        .where(MemoryPageRow.pair_id == pair)
        .order_by(MemoryPageRow.ordinal)
    )
    with database.reading() as session:
        ids = session.scalars(query).all()
    return list(zip(ids, pair_of(database, pair).answer["citations"], strict=True))
