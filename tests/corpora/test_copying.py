from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, select

from corpora.building.removal import delete_release
from corpora.catalog.catalog import Catalog
from corpora.database.copying import copy_database
from corpora.database.engine import Database, open_database, sqlite_url
from corpora.database.tables import Base, ProductRow
from corpora.errors import NotCopied
from corpora.indexing.corpus import open_corpus
from tests.corpora.beacon import ingest_beacon, write_beacon
from tests.postgresql import Cluster, cluster

Open = Callable[[str], Database]


@pytest.fixture(scope="module")
def server() -> Iterator[Cluster]:
    with cluster() as started:
        yield started


@pytest.fixture
def open_at(tmp_path: Path, server: Cluster) -> Iterator[Open]:
    """Opens a new database of a kind."""
    opened: list[Database] = []

    def at(kind: str) -> Database:
        folder = tmp_path / f"{kind}{len(opened)}"
        url = sqlite_url(folder) if kind == "sqlite" else server.database_of(folder)
        opened.append(open_database(url))
        return opened[-1]

    yield at
    for database in opened:
        database.close()


@pytest.fixture
def filled(open_at: Open, tmp_path: Path) -> Database:
    """Two releases, of which the second is deleted, and a product of a strange name."""
    database = open_at("sqlite")
    ingest_beacon(database, write_beacon(tmp_path / "docs"), data_dir=tmp_path / "data")
    ingest_beacon(database, tmp_path / "docs", release="18.00", data_dir=tmp_path / "data")
    delete_release(database, tmp_path / "data", "Beacon", "18.00")
    with database.writing() as session:
        session.add(ProductRow(name="a\0b ☃", aliases=["ß", "\0"]))
    return database


def rows(database: Database) -> dict[str, list[str]]:
    with database.reading() as session:
        return {
            table.name: sorted(
                repr(tuple(row)).replace("\\x00", "") for row in session.execute(select(table))
            )
            for table in Base.metadata.sorted_tables
        }


@pytest.mark.parametrize("way", [("sqlite",), ("postgresql",), ("postgresql", "sqlite")])
def test_every_row_arrives_and_the_copy_answers_alike(
    filled: Database, open_at: Open, tmp_path: Path, way: tuple[str, ...]
) -> None:
    before = Catalog(filled).generations("Beacon", "17.10")[-1].id
    source = filled
    for kind in way:
        target = open_at(kind)
        counts = copy_database(source, target)
        source = target
    assert rows(source) == rows(filled)
    assert counts["pages"] == len(rows(filled)["pages"]) > 0
    corpora = [
        open_corpus(database, tmp_path / place, "Beacon", "17.10")
        for database, place in ((filled, "data"), (source, "new"))
    ]
    first, second = (corpus.lexical(["mast"], 3) for corpus in corpora)
    assert first == second != []
    for corpus in corpora:
        corpus.close()
    # The deleted release had the generation after this one, whose number is not given out again.
    report = ingest_beacon(source, tmp_path / "docs", release="19.00", data_dir=tmp_path / "new")
    assert report.generation == before + 2


def test_a_row_that_arrives_otherwise_undoes_the_copy(filled: Database, open_at: Open) -> None:
    target = open_at("sqlite")

    def spoil(_c: object, _k: object, statement: str, parameters: Any, *_: object) -> Any:
        if statement.startswith("INSERT INTO embedding_models"):
            number, _, *others = parameters
            parameters = (number, "another", *others)
        return statement, parameters

    event.listen(target.engine, "before_cursor_execute", spoil, retval=True)
    with pytest.raises(NotCopied, match="'embedding_models' did not arrive"):
        copy_database(filled, target)
    assert not any(rows(target).values())
