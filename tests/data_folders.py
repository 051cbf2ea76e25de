"""Data folders and their databases, be they files or, with --postgresql, databases of a server."""

import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

from corpora.database.engine import Database, sqlite_url
from corpora.database.tables import Base
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


def counts(database: Database, tables: Iterable[type[Base]]) -> dict[str, int]:
    """How many rows some tables have."""
    with database.reading() as session:
        return {
            table.__tablename__: session.scalar(select(func.count()).select_from(table)) or 0
            for table in tables
        }


def data_dir_of(database: Database) -> Path:
    """Return the data folder that a database belongs to."""
    name = database.engine.url.database
    assert name
    return Path(name).parent if server is None else server.data_dir_of(name)
