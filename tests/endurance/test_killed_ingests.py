"""Whenever an ingest is killed: what is published answers as before, and a repeat completes."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from corpora.building.report import Outcome
from corpora.catalog.catalog import Catalog
from corpora.database.engine import Database, open_database
from corpora.database.tables import DocumentRow, EmbeddingRow, GenerationRow
from corpora.indexing.corpus import open_corpus
from tests.corpora.beacon import ingest_beacon, many_pages, write_beacon
from tests.data_folders import broken_references, copy_data, database_url
from tests.endurance.killed_ingest import MOMENTS
from tests.hash_embedder import HashEmbedder

pytestmark = pytest.mark.database

QUESTIONS = ("How high is the mast?", "volts of the supply", "lamp-failure", "word3x4x5 word3x4x6")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with two releases."""
    folder = tmp_path_factory.mktemp("published")
    database = open_database(database_url(folder / "data"))
    for release in ("17.10", "17.20"):
        ingest_beacon(database, write_beacon(folder / "docs"), release=release)
    database.close()
    return folder


@pytest.fixture
def folder(published: Path, tmp_path: Path) -> Path:
    """The same, to be changed; its documents have grown since they were ingested."""
    copy_data(published / "data", tmp_path / "data")
    many_pages(write_beacon(tmp_path / "docs", mast=15))
    return tmp_path


@pytest.fixture
def restarted(folder: Path) -> Iterator[Database]:
    """The database as the next process finds it."""
    database = open_database(database_url(folder / "data"))
    yield database
    database.close()


def answers(database: Database, data_dir: Path, release: str) -> list[object]:
    corpus = open_corpus(database, data_dir, "Beacon", release)
    found: list[object] = []
    for question, vector in zip(QUESTIONS, HashEmbedder().embed(QUESTIONS), strict=True):
        near = corpus.nearest(vector, 3)
        ranked = corpus.lexical(question.lower().split(), 3)
        chunks = corpus.chunks(i for i, _ in near + ranked)
        found += [near, ranked, {i: chunk.text for i, chunk in chunks.items()}]
    corpus.close()
    return found


def count(database: Database, table: type) -> int:
    with database.reading() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_ingest_harms_nothing_and_is_completed(
    published: Path, folder: Path, restarted: Database, moment: str
) -> None:
    data_dir = folder / "data"
    before = {r: answers(restarted, data_dir, r) for r in ("17.10", "17.20")}
    embedded_before = count(restarted, EmbeddingRow)

    killed = subprocess.run(
        [
            *(sys.executable, "-m", "tests.endurance.killed_ingest"),
            *(database_url(data_dir), data_dir, folder / "docs", moment),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert (killed.returncode, killed.stderr) == (-signal.SIGKILL, "")

    with restarted.reading() as session:
        if session.get_bind().dialect.name == "sqlite":
            assert session.scalars(text("PRAGMA integrity_check")).all() == ["ok"]
        assert not broken_references(session)
    assert answers(restarted, data_dir, "17.20") == before["17.20"]
    unchanged = answers(restarted, data_dir, "17.10") == before["17.10"]
    assert unchanged is (moment != "after publishing")
    kept = count(restarted, EmbeddingRow) - embedded_before

    report = ingest_beacon(restarted, folder / "docs")
    assert report.documents == 10
    assert report.outcome is (Outcome.PUBLISHED if unchanged else Outcome.UNCHANGED)
    new = count(restarted, EmbeddingRow) - embedded_before
    assert report.embedded == (new - kept if unchanged else 0)
    if moment not in ("reading", "writing"):
        assert kept > 0
        assert report.read == 0
    else:
        assert 0 < report.read < 10
    assert "15 metres" in str(answers(restarted, data_dir, "17.10"))
    assert answers(restarted, data_dir, "17.20") == before["17.20"]

    generations = {g.id for g in Catalog(restarted).generations("Beacon", "17.10")}
    assert len(generations) == 2
    assert count(restarted, GenerationRow) == 3
    assert count(restarted, DocumentRow) == 2 + 2 + 9
    folders = {int(f.name) for f in (data_dir / "generations").iterdir()}
    assert folders - generations == {
        g.id for g in Catalog(restarted).generations("Beacon", "17.20")
    }
