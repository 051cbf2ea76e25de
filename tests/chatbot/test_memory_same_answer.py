from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select, update

from chatbot.memory.pairs import NewPair, Origin
from chatbot.memory.stores.stores import Stores
from chatbot.memory.suspending import CitedPage, page_hash
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPairRow
from corpora.database.tables import DocumentRow, PageRow, ReleaseRow
from tests.chatbot.made_memory import (
    THRESHOLDS,
    happened,
    made_pair,
    members,
    require_sound,
    unit,
)
from tests.corpora.beacon import ingest_beacon, write_beacon

AXES = np.eye(8)
MAST = "The beacon is mounted on a mast of at least 12 metres."
SUPPLY = "The beacon needs 48 volts."


@pytest.fixture
def page(database: Database, tmp_path: Path) -> CitedPage:
    """The page that all answers cite."""
    ingest_beacon(database, write_beacon(tmp_path / "docs"))
    with database.reading() as session:
        found = session.scalars(
            select(PageRow)
            .join(DocumentRow, DocumentRow.id == PageRow.document_id)
            .where(DocumentRow.file == "guide.md", PageRow.text.contains("12 metres"))
        ).one()
        return CitedPage("guide.md", page_hash(found.text), found.id, found.number)


@pytest.fixture
def release(database: Database, page: CitedPage) -> int:
    with database.reading() as session:
        return session.scalars(select(ReleaseRow.id)).one()


@pytest.fixture
def stores(database: Database) -> Stores:
    return Stores(database, THRESHOLDS, limit=100, wordings=2)


def answered(
    page: CitedPage, axis: int, value: str = "12 metres", quote: str = MAST, **options: Origin
) -> NewPair:
    """A question of its own direction with this answer from the page."""
    made = made_pair(unit(*AXES[axis]), pages=[page], **options)
    return replace(made, answer={"text": value, "value": value, "citations": [{"quote": quote}]})


def ids(database: Database, release: int) -> list[int]:
    return [row.id for row in members(database, release)]


def test_an_answer_keeps_two_wordings_the_new_one_and_the_most_used(
    database: Database, stores: Stores, release: int, page: CitedPage
) -> None:
    first, second = (stores.add(release, answered(page, n)).pair or 0 for n in range(2))
    with database.writing() as session:
        used = update(MemoryPairRow).where(MemoryPairRow.id == first).values(reused=1)
        session.execute(used)
    third = stores.add(release, answered(page, 2, "at least 12 Metres."))
    assert (third.replaced, third.kept) == ((second,), True)
    assert ids(database, release) == [first, third.pair]
    assert ("replaced", second, third.pair) in happened(database, release)
    require_sound(database, release)


def test_another_answer_and_another_passage_have_wordings_of_their_own(
    database: Database, stores: Stores, release: int, page: CitedPage
) -> None:
    for axis, (value, quote) in enumerate(
        [
            *(("12 metres", MAST), ("12 metres", MAST)),
            *(("first", MAST), ("12 metres", SUPPLY), ("48 volts", SUPPLY)),
        ]
    ):
        stores.add(release, answered(page, axis, value, quote))
    assert len(ids(database, release)) == 5


@pytest.mark.parametrize("origin", [Origin.THUMBS, Origin.RATING, Origin.IMPORTED, Origin.CURATED])
def test_what_people_judged_or_wrote_neither_goes_nor_counts(
    database: Database, stores: Stores, release: int, page: CitedPage, origin: Origin
) -> None:
    for axis in range(3):
        stores.add(release, answered(page, axis, origin=origin))
    for axis in range(3, 6):
        stores.add(release, answered(page, axis))
    kept = [row.origin for row in members(database, release)]
    assert kept == [origin] * 3 + [Origin.MEASURED] * 2


def test_a_suspended_wording_waits_for_its_page(
    database: Database, stores: Stores, release: int, page: CitedPage
) -> None:
    waiting = stores.add(release, answered(page, 0)).pair
    with database.writing() as session:
        session.execute(update(MemoryPairRow).values(suspended="its page is gone"))
    for axis in range(1, 4):
        stores.add(release, answered(page, axis))
    assert len(ids(database, release)) == 3
    assert waiting in ids(database, release)


def test_an_answer_that_cites_nothing_is_left_alone(
    database: Database, stores: Stores, release: int
) -> None:
    for axis in range(4):
        stores.add(release, made_pair(unit(*AXES[axis])))
    assert len(ids(database, release)) == 4
