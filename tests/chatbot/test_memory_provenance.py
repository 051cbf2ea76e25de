from __future__ import annotations

import shutil
from pathlib import Path
from threading import Event, Thread

import pytest
from sqlalchemy import select, update

from chatbot.memory.pairs import ScoreOrigin
from chatbot.memory.stores.stores import Stores
from chatbot.memory.suspending import CitedPage, page_hash, reason_unusable
from corpora.catalog.catalog import Catalog
from corpora.catalog.release_settings import ReleaseAdministration, ReleaseSettings
from corpora.database.engine import Database, open_database
from corpora.database.tables import DocumentRow, MemberRow, PageRow, ReleaseRow
from tests.chatbot.made_memory import THRESHOLDS, made_pair, members, unit
from tests.chatbot.remembered_answers import suspended
from tests.corpora.beacon import ingest_beacon, write_beacon
from tests.data_folders import copy_data, database_url

pytestmark = pytest.mark.database

CHANGED = "the page 1 of guide.md has changed"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with a release in which the mast is 12 metres high."""
    folder = tmp_path_factory.mktemp("published")
    database = open_database(database_url(folder / "data"))
    ingest_beacon(database, write_beacon(folder / "docs"))
    database.close()
    return folder


@pytest.fixture
def data_dir(published: Path, tmp_path: Path) -> Path:
    shutil.copytree(published / "docs", tmp_path / "docs")
    return copy_data(published / "data", tmp_path / "data")


@pytest.fixture
def docs(database: Database, tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    with database.writing() as session:
        session.execute(update(MemberRow).values(source=str(docs.resolve())))
    return docs


@pytest.fixture
def stores(database: Database) -> Stores:
    return Stores(database, THRESHOLDS, limit=100)


@pytest.fixture
def release(database: Database, docs: Path) -> int:
    with database.reading() as session:
        return session.scalars(select(ReleaseRow.id)).one()


def page_of_guide(database: Database, words: str) -> CitedPage:
    """The page of the guide that a turn cites, as it stood when the turn was answered."""
    with database.reading() as session:
        page = session.scalars(
            select(PageRow)
            .join(DocumentRow, DocumentRow.id == PageRow.document_id)
            .where(DocumentRow.file == "guide.md", PageRow.text.contains(words))
        ).one()
    return CitedPage("guide.md", page_hash(page.text), page.id, page.number)


def test_an_answer_that_is_remembered_after_its_page_has_changed_is_not_used(
    database: Database, docs: Path, stores: Stores, release: int
) -> None:
    page = page_of_guide(database, "12 metres")
    write_beacon(docs, mast=15)
    ingest_beacon(database, docs)
    late = stores.add(release, made_pair(unit(1, 0, 0), 0.9, pages=[page])).pair
    assert late is not None
    assert suspended(database, late) == [CHANGED]
    assert Catalog(database).rollback("Beacon", "17.10") == "1 saved answer is in use again."


@pytest.mark.parametrize("origin", [ScoreOrigin.MEASURED, ScoreOrigin.CURATED])
def test_what_is_outdated_gives_way_to_what_is_not(
    database: Database, docs: Path, stores: Stores, release: int, origin: ScoreOrigin
) -> None:
    old_page = page_of_guide(database, "12 metres")
    old = stores.add(release, made_pair(unit(1, 0, 0), 0.95, origin, pages=[old_page]))
    write_beacon(docs, mast=15)
    assert ingest_beacon(database, docs).consequences == "1 saved answer is suspended."
    new_page = page_of_guide(database, "15 metres")
    new = stores.add(release, made_pair(unit(1, 0, 0), 0.7, pages=[new_page]))
    assert (new.kept, new.replaced) == (True, (old.pair,))
    late = stores.add(release, made_pair(unit(1, 0, 0), 0.95, origin, pages=[old_page]))
    assert (late.kept, late.pair) == (False, new.pair)
    assert [row.id for row in members(database, release)] == [new.pair]


def test_a_publication_and_a_remembered_answer_wait_for_each_other(
    database: Database, docs: Path, stores: Stores, release: int
) -> None:
    page = page_of_guide(database, "12 metres")
    write_beacon(docs, mast=15)
    ingest_beacon(database, docs)
    Catalog(database).rollback("Beacon", "17.10")
    begun, added = Event(), []

    def remember() -> None:
        begun.set()
        added.append(stores.add(release, made_pair(unit(1, 0, 0), pages=[page])).pair)

    late = Thread(target=remember)
    with database.writing() as session:
        # The later generation serves, and nobody knows of it until the end of the transaction.
        row = session.get_one(ReleaseRow, release)
        assert reason_unusable(session, release, [page]) == ""
        row.published_generation_id = (row.published_generation_id or 0) + 1
        session.flush()
        late.start()
        assert begun.wait(10)
        late.join(0.2)
        assert not added
    late.join(10)
    assert suspended(database, *added) == [CHANGED]


def test_a_pair_without_pages_is_remembered_of_a_release_that_is_offered(
    database: Database, stores: Stores, release: int
) -> None:
    pair = stores.add(release, made_pair(unit(1, 0, 0), 1.0, ScoreOrigin.IMPORTED)).pair
    administration = ReleaseAdministration(database)
    administration.change_release("Beacon", "17.10", ReleaseSettings(hidden=True))
    late = stores.add(release, made_pair(unit(0, 1, 0), 1.0, ScoreOrigin.IMPORTED)).pair
    assert pair is not None
    assert late is not None
    assert suspended(database, pair, late) == ["the release is retired"] * 2
    told = administration.change_release("Beacon", "17.10", ReleaseSettings())
    assert told == "2 saved answers are in use again."
