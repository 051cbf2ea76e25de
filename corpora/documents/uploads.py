"""Uploads: files that came over the page lie in the data folder until they are ingested."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path, PurePosixPath
from secrets import token_hex

from sqlalchemy import select

from corpora.catalog.catalog import check_name
from corpora.database.engine import Database
from corpora.database.job_tables import JobRow
from corpora.generations.disk import full_disk_is_named, require_room
from corpora.jobs.jobs import JobFile, JobKind, JobState, insert_job
from ingestion.archives import stays_inside
from ingestion.errors import StrataError

KEPT_FOR_RETRY = timedelta(days=7)
"""How long the files of a job that failed or was cancelled are kept."""

_STALE = timedelta(hours=1)
_LONGEST_PART = 255


class UploadError(StrataError):
    """An upload cannot be taken; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A file as it came: its name, with "/" between folders, and its bytes or where they lie."""

    name: str
    content: bytes | Path = field(repr=False)
    size: int

    @property
    def is_archive(self) -> bool:
        """Whether its files are meant rather than itself."""
        return self.name.lower().endswith(".zip")

    def read_bytes(self) -> bytes:
        """Return its content."""
        return self.content.read_bytes() if isinstance(self.content, Path) else self.content


def name_objection(name: str) -> str | None:
    """Return why a file cannot be kept under its name, or None."""
    parts = name.split("/")
    if not stays_inside(name) or "\\" in name:
        return "its name is no plain relative path; rename it"
    if any(part == "." or len(part.encode(errors="replace")) > _LONGEST_PART for part in parts):
        return "its name is too long, or has a part that is only a dot; rename it"
    if not _is_utf8(name):
        return "its name is not UTF-8; rename it"
    if any(part.startswith(".") for part in parts):
        return "a hidden file; rename it so that it does not begin with a dot, or leave it out"
    return None


def store(
    database: Database,
    data_dir: Path,
    files: Sequence[UploadedFile],
    *,
    product: str,
    release: str,
    person_id: str,
) -> int:
    """Put files into the data folder, order their ingest, and return the id of the job.

    The job is there once its files are safe on the disk. Raises UploadError, UnusableName and
    DiskFull.
    """
    check_name("product", product)
    check_name("release", release)
    if not files:
        raise UploadError("There is no file to upload. Choose some.")
    for file in files:
        if (problem := name_objection(file.name)) is not None:
            raise UploadError(f"{file.name!r}: {problem}.")
    place = _uploads(data_dir)
    place.mkdir(parents=True, exist_ok=True)
    aside = place / f".{token_hex(8)}"
    try:
        with full_disk_is_named(data_dir):
            require_room(data_dir, sum(file.size for file in files))
            listed = [_write(aside, number, file) for number, file in enumerate(files)]
            _sync_folders(aside)
            with database.writing() as session:
                job_id = insert_job(session, JobKind.UPLOAD, product, release, person_id, listed)
                # What lies there belongs to a job whose row never came to be.
                shutil.rmtree(upload_dir(data_dir, job_id), ignore_errors=True)
                aside.rename(upload_dir(data_dir, job_id))
                _sync(place)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    return job_id


def upload_dir(data_dir: Path, job_id: int) -> Path:
    """Return the folder of the files that a job works on."""
    return _uploads(data_dir) / str(job_id)


def uploaded_paths(data_dir: Path, job_id: int) -> list[Path]:
    """Return what is to be ingested of an upload: the folder of its files, and each of its zips.

    Raises UploadError if its files are not kept any more.
    """
    folder = upload_dir(data_dir, job_id)
    if not folder.is_dir():
        raise UploadError("The files of this upload are not kept any more. Upload them again.")
    return [p for p in (folder / "files", *sorted(folder.glob("archives/*/*"))) if p.exists()]


def drop_upload(data_dir: Path, job_id: int) -> None:
    """Remove the files that a job worked on."""
    shutil.rmtree(upload_dir(data_dir, job_id), ignore_errors=True)


def sweep_uploads(database: Database, data_dir: Path) -> None:
    """Remove files of jobs that are done or were given up long ago, and what crashes left."""
    place = _uploads(data_dir)
    # Listed before the jobs are read; a folder that has no job yet is young.
    folders = [(f, f.stat()) for f in place.iterdir()] if place.is_dir() else []
    if not folders:
        return
    now = datetime.now(UTC)
    ids = [int(folder.name) for folder, _ in folders if folder.name.isdecimal()]
    with database.reading() as session:
        rows = session.execute(
            select(JobRow.id, JobRow.state, JobRow.finished).where(JobRow.id.in_(ids))
        )
        jobs = {str(job_id): (JobState(state), finished) for job_id, state, finished in rows}
    for folder, status in folders:
        if folder.name in jobs:
            gone = _is_over(*jobs[folder.name], now)
        else:
            touched = datetime.fromtimestamp(max(status.st_mtime, status.st_ctime), UTC)
            gone = now - touched > _STALE
        if gone:
            shutil.rmtree(folder, ignore_errors=True)


def _is_over(state: JobState, finished: datetime | None, now: datetime) -> bool:
    given_up = state in (JobState.FAILED, JobState.CANCELLED)
    return state is JobState.DONE or (
        given_up and finished is not None and now - finished > KEPT_FOR_RETRY
    )


def _uploads(data_dir: Path) -> Path:
    return data_dir.absolute() / "uploads"


def _write(folder: Path, number: int, file: UploadedFile) -> JobFile:
    """Write a file and wait until it is on the disk; zips apart, each in a folder of its own."""
    if file.is_archive:
        path = folder / "archives" / str(number) / PurePosixPath(file.name).name
    else:
        path = folder / "files" / file.name
    path.parent.mkdir(parents=True, exist_ok=True)
    data = file.read_bytes()
    with path.open("xb") as target:
        target.write(data)
        target.flush()
        os.fsync(target.fileno())
    return JobFile(file.name, len(data), sha256(data).hexdigest())


def _sync_folders(folder: Path) -> None:
    for place, _, _ in os.walk(folder):
        _sync(Path(place))


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _is_utf8(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True
