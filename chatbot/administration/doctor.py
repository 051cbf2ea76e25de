"""Checks of the installation, and repair of everything that can be rebuilt."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path

from sqlalchemy import func, select, text

from chatbot.administration.in_use import in_use, larger_generator
from chatbot.assembly import open_model
from chatbot.models.download import FileState, file_state
from chatbot.models.embedders import ServedEmbedder, open_embedders
from chatbot.models.files import ModelFile, models_in_use
from chatbot.models.served import ServedChatModel
from chatbot.settings import Settings
from chatbot.text.words import listed
from corpora.catalog.catalog import Catalog
from corpora.database.engine import Database
from corpora.database.history_tables import TurnRow
from corpora.database.job_tables import JobRow
from corpora.database.tables import GenerationRow
from corpora.documents.uploads import sweep_uploads
from corpora.errors import BrokenIndex, DiskFull
from corpora.generations.disk import require_room
from corpora.generations.generations import prune_unused, sweep_folders
from corpora.generations.processes import this_process
from corpora.indexing.indexes import are_built, build_indexes, check_indexes
from corpora.jobs.jobs import Claims, living_workers
from ingestion.confinement import lacking
from ingestion.errors import StrataError

_CLOCKS_DIFFER = timedelta(minutes=1)


class Health(StrEnum):
    """The result of a check."""

    WELL = "well"
    NOTE = "note"
    MENDED = "mended"
    FAULT = "fault"


@dataclass(frozen=True, slots=True)
class Check:
    """A checked item, its health, and what to do or to know about it."""

    what: str
    health: Health
    told: str = ""


_Found = tuple[Health, str]
_WELL: _Found = (Health.WELL, "")


def examine(settings: Settings, database: Database, *, mend: bool = False) -> Iterator[Check]:
    """Look at database, models, servers, room, parsers, indexes, jobs and clock, in this order.

    With `mend`, broken indexes are built again from the database, files that no release or job
    needs are removed, and jobs of dead workers wait for another one.
    """
    yield Check("database", *_database(database))
    needed = models_in_use(settings.generator_in_use, settings.embedder, settings.reranker)
    for model in needed:
        yield Check(f"model {model.name}", *_model(model, settings.models_dir))
    for used in in_use(settings):
        yield Check(f"{used.kind.lower()} {used.name}", Health.WELL, f"In use: {used.why}.")
    if larger := larger_generator(settings):
        yield Check("a larger language model", Health.WELL, larger)
    asked = open_model(settings) if settings.backend == "server" else None
    servers: list[ServedChatModel | ServedEmbedder] = []
    if isinstance(asked, ServedChatModel):
        servers += asked.in_order
    try:
        servers += open_embedders(settings, database).served
    except StrataError as error:
        yield Check(f"embedder {settings.embedder}", Health.FAULT, str(error))
    for served in servers:
        problem = served.problem()
        health = Health.FAULT if problem else Health.WELL
        yield Check(f"model server {served.server}", health, problem)
    yield Check("room on the disk", *_room(settings.data_dir))
    yield Check("parsers", *_parsers())
    catalog = Catalog(database)
    for product in catalog.products():
        for release in product.releases:
            generation = catalog.serving(product.name, release.name).generation
            outcome = _index(settings.data_dir, database, generation, mend=mend)
            yield Check(f"index of {product.name} {release.name}", *outcome)
    yield Check("jobs", *_jobs(database, mend=mend))
    yield Check("leftovers", *_leftovers(settings.data_dir, database, mend=mend))
    yield Check("clock", *_clock(database))


def _database(database: Database) -> _Found:
    if database.engine.dialect.name == "sqlite":
        with database.reading() as session:
            verdict = session.scalar(text("PRAGMA quick_check(1)"))
        if verdict != "ok":
            return Health.FAULT, f"It is damaged ({verdict}). Restore a backup."
    return _WELL


def _model(model: ModelFile, models_dir: Path) -> _Found:
    state = file_state(model, models_dir)
    if state is FileState.READY:
        return _WELL
    return Health.FAULT, f"It is {state}. Run `strata models pull`."


def _room(data_dir: Path) -> _Found:
    try:
        require_room(data_dir)
    except DiskFull as error:
        return Health.FAULT, str(error)
    return _WELL


def _parsers() -> _Found:
    """The things that a parser taken over by a hostile file could reach."""
    if not (open_to := lacking()):
        return _WELL
    message = (
        f"A hostile file that takes one over reaches {listed(open_to)} of whoever runs Strata."
    )
    return Health.NOTE, f"{message} Nothing here shuts it off: that takes Linux 6.12 with Landlock."


def _index(data_dir: Path, database: Database, generation: int, *, mend: bool) -> _Found:
    if not are_built(database, data_dir, generation):
        message = "Not built yet; it is when the release is first asked about."
        return Health.NOTE, message
    try:
        check_indexes(database, data_dir, generation)
    except BrokenIndex as error:
        if not mend:
            return Health.FAULT, f"{error} Build it again with --mend."
    else:
        return _WELL
    try:
        build_indexes(database, data_dir, generation)
    except (BrokenIndex, DiskFull) as error:
        return Health.FAULT, str(error)
    return Health.MENDED, "It was broken, and is built again."


def _leftovers(data_dir: Path, database: Database, *, mend: bool) -> _Found:
    """Folders of indexes that no release has any more."""
    with database.reading() as session:
        known = {str(i) for i in session.scalars(select(GenerationRow.id))}
    left = [f for f in (data_dir / "generations").glob("*") if f.name not in known]
    if mend:
        sweep_folders(database, data_dir)
        sweep_uploads(database, data_dir)
        prune_unused(database)
    if not left:
        return _WELL
    if mend:
        return Health.MENDED, f"Folders removed: {sum(not f.exists() for f in left)}."
    return Health.NOTE, f"Folders not needed: {len(left)}. Run with --mend."


def _jobs(database: Database, *, mend: bool) -> _Found:
    if mend:
        Claims(database, this_process()).recover()
    with database.reading() as session:
        living = living_workers(session)
        left = select(func.count()).select_from(JobRow)
        left = left.where(JobRow.finished.is_(None), JobRow.worker.not_in(living))
        undone = session.scalar(left) or 0
    if not undone or living:
        return _WELL
    message = f"Jobs that nobody does: {undone}. Start `strata serve` or `strata worker`."
    return Health.FAULT, message


def _clock(database: Database) -> _Found:
    now = datetime.now(UTC)
    with database.reading() as session:
        times = [
            session.scalar(select(func.max(column)))
            for column in (TurnRow.created, GenerationRow.created, JobRow.created)
        ]
    ahead = max(filter(None, times), default=now) - now
    if ahead <= _CLOCKS_DIFFER:
        return _WELL
    minutes = ahead.total_seconds() / 60
    message = f"Something was written {minutes:,.0f} minutes in the future. Set the clock right."
    return Health.FAULT, message
