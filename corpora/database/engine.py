"""The one database: engine, sessions, migrations."""

import logging
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    create_engine,
    delete,
    event,
    inspect,
    select,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError
from sqlalchemy.orm import InstrumentedAttribute, Session
from sqlalchemy.pool import ConnectionPoolEntry

from corpora.database import (  # noqa: F401 - so that Base knows their tables
    check_tables,
    history_tables,
    job_tables,
    memory_tables,
    question_tables,
    right_tables,
    source_tables,
)
from corpora.database.sight import Sight
from corpora.database.tables import Base
from corpora.errors import DatabaseFull, UnreachableDatabase, UnusableDatabase

SCHEMA = "0020"
"""The newest migration in `migrations/versions`."""

_MIGRATIONS = Path(__file__).parent / "migrations"
_BUSY_SECONDS = 60
_CONNECTIONS = 10
"""Of each process, to PostgreSQL; twice as many while they are short, and to SQLite always."""
_CONNECTING = {
    "connect_timeout": 10,
    # A machine that vanishes in the middle of a transaction keeps the others waiting as long as
    # the server believes in it: hours by default.
    "options": "-c tcp_keepalives_idle=15 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3",
}
_IDLE_WRITER = "600s"
"""How long a transaction that writes may do nothing."""
_ROWS_AT_ONCE = 200
_WRITES = "strata_writes"
_DISK_FULL = "53100"
"""What PostgreSQL says of it."""
_WRITE_LOCK = 0x5374726174610001

_log = logging.getLogger(__name__)

ItemT = TypeVar("ItemT")


@dataclass(frozen=True)
class Database:
    """An open database, shared by all threads; `originals` is the URL of files outside its rows.

    Whatever changes what serves a release calls `on_change` with its id in the same transaction,
    and tells people what that says. Whatever completes a generation calls `on_built` with its id
    likewise. A deletion calls `on_delete`, whose transactions are its own, before the release goes.
    With a `sight` it holds only what that leaves: other rows are as if they were not there.
    """

    engine: Engine
    originals: str | None = None
    on_change: Callable[[Session, int], str] = lambda session, release_id: ""
    on_delete: Callable[["Database", int], None] = lambda database, release_id: None
    on_built: Callable[[Session, int], str] = lambda session, generation_id: ""
    sight: Sight | None = None

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Yield a session that sees one consistent state; raise UnreachableDatabase."""
        with _failures_named(), Session(self.engine) as session:
            yield self._limited(session)

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Yield a session that is committed at the end, or rolled back on an exception.

        One transaction writes at a time, over all machines: what it read is still so when it
        writes, and others wait for it. Raises DatabaseFull, UnreachableDatabase.
        """
        writer = self.engine.execution_options(**{_WRITES: True})
        with (
            _failures_named(),
            Session(writer, expire_on_commit=False) as session,
            session.begin(),
        ):
            yield self._limited(session)

    @property
    def whole(self) -> "Database":
        """The same without a sight, for what tidies up: what is not seen is in use all the same."""
        return replace(self, sight=None)

    def _limited(self, session: Session) -> Session:
        if self.sight is not None:
            event.listen(session, "do_orm_execute", self.sight.limit)
        return session

    def close(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def sqlite_url(data_dir: Path) -> str:
    """Return the URL of the SQLite database in a data folder."""
    return f"sqlite:///{data_dir.absolute() / 'strata.db'}"


def open_database(url: str, originals: str | None = None) -> Database:
    """Open the database, create it, or bring its tables up to date.

    Raises UnreachableDatabase where its server does not answer, else UnusableDatabase.
    """
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise UnusableDatabase(
            "The database is named by a URL such as postgresql://USER@HOST/NAME or "
            "sqlite:////FOLDER/FILE; what was given is none."
        ) from error
    if "@" in (parsed.host or ""):
        raise UnusableDatabase("Write the password in the database's URL with %40 for each @.")
    match parsed.drivername.partition("+")[0]:
        case "sqlite":
            engine = _sqlite(parsed)
        case "postgresql" | "postgres":
            engine = _postgresql(parsed)
        case other:
            raise UnusableDatabase(f"Data is kept in SQLite or PostgreSQL, not in {other!r}.")
    try:
        with engine.connect() as connection:
            found = _schema_of(connection)
        if found != SCHEMA:
            _migrate(engine)
    except UnusableDatabase:
        engine.dispose()
        raise
    except DBAPIError as error:
        engine.dispose()
        is_away = isinstance(error, OperationalError) and engine.dialect.name == "postgresql"
        raise (UnreachableDatabase if is_away else UnusableDatabase)(
            f"Cannot open the database {parsed.render_as_string()}: {error.orig}. "
            "Check that the path or address is right and that you may write there."
        ) from error
    return Database(engine, originals)


def _sqlite(url: URL) -> Engine:
    if not url.database or url.database == ":memory:":
        raise UnusableDatabase(f"{url} names no file; several connections could not share it.")
    try:
        Path(url.database).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnusableDatabase(f"Cannot create the folder of {url.database}: {error}") from error
    # What is opened beyond them is closed after each use, and set up again for the next.
    engine = create_engine(url, pool_size=2 * _CONNECTIONS, connect_args={"timeout": _BUSY_SECONDS})
    event.listen(engine, "connect", _configure_sqlite)
    _let_writers_in_turn(engine)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _let_writers_in_turn(engine: Engine) -> None:
    """Have the writers of this process wait for each other, not sleep for up to 0.1 s each time.

    That is how SQLite waits for those of another process.
    """
    writing = Lock()

    def take(connection: Connection) -> None:
        if connection.get_execution_options().get(_WRITES):
            connection.info[_WRITES] = writing.acquire(timeout=_BUSY_SECONDS)

    def give_back(_: object, record: ConnectionPoolEntry) -> None:
        if record.info.pop(_WRITES, False):
            writing.release()

    event.listen(engine, "begin", take)
    event.listen(engine, "checkin", give_back)


def _postgresql(url: URL) -> Engine:
    engine = create_engine(
        url.set(drivername="postgresql+psycopg"),
        pool_pre_ping=True,
        pool_size=_CONNECTIONS,
        max_overflow=_CONNECTIONS,
        connect_args=_CONNECTING,
    )
    event.listen(engine, "connect", _configure_postgresql)
    event.listen(engine, "begin", _begin_postgresql)
    return engine


def insert_into(session: Session, table: type[Base]) -> Any:
    """Return an insert into `table` that can be told `on_conflict_do_update`, in both dialects."""
    return (postgresql if session.get_bind().dialect.name == "postgresql" else sqlite).insert(table)


def insert_or_ignore(session: Session, table: type[Base]) -> Any:
    """Return an insert into `table` that leaves a row alone which is there already."""
    return insert_into(session, table).on_conflict_do_nothing()


def delete_in_portions(
    database: Database,
    key: InstrumentedAttribute[Any],
    condition: ColumnElement[bool],
    *,
    at_once: int | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    before: Callable[[Session, Sequence[Any]], object] = lambda session, keys: None,
) -> int:
    """Delete the rows of the table of `key` that meet a condition, and count their keys.

    They go in small transactions, so that others can write in between; each is looked at again
    when it goes. `before` gets the keys that are about to go, in their transaction.
    """
    with database.reading() as session:
        keys = session.scalars(select(key).where(condition).distinct()).all()
    on_progress(0, len(keys))
    done = 0
    for some in portions(keys, at_once or _ROWS_AT_ONCE):
        with database.writing() as session:
            before(session, some)
            session.execute(
                delete(key.class_).where(key.in_(some), condition),
                execution_options={"synchronize_session": False},
            )
        done += len(some)
        on_progress(done, len(keys))
    return done


def portions(items: Sequence[ItemT], at_once: int) -> Iterator[Sequence[ItemT]]:
    """Yield some items after the other, so many at once."""
    for first in range(0, len(items), at_once):
        yield items[first : first + at_once]


def _configure_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    # Transactions are begun below; the driver's own begin comes too late and as a reader.
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_SECONDS * 1000}")
    if connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        connection.execute("PRAGMA journal_mode = WAL")
    # Commits are few and large here, so each may wait for the disk: what was acknowledged
    # survives a power cut too, not only a killed process (which NORMAL would be enough for).
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA journal_size_limit = 67108864")


