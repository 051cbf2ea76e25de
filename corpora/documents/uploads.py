"""Uploads: files that came over the page are kept in the database until they are ingested."""

import shutil
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from typing import IO, Any

from sqlalchemy import ColumnElement, delete, select, update

from corpora.catalog.catalog import check_name
from corpora.database.engine import Database
from corpora.database.job_tables import JobRow
from corpora.database.originals import Originals, pack
from corpora.database.tables import FileRow
from corpora.errors import JobError, UploadError
from corpora.generations.disk import full_disk_is_named, require_room
from corpora.jobs.jobs import LEFT_OUT, JobFile, JobKind, Jobs
from ingestion.archives import canonical_name, stays_inside
from ingestion.messages import message

KEPT_FOR_RETRY = timedelta(days=7)
"""How long the files of a job that failed or was cancelled are kept."""

_PIECE = 16_000_000
_LONGEST_PART = 255
_NOT_KEPT = message("The files of this upload are not kept any more. Upload them again.")


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


@dataclass(frozen=True)
class Pieces:
    """A large file as files of some MB, each read when it is wanted; `joined` makes one of them."""

    whole: IO[bytes]

    def __iter__(self) -> Iterator[UploadedFile]:
        """Read one after the other."""
        self.whole.seek(0)
        for number in count():
            if not (content := self.whole.read(_PIECE)):
                return
            yield UploadedFile(f"piece-{number:04}", content)


def joined(folder: Path) -> Path:
    """Make one file again of all that were laid out in a folder, and return it."""
    first, *others = sorted(folder.iterdir())
    with first.open("ab") as whole:
        for piece in others:
            whole.write(piece.read_bytes())
            piece.unlink()
    return first


def name_objection(name: str) -> str | None:
    """Return why a file cannot be kept under its name, or None."""
    parts = name.split("/")
    if not stays_inside(name) or "\\" in name:
        return message("its name is not a plain relative path; rename it")
    if any(part == "." or len(part.encode(errors="replace")) > _LONGEST_PART for part in parts):
        return message("its name is too long, or has a part that is only a dot; rename it")
    if name.encode(errors="replace").decode() != name:
        return message("its name is not UTF-8; rename it")
    if any(part.startswith(".") for part in parts):
        return message(
            "a hidden file; rename it so that it does not begin with a dot, or leave it out"
        )
    return None


def store(
    database: Database,
    data_dir: Path,
    files: Iterable[UploadedFile],
    *,
    product: str,
    release: str,
    person_id: str,
    kind: JobKind = JobKind.UPLOAD,
    order: Mapping[str, Any] | None = None,
    left_out: Mapping[str, str] = MappingProxyType({}),
) -> int:
    """Keep files in the database, order what is done with them, and return the id of the job.

    The job is there once its files are safe, and any worker on any machine can do it. `files` are
    gone through more than once, `data_dir` is looked at for room. Why files were `left_out` is
    listed with the job. Raises UploadError, UnusableName and DiskFull.
    """
    check_name("product", product)
    check_name("release", release)
    if not files:
        raise UploadError("No file to upload. Choose at least one.")
    size = 0
    for file in files:
        if (problem := name_objection(file.name)) is not None:
            raise UploadError("{file!r}: {problem}.", file=file.name, problem=problem)
        size += file.size
    originals = Originals(database)
    with full_disk_is_named(data_dir):
        require_room(data_dir, size)
        listed = [_keep(database, file, kind) for file in files]
        taken = {file.file for file in listed}
        refused = {_nameable(name): reason for name, reason in left_out.items()}
        refused = {name: reason for name, reason in refused.items() if name not in taken}
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
            # Nobody held them until now, so that one may have been removed meanwhile.
            lost = [not originals.is_kept(session, kept.content_hash) for kept in listed]
            for file, is_lost in zip(files if any(lost) else (), lost, strict=False):
                if is_lost:
                    originals.store(session, _packed(file, kind))
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


def keep_result(database: Database, job_id: int, name: str, file: IO[bytes]) -> None:
    """Keep a file that a job made, to be fetched for as long as those of failed jobs are kept.

    What such jobs made of the same release before is let go: only the newest is kept.
    """
    with database.writing() as session:
        # A try that ended before the job was done may have kept more.
        session.execute(delete(JobFile).where(JobFile.job_id == job_id))
        for piece in Pieces(file):
            packed = pack(piece.content, compress=False)
            Originals(database).store(session, packed)
            made = JobFile(f"{name}/{piece.name}", packed.size, packed.content_hash)
            made.job_id = job_id
            session.add(made)
        job = session.get_one(JobRow, job_id)
        of_release = (
            *(JobRow.kind == job.kind, JobRow.product == job.product),
            *(JobRow.release == job.release, JobRow.id != job_id),
        )
        earlier = JobFile.job_id.in_(select(JobRow.id).where(*of_release))
    _let_go(database, earlier)


def kept_result(database: Database, job_id: int) -> tuple[str, int, Iterator[bytes]]:
    """Return name, size in bytes and pieces of the file that a job made; raise JobError without."""
    jobs = Jobs(database)
    files = [file for file in jobs.files(job_id) if file.content_hash]
    missing = JobError(
        "Job {job_id} has made no file, or it is not kept any more: order it again.", job_id=job_id
    )
    if jobs.get(job_id).kind is not JobKind.PACK or not files:
        raise missing

    def pieces() -> Iterator[bytes]:
        for file in files:
            if (data := Originals(database).read(file.content_hash)) is None:
                raise missing
            yield data

    return files[0].file.partition("/")[0], sum(file.size for file in files), pieces()


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


def _nameable(name: str) -> str:
    """The name of a file that was refused, which may be one that no database takes."""
    return name.encode(errors="replace").decode().replace("\0", "?")[:_LONGEST_PART]


def _let_go(database: Database, files: ColumnElement[bool]) -> None:
    with database.writing() as session:
        session.execute(update(JobFile).where(files).values(content_hash=""))
    Originals(database).prune()


def _keep(database: Database, file: UploadedFile, kind: JobKind) -> JobFile:
    packed = _packed(file, kind)
    with database.writing() as session:
        Originals(database).store(session, packed)
    return JobFile(file=file.name, size=packed.size, content_hash=packed.content_hash)


def _packed(file: UploadedFile, kind: JobKind) -> FileRow:
    return pack(file.content, compress=kind is JobKind.UPLOAD and not file.is_archive)


def _is_archive(name: str) -> bool:
    return name.lower().endswith(".zip")
