from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import select, update

from chatbot.memory.suspending import (
    CitedPage,
    SavedCounts,
    count_affected,
    page_hash,
    preview,
    reason_unusable,
    saved_counts,
)
from corpora.building.building import Builder
from corpora.building.report import Outcome
from corpora.catalog.catalog import Catalog
from corpora.catalog.release_settings import ReleaseAdministration, ReleaseSettings
from corpora.database.engine import Database, open_database
from corpora.database.tables import MemberRow, PageRow, ReleaseRow
from tests.chatbot.remembered_answers import cited, remember, suspended
from tests.corpora.beacon import ingest_beacon, write, write_beacon
from tests.data_folders import copy_data, database_url
from tests.hash_embedder import HashEmbedder

pytestmark = pytest.mark.database

MAST = "at least 12 metres"
LAMP = "lamp-failure"


def chapters(*names: str) -> str:
    """Text in which every chapter is a page of its own."""
    return "\n\n".join(
        f"## Chapter {name}\n\n{' '.join(f'{name}{i}' for i in range(400))}." for name in names
    )


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with release 17.10: a guide, alarms, and a book of three pages."""
    folder = tmp_path_factory.mktemp("published")
    database = open_database(database_url(folder / "data"))
    docs = write_beacon(folder / "docs")
    ingest_beacon(database, write(docs, book=f"# Book\n\n{chapters('a', 'b', 'c')}"))
    database.close()
    return folder


@pytest.fixture
def data_dir(published: Path, tmp_path: Path) -> Path:
    """The data folder of this test's own."""
    shutil.copytree(published / "docs", tmp_path / "docs")
    return copy_data(published / "data", tmp_path / "data")


@pytest.fixture
def docs(database: Database, tmp_path: Path) -> Path:
    """The folder that the release came from."""
    docs = tmp_path / "docs"
    with database.writing() as session:
        session.execute(update(MemberRow).values(source=str(docs.resolve())))
    return docs


def test_what_stays_as_it_is_keeps_its_answers(database: Database, docs: Path) -> None:
    pairs = [remember(database, "17.10", MAST), remember(database, "17.10", LAMP, "a7 ")]
    report = ingest_beacon(database, docs)
    assert (report.outcome, report.consequences) == (Outcome.UNCHANGED, "")
    write(docs, extra="# Extra\n\nThe horn is loud.\n")
    report = ingest_beacon(database, docs)
    assert report.consequences == ""
    assert suspended(database, *pairs) == ["", ""]


def test_an_answer_is_suspended_by_one_page_that_has_changed(
    database: Database, docs: Path
) -> None:
    mast, lamp, both = (
        remember(database, "17.10", *words) for words in ([MAST], [LAMP], [LAMP, MAST])
    )
    write_beacon(docs, mast=15)
    report = ingest_beacon(database, docs)
    assert report.consequences == "2 saved answers are suspended."
    why = "the page 1 of guide.md has changed"
    assert suspended(database, mast, lamp, both) == [why, "", why]


def test_a_page_that_moved_keeps_its_answers_and_is_cited_where_it_is_now(
    database: Database, docs: Path
) -> None:
    pair = remember(database, "17.10", "b7 ", LAMP)
    (old, citation), lamp = cited(database, pair)
    write(docs, book=f"# Book\n\n{chapters('new', 'a', 'b', 'c')}")
    assert ingest_beacon(database, docs).consequences == ""
    (new, moved), still = cited(database, pair)
    assert still == lamp
    assert new != old
    assert moved == {**citation, "page": citation["page"] + 1, "page_id": new}
    with database.reading() as session:
        page = session.get_one(PageRow, new)
        assert (page.number, "b7 " in page.text) == (moved["page"], True)


def test_a_document_that_is_gone_takes_its_answers_along_until_it_is_back(
    database: Database, data_dir: Path, docs: Path
) -> None:
    mast, lamp = remember(database, "17.10", MAST), remember(database, "17.10", LAMP)
    builder = Builder(database, data_dir, HashEmbedder(), workers=1)
    assert count_affected(database, "Beacon", "17.10", ["guide.md"]) == 1
    report = builder.remove_documents("Beacon", "17.10", ["guide.md"])
    assert report.consequences == "1 saved answer is suspended."
    assert suspended(database, mast, lamp) == ["the document guide.md is gone", ""]
    assert count_affected(database, "Beacon", "17.10", ["guide.md"]) == 0
    report = ingest_beacon(database, docs)
    assert report.consequences == "1 saved answer is in use again."
    assert suspended(database, mast) == [""]


def test_a_rollback_brings_answers_back_and_takes_newer_ones(
    database: Database, docs: Path
) -> None:
    old = remember(database, "17.10", MAST)
    first = Catalog(database).serving("Beacon", "17.10").generation
    write_beacon(docs, mast=15)
    second = ingest_beacon(database, docs).generation
    assert second is not None
    new = remember(database, "17.10", "at least 15 metres")

    foreseen = preview(database, "Beacon", "17.10", first)
    assert foreseen == "1 saved answer is suspended. 1 saved answer is in use again."
    assert suspended(database, new) == [""]

    assert Catalog(database).rollback("Beacon", "17.10") == foreseen
    assert Catalog(database).serving("Beacon", "17.10").generation == first
    assert suspended(database, old, new) == ["", "the page 1 of guide.md has changed"]
    assert Catalog(database).serve("Beacon", "17.10", second) == foreseen
    assert suspended(database, old, new) == ["the page 1 of guide.md has changed", ""]


