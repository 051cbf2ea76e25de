"""The bytes of ingested files, so that each can be shown again: in the database, or beside it.

Beside it means a folder that all machines see, or a bucket; a row then says that they are there.
"""

import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from errno import EDQUOT, ENOSPC
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from corpora.database.durable import sync, written_whole
from corpora.database.engine import Database, delete_in_portions, insert_into
from corpora.database.job_tables import JobFileRow
from corpora.database.source_tables import SourceFileRow
from corpora.database.tables import DocumentRow, FigureRow, FileRow
from corpora.errors import UnusableOriginals

_OF_NOTHING = sha256(b"").hexdigest()
"""The hash of an empty file, which alone has no bytes."""


def pack(data: bytes, *, compress: bool = True) -> FileRow:
    """Return the row of a file, with its bytes compressed if that makes them smaller."""
    packed = zlib.compress(data) if compress else data
    compressed = len(packed) < len(data)
    return FileRow(
        content_hash=sha256(data).hexdigest(),
        size=len(data),
        compressed=compressed,
        data=packed if compressed else data,
    )


def without_bytes(content_hash: str) -> FileRow:
    """Return the row of a file of which the bytes are not kept: a release pack may lack them."""
    return FileRow(content_hash=content_hash, size=0, compressed=False, data=b"")


class Originals:
    """Keeps the bytes of files in their rows, or where the database's `originals` says.

    Every method but `read` is for a transaction that writes: one of those runs at a time, so that
    nobody deletes what another one counts on.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._place = _place(database.originals) if database.originals else None

    def store(self, session: Session, *files: FileRow) -> None:
        """Keep what `pack` made of files, once for each content; raise UnusableOriginals."""
        rows = []
        for file in files:
            data = file.data
            if self._place is not None and (data or file.content_hash == _OF_NOTHING):
                self._place.write(file.content_hash, data)
                data = b""
            row = {"size": file.size, "compressed": file.compressed, "data": data}
            rows.append({"content_hash": file.content_hash, **row})
        if rows:
            insert = insert_into(session, FileRow)
            new = {name: insert.excluded[name] for name in ("size", "compressed", "data")}
            lacking = FileRow.size == 0
            key = [FileRow.content_hash]
            session.execute(
                insert.on_conflict_do_update(index_elements=key, set_=new, where=lacking), rows
            )

    def is_kept(self, session: Session, content_hash: str) -> bool:
        """Say whether the bytes of a file are kept."""
        there = select(FileRow.size).where(FileRow.content_hash == content_hash)
        return bool(session.scalar(there)) or content_hash == _OF_NOTHING

    def read(self, content_hash: str) -> bytes | None:
        """Return the bytes of a file, or None if they are not kept; raise UnusableOriginals."""
        return next((data for _, data in self.read_each([content_hash])), None)

    def read_each(self, hashes: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """Yield the hash and the bytes of those files that are kept; raises UnusableOriginals."""
        columns = FileRow.content_hash, FileRow.size, FileRow.compressed, FileRow.data
        wanted = select(*columns).where(FileRow.content_hash.in_(hashes))
        with self._database.reading() as session:
            for content_hash, size, compressed, data in session.execute(wanted).yield_per(1):
                if not size and content_hash != _OF_NOTHING:
                    continue
                if size and not data:
                    if self._place is None:
                        raise UnusableOriginals(
                            "This file lies outside the database: set STRATA_ORIGINALS_URL to its "
                            "place."
                        )
                    data = self._place.read(content_hash)
                yield content_hash, zlib.decompress(data) if compressed else data

    def prune(self) -> None:
        """Remove bytes that no document, figure or source holds, nor a job that is to ingest."""
        documents = select(DocumentRow.id).where(DocumentRow.content_hash == FileRow.content_hash)
        jobs = select(JobFileRow.job_id).where(JobFileRow.content_hash == FileRow.content_hash)
        sources = select(SourceFileRow.path).where(
            SourceFileRow.content_hash == FileRow.content_hash
        )
        figures = select(FigureRow.id).where(FigureRow.content_hash == FileRow.content_hash)
        unused = ~documents.exists() & ~figures.exists() & ~jobs.exists() & ~sources.exists()

        def remove(session: Session, hashes: Sequence[str]) -> None:
            if self._place is not None:
                still = select(FileRow.content_hash).where(FileRow.content_hash.in_(hashes), unused)
                for content_hash in session.scalars(still):
                    self._place.remove(content_hash)

        delete_in_portions(self._database.whole, FileRow.content_hash, unused, before=remove)


class _Place:
    """A folder, or a bucket with a prefix, that holds each file under its hash."""

    def __init__(self, url: str) -> None:
        self._url = url
        protocol, _, folder = url.rpartition("://")
        self._folder = Path(folder).expanduser() if protocol in ("", "file") else None
        if self._folder is None:
            from obstore.store import from_url

            with self._failures_named():
                self._bucket: Any = from_url(url)

    def write(self, content_hash: str, data: bytes) -> None:
        """Put a file there, whole or not at all, unless it is there."""
        name = _name(content_hash)
        with self._failures_named():
            if self._folder is None:
                try:
                    self._bucket.head(name)
                except FileNotFoundError:
                    self._bucket.put(name, data)
                return
            place = self._folder / name
            if place.exists():
                return
            place.parent.mkdir(parents=True, exist_ok=True)
            with written_whole(place) as aside:
                aside.write_bytes(data)
            sync(self._folder)

    def read(self, content_hash: str) -> bytes:
        """Return the bytes of a file."""
        name = _name(content_hash)
        with self._failures_named():
            if self._folder is None:
                return bytes(self._bucket.get(name).bytes())
            return (self._folder / name).read_bytes()

    def remove(self, content_hash: str) -> None:
        """Remove a file that is there or not."""
        name = _name(content_hash)
        with self._failures_named(), suppress(FileNotFoundError):
            if self._folder is None:
                self._bucket.delete(name)
            else:
                (self._folder / name).unlink()

    @contextmanager
    def _failures_named(self) -> Iterator[None]:
        from obstore.exceptions import BaseError

        try:
            yield
        except (OSError, ValueError, BaseError) as error:
            if getattr(error, "errno", None) in (ENOSPC, EDQUOT):
                raise
            raise UnusableOriginals(
                f"The originals of files lie in {self._url}, which cannot be used: {error}. Check "
                "STRATA_ORIGINALS_URL: it names a folder that this machine may write to, or a "
                "bucket as in s3://bucket/folder."
            ) from error


_place = lru_cache(maxsize=4)(_Place)


def _name(content_hash: str) -> str:
    return f"{content_hash[:2]}/{content_hash}"
