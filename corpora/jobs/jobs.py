"""Jobs: long work on a release, ordered on the page and done by a worker process.

Rows in the database are the queue: a worker looks for one that waits and takes it by an update.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, delete, or_, select, true, update
from sqlalchemy.orm import Session, aliased

from corpora.catalog.catalog import find_product, find_release
from corpora.database.engine import Database, insert_into
from corpora.database.job_tables import CHECKS as CHECKS
from corpora.database.job_tables import DRAFTS as DRAFTS
from corpora.database.job_tables import EVALUATIONS as EVALUATIONS
from corpora.database.job_tables import ON_DOCUMENTS as ON_DOCUMENTS
from corpora.database.job_tables import ORDER, PART, JobFileRow, JobRow, WorkerRow
from corpora.database.job_tables import PACKS as PACKS
from corpora.database.job_tables import SYNCS as SYNCS
from corpora.database.job_tables import JobKind as JobKind
from corpora.database.job_tables import JobState as JobState
from corpora.errors import JobError, JobTaken
from corpora.generations.generations import drop_ended
from corpora.generations.processes import is_alive
from corpora.generations.progress import Progress
from ingestion.messages import message

Job = JobRow
JobFile = JobFileRow
LEFT_OUT = "left_out"
"""In an order: the files that were left out of an upload, and why."""

ATTEMPTS = 3
"""A job that was begun so often and never ended is not tried again by itself."""


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
        *,
        order: Mapping[str, Any] | None = None,
        source: int | None = None,
        session: Session | None = None,
    ) -> int:
        """Order a job under the names of the catalog, with what else its kind needs; return its id.

        It is written with what else `session` writes, if one is given; a worker takes it within a
        second.
        """
        with nullcontext(session) if session else self._database.writing() as writing:
            return order_job(writing, kind, product, release, person_id, files, order, source)

    def get(self, job_id: int, people: Collection[str] | None = None) -> Job:
        """Return a job, of one of these `people` if they are given; raise JobError for no such."""
        with self._database.reading() as session:
            return _require(session, job_id, people)

    def recent(
        self,
        limit: int = 50,
        product: str | None = None,
        people: Collection[str] | None = None,
        kinds: Collection[JobKind] = (*ON_DOCUMENTS, *SYNCS),
    ) -> tuple[Job, ...]:
        """Return jobs, the newest first, of a `product` and of `people` if they are given."""
        query = select(Job).where(Job.kind.in_(kinds)).order_by(Job.id.desc()).limit(limit)
        if product is not None:
            query = query.where(Job.product == product)
        if people is not None:
            query = query.where(Job.person.in_(people))
        with self._database.reading() as session:
            return tuple(session.scalars(query))

    def files(self, job_id: int) -> tuple[JobFile, ...]:
        """Return the files of a job by name, those that were left out first."""
        query = select(JobFile).where(JobFile.job_id == job_id)
        with self._database.reading() as session:
            return tuple(session.scalars(query.order_by(JobFile.reason == "", JobFile.file)))

    def cancel(self, job_id: int) -> None:
        """Stop a job that is not over: at once if no worker has it in hand, else within seconds.

        Raises JobError for one that deletes or publishes by now.
        """
        with self._database.writing() as session:
            row = _require(session, job_id)
            if row.is_final:
                raise JobError(
                    "Job {job_id} has started deleting and cannot be stopped."
                    if row.kind is JobKind.DELETE
                    else "Job {job_id} has started publishing and cannot be stopped.",
                    job_id=job_id,
                )
            if row.state == JobState.RUNNING and row.worker in living_workers(session):
                row.cancelling = True
            elif row.is_open:
                _end(row, JobState.CANCELLED)

    def retry(self, job_id: int) -> None:
        """Let a job that failed or was cancelled wait again; raise JobError for any other."""
        with self._database.writing() as session:
            row = _require(session, job_id)
            if row.state not in (JobState.FAILED, JobState.CANCELLED):
                raise JobError(
                    "Job {job_id} is {state}; only failed or cancelled jobs can be retried.",
                    job_id=job_id,
                    state=message(str(row.state)),
                )
            _put_back(row)
            row.attempts = 0
            row.started = row.finished = None
            session.execute(update(JobFile).where(JobFile.job_id == job_id).values(reason=""))
            # What was never taken is not taken by trying again.
            for file, reason in row.order.get(LEFT_OUT, {}).items():
                own = JobFile.job_id == job_id, JobFile.file == file
                session.execute(update(JobFile).where(*own).values(reason=reason))

    def has_worker(self) -> bool:
        """Say whether a worker lives; without one, jobs wait until `strata worker` is started."""
        with self._database.reading() as session:
            return bool(living_workers(session))


class Claims:
    """What one worker process, known by its name, has in hand: taken, reported on, ended."""

    def __init__(self, database: Database, worker: str) -> None:
        self._database = database
        self._worker = worker

    def beat(self) -> None:
        """Say that this worker lives; to be called every few seconds."""
        with self._database.writing() as session:
            self._beat(session)

    def end(self) -> None:
        """Say that this worker is no more."""
        with self._database.writing() as session:
            session.execute(delete(WorkerRow).where(WorkerRow.name == self._worker))

    def recover(self) -> None:
        """Let jobs of dead workers wait for another one, and drop what builders that ended left."""
        with self._database.writing() as session:
            living = living_workers(session)
            session.execute(delete(WorkerRow).where(WorkerRow.name.not_in(living)))
            _take_from(session, Job.worker.not_in(living))
            # Of a job that was given up nobody else would take over what it had begun.
            drop_ended(session)

    def let_go(self, kinds: Collection[JobKind] = ON_DOCUMENTS) -> None:
        """Let jobs wait again that only their rows give to this worker: a connection was lost."""
        with self._database.writing() as session:
            _take_from(session, (Job.worker == self._worker) & Job.kind.in_(kinds))

    def next_waiting(
        self, except_for: Collection[int] = (), kinds: Collection[JobKind] = ON_DOCUMENTS
    ) -> int | None:
        """Return the id of the job that has waited longest, of all of these kinds but some.

        Jobs of a release are done in order: while one is not over, the later ones wait. Of those
        that are not on documents there is one of a kind at a time, of runs one of a source.
        """
        before = aliased(Job)
        # A job without a release is one of the whole product.
        whole = or_(before.release == "", Job.release == "")
        same = (before.product == Job.product) & or_(whole, before.release == Job.release)
        in_line: ColumnElement[bool] = same if kinds == ON_DOCUMENTS else true()
        if kinds == SYNCS:
            in_line = before.source_id == Job.source_id
        is_open = before.state.in_((JobState.WAITING, JobState.RUNNING))
        in_line &= before.kind.in_(kinds)
        earlier = select(before.id).where(in_line, before.id < Job.id, is_open)
        waiting = (
            select(Job.id)
            .where(Job.state == JobState.WAITING, Job.kind.in_(kinds))
            .where(Job.id.not_in(except_for), ~earlier.exists())
            .order_by(Job.id)
            .limit(1)
        )
        # Read first: many look often, and only who found one needs the lock for writing.
        with self._database.reading() as session:
            return session.scalar(waiting)

    def kinds_waiting(self) -> set[JobKind]:
        """The kinds of the jobs that wait: an idle worker looks for no more than that."""
        with self._database.reading() as session:
            waiting = select(Job.kind).where(Job.state == JobState.WAITING).distinct()
            return set(session.scalars(waiting))

    def claim(self, job_id: int) -> Job | None:
        """Take a waiting job in hand; None if it does not wait, or another worker was first."""
        # Of two workers that want it at once the second goes on to another job without waiting.
        waiting = (
            select(Job)
            .where(Job.id == job_id, Job.state == JobState.WAITING)
            .with_for_update(skip_locked=True)
        )
        with self._database.writing() as session:
            row = session.scalar(waiting)
            if row is not None:
                row.state = JobState.RUNNING
                row.worker = self._worker
                row.attempts += 1
                row.stage_started = datetime.now(UTC)
                row.started = row.started or row.stage_started
                row.message = ""
            self._beat(session)
            return row

    def progress(self, job_id: int, progress: Progress) -> bool:
        """Write how far a job is, and say whether it is to be cancelled; raise JobTaken."""
        with self._database.writing() as session:
            row = self._held(session, job_id)
            if row.stage != progress.stage:
                row.stage_started = datetime.now(UTC)
            row.stage = str(progress.stage)
            row.done, row.total, row.item = progress.done, progress.total, progress.item
            if progress.part is not None:
                row.report = {**row.report, PART: progress.part}
            return row.cancelling

    def finish(
        self,
        job_id: int,
        state: JobState,
        message: str = "",
        report: Mapping[str, Any] | None = None,
        problems: Sequence[JobFile] = (),
    ) -> None:
        """End a job; `problems` are the files that were left out. Raises JobTaken."""
        with self._database.writing() as session:
            _end(self._held(session, job_id), state, message, report)
            if rows := [{**asdict(file), "job_id": job_id} for file in problems]:
                left_out = insert_into(session, JobFile)
                upsert = left_out.on_conflict_do_update(
                    index_elements=[JobFile.job_id, JobFile.file],
                    set_={"reason": left_out.excluded.reason},
                )
                session.execute(upsert, rows)

    def put_back(self, job_id: int, message: str = "") -> None:
        """Let a job wait again, because this worker stops or cannot do it yet; raise JobTaken."""
        with self._database.writing() as session:
            row = self._held(session, job_id)
            _put_back(row, message)
            row.attempts -= 1

    def _beat(self, session: Session) -> None:
        session.merge(WorkerRow(name=self._worker, heartbeat=datetime.now(UTC)))

    def _held(self, session: Session, job_id: int) -> Job:
        in_hand = Job.worker == self._worker, Job.state == JobState.RUNNING
        row = session.scalar(select(Job).where(Job.id == job_id, *in_hand))
        if row is None:
            raise JobTaken
        return row


def order_job(
    session: Session,
    kind: JobKind,
    product: str,
    release: str,
    person_id: str = "",
    files: Iterable[JobFile] = (),
    order: Mapping[str, Any] | None = None,
    source: int | None = None,
) -> int:
    """Order a job together with what else a session writes, and return its id."""
    owner = find_product(session, product)
    known = find_release(session, product, release)
    row = Job(
        kind=kind,
        product=owner.name if owner else product.strip(),
        release=known.name if known else release.strip(),
        person=person_id,
        source_id=source,
        state=JobState.WAITING,
        created=datetime.now(UTC),
        report={ORDER: dict(order)} if order else {},
    )
    session.add(row)
    session.flush()
    for file in files:
        file.job_id = row.id
        session.add(file)
    return row.id


def living_workers(session: Session) -> set[str]:
    """Return the names of the worker processes that live."""
    rows = session.scalars(select(WorkerRow))
    return {row.name for row in rows if is_alive(row.name, row.heartbeat)}


def _require(session: Session, job_id: int, people: Collection[str] | None = None) -> Job:
    row = session.get(Job, job_id)
    if row is None or (people is not None and row.person not in people):
        raise JobError("There is no job {job_id}.", job_id=job_id)
    return row


def _take_from(session: Session, of_workers: ColumnElement[bool]) -> None:
    """Let jobs of workers that died wait again, unless they seem to be what killed them."""
    held = select(Job).where(Job.state == JobState.RUNNING, of_workers)
    for row in session.scalars(held):
        if row.cancelling:
            _end(row, JobState.CANCELLED)
        elif row.attempts >= ATTEMPTS:
            _end(
                row,
                JobState.FAILED,
                message(
                    "The worker crashed {number} times on this job, possibly out of memory, or "
                    "lost the database; see its log. Try again with fewer files at once.",
                    number=ATTEMPTS,
                ),
            )
        else:
            _put_back(row)


def _put_back(row: Job, message: str = "") -> None:
    row.state = JobState.WAITING
    row.cancelling = False
    row.worker = row.stage = row.item = ""
    row.done = row.total = 0
    row.stage_started = None
    row.message = message
    row.report = {name: told for name, told in row.report.items() if name != PART}


def _end(
    row: Job, state: JobState, message: str = "", report: Mapping[str, Any] | None = None
) -> None:
    row.state = state
    row.cancelling = False
    row.worker = ""
    row.message = message
    row.report = {**({ORDER: row.order} if row.order else {}), **(report or {})}
    row.finished = datetime.now(UTC)
