"""The tables of sources: where documentation is brought from, and what was last found there."""

from datetime import datetime
from typing import Any

from sqlalchemy import String, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column

from corpora.database.tables import Base, Told, ToldJson, owned_by


class SourceRow(Base):
    """A source of a product's documentation, and what came of its last run.

    `schedule` is "never", "hourly", "daily" or a cron expression in UTC, `next_run` when it is due;
    `hook_secret` is what a webhook must know. `outcome` is that of the last run that ended, and
    `report` what it did with each release.
    """

    # Documents name the source that they came from: an id is never given out twice.
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(primary_key=True)
    product: Mapped[str] = mapped_column(index=True)
    kind: Mapped[str] = mapped_column(String(64))
    options: Mapped[dict[str, Any]]
    schedule: Mapped[str] = mapped_column(default="never")
    next_run: Mapped[datetime | None] = mapped_column(index=True)
    hook_secret: Mapped[str] = mapped_column(default="")
    person: Mapped[str] = mapped_column(default="")
    created: Mapped[datetime]
    last_run: Mapped[datetime | None]
    outcome: Mapped[str] = mapped_column(String(16), default="")
    message: Mapped[str] = mapped_column(Told, default="")
    report: Mapped[dict[str, Any]] = mapped_column(ToldJson, default=dict)


class SourceReleaseRow(Base):
    """A release of a source as it was last taken.

    `revision` is that of the source, `taken` the digest of the files of which the documents that
    serve were made; both are empty before. `error` says why the last try failed. `hidden`: the
    source hid the release, as it is gone there.
    """

    __table_args__ = (UniqueConstraint("source_id", "name"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    source_id: Mapped[int] = owned_by("sources")
    name: Mapped[str]
    revision: Mapped[str] = mapped_column(default="")
    taken: Mapped[str] = mapped_column(String(64), default="")
    published: Mapped[datetime | None]
    error: Mapped[str] = mapped_column(Told, default="")
    hidden: Mapped[bool] = mapped_column(default=False, server_default=false())


class SourceFileRow(Base):
    """A file of a release at its source: where it was found, and the hash of its bytes.

    `content_hash` is empty where the bytes are of no use; `job_id` is the run that saw it last.
    """

    release_id: Mapped[int] = owned_by("source_releases", primary_key=True)
    path: Mapped[str] = mapped_column(primary_key=True)
    digest: Mapped[str]
    address: Mapped[str] = mapped_column(default="")
    content_hash: Mapped[str] = mapped_column(String(64), default="", index=True)
    job_id: Mapped[int]
