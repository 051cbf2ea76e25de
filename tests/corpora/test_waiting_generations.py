"""What is built can wait for an admin's yes: it is not served, and nothing of it gets lost."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import func, select

from corpora.building.building import Builder
from corpora.building.report import IngestReport, Outcome
from corpora.catalog.catalog import Catalog, require_release
from corpora.database.engine import Database
from corpora.database.tables import DocumentRow, GenerationRow
from corpora.errors import NoCorpus, NothingWaits, UnknownRelease
from corpora.generations.generations import (
    discard_waiting,
    drop_ended,
    generation_dir,
    prune,
    publish_waiting,
    sweep_folders,
)
from corpora.indexing.corpus import open_corpus
from tests.hash_embedder import HashEmbedder

pytestmark = pytest.mark.database

Ingest = Callable[..., IngestReport]


@pytest.fixture
def ingest(database: Database, tmp_path: Path) -> Ingest:
    """Write files into folders of their own, and ingest those that are named."""

    def ingest(*, waits: bool = True, **files: str) -> IngestReport:
        paths = []
        for name, text in files.items():
            folder = tmp_path / "sources" / name
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{name}.md").write_text(f"# {name}\n\n{text}\n", "utf-8")
            paths.append(folder)
        builder = Builder(database, tmp_path / "data", HashEmbedder(), workers=1, waits=waits)
        return builder.ingest(paths, product="Beacon", release="1.0")

    return ingest


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


def release_id(database: Database) -> int:
    with database.reading() as session:
        return require_release(session, "Beacon", "1.0").id


def texts(database: Database, data_dir: Path) -> set[str]:
    corpus = open_corpus(database, data_dir, "Beacon", "1.0")
    found = {
        page.text.split("\n")[-1]
        for document in corpus.documents()
        for page in corpus.pages_of(document.id)
    }
    corpus.close()
    return found


def test_what_waits_is_not_served_and_the_next_ingest_goes_on_from_it(
    database: Database, ingest: Ingest, data_dir: Path
) -> None:
    assert ingest(a="One.").outcome is Outcome.WAITING
    assert Catalog(database).products() == ()
    with pytest.raises(NoCorpus):
        open_corpus(database, data_dir, "Beacon", "1.0")
    # A second ingest neither waits for the first to be published nor loses what that brought.
    again = ingest(b="Two.")
    assert (again.outcome, again.documents) == (Outcome.WAITING, 2)
    assert ingest(b="Two.").outcome is Outcome.UNCHANGED
    (waits,) = Catalog(database).generations("Beacon", "1.0")
    assert waits.id == again.generation
    assert waits.waiting
    assert not waits.published
    publish_waiting(database, data_dir, release_id(database), waits.id)
    assert texts(database, data_dir) == {"One.", "Two."}
    with pytest.raises(NothingWaits, match="No version"):
        publish_waiting(database, data_dir, release_id(database), None)


def test_it_survives_a_restart_and_the_tidying_up(
    database: Database, ingest: Ingest, data_dir: Path
) -> None:
    waits = ingest(a="One.").generation
    assert waits is not None
    with database.writing() as session:
        session.get_one(GenerationRow, waits).builder = "elsewhere/1/1.0"
        drop_ended(session)
    prune(database, data_dir, release_id(database))
    sweep_folders(database, data_dir)
    asked = Catalog(database, {release_id(database): waits})
    assert [r.name for r in asked.product("Beacon").releases] == ["1.0"]
    assert asked.serving("Beacon", "1.0").generation == waits
    assert not Catalog(database).products()
    publish_waiting(database, data_dir, release_id(database), None)
    assert texts(database, data_dir) == {"One."}


def test_what_is_discarded_leaves_nothing_behind(
    database: Database, ingest: Ingest, data_dir: Path
) -> None:
    ingest(waits=False, a="One.")
    served = Catalog(database).serving("Beacon", "1.0").generation
    waits = ingest(a="Another.", b="Two.").generation
    assert waits is not None
    with pytest.raises(NothingWaits, match="Another version"):
        discard_waiting(database, data_dir, release_id(database), served)
    discard_waiting(database, data_dir, release_id(database), waits)
    assert texts(database, data_dir) == {"One."}
    assert Catalog(database).serving("Beacon", "1.0").generation == served
    with database.reading() as session:
        assert session.scalar(select(func.count()).select_from(DocumentRow)) == 1
    assert not generation_dir(data_dir, waits).exists()
    with pytest.raises(NothingWaits):
        discard_waiting(database, data_dir, release_id(database), None)


def test_an_ingest_that_publishes_takes_along_what_waited(
    database: Database, ingest: Ingest, data_dir: Path
) -> None:
    ingest(a="One.")
    assert ingest(waits=False, b="Two.").outcome is Outcome.PUBLISHED
    assert texts(database, data_dir) == {"One.", "Two."}
    (only,) = Catalog(database).generations("Beacon", "1.0")
    assert only.published
    # Nothing that waits is taken for a version to go back to.
    ingest(b="Three.")
    with pytest.raises(UnknownRelease, match="No earlier version"):
        Catalog(database).rollback("Beacon", "1.0")
