"""A journal that was cut short; damaged indexes are in tests/corpora/test_corpus.py."""

import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import select

from corpora.database.engine import Database, open_database, sqlite_url
from corpora.database.history_tables import ConversationRow
from corpora.indexing.corpus import OpenCorpora
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
