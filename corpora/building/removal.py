"""Releases and products are deleted with all that hangs on them."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import delete, select

from corpora.catalog.catalog import find_product, find_release, releases_of
from corpora.catalog.memory_review import review_release
from corpora.database.engine import Database, delete_in_portions
from corpora.database.memory_tables import MemoryEventRow, MemoryPairRow, MemoryUseRow
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


@dataclass(frozen=True, slots=True)
class Deleted:
    """How many pages and remembered answers went with a release or a product."""

    pages: int = 0
    remembered: int = 0


def delete_release(
    database: Database,
    data_dir: Path,
    product: str,
    release: str,
    report: Callable[[Progress], None] = lambda progress: None,
) -> Deleted:
    """Delete a release with its generations and its memory; nothing goes if it is gone.

    It can be called again after a crash. Raises BeingBuilt while somebody ingests into it.
    """
    with database.writing() as session:
        row = find_release(session, product, release)
        if row is None:
            return Deleted()
        owner = row.product
        generations.take_over(session, row.id, row.name)
        if owner.latest in (row.name, *row.aliases):
            owner.latest = None
        row.published_generation_id = None
        row.retired = True
        release_id, name = row.id, row.name
        review_release(session, release_id)

    def tell(done: int, total: int) -> None:
        report(Progress(Stage.DELETING, done, total, name))

    # From the leaves up: what would go along with its owner makes one long transaction.
    documents = select(DocumentRow.id).where(DocumentRow.release_id == release_id)
    built = select(GenerationRow.id).where(GenerationRow.release_id == release_id)
    pairs = select(MemoryPairRow.id).where(MemoryPairRow.release_id == release_id)
    pages = delete_in_portions(
        database, PageRow.id, PageRow.document_id.in_(documents), on_progress=tell
    )
    delete_in_portions(database, MemberRow.document_id, MemberRow.generation_id.in_(built))
    delete_in_portions(database, MemoryUseRow.turn_id, MemoryUseRow.pair_id.in_(pairs))
    delete_in_portions(database, DocumentRow.id, DocumentRow.release_id == release_id)
    delete_in_portions(database, GenerationRow.id, GenerationRow.release_id == release_id)
    delete_in_portions(database, MemoryEventRow.id, MemoryEventRow.release_id == release_id)
    remembered = delete_in_portions(
        database, MemoryPairRow.id, MemoryPairRow.release_id == release_id
    )
    generations.prune_unused(database)
    with database.writing() as session:
        session.execute(delete(ReleaseRow).where(ReleaseRow.id == release_id))
    generations.sweep_folders(database, data_dir)
    return Deleted(pages, remembered)


def delete_product(
    database: Database,
    data_dir: Path,
    product: str,
    report: Callable[[Progress], None] = lambda progress: None,
) -> Deleted:
    """Delete a product with its releases and glossary.

    Raises BeingBuilt while somebody ingests into one of the releases; others may be gone then.
    """
    with database.reading() as session:
        owner = find_product(session, product)
        names = [row.name for row in releases_of(owner)] if owner else []
    gone = [delete_release(database, data_dir, product, name, report) for name in names]
    if owner is not None:
        with database.writing() as session:
            session.execute(delete(ProductRow).where(ProductRow.id == owner.id))
    return Deleted(sum(d.pages for d in gone), sum(d.remembered for d in gone))
