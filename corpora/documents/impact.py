"""What deleting documents, a release or a product takes along, counted before it is done."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Select, func, select, true
from sqlalchemy.orm import Session, aliased

from corpora.catalog.catalog import releases_of, require_product, require_release
from corpora.database.engine import Database
from corpora.database.history_tables import TurnCitationRow, TurnRow
from corpora.database.tables import (
    DocumentRow,
    GenerationRow,
    GlossaryRow,
    MemberRow,
    PageRow,
    ProductRow,
    ReleaseRow,
)


@dataclass(frozen=True, slots=True)
class Impact:
    """How much a deletion affects.

    `documents` and `pages` are answered from now, and `answers` in so many `conversations` cite
    them. `generations` hold some of the documents. `shared_with` are releases, as "product
    release", that keep a file of the same content. `terms` stand in a glossary that goes too.
    """

    releases: tuple[str, ...]
    documents: int
    pages: int
    generations: int
    answers: int
    conversations: int
    shared_with: tuple[str, ...]
    terms: int


def impact_of_deleting(
    database: Database, product: str, release: str = "", files: Sequence[str] | None = None
) -> Impact:
    """Count what deleting a product affects, or a release of it, or some files of that.

    Raises UnknownRelease if there is none.
    """
    with database.reading() as session:
        owner = require_product(session, product)
        releases = [require_release(session, product, release)] if release else releases_of(owner)
        names, ids = [row.name for row in releases], [row.id for row in releases]
        serving = [row.published_generation_id for row in releases]
        wanted = true() if files is None else DocumentRow.file.in_(files)
        cited = true() if files is None else TurnCitationRow.file.in_(files)
        documents = (
            select(DocumentRow.id)
            .join(MemberRow, MemberRow.document_id == DocumentRow.id)
            .where(MemberRow.generation_id.in_(serving), wanted)
        )
        generations = (
            select(MemberRow.generation_id)
            .distinct()
            .join(DocumentRow, DocumentRow.id == MemberRow.document_id)
            .join(GenerationRow, GenerationRow.id == MemberRow.generation_id)
            .where(GenerationRow.release_id.in_(ids), GenerationRow.published.is_not(None), wanted)
        )
        answers = (
            select(TurnRow.id)
            .distinct()
            .join(TurnCitationRow, TurnCitationRow.turn_id == TurnRow.id)
            .where(TurnRow.product == owner.name, TurnRow.superseded.is_(False))
            .where(TurnCitationRow.release.in_(names), cited)
        )
        terms = select(GlossaryRow.id).where(GlossaryRow.product_id == owner.id)
        return Impact(
            releases=tuple(names),
            documents=_count(session, documents),
            pages=_count(session, select(PageRow.id).where(PageRow.document_id.in_(documents))),
            generations=_count(session, generations),
            answers=_count(session, answers),
            conversations=_count(session, answers.with_only_columns(TurnRow.conversation_id)),
            shared_with=_shared_with(session, documents, ids),
            terms=0 if release else _count(session, terms),
        )


def _count(session: Session, rows: Select[int]) -> int:
    return session.scalar(select(func.count()).select_from(rows.subquery())) or 0


def _shared_with(session: Session, documents: Select[int], but: Sequence[int]) -> tuple[str, ...]:
    """Other releases that answer from a file of the same content as one of `documents`."""
    other = aliased(DocumentRow)
    contents = select(DocumentRow.content_hash).where(DocumentRow.id.in_(documents))
    rows = session.execute(
        select(ProductRow.name, ReleaseRow.name)
        .join(ReleaseRow, ReleaseRow.product_id == ProductRow.id)
        .join(MemberRow, MemberRow.generation_id == ReleaseRow.published_generation_id)
        .join(other, (other.id == MemberRow.document_id) & (other.release_id == ReleaseRow.id))
        .where(ReleaseRow.id.not_in(but), other.content_hash.in_(contents))
        .distinct()
        .order_by(ProductRow.name, ReleaseRow.name)
    )
    return tuple(f"{product} {release}" for product, release in rows)
