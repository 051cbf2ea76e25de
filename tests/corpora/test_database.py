from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, inspect, select, text

from corpora.database import engine as database_module
from corpora.database.engine import SCHEMA, Database, UnusableDatabase, open_database, sqlite_url
from corpora.database.tables import Base, GlossaryRow, ProductRow


def test_migrations_make_the_tables_of_the_models(database: Database) -> None:
    with database.engine.connect() as connection:
        options = {"target_metadata": Base.metadata, "include_name": _is_no_search_index}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, Base.metadata) == []
        found = inspect(connection)
        for table in Base.metadata.sorted_tables:
            if table.foreign_keys:
                named = {c["options"].get("ondelete") for c in found.get_foreign_keys(table.name)}
                assert named == {fk.ondelete for fk in table.foreign_keys}, table.name


def _is_no_search_index(name: str | None, kind: str, parents: object) -> bool:
    """A virtual table and the tables it keeps its index in are no tables of the models."""
    return not (name or "").startswith("turn_search")


def test_a_database_that_is_up_to_date_opens_without_alembic(data_dir: Path) -> None:
    open_database(sqlite_url(data_dir)).close()
    script = (
        "import sys; from corpora.database.engine import open_database; "
        f"open_database({sqlite_url(data_dir)!r}).close(); print('alembic' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (found.stdout.strip(), found.stderr) == ("False", "")


def test_many_processes_may_open_a_new_database_at_once(data_dir: Path) -> None:
    script = (
        "from corpora.database.engine import open_database\n"
        "from corpora.database.tables import ProductRow\n"
        f"database = open_database({sqlite_url(data_dir)!r})\n"
        "with database.writing() as session:\n"
        "    import os; session.add(ProductRow(name=str(os.getpid()), aliases=[]))\n"
        "database.close()"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    assert [p.communicate()[1] for p in started] == [""] * 4
    database = open_database(sqlite_url(data_dir))
    with database.reading() as session:
        assert len(session.scalars(select(ProductRow)).all()) == 4
    database.close()


def test_a_newer_schema_is_refused_and_left_alone(data_dir: Path) -> None:
    database = open_database(sqlite_url(data_dir))
    with database.writing() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    database.close()
    with pytest.raises(UnusableDatabase, match=f"schema 9999.*up to {SCHEMA}"):
        open_database(sqlite_url(data_dir))


def test_a_database_of_the_first_schema_is_brought_up_to_date(data_dir: Path) -> None:
    url = sqlite_url(data_dir)
    config = Config()
    config.set_main_option(
        "script_location", str(Path(database_module.__file__).parent / "migrations")
    )
    engine = create_engine(url)
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        connection.execute(text("INSERT INTO products (name, aliases) VALUES ('a', '[]')"))
    engine.dispose()

    database = open_database(url)
    with database.reading() as session:
        assert session.scalars(select(ProductRow.name)).all() == ["a"]
        assert session.scalars(select(GlossaryRow)).all() == []
        assert session.scalar(text("SELECT version_num FROM alembic_version")) == SCHEMA
    database.close()


def test_a_file_that_is_no_database_is_named(data_dir: Path) -> None:
    (data_dir / "strata.db").write_bytes(b"no database " * 1000)
    with pytest.raises(UnusableDatabase, match=r"strata\.db.*not a database"):
        open_database(sqlite_url(data_dir))


def test_sqlite_is_configured_on_every_connection(database: Database) -> None:
    with database.reading() as one, database.reading() as other:
        for session in (one, other):
            values = [
                session.scalar(text(f"PRAGMA {name}"))
                for name in ("journal_mode", "foreign_keys", "synchronous", "busy_timeout")
            ]
            assert values == ["wal", 1, 2, 60_000]


def test_a_writer_that_read_first_is_not_turned_away(database: Database, data_dir: Path) -> None:
    with database.writing() as session:
        session.scalars(select(ProductRow)).all()
        with (
            sqlite3.connect(data_dir / "strata.db", timeout=0) as other,
            pytest.raises(sqlite3.OperationalError, match="locked"),
        ):
            other.execute("INSERT INTO products (name, aliases) VALUES ('b', '[]')")
        other.close()
        session.add(ProductRow(name="a", aliases=[]))
    with database.reading() as session:
        assert session.scalars(select(ProductRow.name)).all() == ["a"]


def test_an_exception_rolls_back(database: Database) -> None:
    def fail_after_writing() -> None:
        with database.writing() as session:
            session.add(ProductRow(name="a", aliases=[]))
            session.flush()
            raise LookupError

    with pytest.raises(LookupError):
        fail_after_writing()
    with database.reading() as session:
        assert session.scalars(select(ProductRow)).all() == []
