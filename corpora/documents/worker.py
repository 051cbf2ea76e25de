"""A job is done: claimed, carried out, reported on, and ended one way or another."""

from __future__ import annotations

import logging
import re
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from corpora.building.building import Builder
from corpora.building.fingerprints import ChunkingSettings
from corpora.building.removal import delete_product, delete_release
from corpora.building.report import IngestReport, Outcome
from corpora.database.engine import Database
from corpora.documents.uploads import drop_upload, joined, lay_out_upload, upload_dir
from corpora.errors import (
    BeingBuilt,
    DatabaseFull,
    IngestCancelled,
    JobTaken,
    NothingToIngest,
    TakenOver,
    UnreachableDatabase,
)
from corpora.generations.progress import Progress
from corpora.indexing.embedding import Embedder
from corpora.jobs.jobs import (
    ON_DOCUMENTS,
    SYNCS,
    Claims,
    Job,
    JobFile,
    JobKind,
    Jobs,
    JobState,
)
from corpora.sources.run_report import ReleaseRun
from corpora.sources.source import Secrets
from corpora.sources.syncing import Syncing, keep_outcome
from ingestion.errors import StrataError
from ingestion.listing import DEFAULT_LIMITS, Limits, passed_over
from ingestion.messages import counted, message, sentences

POSTPONED_SECONDS = 30.0
"""A job whose release another process is building is tried again after this time."""

WRITE_SECONDS = 0.5
"""Progress is written so often: people see it move, and others can write in between."""

FULL_SECONDS = 5.0
"""What could not be written for want of room is written again after this time."""

_log = logging.getLogger("strata.worker")


Task = Callable[[Job, Callable[[Progress], None], Callable[[], bool]], str]
"""Gets a job, where to report, and whether to stop; returns a message."""


@dataclass(frozen=True)
class JobWork:
    """Does jobs, one after another; `stopping` says that this process is about to end.

    `pauses` gives what each ingest calls between two steps; with `waits` what it built waits for an
    admin's yes. With `tasks` it does jobs of their kinds alone, which are none on documents; with
    `secrets` it runs sources alone, which sign in with these; `tell` gets a product and what left
    it as its source has it no more, and returns who was told. `unpack` takes a release pack in.
    """

    claims: Claims
    database: Database
    data_dir: Path
    embedder: Embedder
    chunking: ChunkingSettings
    stopping: Callable[[], bool] = lambda: False
    limits: Limits = DEFAULT_LIMITS
    pauses: Callable[[], Callable[[], None]] = lambda: lambda: None
    tasks: Mapping[JobKind, Task] = field(default_factory=dict)
    secrets: Secrets | None = None
    unpack: Callable[[Job, Path, Builder], str] | None = None
    waits: bool = False
    tell: Callable[[str, Sequence[ReleaseRun]], str] = lambda product, withdrawn: ""
    _postponed: dict[int, float] = field(default_factory=dict, init=False)

    @property
    def kinds(self) -> tuple[JobKind, ...]:
        """The kinds of the jobs that it does."""
        if self.secrets is not None:
            return SYNCS
        return tuple(self.tasks) or ON_DOCUMENTS

    def do_next(self) -> bool:
        """Do the job that has waited longest; return False if none waits that can be done now."""
        now = time.monotonic()
        postponed = [job_id for job_id, until in self._postponed.items() if now < until]
        job_id = self.claims.next_waiting(postponed, self.kinds)
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
            ended = self._outcome(job)
            # Nobody else can have it in hand as long as the row says that this worker has it.
            shutil.rmtree(upload_dir(self.data_dir, job.id), ignore_errors=True)
            if ended.state is JobState.WAITING:
                self.claims.put_back(job.id, ended.message)
                return
            self._finish(job, ended)
        except JobTaken:
            _log.warning("job %s is in other hands now", job.id)
            return
        _log.info("job %s is %s: %s", job.id, ended.state, ended.message)
        # What it made is fetched later.
        if ended.state is JobState.DONE and job.kind is not JobKind.PACK:
            drop_upload(self.database, job.id)

    def _outcome(self, job: Job) -> _Ended:
        watch = _Watch(self.claims, job.id, self.stopping)
        try:
            return self._carry_out(job, watch)
        except IngestCancelled:
            if not watch.cancelling:
                return _Ended(JobState.WAITING)
            return _Ended(JobState.CANCELLED, _STOPPED)
        except (BeingBuilt, TakenOver) as error:
            self._postponed[job.id] = time.monotonic() + POSTPONED_SECONDS
            return _Ended(JobState.WAITING, str(error))
        except NothingToIngest:
            return _Ended(JobState.FAILED, _NOTHING_READ)
        except (JobTaken, UnreachableDatabase):
            raise
        except StrataError as error:
            return _Ended(JobState.FAILED, str(error))
        except Exception as error:  # noqa: BLE001 - whatever fails, the job must end and say so
            _log.exception("job %s failed", job.id)
            return _Ended(
                JobState.FAILED,
                message(
                    "An unexpected error occurred ({kind}); see the worker's log. Trying again "
                    "continues where it stopped.",
                    kind=type(error).__name__,
                ),
            )

    def _finish(self, job: Job, ended: _Ended) -> None:
        """Write how a job ended; on a full disk as soon as there is room again."""
        while True:
            try:
                self.claims.finish(job.id, *ended)
            except DatabaseFull as full:
                if self.stopping():
                    raise
                _log.warning("job %s is %s, which waits to be kept: %s", job.id, ended.state, full)
                time.sleep(FULL_SECONDS)
            else:
                return

    def _carry_out(self, job: Job, watch: _Watch) -> _Ended:
        if task := self.tasks.get(job.kind):
            return _Ended(JobState.DONE, task(job, watch.report, watch.is_to_stop))
        if job.kind is JobKind.DELETE:
            report, database, data_dir = watch.report, self.database, self.data_dir
            pages = (
                delete_release(database, data_dir, job.product, job.release, report)
                if job.release
                else delete_product(database, data_dir, job.product, report)
            )
            gone = message("Deleted {subject}.", subject=_subject(job))
            return _Ended(JobState.DONE, gone, {"pages": pages})
        builder = Builder(
            self.database,
            self.data_dir,
            self.embedder,
            self.chunking,
            watch.report,
            watch.is_to_stop,
            workers=1,
            limits=self.limits,
            pause=self.pauses(),
            waits=self.waits,
        )
        match job.kind:
            case JobKind.SYNC:
                return self._sync(job, builder, watch)
            case JobKind.UPLOAD:
                paths = lay_out_upload(self.database, self.data_dir, job.id)
                ingested = builder.ingest(
                    paths,
                    product=job.product,
                    release=job.release,
                    language=job.order.get("language"),
                )
            case JobKind.UNPACK if self.unpack:
                (folder,) = lay_out_upload(self.database, self.data_dir, job.id)
                return _Ended(JobState.DONE, self.unpack(job, joined(folder), builder))
            case JobKind.REREAD:
                ingested = builder.reread(job.product, job.release)
            case JobKind.EMBED:
                ingested = builder.embed_anew(job.product, job.release)
            case JobKind.REMOVE:
                files = {file.file for file in Jobs(self.database).files(job.id)}
                ingested = builder.remove_documents(job.product, job.release, files)
        return _ended(ingested, upload_dir(self.data_dir, job.id))

    def _sync(self, job: Job, builder: Builder, watch: _Watch) -> _Ended:
        def check_stop() -> None:
            if watch.is_to_stop():
                raise IngestCancelled

        source = job.source_id or 0
        secrets = self.secrets or Secrets()
        try:
            with builder.for_several() as several:
                of = self.database, self.data_dir, several, secrets
                run = Syncing(*of, watch.report, check_stop, self.tell).run(source, job.id)
        except (BeingBuilt, TakenOver, IngestCancelled, UnreachableDatabase):
            raise
        except StrataError as error:
            keep_outcome(self.database, source, "failed", str(error), None)
            raise
        keep_outcome(self.database, source, run.outcome, run.message, run)
        state = JobState.FAILED if "failed" in {r.outcome for r in run.releases} else JobState.DONE
        return _Ended(state, run.message, asdict(run) | {"outcome": run.outcome})


