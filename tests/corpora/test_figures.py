"""Figures are rows beside their page, and their pictures are kept once for each content."""

from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import func, select

from corpora.building.building import Builder
from corpora.building.fingerprints import ChunkingSettings
from corpora.building.removal import delete_release
from corpora.building.report import Outcome
from corpora.database.engine import Database
from corpora.database.tables import FigureRow, FileRow
from corpora.indexing.corpus import open_corpus
from corpora.indexing.figures import StoredFigure, figure_bytes, figures_of
from corpora.indexing.pages import StoredPage
from tests.corpora.beacon import ingest_beacon
from tests.data_folders import data_dir_of
from tests.hash_embedder import HashEmbedder
from tests.pictures import picture

pytestmark = pytest.mark.database

MANUAL = """# Manual

## Wiring

Red is P1.

![The plug](img/plug.png)

## Mounting

Use four bolts.
"""


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A manual with a picture of a plug."""
    folder = tmp_path / "docs"
    (folder / "img").mkdir(parents=True)
    (folder / "manual.md").write_text(MANUAL)
    (folder / "img/plug.png").write_bytes(picture())
    return folder


def page_of(database: Database, release: str = "17.10") -> StoredPage:
    with closing(open_corpus(database, data_dir_of(database), "Beacon", release)) as corpus:
        return next(p for d in corpus.documents() for p in corpus.pages_of(d.id))


def shown(database: Database, release: str = "17.10") -> tuple[StoredFigure, ...]:
    return figures_of(database, page_of(database, release).id, "Manual › Wiring")


def kept(database: Database) -> int:
    with database.reading() as session:
        return session.scalar(select(func.count(FileRow.content_hash))) or 0


def test_a_section_has_its_figures_and_no_other(database: Database, docs: Path) -> None:
    ingest_beacon(database, docs)
    (figure,) = shown(database)
    assert (figure.caption, figure.description) == ("The plug", "The plug")
    page = page_of(database)
    assert figures_of(database, page.id, "Manual › Mounting") == ()
    assert figure_bytes(database, page.id, figure.content_hash).startswith(b"\x89PNG")
    for page_id, content_hash in ((page.id + 1, figure.content_hash), (page.id, "0" * 64)):
        with pytest.raises(LookupError):
            figure_bytes(database, page_id, content_hash)


def test_releases_share_a_picture_and_each_has_its_own(database: Database, docs: Path) -> None:
    ingest_beacon(database, docs)
    before = kept(database)
    ingest_beacon(database, docs, release="18.00")
    assert kept(database) == before
    (docs / "img/plug.png").write_bytes(picture(colour="blue"))
    assert ingest_beacon(database, docs, release="18.00").outcome is Outcome.PUBLISHED
    assert kept(database) == before + 1
    assert ingest_beacon(database, docs, release="18.00").outcome is Outcome.UNCHANGED
    (old,), (new,) = shown(database), shown(database, "18.00")
    assert old.content_hash != new.content_hash


def test_figures_stay_where_pages_are_cut_anew_or_read_again(
    database: Database, docs: Path
) -> None:
    ingest_beacon(database, docs)
    (before,) = shown(database)
    (docs / "img/plug.png").unlink()
    for settings in (ChunkingSettings(per_page=3), ChunkingSettings()):
        builder = Builder(database, data_dir_of(database), HashEmbedder(), settings)
        builder.remove_documents("Beacon", "17.10", ["none.md"])
        (figure,) = shown(database)
        assert figure.content_hash == before.content_hash
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("corpora.building.gathering.reading_fingerprint", lambda: "another")
        Builder(database, data_dir_of(database), HashEmbedder()).reread("Beacon", "17.10")
    (figure,) = shown(database)
    assert figure.page_id != before.page_id
    assert figure.caption == "The plug"


def test_a_picture_goes_with_the_last_page_that_shows_it(database: Database, docs: Path) -> None:
    ingest_beacon(database, docs)
    ingest_beacon(database, docs, release="18.00")
    delete_release(database, data_dir_of(database), "Beacon", "18.00")
    assert len(shown(database)) == 1
    delete_release(database, data_dir_of(database), "Beacon", "17.10")
    assert kept(database) == 0
    with database.reading() as session:
        assert not session.scalar(select(func.count(FigureRow.id)))
