"""A job is done: claimed, carried out, reported on, and ended one way or another."""

from __future__ import annotations

import logging
import re
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from corpora.building.building import Builder, IngestCancelled
from corpora.building.gathering import ChunkingSettings
from corpora.building.removal import Deleted, delete_product, delete_release
from corpora.building.report import IngestReport, Outcome
from corpora.catalog.catalog import CatalogError
from corpora.database.engine import Database, DatabaseFull, UnreachableDatabase
from corpora.documents.uploads import UploadError, drop_upload, lay_out_upload, upload_dir
from corpora.generations.generations import BeingBuilt, IngestError, TakenOver
from corpora.generations.progress import Progress
from corpora.indexing.embedding import Embedder, ModelMissing
from corpora.jobs.jobs import Claims, Job, JobFile, JobKind, Jobs, JobState, JobTaken
from ingestion.listing import DEFAULT_LIMITS, Limits

POSTPONED_SECONDS = 30.0
"""A job whose release another process is building is tried again after this time."""

WRITE_SECONDS = 0.5
"""Progress is written so often: people see it move, and others can write in between."""

FULL_SECONDS = 5.0
"""What could not be written for want of room is written again after this time."""

_log = logging.getLogger("strata.worker")


@dataclass(frozen=True)
class JobWork:
    """Does jobs, one after another; `stopping` says that this process is about to end."""

    claims: Claims
    database: Database
    data_dir: Path
    embedder: Embedder
    chunking: ChunkingSettings
    stopping: Callable[[], bool] = lambda: False
    limits: Limits = DEFAULT_LIMITS
    _postponed: dict[int, float] = field(default_factory=dict)

    def do_next(self) -> bool:
        """Do the job that has waited longest; return False if none waits that can be done now."""
        now = time.monotonic()
        postponed = [job_id for job_id, until in self._postponed.items() if now < until]
        job_id = self.claims.next_waiting(postponed)
        if job_id is None:
            return False
        self._postponed.pop(job_id, None)
        self.do(job_id)
        return True

    def do(self, job_id: int) -> None:
        """Do a job if it waits; whatever comes of it stands in its row afterwards.

        Raises UnreachableDatabase where the database is lost: the job is then to be let go.
        """
        job = None if self.stopping() else self.claims.claim(job_id)
        if job is None:
            return
        _log.info("job %s: %s of %s", job.id, job.kind, _subject(job))
        try:
            self._do(job)
        except JobTaken:
            _log.warning("job %s is in other hands now", job.id)

    def _do(self, job: Job) -> None:
        watch = _Watch(self.claims, job.id, self.stopping)
        try:
            ended = self._carry_out(job, watch)
        except IngestCancelled:
            if not watch.cancelling:
                self._tidy(job)
                self.claims.put_back(job.id)
                return
            ended = _Ended(JobState.CANCELLED, "Stopped. What was processed so far is kept.")
        except (BeingBuilt, TakenOver) as error:
            self._tidy(job)
            self.claims.put_back(job.id, str(error))
            self._postponed[job.id] = time.monotonic() + POSTPONED_SECONDS
            return
        except (CatalogError, IngestError, ModelMissing, UploadError) as error:
            ended = _Ended(JobState.FAILED, str(error))
        except (JobTaken, UnreachableDatabase):
            raise
        except Exception as error:  # noqa: BLE001 - whatever fails, the job must end and say so
            _log.exception("job %s failed", job.id)
            ended = _Ended(
                JobState.FAILED,
                f"An unexpected error occurred ({type(error).__name__}); see the worker's log. "
                "Trying again continues where it stopped.",
            )
        self._tidy(job)
        self._finish(job, ended)
        _log.info("job %s is %s: %s", job.id, ended.state, ended.message)
        if ended.state is JobState.DONE:
            drop_upload(self.database, job.id)

    def _finish(self, job: Job, ended: _Ended) -> None:
        """Write how a job ended; on a full disk as soon as there is room again."""
        while True:
            try:
                self.claims.finish(job.id, ended.state, ended.message, ended.report, ended.problems)
            except DatabaseFull as full:
                if self.stopping():
                    raise
                _log.warning("job %s is %s, which waits to be kept: %s", job.id, ended.state, full)
                time.sleep(FULL_SECONDS)
            else:
                return

    def _tidy(self, job: Job) -> None:
        """Remove the job's folder while nobody else can have it in hand."""
        shutil.rmtree(upload_dir(self.data_dir, job.id), ignore_errors=True)

    def _carry_out(self, job: Job, watch: _Watch) -> _Ended:
        place = upload_dir(self.data_dir, job.id)
        builder = Builder(
            self.database,
            self.data_dir,
            self.embedder,
            self.chunking,
            watch.report,
            watch.is_to_stop,
            workers=1,
            limits=self.limits,
        )
        match job.kind:
            case JobKind.UPLOAD:
                paths = lay_out_upload(self.database, self.data_dir, job.id)
                report = builder.ingest(paths, product=job.product, release=job.release)
            case JobKind.REREAD:
                report = builder.reread(job.product, job.release)
            case JobKind.REMOVE:
                files = {file.file for file in Jobs(self.database).files(job.id)}
                report = builder.remove_documents(job.product, job.release, files)
            case JobKind.DELETE if job.release:
                deleted = delete_release(
                    self.database, self.data_dir, job.product, job.release, watch.report
                )
                return _deleted(job, deleted)
            case JobKind.DELETE:
                deleted = delete_product(self.database, self.data_dir, job.product, watch.report)
                return _deleted(job, deleted)
        return _ended(report, place)


