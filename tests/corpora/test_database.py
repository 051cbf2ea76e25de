import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import inspect, select, text

from corpora.catalog.catalog import Catalog
from corpora.catalog.rights import Audience, ProductRights, Right, Rights
from corpora.database import engine
from corpora.database.engine import SCHEMA, Database, open_database
from corpora.database.history_tables import AuditRow
from corpora.database.memory_tables import MemoryPairRow, MemoryUseRow
from corpora.database.tables import Base, ProductRow
from corpora.errors import UnusableDatabase
from tests.data_folders import database_url

pytestmark = pytest.mark.database

SCHEMA_0006 = Path(__file__).with_name("schema_0006.sql")
"""The tables of a data folder of 0.2.0, the first release."""

REMEMBERED = """
INSERT INTO releases (id, product_id, name, aliases, retired) VALUES (1, 1, '1.0', '[]', 0);
INSERT INTO memory_pairs VALUES (7, 1, 3, 'high', 'How?', '', x'00', 'model', '{}', '[]', 0.9,
    'measured', 0.5, 0.9, '', NULL, '', 0, NULL, '2026-01-02 03:04:05');
INSERT INTO memory_pages VALUES (7, 0, 'guide.md', x'00', 5);
INSERT INTO conversations (id, product, title, created, updated)
    VALUES ('c', 'a', 'How?', '2026-01-02 03:04:05', '2026-01-02 03:04:05');
INSERT INTO turns (id, conversation_id, position, question, answer, created)
    VALUES (4, 'c', 0, 'How?', '{}', '2026-01-02 03:04:05'),
        (5, 'c', 1, 'Why?', '{}', '2026-01-02 03:04:05');
INSERT INTO memory_uses VALUES (4, 7, 'source'), (5, 7, 'avoid');
"""
"""An answer that such a folder remembers."""


def differences(database: Database) -> list[object]:
    with database.engine.connect() as connection:
        options = {"target_metadata": Base.metadata, "include_name": _is_no_search_index}
        context = MigrationContext.configure(connection, opts=options)
        return list(compare_metadata(context, Base.metadata))


def made(database: Database) -> dict[str, set[str]]:
    """What the models do not say of the tables: triggers, the full-text index, what cascades."""
    with database.engine.connect() as connection:
        inspector = inspect(connection)
        found = {
            table: {f"{key['name']} {key['options']}" for key in inspector.get_foreign_keys(table)}
            for table in Base.metadata.tables
        }
        found["others"] = set(
            connection.scalars(
                text("SELECT sql FROM sqlite_master WHERE type = 'trigger' OR name = 'turn_search'")
            )
        )
        return found


def _is_no_search_index(name: str | None, kind: str, parents: object) -> bool:
    """A virtual table and the tables it keeps its index in are no tables of the models."""
    return not (name or "").startswith("turn_search")


def test_a_database_that_is_up_to_date_opens_without_alembic(data_dir: Path) -> None:
    open_database(database_url(data_dir)).close()
    script = (
        "import sys; from corpora.database.engine import open_database; "
        f"open_database({database_url(data_dir)!r}).close(); print('alembic' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (found.stdout.strip(), found.stderr) == ("False", "")


def test_many_processes_may_open_a_new_database_at_once(data_dir: Path) -> None:
    script = (
        "from corpora.database.engine import open_database\n"
        "from corpora.database.tables import ProductRow\n"
        f"database = open_database({database_url(data_dir)!r})\n"
        "with database.writing() as session:\n"
        "    import os; session.add(ProductRow(name=str(os.getpid()), aliases=[]))\n"
        "database.close()"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    assert [p.communicate()[1] for p in started] == [""] * 4
    database = open_database(database_url(data_dir))
    with database.reading() as session:
        assert len(session.scalars(select(ProductRow)).all()) == 4
    database.close()


def test_a_newer_schema_is_refused_and_left_alone(data_dir: Path) -> None:
    database = open_database(database_url(data_dir))
    with database.writing() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    database.close()
    with pytest.raises(UnusableDatabase, match=f"schema 9999.*to {SCHEMA}"):
        open_database(database_url(data_dir))


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("mysql://host/strata", "SQLite or PostgreSQL, not in 'mysql'"),
        ("sqlite://", "names no file"),
        ("db.example.org/strata", "what was given is none"),
        ("postgres://u:p@ss@/strata", "%40 for each @"),
        ("postgresql://nobody:secret@/strata?host=/nowhere", r"nobody:\*\*\*@.*No such file"),
    ],
)
def test_a_url_that_leads_nowhere_is_named(url: str, told: str) -> None:
    with pytest.raises(UnusableDatabase, match=told):
        open_database(url)


