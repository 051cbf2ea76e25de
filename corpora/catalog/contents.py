"""What a generation holds, counted and compared."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import func, select

from corpora.database.engine import Database
from corpora.database.tables import GenerationRow, MemberRow, PageRow, ReleaseRow, SearchChunkRow


@dataclass(frozen=True, slots=True)
class Contents:
    """Generations of equal contents answer alike: the same documents, sources and model."""

    model_id: int
    members: frozenset[tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Size:
    """How many documents, pages and search chunks there are."""

    documents: int
    pages: int
    chunks: int


def contents_of(database: Database, generation_id: int) -> Contents:
    """Return what a generation holds."""
    with database.reading() as session:
        model_id = session.get_one(GenerationRow, generation_id).model_id
        rows = session.execute(
            select(MemberRow.document_id, MemberRow.source).where(
                MemberRow.generation_id == generation_id
            )
        )
        return Contents(model_id, frozenset((document_id, source) for document_id, source in rows))


def size_of(database: Database, generation_id: int | None) -> Size:
    """Count what a generation holds, which is nothing if there is none."""
    documents = select(MemberRow.document_id).where(MemberRow.generation_id == generation_id)
    pages = select(PageRow.id).where(PageRow.document_id.in_(documents))
    chunks = select(SearchChunkRow.id).where(SearchChunkRow.page_id.in_(pages))
    with database.reading() as session:
        return Size(
            *(
                session.scalar(select(func.count()).select_from(rows.subquery())) or 0
                for rows in (documents, pages, chunks)
            )
        )


def serving_beside(database: Database, generation_id: int) -> int | None:
    """Return the generation that serves the release of this one now."""
    with database.reading() as session:
        return session.scalar(
            select(ReleaseRow.published_generation_id)
            .join(GenerationRow, GenerationRow.release_id == ReleaseRow.id)
            .where(GenerationRow.id == generation_id)
        )
