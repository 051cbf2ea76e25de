"""Releases and products are deleted with all that hangs on them."""

from collections.abc import Callable
from pathlib import Path

from sqlalchemy import delete, select

from corpora.catalog.catalog import find_product, find_release, releases_of
from corpora.catalog.rights import Rights
from corpora.database.engine import Database, delete_in_portions
from corpora.database.question_tables import ProposalRow
from corpora.database.source_tables import SourceRow
from corpora.database.tables import (
    DocumentRow,
    GenerationRow,
    MemberRow,
    PageRow,
    ProductRow,
    ReleaseRow,
)
from corpora.generations import generations
from corpora.generations.progress import Progress, Stage


def delete_release(
    database: Database,
    data_dir: Path,
    product: str,
    release: str,
    report: Callable[[Progress], None] = lambda progress: None,
) -> int:
    """Delete a release with all that hangs on it; return how many pages went.

    It can be called again after a crash. Raises BeingBuilt while somebody ingests into it.
    """
    with database.writing() as session:
        row = find_release(session, product, release)
        if row is None:
            return 0
        owner = row.product
        generations.take_over(session, row.id, row.name)
        if owner.latest in (row.name, *row.aliases):
            owner.latest = None
        row.published_generation_id = None
        row.retired = True
        release_id, name, owned_by = row.id, row.name, owner.name
        database.on_change(session, release_id)

    def tell(done: int, total: int) -> None:
        report(Progress(Stage.DELETING, done, total, name))

    # From the leaves up: what would go along with its owner makes one long transaction.
    documents = select(DocumentRow.id).where(DocumentRow.release_id == release_id)
    built = select(GenerationRow.id).where(GenerationRow.release_id == release_id)
    pages = delete_in_portions(
        database, PageRow.id, PageRow.document_id.in_(documents), on_progress=tell
    )
    delete_in_portions(database, MemberRow.document_id, MemberRow.generation_id.in_(built))
    delete_in_portions(database, DocumentRow.id, DocumentRow.release_id == release_id)
    delete_in_portions(database, GenerationRow.id, GenerationRow.release_id == release_id)
    database.on_delete(database, release_id)
    generations.prune_unused(database)
    with database.writing() as session:
        of_product = ProposalRow.product == owned_by
        rows = session.execute(select(ProposalRow.id, ProposalRow.release).where(of_product))
        # A comparison is about several releases.
        asked = [row.id for row in rows if name in row.release.split(", ")]
        session.execute(delete(ProposalRow).where(ProposalRow.id.in_(asked)))
        session.execute(delete(ReleaseRow).where(ReleaseRow.id == release_id))
    generations.sweep_folders(database, data_dir)
    return pages


def delete_product(
    database: Database,
    data_dir: Path,
    product: str,
    report: Callable[[Progress], None] = lambda progress: None,
) -> int:
    """Delete a product with its releases and glossary; return how many pages went.

    Who may see it stays said, in case it is made again; who administers it does not. Raises
    BeingBuilt while somebody ingests into one of the releases; others may be gone then.
    """
    with database.reading() as session:
        owner = find_product(session, product)
        names = [row.name for row in releases_of(owner)] if owner else []
    pages = sum(delete_release(database, data_dir, product, name, report) for name in names)
    if owner is not None:
        Rights(database).change_admins(owner.name, ())
        with database.writing() as session:
            session.execute(delete(ProposalRow).where(ProposalRow.product == owner.name))
            session.execute(delete(SourceRow).where(SourceRow.product == owner.name))
            session.execute(delete(ProductRow).where(ProductRow.id == owner.id))
    return pages
