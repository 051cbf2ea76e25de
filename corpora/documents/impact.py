"""What deleting documents, a release or a product takes along, counted before it is done."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Select, and_, func, select, true
from sqlalchemy.orm import Session, aliased

from corpora.catalog.catalog import releases_of, require_product, require_release
from corpora.catalog.memory_review import MemoryReview, foresee
from corpora.database.engine import Database
from corpora.database.history_tables import TurnCitationRow, TurnRow
from corpora.database.memory_tables import MemoryPageRow, MemoryPairRow
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

    `documents` and `pages` are answered from now and would not be any more. `answers` in so many
    `conversations` cite them; they stay, and their citations can no longer be opened once the last
    generation is gone that holds the documents. `generations` hold some of the documents now.
    `shared_with` are releases, as "product release", that hold a file of the same content and keep
    it. `remembered` answers are suspended with documents, and deleted with a release. `terms` stand
    in a glossary that goes too.
    """

    releases: tuple[str, ...]
    documents: int
    pages: int
    generations: int
    answers: int
    conversations: int
    shared_with: tuple[str, ...]
    remembered: int
    terms: int = 0


def impact_of_documents(
    database: Database, product: str, release: str, files: Sequence[str]
) -> Impact:
    """Count what removing documents from a release affects; raise UnknownRelease if none."""
    with database.reading() as session:
        row = require_release(session, product, release)
        return _impact(session, row.product, [row], files)


def impact_of_release(database: Database, product: str, release: str) -> Impact:
    """Count what deleting a release affects; raise UnknownRelease if there is none."""
    with database.reading() as session:
        row = require_release(session, product, release)
        return _impact(session, row.product, [row])


def impact_of_product(database: Database, product: str) -> Impact:
    """Count what deleting a product affects; raise UnknownRelease if there is none."""
    with database.reading() as session:
        owner = require_product(session, product)
        terms = select(func.count()).where(GlossaryRow.product_id == owner.id)
        rows = releases_of(owner)
        return _impact(session, owner, rows, terms=session.scalar(terms) or 0)


def impact_of_serving(
    database: Database, product: str, release: str, generation: int
) -> MemoryReview:
    """Count what becomes of remembered answers if another generation of a release serves."""
    with database.reading() as session:
        return foresee(session, require_release(session, product, release).id, generation)


def _impact(
    session: Session,
    owner: ProductRow,
    releases: Sequence[ReleaseRow],
    files: Sequence[str] | None = None,
    terms: int = 0,
) -> Impact:
    wanted = true() if files is None else DocumentRow.file.in_(files)
    ids = [release.id for release in releases]
    serving = [release.published_generation_id for release in releases]
    documents = (
        select(DocumentRow.id)
        .join(MemberRow, MemberRow.document_id == DocumentRow.id)
        .where(MemberRow.generation_id.in_(serving), wanted)
    )
    generations = (
        select(func.count(MemberRow.generation_id.distinct()))
        .join(DocumentRow, DocumentRow.id == MemberRow.document_id)
        .join(GenerationRow, GenerationRow.id == MemberRow.generation_id)
        .where(GenerationRow.release_id.in_(ids), GenerationRow.published.is_not(None), wanted)
    )
    cited = and_(
        TurnRow.product == owner.name,
        TurnRow.superseded.is_(False),
        TurnCitationRow.release.in_([release.name for release in releases]),
        true() if files is None else TurnCitationRow.file.in_(files),
    )
    answers, conversations = session.execute(
        select(func.count(TurnRow.id.distinct()), func.count(TurnRow.conversation_id.distinct()))
        .join(TurnCitationRow, TurnCitationRow.turn_id == TurnRow.id)
        .where(cited)
    ).one()
    return Impact(
        tuple(release.name for release in releases),
        _count(session, documents),
        _count(session, select(PageRow.id).where(PageRow.document_id.in_(documents))),
        session.scalar(generations) or 0,
        answers,
        conversations,
        _shared_with(session, documents, ids),
        _remembered(session, ids, files),
        terms,
    )


def _count(session: Session, rows: Select[int]) -> int:
    return session.scalar(select(func.count()).select_from(rows.subquery())) or 0


def _remembered(session: Session, releases: Sequence[int], files: Sequence[str] | None) -> int:
    """Count the remembered answers of releases; with `files` those in use that cite one of them."""
    pairs = select(MemoryPairRow.id).where(MemoryPairRow.release_id.in_(releases))
    if files is not None:
        citing = select(MemoryPageRow.pair_id).where(MemoryPageRow.file.in_(files))
        pairs = pairs.where(MemoryPairRow.suspended == "", MemoryPairRow.id.in_(citing))
    return _count(session, pairs)


def _shared_with(session: Session, documents: Select[int], but: Sequence[int]) -> tuple[str, ...]:
    """Other releases that answer from a file of the same content as one of `documents`."""
    other = aliased(DocumentRow)
    rows = session.execute(
        select(ProductRow.name, ReleaseRow.name)
        .join(ReleaseRow, ReleaseRow.product_id == ProductRow.id)
        .join(other, other.release_id == ReleaseRow.id)
        .join(
            MemberRow,
            and_(
                MemberRow.document_id == other.id,
                MemberRow.generation_id == ReleaseRow.published_generation_id,
            ),
        )
        .where(
            ReleaseRow.id.not_in(but),
            other.content_hash.in_(
                select(DocumentRow.content_hash).where(DocumentRow.id.in_(documents))
            ),
        )
        .distinct()
        .order_by(ProductRow.name, ReleaseRow.name)
    )
    return tuple(f"{product} {release}" for product, release in rows)
