"""Documents leave a release; releases and products are deleted with all that hangs on them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Select, delete, func, select

from corpora.building.building import Builder, IngestReport
from corpora.building.gathering import Gathered, Gathering
from corpora.catalog.catalog import Catalog, find_product, releases_of
from corpora.catalog.remembered import review_release
from corpora.database.engine import Database
from corpora.database.memory_tables import (
    MemoryClusterRow,
    MemoryEventRow,
    MemoryPairRow,
    MemoryUseRow,
)
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

_ROWS_AT_ONCE = 200
"""How many rows go in one transaction: others write in between."""


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
        owner = find_product(session, product)
        rows = releases_of(session, owner) if owner else []
        row = next((r for r in rows if r.name.casefold() == release.strip().casefold()), None)
        if owner is None or row is None:
            return Deleted()
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
    """Delete what hangs on a release from the leaves up, so that no transaction is a long one."""
    in_release = select(DocumentRow.id).where(DocumentRow.release_id == release_id)
    built = select(GenerationRow.id).where(GenerationRow.release_id == release_id)
    with database.reading() as session:
        of_pages = select(func.count()).where(PageRow.document_id.in_(in_release))
        total = session.scalar(of_pages) or 0
    report(Progress(Stage.DELETING, 0, total, name))
    done = 0
    pages = select(PageRow.id).where(PageRow.document_id.in_(in_release)).limit(_ROWS_AT_ONCE)
    while ids := _some(database, pages):
        with database.writing() as session:
            session.execute(delete(PageRow).where(PageRow.id.in_(ids)))
        done += len(ids)
        report(Progress(Stage.DELETING, done, total, name))
    members = select(MemberRow.document_id).where(MemberRow.generation_id.in_(built))
    while ids := _some(database, members.limit(_ROWS_AT_ONCE)):
        with database.writing() as session:
            session.execute(
                delete(MemberRow).where(
                    MemberRow.document_id.in_(ids), MemberRow.generation_id.in_(built)
                )
            )
    while ids := _some(database, in_release.limit(_ROWS_AT_ONCE)):
        with database.writing() as session:
            session.execute(delete(DocumentRow).where(DocumentRow.id.in_(ids)))
    with database.writing() as session:
        session.execute(delete(GenerationRow).where(GenerationRow.release_id == release_id))
    return total


def _delete_memory(database: Database, release_id: int) -> int:
    """Delete what is remembered of a release in portions, and count the answers."""
    done = 0
    pairs = select(MemoryPairRow.id).where(MemoryPairRow.release_id == release_id)
    while ids := _some(database, pairs.limit(_ROWS_AT_ONCE)):
        used = select(MemoryUseRow.turn_id).where(MemoryUseRow.pair_id.in_(ids))
        while turns := _some(database, used.limit(_ROWS_AT_ONCE)):
            with database.writing() as session:
                session.execute(
                    delete(MemoryUseRow).where(
                        MemoryUseRow.turn_id.in_(turns), MemoryUseRow.pair_id.in_(ids)
                    )
                )
        with database.writing() as session:
            session.execute(delete(MemoryPairRow).where(MemoryPairRow.id.in_(ids)))
        done += len(ids)
    for table in (MemoryClusterRow, MemoryEventRow):
        rows = select(table.id).where(table.release_id == release_id).limit(_ROWS_AT_ONCE)
        while ids := _some(database, rows):
            with database.writing() as session:
                session.execute(delete(table).where(table.id.in_(ids)))
    return done


def _some(database: Database, ids: Select[int]) -> Sequence[int]:
    with database.reading() as session:
        return session.scalars(ids).all()
