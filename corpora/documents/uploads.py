"""Uploads: files that came over the page are kept in the database until they are ingested."""

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import Any

from sqlalchemy import ColumnElement, select, update

from corpora.catalog.catalog import check_name
from corpora.database.engine import Database
from corpora.database.job_tables import JobRow
from corpora.database.originals import Originals, pack
from corpora.database.tables import FileRow
from corpora.errors import JobError, UploadError
from corpora.generations.disk import full_disk_is_named, require_room
from corpora.jobs.jobs import LEFT_OUT, JobFile, JobKind, Jobs
from ingestion.archives import canonical_name, stays_inside

KEPT_FOR_RETRY = timedelta(days=7)
"""How long the files of a job that failed or was cancelled are kept."""

_LONGEST_PART = 255
_NOT_KEPT = "The files of this upload are not kept any more. Upload them again."


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A file as it came: its name, with "/" between folders, and its bytes.

    A letter with its accents is one in the name, however it was sent.
    """

    name: str
    content: bytes = field(repr=False)

    def __post_init__(self) -> None:
        """Spell the name as documents are named."""
        object.__setattr__(self, "name", canonical_name(self.name))

    @property
    def size(self) -> int:
        """Its size in bytes."""
        return len(self.content)

    @property
    def is_archive(self) -> bool:
        """Whether its files are meant rather than itself."""
        return _is_archive(self.name)


def name_objection(name: str) -> str | None:
    """Return why a file cannot be kept under its name, or None."""
    parts = name.split("/")
    if not stays_inside(name) or "\\" in name:
        return "its name is not a plain relative path; rename it"
    if any(part == "." or len(part.encode(errors="replace")) > _LONGEST_PART for part in parts):
        return "its name is too long, or has a part that is only a dot; rename it"
    if name.encode(errors="replace").decode() != name:
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
    kind: JobKind = JobKind.UPLOAD,
    order: Mapping[str, Any] | None = None,
    left_out: Mapping[str, str] = MappingProxyType({}),
) -> int:
    """Keep files in the database, order what is done with them, and return the id of the job.

    The job is there once its files are safe, and any worker on any machine can do it. `data_dir`
    is looked at for room. Why files were `left_out` is listed with the job. Raises
    UploadError, UnusableName and DiskFull.
    """
    check_name("product", product)
    check_name("release", release)
    if not files:
        raise UploadError("No file to upload. Choose at least one.")
    for file in files:
        if (problem := name_objection(file.name)) is not None:
            raise UploadError(f"{file.name!r}: {problem}.")
    originals = Originals(database)
    with full_disk_is_named(data_dir):
        require_room(data_dir, sum(file.size for file in files))
        listed = [_keep(database, file) for file in files]
        # Such a name may be one that no database takes.
        refused = {
            name.encode(errors="replace").decode().replace("\0", "?"): reason
            for name, reason in left_out.items()
        }
        listed_out = [JobFile(name, reason=reason) for name, reason in refused.items()]
        ordered = {**(order or {}), **({LEFT_OUT: refused} if refused else {})}
        with database.writing() as session:
            job_id = Jobs(database).add(
                kind,
                product,
                release,
                person_id,
                listed + listed_out,
                order=ordered,
                session=session,
            )
            for file, kept in zip(files, listed, strict=True):
                # Nobody held it until now, so that it may have been removed meanwhile.
                if not originals.is_kept(session, kept.content_hash):
                    originals.store(session, _packed(file))
    return job_id


def upload_dir(data_dir: Path, job_id: int) -> Path:
    """Return the folder in which a worker lays out the files that a job works on."""
    return data_dir.absolute() / "uploads" / str(job_id)


def lay_out_upload(database: Database, data_dir: Path, job_id: int) -> list[Path]:
    """Write the files of an upload into the job's folder; return what is to be ingested.

    That is the folder of its files, and each of its zips. Raises UploadError if its files are not
    kept any more, DiskFull.
    """
    folder = upload_dir(data_dir, job_id)
    shutil.rmtree(folder, ignore_errors=True)
    # A job that was tried before lists members of zips, too, that could not be read.
    kept = [file for file in Jobs(database).files(job_id) if file.content_hash]
    with full_disk_is_named(data_dir):
        require_room(data_dir, sum(file.size for file in kept))
        for number, file in enumerate(kept):
            data = Originals(database).read(file.content_hash)
            if data is None:
                raise UploadError(_NOT_KEPT)
            within = f"archives/{number}" if _is_archive(file.file) else "files"
            name = PurePosixPath(file.file).name if _is_archive(file.file) else file.file
            path = folder / within / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    if not kept:
        raise UploadError(_NOT_KEPT)
    return [p for p in (folder / "files", *sorted(folder.glob("archives/*/*"))) if p.exists()]


def keep_result(database: Database, job_id: int, name: str, data: bytes) -> None:
    """Keep a file that a job made, to be fetched for as long as those of failed jobs are kept.

    What such jobs made of the same release before is let go: only the newest is kept.
    """
    packed = pack(data, compress=False)
    made = JobFile(name, size=packed.size, content_hash=packed.content_hash)
    made.job_id = job_id
    with database.writing() as session:
        Originals(database).store(session, packed)
        session.merge(made)
        job = session.get_one(JobRow, job_id)
        of_release = (
            *(JobRow.kind == job.kind, JobRow.product == job.product),
            *(JobRow.release == job.release, JobRow.id != job_id),
        )
        earlier = JobFile.job_id.in_(select(JobRow.id).where(*of_release))
    _let_go(database, earlier)


def kept_result(database: Database, job_id: int) -> tuple[str, bytes]:
    """Return the name and the bytes of the file that a job made; raise JobError without one."""
    jobs = Jobs(database)
    if jobs.get(job_id).kind is JobKind.PACK:
        for file in jobs.files(job_id):
            data = Originals(database).read(file.content_hash) if file.content_hash else None
            if data is not None:
                return file.file, data
    raise JobError(f"Job {job_id} has made no file, or it is not kept any more: order it again.")


def drop_upload(database: Database, job_id: int) -> None:
    """Keep the files that a job worked on no longer, but for those that a document holds."""
    _let_go(database, JobFile.job_id == job_id)


def sweep_uploads(database: Database, data_dir: Path) -> None:
    """Let go of files of jobs that were given up long ago, and of folders of jobs that are over."""
    place = data_dir / "uploads"
    # Listed before the jobs are read: a folder that is made later belongs to a job known then.
    folders = list(place.iterdir()) if place.is_dir() else []
    given_up = select(JobRow.id).where(JobRow.finished < datetime.now(UTC) - KEPT_FOR_RETRY)
    held = JobFile.job_id.in_(given_up) & (JobFile.content_hash != "")
    with database.reading() as session:
        is_held = session.scalar(select(JobFile.job_id).where(held).limit(1)) is not None
        unfinished = select(JobRow.id).where(JobRow.finished.is_(None))
        needed = set(map(str, session.scalars(unfinished)))
    if is_held:
        _let_go(database, held)
    for folder in folders:
        if folder.name not in needed:
            shutil.rmtree(folder, ignore_errors=True)


def _let_go(database: Database, files: ColumnElement[bool]) -> None:
    with database.writing() as session:
        session.execute(update(JobFile).where(files).values(content_hash=""))
    Originals(database).prune()


def _keep(database: Database, file: UploadedFile) -> JobFile:
    packed = _packed(file)
    with database.writing() as session:
        Originals(database).store(session, packed)
    return JobFile(file=file.name, size=packed.size, content_hash=packed.content_hash)


def _packed(file: UploadedFile) -> FileRow:
    return pack(file.content, compress=not file.is_archive)


def _is_archive(name: str) -> bool:
    return name.lower().endswith(".zip")
