"""The tables of jobs: long work on a release that a worker process does."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Index, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from corpora.database.tables import Base, owned_by


class WorkerRow(Base):
    """A worker process, `name` its id and machine, and when it last said that it lives."""

    __tablename__ = "workers"

    name: Mapped[str] = mapped_column(String(255), primary_key=True)
    heartbeat: Mapped[datetime]


class JobRow(Base):
    """A job and how far it is; `worker` has it in hand, `attempts` counts how many had it.

    Products and releases are named, not referred to: a job outlives what it worked on.
    """

    __tablename__ = "jobs"
    __table_args__ = (Index(None, "state", "id"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    product: Mapped[str] = mapped_column(Text)
    release: Mapped[str] = mapped_column(Text)
    person: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(String(16))
    cancelling: Mapped[bool] = mapped_column(default=False)
    stage: Mapped[str] = mapped_column(String(16), default="")
    done: Mapped[int] = mapped_column(default=0)
    total: Mapped[int] = mapped_column(default=0)
    item: Mapped[str] = mapped_column(Text, default="")
    message: Mapped[str] = mapped_column(Text, default="")
    report: Mapped[dict[str, Any]] = mapped_column(JSON, default=dict)
    worker: Mapped[str] = mapped_column(Text, default="")
    attempts: Mapped[int] = mapped_column(default=0)
    created: Mapped[datetime] = mapped_column(index=True)
    started: Mapped[datetime | None]
    stage_started: Mapped[datetime | None]
    finished: Mapped[datetime | None]


class JobFileRow(Base):
    """A file of a job: uploaded, or to be removed; `reason` says why it was left out."""

    __tablename__ = "job_files"

    job_id: Mapped[int] = owned_by("jobs", primary_key=True)
    file: Mapped[str] = mapped_column(Text, primary_key=True)
    size: Mapped[int]
    content_hash: Mapped[str] = mapped_column(String(64))
    reason: Mapped[str] = mapped_column(Text)
