"""Data folders and their databases, be they files or, with --postgresql, databases of a server."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.orm import Session

from corpora.database.engine import Database, sqlite_url
from tests.postgresql import Cluster

server: Cluster | None = None
"""The server that the databases of this session lie in; None where they are files."""


def database_url(data_dir: Path) -> str:
    """Return the URL of the database of a data folder."""
    return sqlite_url(data_dir) if server is None else server.database_of(data_dir)


def copy_data(source: Path, target: Path) -> Path:
    """Copy a data folder with its database, that nobody uses just now, and return the copy."""
    shutil.copytree(source, target)
    if server is not None:
        server.copy(source, target)
    return target


def broken_references(session: Session) -> Sequence[object]:
    """Return the rows that name a row which is not there; PostgreSQL never lets it come to that."""
    return session.execute(text("PRAGMA foreign_key_check")).all() if server is None else ()


def data_dir_of(database: Database) -> Path:
    """Return the data folder that a database belongs to."""
    name = database.engine.url.database
    assert name
    return Path(name).parent if server is None else server.data_dir_of(name)
