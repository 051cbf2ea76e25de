"""Jobs as a worker sees them: taken in hand, reported on, ended, recovered from the dead."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, case, delete, or_, select, update
from sqlalchemy.orm import Session, aliased

from corpora.database.engine import Database, insert_into
from corpora.database.job_tables import JobFileRow, WorkerRow
from corpora.generations.generations import drop_ended
from corpora.generations.progress import Progress
from corpora.jobs.jobs import Job, JobFile, JobState, end, living_workers, put_back

ATTEMPTS = 3
"""A job that was begun so often and never ended is not tried again by itself."""


class JobTaken(Exception):
    """A worker that was thought dead has lost its job to another one, or to a cancellation."""


class Claims:
    """What one worker process, known by its name, has in hand."""

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

    def let_go(self) -> None:
        """Let jobs wait again that are this worker's by their rows alone, since it does none now.

        A connection that was lost leaves such rows: a job that was taken in hand, or is over.
        """
        with self._database.writing() as session:
            _take_from(session, Job.worker == self._worker)

    def next_waiting(self, except_for: Collection[int] = ()) -> int | None:
        """Return the id of the job that has waited longest, of all but some.

        Jobs of a release are done in the order in which they were ordered: while one is not over,
        though its worker may have died with it, the later ones wait.
        """
        before = aliased(Job)
        # A job without a release is one of the whole product.
        whole = or_(before.release == "", Job.release == "")
        same = (before.product == Job.product, or_(whole, before.release == Job.release))
        is_open = before.state.in_((JobState.WAITING, JobState.RUNNING))
        earlier = select(before.id).where(*same, before.id < Job.id, is_open)
        waiting = (
            select(Job.id)
            .where(Job.state == JobState.WAITING, Job.id.not_in(except_for), ~earlier.exists())
            .order_by(Job.id)
            .limit(1)
        )
        # Read first: many look often, and only who found one needs the lock for writing.
        with self._database.reading() as session:
            return session.scalar(waiting)

    def claim(self, job_id: int) -> Job | None:
        """Take a waiting job in hand; None if it does not wait, or another worker was first."""
        now = datetime.now(UTC)
        # Of two workers that want it at once the second goes on to another job without waiting.
        waiting = (
            select(Job.id)
            .where(Job.id == job_id, Job.state == JobState.WAITING)
            .with_for_update(skip_locked=True)
        )
        with self._database.writing() as session:
            taken = session.execute(
                update(Job)
                .where(Job.id.in_(waiting.scalar_subquery()))
                .values(
                    state=JobState.RUNNING,
                    worker=self._worker,
                    attempts=Job.attempts + 1,
                    started=case((Job.started.is_(None), now), else_=Job.started),
                    stage_started=now,
                    message="",
                )
                .returning(Job.id)
            ).all()
            self._beat(session)
            return session.get_one(Job, job_id) if taken else None

    def progress(self, job_id: int, progress: Progress) -> bool:
        """Write how far a job is, and say whether it is to be cancelled; raise JobTaken."""
        now = datetime.now(UTC)
        stage = str(progress.stage)
        with self._database.writing() as session:
            cancelling = session.scalars(
                update(Job)
                .where(*self._in_hand(job_id))
                .values(
                    stage=stage,
                    done=progress.done,
                    total=progress.total,
                    item=progress.item,
                    stage_started=case((Job.stage != stage, now), else_=Job.stage_started),
                )
                .returning(Job.cancelling)
            ).all()
        if not cancelling:
            raise JobTaken
        return cancelling[0]

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
            end(self._held(session, job_id), state, message, report)
            if rows := [{"job_id": job_id, **asdict(file)} for file in problems]:
                left_out = insert_into(session, JobFileRow)
                upsert = left_out.on_conflict_do_update(
                    index_elements=[JobFileRow.job_id, JobFileRow.file],
                    set_={"reason": left_out.excluded.reason},
                )
                session.execute(upsert, rows)

    def put_back(self, job_id: int, message: str = "") -> None:
        """Let a job wait again, because this worker stops or cannot do it yet; raise JobTaken."""
        with self._database.writing() as session:
            row = self._held(session, job_id)
            put_back(row, message)
            row.attempts -= 1

    def _beat(self, session: Session) -> None:
        session.merge(WorkerRow(name=self._worker, heartbeat=datetime.now(UTC)))

    def _held(self, session: Session, job_id: int) -> Job:
        row = session.scalar(select(Job).where(*self._in_hand(job_id)))
        if row is None:
            raise JobTaken
        return row

    def _in_hand(self, job_id: int) -> tuple[ColumnElement[bool], ...]:
        return (
            Job.id == job_id,
            Job.worker == self._worker,
            Job.state == JobState.RUNNING,
        )


def _take_from(session: Session, of_workers: ColumnElement[bool]) -> None:
    """Let jobs of workers that died wait again, unless they seem to be what killed them."""
    held = select(Job).where(Job.state == JobState.RUNNING, of_workers)
    for row in session.scalars(held):
        if row.cancelling:
            end(row, JobState.CANCELLED)
        elif row.attempts >= ATTEMPTS:
            end(
                row,
                JobState.FAILED,
                f"The worker crashed {ATTEMPTS} times on this job, possibly out of memory, or lost "
                "the database; see its log. Try again with fewer files at once.",
            )
        else:
            put_back(row)
