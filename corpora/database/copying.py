"""A database is copied whole into an empty one, of its own kind or the other."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Any

from sqlalchemy import Table, func, insert, select, text
from sqlalchemy.orm import Session

from corpora.database.engine import Database
from corpora.database.job_tables import WorkerRow
from corpora.database.tables import Base
from corpora.errors import NotCopied

_AT_ONCE = 500
_ALONE = "files"
"""A row of this table is a whole file."""


def copy_database(
    source: Database,
    target: Database,
    on_progress: Callable[[str, int, int], None] = lambda table, done, total: None,
) -> dict[str, int]:
    """Copy all rows as they are at one moment, in one transaction; return how many, by table.

    Every row is read again and compared before it is committed. `on_progress` gets a table, and how
    many of how many rows are copied. Raises NotCopied if the target holds anything, or differs.
    """
    counts = {}
    with source.reading() as there, target.writing() as here:
        for table in _tables():
            if found := _count(here, table):
                raise NotCopied(
                    f"The database to copy into is not empty ({found:,} rows in {table.name!r}). "
                    "Name an empty one; nothing was changed."
                )
        for table in _tables():
            total = counts[table.name] = _count(there, table)
            done = 0
            for portion in _portions(there, table):
                here.execute(insert(table), [dict(row) for row in portion])
                done += len(portion)
                on_progress(table.name, done, total)
        _continue_ids(there, here)
        for table in _tables():
            if _digest(there, table) != _digest(here, table):
                raise NotCopied(
                    f"The rows of {table.name!r} did not arrive as they were. Nothing was changed; "
                    "look into the logs of both databases, and try again."
                )
    return counts


def _tables() -> list[Table]:
    """Those that are referred to come first; who works on the source is no matter of the copy."""
    return [t for t in Base.metadata.sorted_tables if t is not WorkerRow.__table__]


def _count(session: Session, table: Table) -> int:
    return session.scalar(select(func.count()).select_from(table)) or 0


def _portions(session: Session, table: Table) -> Iterator[list[Any]]:
    at_once = 1 if table.name == _ALONE else _AT_ONCE
    ordered = select(table).order_by(*table.primary_key)
    rows = session.execute(ordered, execution_options={"yield_per": at_once})
    for portion in rows.mappings().partitions():
        yield list(portion)


def _digest(session: Session, table: Table) -> int:
    """Stands for the rows of a table in whatever order, since databases sort text each its way."""
    digest = 0
    for portion in _portions(session, table):
        for row in portion:
            row_text = repr([_comparable(value) for value in row.values()])
            digest += int.from_bytes(sha256(row_text.encode()).digest())
    return digest


def _comparable(value: Any) -> Any:
    """Bytes by their hash, since they may be a whole file; text as PostgreSQL can store it."""
    if isinstance(value, bytes):
        return sha256(value).digest()
    return value.replace("\0", "") if isinstance(value, str) else value


def _continue_ids(there: Session, here: Session) -> None:
    """Let ids go on where the source is, since some are never to be given out twice."""
    for table in _tables():
        if table.autoincrement_column is None or not (last := _last_id(there, table)):
            continue
        given = {"name": table.name, "last": last}
        if here.get_bind().dialect.name == "postgresql":
            here.execute(text("SELECT setval(pg_get_serial_sequence(:name, 'id'), :last)"), given)
        elif table.dialect_options["sqlite"]["autoincrement"]:
            here.execute(text("DELETE FROM sqlite_sequence WHERE name = :name"), given)
            here.execute(
                text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :last)"), given
            )


def _last_id(session: Session, table: Table) -> int:
    """The highest id that was ever given out, as far as the database knows."""
    name = {"name": table.name}
    if session.get_bind().dialect.name == "postgresql":
        last = text("SELECT pg_sequence_last_value(pg_get_serial_sequence(:name, 'id')::regclass)")
    else:
        last = text("SELECT seq FROM sqlite_sequence WHERE name = :name")
    highest = session.scalar(select(func.max(table.c.id)))
    return max(session.scalar(last, name) or 0, highest or 0)
