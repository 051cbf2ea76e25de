"""Documents leave a release; releases and products are deleted with all that hangs on them."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import delete, select

from corpora.building.building import Builder, IngestReport
from corpora.building.gathering import Gathered, Gathering
from corpora.catalog.catalog import Catalog, find_product, find_release, releases_of
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
from corpora.generations.generations import IngestError
from corpora.generations.progress import Progress, Stage
from corpora.jobs.jobs import JobFile, JobKind, Jobs


class NothingLeft(IngestError):
    """A release would be without documents; the message says what to do instead."""


@dataclass(frozen=True, slots=True)
class Deleted:
    """How many pages and remembered answers went with a release or a product."""

    pages: int = 0
    remembered: int = 0


def order_removal(
    database: Database, product: str, release: str, files: Sequence[str], person_id: str
) -> int:
    """Order that documents leave a release, and return the id of the job."""
    return Jobs(database).add(
        JobKind.REMOVE, product, release, person_id, [JobFile(file) for file in files]
    )


def remove_documents(
    builder: Builder, product: str, release: str, files: Collection[str]
) -> IngestReport:
    """Publish a generation of a release without some of its files; `dropped` says which.

    The one before it is kept, and a rollback brings the files back. Raises NothingLeft where no
    file would remain, NoCorpus for a release that serves nothing, and as
    `corpora.building.building.ingest` does.
    """
    serving = Catalog(builder.database).serving(product, release)

    def gather(gathering: Gathering) -> Gathered:
        gathered = gathering.all_but(files)
        if not gathered.unchanged:
            raise NothingLeft(
                f"{serving.product} {serving.release} would have no documents left. "
                "Delete the release instead."
            )
        return gathered

    return builder.build(serving.product, serving.release, gather)


def delete_release(
    database: Database,
    data_dir: Path,
    product: str,
    release: str,
    report: Callable[[Progress], None] = lambda progress: None,
) -> Deleted:
    """Delete a release with its generations and its memory; nothing goes if it is gone.

    It is offered no longer from the beginning, and can be called again after a crash. Raises
    BeingBuilt while somebody ingests into it.
    """
    with database.writing() as session:
        row = find_release(session, product, release)
        if row is None:
            return Deleted()
        owner = session.get_one(ProductRow, row.product_id)
        generations.take_over(session, row.id, row.name)
        if owner.latest in (row.name, *row.aliases):
            owner.latest = None
        row.published_generation_id = None
        row.retired = True
        release_id, name = row.id, row.name
        review_release(session, release_id)
    pages = _delete_contents(database, release_id, name, report)
    remembered = _delete_memory(database, release_id)
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
        names = [row.name for row in releases_of(session, owner)] if owner else []
    gone = [delete_release(database, data_dir, product, name, report) for name in names]
    if owner is not None:
        with database.writing() as session:
            session.execute(delete(ProductRow).where(ProductRow.id == owner.id))
    return Deleted(sum(d.pages for d in gone), sum(d.remembered for d in gone))


def _delete_contents(
    database: Database, release_id: int, name: str, report: Callable[[Progress], None]
) -> int:
    """Delete what hangs on a release from the leaves up, and count the pages."""
    documents = select(DocumentRow.id).where(DocumentRow.release_id == release_id)
    built = select(GenerationRow.id).where(GenerationRow.release_id == release_id)
    pages = delete_in_portions(
        database,
        PageRow.id,
        PageRow.document_id.in_(documents),
        on_progress=lambda done, total: report(Progress(Stage.DELETING, done, total, name)),
    )
    delete_in_portions(database, MemberRow.document_id, MemberRow.generation_id.in_(built))
    delete_in_portions(database, DocumentRow.id, DocumentRow.release_id == release_id)
    delete_in_portions(database, GenerationRow.id, GenerationRow.release_id == release_id)
    return pages


def _delete_memory(database: Database, release_id: int) -> int:
    """Delete what is remembered of a release, and count the answers."""
    pairs = select(MemoryPairRow.id).where(MemoryPairRow.release_id == release_id)
    delete_in_portions(database, MemoryUseRow.turn_id, MemoryUseRow.pair_id.in_(pairs))
    answers = delete_in_portions(database, MemoryPairRow.id, MemoryPairRow.release_id == release_id)
    delete_in_portions(database, MemoryEventRow.id, MemoryEventRow.release_id == release_id)
    return answers