def _configure_postgresql(connection: Any, _record: object) -> None:
    from psycopg.types.string import StrDumperUnknown

    class WithoutNul(StrDumperUnknown):
        """Leaves out the one character that people can type and PostgreSQL does not store."""

        def dump(self, obj: str) -> Any:
            return super().dump(obj.replace("\0", ""))

    connection.adapters.register_dumper(str, WithoutNul)


def _begin_sqlite(connection: Connection) -> None:
    # The write lock at once: a transaction that starts as a reader and writes later fails when
    # another process wrote in between, however long it waits.
    writes = connection.get_execution_options().get(_WRITES)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _begin_postgresql(connection: Connection) -> None:
    if connection.get_execution_options().get(_WRITES):
        # Each statement then sees what the writers before have committed.
        connection.exec_driver_sql(
            f"SET LOCAL idle_in_transaction_session_timeout = '{_IDLE_WRITER}'"
        )
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_WRITE_LOCK})")
    else:
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")


@contextmanager
def _failures_named() -> Iterator[None]:
    """Say what a database that is full or away means for whoever used it."""
    try:
        yield
    except (InterfaceError, OperationalError) as error:
        full = getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
        if full or getattr(error.orig, "sqlstate", None) == _DISK_FULL:
            raise DatabaseFull(
                "The disk of the database is full, so nothing can be saved. "
                "What is there is not harmed. Make room and try again."
            ) from error
        _log.exception("the database failed")
        raise UnreachableDatabase(
            "The database does not answer just now. Try again; the log has the details."
        ) from error


def _schema_of(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    return found


def _migrate(engine: Engine) -> None:
    """Make the tables of a new database from the models; bring those of an older one up to date."""
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    with engine.execution_options(**{_WRITES: True}).begin() as connection:
        found = _schema_of(connection)
        config.attributes["connection"] = connection
        if found is None:
            Base.metadata.create_all(connection)
            command.stamp(config, "head")
        elif found in known:
            command.upgrade(config, "head")
        else:
            raise UnusableDatabase(
                f"The database is of schema {found}, which this version of Strata does not know "
                f"(it knows {min(known)} to {max(known)}). Use the version that wrote it."
            )