def test_a_retired_release_suspends_all_of_its_answers(database: Database, docs: Path) -> None:
    administration, hide = ReleaseAdministration(database), ReleaseSettings(hidden=True)
    outdated = remember(database, "17.10", MAST)
    write_beacon(docs, mast=15)
    ingest_beacon(database, docs)
    ingest_beacon(database, docs, release="17.20")
    good, by_hand = remember(database, "17.10", LAMP), remember(database, "17.10")
    other = remember(database, "17.20", LAMP)
    told = administration.change_release("Beacon", "17.10", hide)
    assert told == "2 saved answers are suspended."
    assert suspended(database, outdated, good, by_hand) == ["the release is retired"] * 3
    assert suspended(database, other) == [""]
    assert administration.change_release("Beacon", "17.10", hide) == ""
    told = administration.change_release("Beacon", "17.10", ReleaseSettings())
    assert told == "2 saved answers are in use again."
    assert suspended(database, outdated)[0].endswith("guide.md has changed")
    assert suspended(database, good, by_hand) == ["", ""]


def test_nothing_serves_anew_unless_its_answers_were_reviewed(
    database: Database, docs: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair = remember(database, "17.10", MAST)
    serving = Catalog(database).serving("Beacon", "17.10").generation

    class CutOff(Exception):
        pass

    def fail(*_: object) -> None:
        raise CutOff

    write_beacon(docs, mast=15)
    with monkeypatch.context() as patched:
        patched.setattr("chatbot.memory.suspending._summary", fail)
        with pytest.raises(CutOff):
            ingest_beacon(database, docs)
    assert Catalog(database).serving("Beacon", "17.10").generation == serving
    assert suspended(database, pair) == [""]
    assert ingest_beacon(database, docs).consequences == "1 saved answer is suspended."


def page_with(database: Database, words: str) -> CitedPage:
    """What a turn notes of a page while it is answered."""
    with database.reading() as session:
        page = session.scalars(select(PageRow).where(PageRow.text.contains(words))).one()
    file = "book.md" if "Chapter" in page.text else "guide.md"
    return CitedPage(file, page_hash(page.text), page.id, page.number)


def test_an_answer_of_a_generation_before_is_not_remembered_as_one_of_now(
    database: Database, docs: Path
) -> None:
    mast, chapter = page_with(database, MAST), page_with(database, "b7 ")
    with database.reading() as session:
        release_id = session.scalars(select(ReleaseRow.id)).one()
        assert reason_unusable(session, release_id, [mast, chapter]) == ""
    write(write_beacon(docs, mast=15), book=f"# Book\n\n{chapters('new', 'a', 'b')}")
    ingest_beacon(database, docs)
    with database.writing() as session:
        assert reason_unusable(session, release_id, [chapter]) == ""
        why = reason_unusable(session, release_id, [chapter, mast])
        assert why == "the page 1 of guide.md has changed"
        gone = replace(mast, file="gone.md")
        assert reason_unusable(session, release_id, [gone]) == "the document gone.md is gone"
        never = CitedPage("guide.md", b"?", 0, 7)
        assert reason_unusable(session, release_id, [never]) == "the page 7 of guide.md has changed"
        assert reason_unusable(session, release_id, []) == ""
    ReleaseAdministration(database).change_release("Beacon", "17.10", ReleaseSettings(hidden=True))
    with database.writing() as session:
        assert reason_unusable(session, release_id, []) == "the release is retired"


def test_a_page_that_serves_counts_only_with_the_text_that_was_cited(
    database: Database, docs: Path
) -> None:
    mast = page_with(database, MAST)
    with database.reading() as session:
        release_id = session.scalars(select(ReleaseRow.id)).one()
        forged = replace(mast, page_hash=page_hash("The mast is 99 metres high."))
        assert (
            reason_unusable(session, release_id, [forged]) == "the page 1 of guide.md has changed"
        )


def test_the_same_file_of_another_release_supports_nothing(
    database: Database, docs: Path, tmp_path: Path
) -> None:
    pair = remember(database, "17.10", MAST)
    ingest_beacon(database, docs, release="17.20")
    write_beacon(docs, mast=15)
    ingest_beacon(database, docs)
    assert suspended(database, pair) == ["the page 1 of guide.md has changed"]


def test_what_a_deletion_takes_along_is_counted(database: Database, docs: Path) -> None:
    ingest_beacon(database, docs, release="17.20")
    for words in ([MAST], [MAST, LAMP], [LAMP], []):
        remember(database, "17.10", *words)
    remember(database, "17.20", MAST)
    both = ["guide.md", "reference/alarms.md"]
    assert count_affected(database, "Beacon", "17.10", both) == 3
    assert count_affected(database, "Beacon", "17.10", ["book.md"]) == 0
    assert count_affected(database, "Beacon", "17.10") == 4
    assert count_affected(database, "Beacon") == 5


def test_what_is_remembered_is_counted_by_release(database: Database, docs: Path) -> None:
    assert saved_counts(database, "Beacon") == {"17.10": SavedCounts()}
    remember(database, "17.10", MAST)
    write_beacon(docs, mast=15)
    ingest_beacon(database, docs)
    remember(database, "17.10", LAMP)
    assert saved_counts(database, "Beacon") == {"17.10": SavedCounts(2, 1)}
    assert SavedCounts(2, 1).in_words == "2 saved answers, 1 of them suspended"
    assert SavedCounts(1, 0).in_words == "1 saved answer"
