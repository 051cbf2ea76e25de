"""The tables of jobs: long work on a release that a worker process does."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Enum, ForeignKey, Index, String
from sqlalchemy.orm import Mapped, MappedAsDataclass, mapped_column

from corpora.database.tables import Base, Told, ToldJson


class JobKind(StrEnum):
    """What a job does: the files of an upload become part of a release; its files are read again
    by today's parsers; its texts are embedded by another model; what is new at a source is brought;
    documents leave it; it is deleted, or the product with all releases; a release pack is taken in,
    or one is made. Or the questions with checked answers of a product are asked, and what it
    replies is scored; or such questions are proposed from a release. Or the accepted answers of the
    release before are held against a generation.
    """

    UPLOAD = "upload"
    REREAD = "reread"
    EMBED = "embed"
    REMOVE = "remove"
    DELETE = "delete"
    UNPACK = "unpack"
    PACK = "pack"
    EVALUATE = "evaluate"
    DRAFT = "draft"
    CHECK = "check"
    SYNC = "sync"


ON_DOCUMENTS = (
    *(JobKind.UPLOAD, JobKind.REREAD, JobKind.EMBED, JobKind.REMOVE, JobKind.DELETE),
    JobKind.UNPACK,
)
EVALUATIONS = (JobKind.EVALUATE,)
DRAFTS = (JobKind.DRAFT,)
PACKS = (JobKind.PACK,)
CHECKS = (JobKind.CHECK,)
SYNCS = (JobKind.SYNC,)
"""Jobs that change documentation, that measure, that propose questions, that hold answers against
a release, that mostly wait for others' servers, that write a release pack: no group waits for
another."""


ORDER, PART = "order", "part"
"""Of a job's report, what was there before it was begun, and how far it is among releases."""


class JobState(StrEnum):
    """Where a job stands."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


def _one_of(choices: type[StrEnum]) -> Enum:
    """A column that holds the value of a choice as text."""
    return Enum(choices, native_enum=False, length=16, values_callable=list)


class WorkerRow(Base):
    """A worker process, `name` its id and machine, and when it last said that it lives."""

    name: Mapped[str] = mapped_column(String(255), primary_key=True)
    heartbeat: Mapped[datetime]


class JobRow(Base):
    """A job and how far it is: `done` of `total` are what its `stage` counts.

    Products and releases are named, not referred to: a job outlives what it worked on. `release` is
    empty where it is of a whole product, `source_id` set where it is of a source; `attempts` counts
    the workers that had it. `report` is what it came to.
    """

    __table_args__ = (Index(None, "state", "id"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[JobKind] = mapped_column(_one_of(JobKind))
    product: Mapped[str]
    release: Mapped[str]
    person: Mapped[str]
    source_id: Mapped[int | None]
    state: Mapped[JobState] = mapped_column(_one_of(JobState))
    cancelling: Mapped[bool] = mapped_column(default=False)
    stage: Mapped[str] = mapped_column(String(16), default="")
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int] = mapped_column(default=0)
    item: Mapped[str] = mapped_column(default="")
    message: Mapped[str] = mapped_column(Told, default="")
    report: Mapped[dict[str, Any]] = mapped_column(ToldJson, default=dict)
    worker: Mapped[str] = mapped_column(default="")
    attempts: Mapped[int] = mapped_column(default=0)
    created: Mapped[datetime] = mapped_column(index=True)
    started: Mapped[datetime | None]
    stage_started: Mapped[datetime | None]
    finished: Mapped[datetime | None]

    @property
    def order(self) -> dict[str, Any]:
        """What was ordered beside product and release; it stays when the job is done again."""
        order: dict[str, Any] = self.report.get(ORDER, {})
        return order

    @property
    def part(self) -> tuple[int, int]:
        """How many releases of how many it has done, where it works on one after the other."""
        done, of = self.report.get(PART, (0, 1))
        return done, of

    @property
    def is_open(self) -> bool:
        """Whether it is still to be done."""
        return self.state in (JobState.WAITING, JobState.RUNNING)

    @property
    def is_final(self) -> bool:
        """Whether it is deleting or publishing, which is done whole once it has begun."""
        is_final = self.kind is JobKind.DELETE or self.stage == "publishing"
        return self.state is JobState.RUNNING and is_final

    @property
    def can_be_cancelled(self) -> bool:
        """Whether it can be stopped, and is not being stopped already."""
        return self.is_open and not self.is_final and not self.cancelling

    @property
    def as_of(self) -> datetime:
        """The moment at which it stands so."""
        return datetime.now(UTC)

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
        rate = self.rate
        return (self.total - self.done) / rate if rate else None


class JobFileRow(MappedAsDataclass, Base):
    """A file of a job: uploaded, or to be removed; `reason` says why it was left out.

    `size` is in bytes, `content_hash` the SHA-256 of its bytes where it was uploaded.
    """

    job_id: Mapped[int] = mapped_column(
        ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True, init=False, compare=False
    )
    file: Mapped[str] = mapped_column(primary_key=True)
    size: Mapped[int] = mapped_column(default=0)
    content_hash: Mapped[str] = mapped_column(String(64), default="")
    reason: Mapped[str] = mapped_column(Told, default="")
