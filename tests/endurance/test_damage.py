"""What is damaged on the disk is noticed and made again from SQL, while the rest serves."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from corpora.catalog.catalog import Catalog
from corpora.database.engine import Database, open_database, sqlite_url
from corpora.database.history_tables import ConversationRow
from corpora.errors import BrokenIndex
from corpora.indexing.corpus import OpenCorpora
from corpora.indexing.indexes import check_indexes
from tests.corpora.beacon import ingest_beacon, write_beacon
from tests.hash_embedder import HashEmbedder

QUESTION = "mounted on a mast of at least"
MASTS = {"17.10": 12, "17.20": 15}


@pytest.fixture
def two_releases(database: Database, tmp_path: Path) -> Database:
    for release, metres in MASTS.items():
        ingest_beacon(database, write_beacon(tmp_path / release, mast=metres), release=release)
    return database


def _says(corpora: OpenCorpora, release: str) -> str:
    corpus = corpora.corpus("Beacon", release)
    ((chunk, _),) = corpus.nearest(HashEmbedder().embed([QUESTION])[0], 1)
    by_word = corpus.lexical(["mast"], 1)
    assert chunk in dict(by_word)
    return corpus.chunk(chunk).text


@pytest.fixture
def corpora(two_releases: Database, data_dir: Path) -> Iterator[OpenCorpora]:
    opened = OpenCorpora(two_releases, data_dir)
    yield opened
    opened.close()


def _each_file(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def damage(place: Path) -> None:
        for file in filter(Path.is_file, place.rglob("*")):
            file.write_bytes(change(file.read_bytes()))

    return damage


def _a_file_for_the_folder(place: Path) -> None:
    shutil.rmtree(place)
    place.write_text("no folder")


DAMAGES: dict[str, Callable[[Path], None]] = {
    "gone": shutil.rmtree,
    "all gone": lambda place: shutil.rmtree(place.parent),
    "a file for the folder": _a_file_for_the_folder,
    "empty": _each_file(lambda data: b""),
    "zeros": _each_file(lambda data: bytes(len(data))),
    "halved": _each_file(lambda data: data[: len(data) // 2]),
    "no manifest": lambda place: (place / "manifest.json").unlink(),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES.keys())
def test_a_damaged_index_is_noticed_and_built_again_while_the_other_release_serves(
    two_releases: Database, data_dir: Path, corpora: OpenCorpora, damage: Callable[[Path], None]
) -> None:
    generation = Catalog(two_releases).serving("Beacon", "17.10").generation
    assert "15 metres" in _says(corpora, "17.20")
    damage(data_dir / "generations" / str(generation))
    with pytest.raises(BrokenIndex):
        check_indexes(two_releases, data_dir, generation)
    assert "15 metres" in _says(corpora, "17.20")
    assert "12 metres" in _says(corpora, "17.10")
    check_indexes(two_releases, data_dir, generation)


CUTS = (0.0, 0.2, 0.5, 0.8, 0.99)


@pytest.mark.parametrize("share", CUTS)
def test_a_journal_cut_short_takes_its_last_writes_alone(
    two_releases: Database, data_dir: Path, tmp_path: Path, share: float
) -> None:
    with closing(sqlite3.connect(data_dir / "strata.db")) as checkpoint:
        checkpoint.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for number in range(100):
        with two_releases.writing() as session:
            now = datetime.now(UTC)
            session.add(
                ConversationRow(
                    id=str(number),
                    owner="ann",
                    product="Beacon",
                    title=str(number),
                    created=now,
                    updated=now,
                )
            )
    cut = tmp_path / "cut"
    shutil.copytree(data_dir, cut, ignore=shutil.ignore_patterns("*-shm"))
    journal = cut / "strata.db-wal"
    size = journal.stat().st_size
    assert size > 100_000
    with journal.open("r+b") as file:
        file.truncate(int(size * share))

    opened = open_database(sqlite_url(cut))
    with opened.reading() as session:
        kept = session.scalars(select(ConversationRow.title)).all()
    assert sorted(kept, key=int) == [str(n) for n in range(len(kept))]
    assert len(kept) == pytest.approx(100 * share, abs=3)
    for release, metres in MASTS.items():
        corpora = OpenCorpora(opened, cut)
        assert f"{metres} metres" in _says(corpora, release)
        corpora.close()
    assert ingest_beacon(opened, write_beacon(tmp_path / "17.10", mast=20), data_dir=cut)
    opened.close()
