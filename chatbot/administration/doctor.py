"""Whether everything that is kept is whole, and mending what can be made again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from sqlalchemy import func, select, text

from chatbot.models.download import FileState, file_state
from chatbot.models.files import models_in_use
from chatbot.settings import Settings
from corpora.catalog.catalog import Catalog
from corpora.database.engine import Database
from corpora.database.history_tables import TurnRow
from corpora.database.job_tables import JobRow
from corpora.database.tables import GenerationRow
from corpora.documents.uploads import sweep_uploads
from corpora.generations.disk import DiskFull, require_room
from corpora.generations.generations import generation_dir, prune_unused, sweep_folders
from corpora.generations.processes import this_process
from corpora.indexing.indexes import IncompleteGeneration, build_indexes, check_indexes
from corpora.indexing.vectors import BrokenIndex
from corpora.jobs.claims import Claims
from corpora.jobs.jobs import living_workers

_CLOCKS_DIFFER = timedelta(minutes=1)


class Health(StrEnum):
    """How something was found."""

    WELL = "well"
    NOTE = "note"
    MENDED = "mended"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at, how it was found, and what to do or to know."""

    what: str
    health: Health
    told: str = ""


def examine(settings: Settings, database: Database, *, mend: bool = False) -> Iterator[Finding]:
    """Look at database, models, indexes, room, jobs and clock, one after the other.

    With `mend`, indexes that are broken are built again from the database, what no release or job
    needs any more is removed, and jobs of dead workers wait for another one.
    """
    yield _database(database)
    yield from _models(settings)
    yield _room(settings)
    for product in Catalog(database).products():
        for release in product.releases:
            yield _index(settings, database, product.name, release.name, mend=mend)
    yield _leftovers(settings, database, mend=mend)
    yield _jobs(database, mend=mend)
    yield _clock(database)


def _database(database: Database) -> Finding:
    if database.engine.dialect.name != "sqlite":
        return Finding("database", Health.WELL)
    with database.reading() as session:
        (said, *_) = session.scalars(text("PRAGMA quick_check(1)")).all()
    if said == "ok":
        return Finding("database", Health.WELL)
    return Finding("database", Health.FAULT, f"It is damaged ({said}). Restore a backup.")


def _models(settings: Settings) -> Iterator[Finding]:
    for model in models_in_use(settings.generator):
        state = file_state(model, settings.models_dir)
        if state is FileState.READY:
            yield Finding(f"model {model.name}", Health.WELL)
        else:
            told = f"It is {state}. Run `strata models pull`."
            yield Finding(f"model {model.name}", Health.FAULT, told)


def _room(settings: Settings) -> Finding:
    try:
        require_room(settings.data_dir)
    except DiskFull as error:
        return Finding("room on the disk", Health.FAULT, str(error))
    return Finding("room on the disk", Health.WELL)


def _index(
    settings: Settings, database: Database, product: str, release: str, *, mend: bool
) -> Finding:
    what = f"index of {product} {release}"
    generation = Catalog(database).serving(product, release).generation
    if not generation_dir(settings.data_dir, generation).exists():
        told = "Not built on this machine; it is when the release is first asked about."
        return Finding(what, Health.NOTE, told)
    try:
        check_indexes(settings.data_dir, generation)
    except BrokenIndex as error:
        if not mend:
            return Finding(what, Health.FAULT, f"{error} Build it again with --mend.")
        return _mended(what, lambda: build_indexes(database, settings.data_dir, generation))
    return Finding(what, Health.WELL)


def _mended(what: str, mend: Callable[[], None]) -> Finding:
    try:
        mend()
    except (BrokenIndex, IncompleteGeneration, DiskFull) as error:
        return Finding(what, Health.FAULT, str(error))
    return Finding(what, Health.MENDED, "It was broken, and is built again.")


def _leftovers(settings: Settings, database: Database, *, mend: bool) -> Finding:
    """Folders of indexes that no release has any more."""
    with database.reading() as session:
        known = {str(i) for i in session.scalars(select(GenerationRow.id))}
    place = settings.data_dir / "generations"
    left = [f.name for f in place.iterdir() if f.name not in known] if place.is_dir() else []
    if mend:
        sweep_folders(database, settings.data_dir)
        sweep_uploads(database, settings.data_dir)
        prune_unused(database)
    if not left:
        return Finding("leftovers", Health.WELL)
    if mend:
        gone = sum(not (place / name).exists() for name in left)
        return Finding("leftovers", Health.MENDED, f"Folders removed: {gone}.")
    return Finding("leftovers", Health.NOTE, f"Folders not needed: {len(left)}. Run with --mend.")


def _jobs(database: Database, *, mend: bool) -> Finding:
    if mend:
        Claims(database, this_process()).recover()
    with database.reading() as session:
        living = living_workers(session)
        left = select(func.count()).select_from(JobRow)
        left = left.where(JobRow.finished.is_(None), JobRow.worker.not_in(living))
        undone = session.scalar(left) or 0
    if undone and not living:
        told = f"Jobs that nobody does: {undone}. Start `strata serve` or `strata worker`."
        return Finding("jobs", Health.FAULT, told)
    return Finding("jobs", Health.WELL)


def _clock(database: Database) -> Finding:
    with database.reading() as session:
        times = [
            session.scalar(select(func.max(column)))
            for column in (TurnRow.created, GenerationRow.created, JobRow.created)
        ]
    ahead = max(filter(None, times), default=datetime.min.replace(tzinfo=UTC)) - datetime.now(UTC)
    if ahead > _CLOCKS_DIFFER:
        minutes = ahead.total_seconds() / 60
        told = f"Something was written {minutes:,.0f} minutes in the future. Set the clock right."
        return Finding("clock", Health.FAULT, told)
    return Finding("clock", Health.WELL)
