"""Jobs: long work on a release, ordered on the page and done by a worker process.

Rows in the database are the queue: a worker looks for one that waits and takes it by an update.
"""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import insert, select, update
from sqlalchemy.orm import Session

from corpora.catalog.catalog import find_product, find_release
from corpora.database.engine import Database
from corpora.database.job_tables import JobFileRow, JobRow, WorkerRow
from corpora.database.job_tables import JobKind as JobKind
from corpora.database.job_tables import JobState as JobState
from corpora.generations.processes import is_alive
from ingestion.errors import StrataError

Job = JobRow
"""A job as its row stood when it was read."""


class JobError(StrataError):
    """What was asked of a job cannot be done; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class JobFile:
    """A file of a job; `reason` says why it was left out, and is empty where it was not.

    `size` is in bytes, `content_hash` the sha256 of its bytes where it was uploaded.
    """

    file: str
    size: int = 0
    content_hash: str = ""
    reason: str = ""


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
            return _require(session, job_id)

    def recent(self, limit: int = 50, product: str | None = None) -> tuple[Job, ...]:
        """Return jobs, the newest first."""
        query = select(Job).order_by(Job.id.desc()).limit(limit)
        if product is not None:
            query = query.where(Job.product == product)
        with self._database.reading() as session:
            return tuple(session.scalars(query))

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
    row = Job(
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


def _require(session: Session, job_id: int) -> Job:
    row = session.get(Job, job_id)
    if row is None:
        raise JobError(f"There is no job {job_id}.")
    return row


def living_workers(session: Session) -> set[str]:
    """Return the names of the worker processes that live."""
    now = datetime.now(UTC)
    rows = session.scalars(select(WorkerRow))
    return {row.name for row in rows if is_alive(row.name, row.heartbeat, now)}


def put_back(row: Job, message: str = "") -> None:
    """Let a job wait for a worker again."""
    row.state = JobState.WAITING
    row.cancelling = False
    row.worker = row.stage = row.item = ""
    row.done = row.total = 0
    row.stage_started = None
    row.message = message


def end(
    row: Job, state: JobState, message: str = "", report: Mapping[str, Any] | None = None
) -> None:
    """Let a job be over."""
    row.state = state
    row.cancelling = False
    row.worker = ""
    row.message = message
    row.report = dict(report or {})
    row.finished = datetime.now(UTC)