@dataclass(frozen=True)
class _Ended:
    state: JobState
    message: str
    report: dict[str, Any] | None = None
    problems: tuple[JobFile, ...] = ()


class _Watch:
    """Writes how far a job is, now and then, and learns in turn whether it is to be cancelled."""

    def __init__(self, claims: Claims, job_id: int, stopping: Callable[[], bool]) -> None:
        self._claims = claims
        self._job_id = job_id
        self._stopping = stopping
        self._written: tuple[str, float] | None = None
        self.cancelling = False

    def report(self, progress: Progress) -> None:
        """Write it if the stage begins or ends or it was long not written; raise JobTaken."""
        now = time.monotonic()
        is_due = (
            self._written is None
            or self._written[0] != progress.stage
            or progress.done == progress.total
            or now - self._written[1] >= WRITE_SECONDS
        )
        if is_due:
            self.cancelling = self._claims.progress(self._job_id, progress)
            self._written = progress.stage, now

    def is_to_stop(self) -> bool:
        """Whether the job is cancelled, or the worker is about to end."""
        return self.cancelling or self._stopping()


def _ended(report: IngestReport, place: Path) -> _Ended:
    failed = [file for file in report.rejected if not file.expected]
    problems = tuple(
        JobFile(_name(name, place), reason=reason)
        for name, reason in (
            *((file.file, file.reason) for file in report.rejected),
            *((remark.file, remark.text) for remark in report.remarks),
        )
    )
    figures = asdict(report)
    figures |= {"reused": report.reused, "rejected": len(report.rejected), "failed": len(failed)}
    figures["skipped"] = dict(report.skipped)
    left_out = f" Skipped {_count(len(report.rejected), 'file')}." if report.rejected else ""
    if in_part := len({remark.file for remark in report.remarks}):
        left_out += f" Read in part: {_count(in_part, 'file')}."
    match report.outcome:
        case Outcome.PUBLISHED:
            documents = _count(report.documents, "document")
            message = f"Ready: {documents} with {_count(report.pages, 'page')}.{left_out}"
            message = f"{message} {report.remembered.told}".rstrip()
        case Outcome.UNCHANGED:
            message = f"No changes.{left_out}"
        case Outcome.NOTHING_READABLE:
            message = "No file could be read, so nothing changed."
            return _Ended(JobState.FAILED, message, figures, problems)
    return _Ended(JobState.DONE, message, figures, problems)


def _name(file: str, place: Path) -> str:
    """A file's name without the way to the folder or the zip that it was uploaded in."""
    return re.sub(rf"^{re.escape(str(place))}/(files|archives/\d+)/", "", file)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _deleted(job: Job, deleted: Deleted) -> _Ended:
    answers = _count(deleted.remembered, "saved answer")
    also = f" with {answers}" if deleted.remembered else ""
    return _Ended(JobState.DONE, f"Deleted {_subject(job)}{also}.", asdict(deleted))


def _subject(job: Job) -> str:
    return f"{job.product} {job.release}".strip()