def test_whatever_people_type_can_be_stored(database: Database) -> None:
    with database.writing() as session:
        session.add(ProductRow(name="a\0b ☃ 𝛑", aliases=["c\0"]))
    with database.reading() as session:
        (row,) = session.scalars(select(ProductRow))
        assert row.name.replace("\0", "") == "ab ☃ 𝛑"
        assert row.aliases == ["c\0"]


@pytest.mark.sqlite
def test_an_old_database_has_the_tables_of_a_new_one_and_keeps_its_rows(
    database: Database, tmp_path: Path
) -> None:
    with sqlite3.connect(tmp_path / "strata.db") as old:
        old.executescript(SCHEMA_0006.read_text())
        old.execute("INSERT INTO products (name, aliases) VALUES ('a', '[]')")
        old.execute(
            "INSERT INTO audit_log (at, person, action, subject, details) "
            "VALUES ('2026-01-02 03:04:05', 'ann', 'retire', 'a 1.0', '{}')"
        )
        old.executescript(REMEMBERED)
    old.close()

    upgraded = open_database(database_url(tmp_path))
    assert differences(upgraded) == differences(database) == []
    assert made(upgraded) == made(database)
    with upgraded.reading() as session:
        assert session.scalars(select(ProductRow.name)).all() == ["a"]
        assert session.scalars(select(AuditRow.person)).all() == ["ann"]
        (pair,) = session.scalars(select(MemoryPairRow))
        assert (pair.id, pair.cluster, pair.question, pair.relevancy) == (7, 3, "How?", 0)
        assert [page.file for page in pair.pages] == ["guide.md"]
        use = session.execute(select(MemoryUseRow.turn_id, MemoryUseRow.pair_id, MemoryUseRow.role))
        assert use.all() == [(4, 7, "source")]
        assert session.scalar(text("SELECT version_num FROM alembic_version")) == SCHEMA
    upgraded.close()


@pytest.mark.sqlite
def test_rights_of_an_old_database_stay_said(database: Database, data_dir: Path) -> None:
    for product in ("pump", "valve"):
        Catalog(database).add_release(product, "2.0")
    database.close()
    with closing(sqlite3.connect(data_dir / "strata.db")) as old:
        old.executescript(
            """
            DROP TABLE rights;
            CREATE TABLE rights (
                id INTEGER PRIMARY KEY, product_id INTEGER, release_id INTEGER,
                audience TEXT, groups JSON, admins JSON
            );
            INSERT INTO rights VALUES (1, 2, NULL, 'groups', '["staff"]', '["ann"]');
            INSERT INTO rights VALUES (2, 2, 2, 'admins', '[]', '[]');
            ALTER TABLE turns DROP COLUMN named;
            ALTER TABLE source_releases DROP COLUMN hidden;
            ALTER TABLE program_keys DROP COLUMN of_products;
            DROP INDEX ix_server_calls_facts;
            ALTER TABLE server_calls DROP COLUMN calls;
            CREATE INDEX ix_server_calls_facts ON server_calls (at);
            UPDATE alembic_version SET version_num = '0017';
            """
        )
        old.commit()
    upgraded = open_database(database_url(data_dir))
    open_to_staff = Right(Audience.GROUPS, ("staff",))
    releases = (("2.0", Right(Audience.ADMINS)),)
    said = ProductRights("valve", open_to_staff, releases, ("ann",))
    assert Rights(upgraded).every() == (ProductRights("pump"), said)
    upgraded.close()


@pytest.mark.sqlite
def test_a_file_that_is_no_database_is_named(data_dir: Path) -> None:
    (data_dir / "strata.db").write_bytes(b"no database " * 1000)
    with pytest.raises(UnusableDatabase, match=r"strata\.db.*not a database"):
        open_database(database_url(data_dir))


@pytest.mark.sqlite
def test_sqlite_is_configured_on_every_connection(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The other tests do not wait for the disk, tests/conftest.py says why.
    monkeypatch.setattr(engine, "_configure_sqlite", engine._configure_sqlite.__wrapped__)
    database = open_database(database_url(data_dir))
    with database.reading() as one, database.reading() as other:
        for session in (one, other):
            values = [
                session.scalar(text(f"PRAGMA {name}"))
                for name in ("journal_mode", "foreign_keys", "synchronous", "busy_timeout")
            ]
            assert values == ["wal", 1, 2, 60_000]
    database.close()


@pytest.mark.sqlite
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
