"""Jobs: long work on a release, ordered on the page and done by a worker process.

Rows in the database are the queue: a worker looks for one that waits and takes it by an update.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from corpora.catalog.catalog import find_product, find_release
from corpora.database.engine import Database
from corpora.database.job_tables import JobFileRow, JobRow, WorkerRow
from corpora.generations.processes import is_alive
from ingestion.errors import StrataError


class JobError(StrataError):
    """What was asked of a job cannot be done; the message says why and what to do."""


class JobKind(StrEnum):
    """What a job does: the files of an upload become part of a release; its files are read again
    by today's parsers; documents leave it; it is deleted, or the product with all releases.
    """

    UPLOAD = "upload"
    REREAD = "reread"
    REMOVE = "remove"
    DELETE = "delete"


class JobState(StrEnum):
    """Where a job stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class JobFile:
    """A file of a job; `reason` says why it was left out, and is empty where it was not.

    `size` is in bytes, `content_hash` the sha256 of its bytes where it was uploaded.
    """

    file: str
    size: int = 0
    content_hash: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Job:
    """A job as it stood at `as_of`; `done` of `total` are what its `stage` counts.

    `release` is empty where a whole product is deleted; `person` is the id of who ordered it;
    `message` is a sentence for people; `report` has the figures of a job that is done.
    """

    id: int
    kind: JobKind
    product: str
    release: str
    person: str
    state: JobState
    cancelling: bool
    stage: str
    done: int
    total: int
    item: str
    message: str
    report: Mapping[str, Any] = field(repr=False)
    created: datetime
    started: datetime | None
    stage_started: datetime | None
    finished: datetime | None
    as_of: datetime

    @property
    def is_open(self) -> bool:
        """Whether it is still to be done."""
        return self.state in (JobState.WAITING, JobState.RUNNING)

    @property
    def can_be_cancelled(self) -> bool:
        """Whether it can be stopped: a deletion only as long as it has not begun."""
        if self.state is JobState.RUNNING:
            return self.kind is not JobKind.DELETE and not self.cancelling
        return self.state is JobState.WAITING

    @property
    def rate(self) -> float | None:
        """What this stage does in a second, by the time it has taken so far."""
        if self.state is not JobState.RUNNING or self.stage_started is None or not self.done:
            return None
        seconds = (self.as_of - self.stage_started).total_seconds()
        return self.done / seconds if seconds > 0 else None

    @property
    def seconds_left(self) -> float | None:
        """How long this stage goes on at that rate."""
        return (self.total - self.done) / self.rate if self.rate else None


class Jobs:
    """The jobs in the database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self,
        kind: JobKind,
        product: str,
        release: str,
        person_id: str,
        files: Iterable[JobFile] = (),
    ) -> int:
        """Order a job and return its id; a worker takes it within a second."""
        with self._database.writing() as session:
            return insert_job(session, kind, product, release, person_id, files)

    def get(self, job_id: int) -> Job:
        """Return a job; raise JobError if there is none."""
        with self._database.reading() as session:
            return job_of(_require(session, job_id))

    def recent(self, limit: int = 50, product: str | None = None) -> tuple[Job, ...]:
        """Return jobs, the newest first."""
        query = select(JobRow).order_by(JobRow.id.desc()).limit(limit)
        if product is not None:
            query = query.where(JobRow.product == product)
        with self._database.reading() as session:
            return tuple(job_of(row) for row in session.scalars(query))

    def files(self, job_id: int) -> tuple[JobFile, ...]:
        """Return the files of a job by name, those that were left out first."""
        query = (
            select(JobFileRow)
            .where(JobFileRow.job_id == job_id)
            .order_by(JobFileRow.reason == "", JobFileRow.file)
        )
        with self._database.reading() as session:
            return tuple(
                JobFile(row.file, row.size, row.content_hash, row.reason)
                for row in session.scalars(query)
            )

    def cancel(self, job_id: int) -> None:
        """Stop a job: at once if no worker has it in hand, else within seconds.

        Raises JobError for a deletion that has begun. One that has ended stays as it is.
        """
        with self._database.writing() as session:
            row = _require(session, job_id)
            if row.state == JobState.RUNNING and row.kind == JobKind.DELETE:
                raise JobError(f"Job {job_id} has started deleting and cannot be stopped.")
            if row.state == JobState.RUNNING and row.worker in living_workers(session):
                row.cancelling = True
            elif row.state in (JobState.WAITING, JobState.RUNNING):
                end(row, JobState.CANCELLED)

    def retry(self, job_id: int) -> None:
        """Let a job that failed or was cancelled wait for a worker again.

        Raises JobError if it is in another state.
        """
        with self._database.writing() as session:
            row = _require(session, job_id)
            if row.state not in (JobState.FAILED, JobState.CANCELLED):
                raise JobError(
                    f"Job {job_id} is {row.state}; only failed or cancelled jobs can be retried."
                )
            put_back(row)
            row.attempts = 0
            row.started = row.finished = None
            session.execute(update(JobFileRow).where(JobFileRow.job_id == job_id).values(reason=""))

    def has_worker(self) -> bool:
        """Say whether a worker lives; without one, jobs wait until `strata worker` is started."""
        with self._database.reading() as session:
            return bool(living_workers(session))


def insert_job(
    session: Session,
    kind: JobKind,
    product: str,
    release: str,
    person_id: str,
    files: Iterable[JobFile],
) -> int:
    """Write a waiting job with its files, under the names of the catalog, and return its id."""
    owner = find_product(session, product)
    known = find_release(session, product, release)
    row = JobRow(
        kind=kind,
        product=owner.name if owner else product.strip(),
        release=known.name if known else release.strip(),
        person=person_id,
        state=JobState.WAITING,
        created=datetime.now(UTC),
    )
    session.add(row)
    session.flush()
    rows = [{"job_id": row.id, **asdict(file)} for file in files]
    if rows:
        session.execute(insert(JobFileRow), rows)
    return row.id


def _require(session: Session, job_id: int) -> JobRow:
    row = session.get(JobRow, job_id)
    if row is None:
        raise JobError(f"There is no job {job_id}.")
    return row


def job_of(row: JobRow) -> Job:
    """Make a job of its row as it stands now."""
    values: dict[str, Any] = {
        column.name: getattr(row, column.name) for column in fields(Job) if column.name != "as_of"
    }
    values |= {"kind": JobKind(row.kind), "state": JobState(row.state)}
    return Job(**values, as_of=datetime.now(UTC))


def living_workers(session: Session) -> set[str]:
    """Return the names of the worker processes that live."""
    now = datetime.now(UTC)
    rows = session.scalars(select(WorkerRow))
    return {row.name for row in rows if is_alive(row.name, row.heartbeat, now)}


def put_back(row: JobRow, message: str = "") -> None:
    """Let a job wait for a worker again."""
    row.state = JobState.WAITING
    row.cancelling = False
    row.worker = row.stage = row.item = ""
    row.done = row.total = 0
    row.stage_started = None
    row.message = message


def end(
    row: JobRow, state: JobState, message: str = "", report: Mapping[str, Any] | None = None
) -> None:
    """Let a job be over."""
    row.state = state
    row.cancelling = False
    row.worker = ""
    row.message = message
    row.report = dict(report or {})
    row.finished = datetime.now(UTC)