_NOTHING_READ = message("No file could be read, so nothing changed.")
_STOPPED = message("Stopped. What was processed so far is kept.")


class _Ended(NamedTuple):
    """What became of a job: the values of its row, and the files that were left out."""

    state: JobState
    message: str = ""
    report: dict[str, Any] | None = None
    problems: tuple[JobFile, ...] = ()


class _Watch:
    """Writes how far a job is, now and then, and learns in turn whether it is to be cancelled."""

    def __init__(self, claims: Claims, job_id: int, stopping: Callable[[], bool]) -> None:
        self._claims = claims
        self._job_id = job_id
        self._stopping = stopping
        self._stage, self._written = "", 0.0
        self.cancelling = False

    def report(self, progress: Progress) -> None:
        """Write it if the stage begins or ends or it was long not written; raise JobTaken."""
        now = time.monotonic()
        if (
            self._stage != progress.stage
            or progress.done == progress.total
            or now - self._written >= WRITE_SECONDS
        ):
            self.cancelling = self._claims.progress(self._job_id, progress)
            self._stage, self._written = progress.stage, now

    def is_to_stop(self) -> bool:
        """Whether the job is cancelled, or the worker is about to end."""
        return self.cancelling or self._stopping()


def _ended(report: IngestReport, place: Path) -> _Ended:
    remarks = [(file.file, file.reason) for file in report.rejected]
    remarks += [(remark.file, remark.text) for remark in report.remarks]
    # A file's name without the way to the folder or the zip that it was uploaded in.
    way = re.compile(rf"^{re.escape(str(place))}/(files|archives/\d+)/")
    problems = tuple(JobFile(way.sub("", name), reason=reason) for name, reason in remarks)
    figures = asdict(report) | {
        "reused": report.reused,
        "rejected": len(report.rejected),
        "failed": sum(not file.expected for file in report.rejected),
        "skipped": dict(report.skipped),
    }
    left_out: list[str] = []
    if skipped := len(report.rejected):
        left_out.append(counted("Skipped {number} file.", "Skipped {number} files.", skipped))
    if in_part := len({remark.file for remark in report.remarks}):
        told = counted("Read in part: {number} file.", "Read in part: {number} files.", in_part)
        left_out.append(told)
    left_out += [passed_over(report.skipped), *report.archives]
    match report.outcome:
        case Outcome.NOTHING_READABLE:
            failed = sentences([_NOTHING_READ, *left_out])
            return _Ended(JobState.FAILED, failed, figures, problems)
        case Outcome.UNCHANGED:
            came_to = message("No changes.")
        case Outcome.PUBLISHED | Outcome.WAITING:
            waits = report.outcome is Outcome.WAITING
            came_to = message(
                "Waits to be published: {documents} with {pages}."
                if waits
                else "Ready: {documents} with {pages}.",
                documents=counted("{number} document", "{number} documents", report.documents),
                pages=counted("{number} page", "{number} pages", report.pages),
            )
            left_out.append(report.consequences)
    return _Ended(JobState.DONE, sentences([came_to, *left_out]), figures, problems)


def _subject(job: Job) -> str:
    return f"{job.product} {job.release}".strip()
