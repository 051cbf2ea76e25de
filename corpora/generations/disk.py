"""The disk: an ingest leaves room on it."""

import errno
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from corpora.errors import DatabaseFull, DiskFull

RESERVE = 100_000_000
"""Bytes that an ingest does not use: opening an index and storing a turn both write."""


def require_room(data_dir: Path, size: int = 0) -> None:
    """Raise DiskFull unless `size` bytes can be written with the reserve left over."""
    # With the database elsewhere, nothing may have been written here before.
    data_dir.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(data_dir).free < size + RESERVE:
        raise _disk_full(data_dir)


@contextmanager
def full_disk_is_named(data_dir: Path) -> Iterator[None]:
    """Turn what the system and the database raise when no room is left into DiskFull."""
    try:
        yield
    except (OSError, sqlite3.OperationalError, DatabaseFull) as error:
        is_full = (
            isinstance(error, DatabaseFull)
            or getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
            or getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
        )
        if not is_full:
            raise
        raise _disk_full(data_dir) from error


def _disk_full(data_dir: Path) -> DiskFull:
    return DiskFull(
        "There is too little room on the disk that holds {data_dir}, or on the database's. "
        "What is published is not harmed. Make room and try again; what was read and embedded "
        "is kept.",
        data_dir=data_dir,
    )
