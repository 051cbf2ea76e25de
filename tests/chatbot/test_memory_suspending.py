"""Saved answers follow the documents: suspended, moved and back, in every way that these change."""

import shutil
from pathlib import Path
from threading import Event, Thread

import pytest
from sqlalchemy import select, update

from chatbot.memory.pairs import ScoreOrigin
from chatbot.memory.stores.stores import Stores
from chatbot.memory.suspending import page_hash
from corpora.building.building import Builder
from corpora.catalog.catalog import Catalog
from corpora.catalog.release_settings import ReleaseAdministration, ReleaseSettings
from corpora.database.engine import Database, open_database
from corpora.database.memory_tables import MemoryPairRow
from corpora.database.tables import MemberRow, PageRow, ReleaseRow
from tests.chatbot.made_memory import (
    SETTINGS,
    CitedPage,
    made_pair,
    members,
    page_with,
    remember,
    suspended,
    unit,
)
from tests.corpora.beacon import ingest_beacon, write, write_beacon
from tests.data_folders import copy_data, database_url
from tests.hash_embedder import HashEmbedder

pytestmark = pytest.mark.database

MAST, LAMP = "at least 12 metres", "lamp-failure"
CHANGED, GONE = "the page 1 of guide.md has changed", "the document guide.md is gone"
RETIRED = "the release is retired"
ONE_OUT = "1 saved answer is suspended."


def chapters(*names: str) -> str:
    """Text in which every chapter is a page of its own."""
    parts = (f"## Chapter {n}\n\n{' '.join(f'{n}{i}' for i in range(400))}." for n in names)
    return "# Book\n\n" + "\n\n".join(parts)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with release 17.10: a guide, alarms, and a book of three pages."""
    folder = tmp_path_factory.mktemp("published")
    database = open_database(database_url(folder / "data"))
    ingest_beacon(database, write(write_beacon(folder / "docs"), book=chapters("a", "b", "c")))
    database.close()
    return folder


@pytest.fixture
def data_dir(published: Path, tmp_path: Path) -> Path:
    shutil.copytree(published / "docs", tmp_path / "docs")
    return copy_data(published / "data", tmp_path / "data")


@pytest.fixture
def docs(database: Database, tmp_path: Path) -> Path:
    """The folder that the release came from."""
    docs = tmp_path / "docs"
    with database.writing() as session:
        session.execute(update(MemberRow).values(source=str(docs.resolve())))
    return docs


@pytest.fixture
def release(database: Database, docs: Path) -> int:
    with database.reading() as session:
        return session.scalars(select(ReleaseRow.id)).one()


def change(database: Database, docs: Path) -> str:
    """Ingest a guide in which the mast is higher; return what became of the answers."""
    write_beacon(docs, mast=15)
    return ingest_beacon(database, docs).consequences


def test_what_cites_a_page_that_changed_or_went_is_suspended_until_it_is_back(
    database: Database, data_dir: Path, docs: Path
) -> None:
    pairs = [remember(database, "17.10", *words) for words in ([MAST], [LAMP], [LAMP, MAST])]
    write(docs, extra="# Extra\n\nThe horn is loud.\n")
    assert ingest_beacon(database, docs).consequences == ""
    # The same file of another release supports nothing.
    ingest_beacon(database, docs, release="17.20")
    assert change(database, docs) == "2 saved answers are suspended."
    assert suspended(database, *pairs) == [CHANGED, "", CHANGED]
    pairs.append(remember(database, "17.10", "at least 15 metres"))
    told = Catalog(database).rollback("Beacon", "17.10")
    assert told == f"{ONE_OUT} 2 saved answers are in use again."
    assert suspended(database, *pairs) == ["", "", "", CHANGED]
    builder = Builder(database, data_dir, HashEmbedder(), workers=1)
    removed = builder.remove_documents("Beacon", "17.10", ["guide.md"]).consequences
    assert (removed, suspended(database, *pairs)) == (
        "2 saved answers are suspended.",
        [GONE, "", GONE, GONE],
    )
    write_beacon(docs)
    assert ingest_beacon(database, docs).consequences == "2 saved answers are in use again."


def test_a_page_that_moved_keeps_its_answers_and_is_cited_where_it_is_now(
    database: Database, docs: Path
) -> None:
    pair = remember(database, "17.10", "b7 ", LAMP)

    def cited() -> tuple[list[int], list[dict[str, object]]]:
        with database.reading() as session:
            row = session.get_one(MemoryPairRow, pair)
            return [page.page_id for page in row.pages], row.answer["citations"]

    (old, lamp), before = cited()
    write(docs, book=chapters("new", "a", "b", "c"))
    assert ingest_beacon(database, docs).consequences == ""
    (new, still), after = cited()
    with database.reading() as session:
        page = session.get_one(PageRow, new)
    assert (still, new != old, "b7 " in page.text) == (lamp, True, True)
    assert after == [{**before[0], "page": page.number, "page_id": new}, before[1]]
    assert page.number != before[0]["page"]


def test_a_retired_release_suspends_all_of_its_answers(database: Database, docs: Path) -> None:
    change_release = ReleaseAdministration(database).change_release
    outdated = remember(database, "17.10", MAST)
    change(database, docs)
    ingest_beacon(database, docs, release="17.20")
    pairs = [outdated, remember(database, "17.10", LAMP), remember(database, "17.10")]
    other = remember(database, "17.20", LAMP)
    hidden = change_release("Beacon", "17.10", ReleaseSettings(hidden=True))
    assert hidden == "2 saved answers are suspended."
    assert suspended(database, *pairs, other) == [*[RETIRED] * 3, ""]
    shown = change_release("Beacon", "17.10", ReleaseSettings())
    assert shown == "2 saved answers are in use again."
    assert suspended(database, *pairs) == [CHANGED, "", ""]


def test_nothing_serves_anew_unless_its_answers_were_reviewed(
    database: Database, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = remember(database, "17.10", MAST)
    serving = Catalog(database).serving("Beacon", "17.10").generation

    def fail(*_: object) -> None:
        raise InterruptedError

    with monkeypatch.context() as patched:
        patched.setattr("chatbot.memory.suspending._look_for_pages", fail)
        with pytest.raises(InterruptedError):
            change(database, docs)
    assert Catalog(database).serving("Beacon", "17.10").generation == serving
    assert suspended(database, pair) == [""]
    assert change(database, docs) == ONE_OUT


def test_an_answer_comes_in_usable_only_with_the_text_that_it_cites(
    database: Database, docs: Path, release: int
) -> None:
    mast, chapter = page_with(database, MAST), page_with(database, "b7 ")
    stores = Stores(database, SETTINGS)

    def why(*pages: CitedPage) -> str:
        words = {"asks": str(len(members(database, release)))}
        return suspended(database, stores.add(release, made_pair(unit(1), pages=pages, **words)))[0]

    assert why(mast, chapter) == why() == ""
    assert why(mast._replace(hash=page_hash("The mast is 99 m high."), id=9_999)) == CHANGED
    write(docs, book=chapters("new", "a", "b"))
    change(database, docs)
    assert (why(chapter), why(chapter, mast)) == ("", CHANGED)
    assert why(mast._replace(file="gone.md")) == "the document gone.md is gone"
    ReleaseAdministration(database).change_release("Beacon", "17.10", ReleaseSettings(hidden=True))
    assert why() == RETIRED


@pytest.mark.parametrize("origin", [ScoreOrigin.MEASURED, ScoreOrigin.CURATED])
def test_what_is_outdated_gives_way_to_what_is_not(
    database: Database, docs: Path, release: int, origin: ScoreOrigin
) -> None:
    stores, old_page = Stores(database, SETTINGS), page_with(database, MAST)
    stores.add(release, made_pair(unit(1, 0, 0), 0.95, origin, pages=[old_page]))
    # One that people vouch for is to be held against the new pages as well.
    assert change(database, docs).startswith(ONE_OUT)
    new_page = page_with(database, "15 metres")
    new = stores.add(release, made_pair(unit(1, 0, 0), 0.7, pages=[new_page]))
    # What was on its way while the next generation was published is outdated, too.
    assert stores.add(release, made_pair(unit(1, 0, 0), 0.95, origin, pages=[old_page])) == new
    assert [row.id for row in members(database, release)] == [new]


def test_a_publication_and_a_remembered_answer_wait_for_each_other(
    database: Database, docs: Path, release: int
) -> None:
    stores, page = Stores(database, SETTINGS), page_with(database, MAST)
    change(database, docs)
    Catalog(database).rollback("Beacon", "17.10")
    begun, added = Event(), []

    def add() -> None:
        begun.set()
        added.append(stores.add(release, made_pair(unit(1, 0, 0), pages=[page])))

    late = Thread(target=add)
    with database.writing() as session:
        # The later generation serves, and nobody knows of it until the end of the transaction.
        row = session.get_one(ReleaseRow, release)
        row.published_generation_id = (row.published_generation_id or 0) + 1
        session.flush()
        late.start()
        assert begun.wait(10)
        late.join(0.2)
        assert not added
    late.join(10)
    assert suspended(database, *added) == [CHANGED]
