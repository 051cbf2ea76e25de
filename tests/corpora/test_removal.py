import shutil
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import event, func, select, update

from corpora.building.building import Builder
from corpora.building.removal import delete_product, delete_release
from corpora.building.report import Outcome
from corpora.catalog.catalog import Catalog
from corpora.catalog.glossary import Entry, Glossaries
from corpora.catalog.release_settings import ProductSettings, ReleaseAdministration
from corpora.database.engine import Database, open_database
from corpora.database.history_tables import TurnRow
from corpora.database.memory_tables import (
    MemoryPageRow,
    MemoryPairRow,
    MemoryUseRow,
)
from corpora.database.question_tables import ProposalRow
from corpora.database.tables import (
    Base,
    DocumentRow,
    EmbeddingRow,
    FileRow,
    GenerationRow,
    GlossaryRow,
    MemberRow,
    PageRow,
    ProductRow,
    ReleaseRow,
    SearchChunkRow,
)
from corpora.errors import BeingBuilt, NoCorpus, NothingLeft
from corpora.generations.progress import Progress, Stage
from corpora.indexing.corpus import open_corpus
from tests.chatbot.asked import asked
from tests.chatbot.made_memory import members, remember
from tests.corpora.beacon import ingest_beacon, many_pages, write, write_beacon
from tests.data_folders import broken_references, copy_data, counts, data_dir_of, database_url
from tests.hash_embedder import HashEmbedder

pytestmark = pytest.mark.database

CONTENTS: tuple[type[Base], ...] = (
    ReleaseRow,
    GenerationRow,
    MemberRow,
    DocumentRow,
    PageRow,
    SearchChunkRow,
    FileRow,
    EmbeddingRow,
    GlossaryRow,
)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with documents, and a data folder with two releases of them."""
    folder = tmp_path_factory.mktemp("published")
    database = open_database(database_url(folder / "data"))
    docs = write_beacon(folder / "docs")
    ingest_beacon(database, docs, release="17.10")
    write(docs, extra="# Extra\n\nThe horn is loud.\n")
    ingest_beacon(database, docs, release="17.20")
    database.close()
    return folder


@pytest.fixture
def data_dir(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The data folder, with the two releases where a test wants them."""
    if "beacon" in request.fixturenames:
        published = request.getfixturevalue("published")
        shutil.copytree(published / "docs", tmp_path / "docs")
        copy_data(published / "data", tmp_path / "data")
    return tmp_path / "data"


@pytest.fixture
def beacon(database: Database, tmp_path: Path) -> Path:
    """Two releases; 17.20 holds `extra.md` more. Returns the folder they came from."""
    docs = tmp_path / "docs"
    with database.writing() as session:
        session.execute(update(MemberRow).values(source=str(docs.resolve())))
    return docs


MakeBuilder = Callable[..., Builder]


@pytest.fixture
def make_builder(database: Database, data_dir: Path) -> MakeBuilder:
    def make(embedder: HashEmbedder | None = None) -> Builder:
        return Builder(database, data_dir, embedder or HashEmbedder(), workers=1)

    return make


def files_of(database: Database, release: str) -> set[str]:
    with closing(open_corpus(database, data_dir_of(database), "Beacon", release)) as corpus:
        return {document.file for document in corpus.documents()}


class CutOff(Exception):
    """The power goes."""


def cut_off_at(database: Database, moment: str, release: str) -> None:
    """Delete a release until a statement begins like this."""

    def cut(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith(moment):
            raise CutOff

    event.listen(database.engine, "before_cursor_execute", cut)
    with pytest.raises(CutOff):
        delete_release(database, data_dir_of(database), "Beacon", release)
    event.remove(database.engine, "before_cursor_execute", cut)


def test_documents_leave_by_a_new_generation_and_a_rollback_brings_them_back(
    database: Database, data_dir: Path, beacon: Path, make_builder: MakeBuilder
) -> None:
    embedder = HashEmbedder()
    report = make_builder(embedder).remove_documents("beacon", "17.20", ["extra.md", "gone.md"])
    assert (report.outcome, report.dropped) == (Outcome.PUBLISHED, ["extra.md"])
    assert embedder.embedded == []
    assert make_builder().remove_documents("Beacon", "17.20", ["extra.md"]).outcome is (
        Outcome.UNCHANGED
    )
    assert files_of(database, "17.20") == {"guide.md", "reference/alarms.md"}
    corpus = open_corpus(database, data_dir, "Beacon", "17.20")
    assert corpus.lexical(["horn"], 3) == []
    assert corpus.lexical(["mast"], 3) != []
    corpus.close()
    assert files_of(database, "17.10") == {"guide.md", "reference/alarms.md"}
    Catalog(database).rollback("Beacon", "17.20")
    assert "extra.md" in files_of(database, "17.20")
    make_builder().remove_documents("Beacon", "17.20", ["extra.md"])
    assert ingest_beacon(database, beacon, release="17.20").outcome is Outcome.PUBLISHED
    assert "extra.md" in files_of(database, "17.20")


def test_a_release_keeps_a_document(
    database: Database, data_dir: Path, beacon: Path, make_builder: MakeBuilder
) -> None:
    everything = files_of(database, "17.20")
    with pytest.raises(NothingLeft, match="Delete the release instead"):
        make_builder().remove_documents("Beacon", "17.20", everything)
    assert files_of(database, "17.20") == everything
    with pytest.raises(NoCorpus):
        make_builder().remove_documents("Beacon", "18.00", ["guide.md"])
    with pytest.raises(NoCorpus):
        make_builder().reread("Beacon", "18.00")


def test_a_deleted_release_leaves_nothing_and_the_others_alone(
    database: Database, data_dir: Path, tmp_path: Path, beacon: Path
) -> None:
    delete_release(database, data_dir, "Beacon", "17.20")
    before = counts(database, CONTENTS)
    many = many_pages(tmp_path / "many", files=3)
    ingest_beacon(database, many, release="17.30")
    write(many, more="# More\n\nOne more.\n")
    ingest_beacon(database, many, release="17.30")
    catalog = Catalog(database)
    ReleaseAdministration(database).change_product("Beacon", ProductSettings(latest="17.30"))
    kept = files_of(database, "17.10")
    seen: list[Progress] = []

    pages = delete_release(database, data_dir, "beacon", "17.30 ", seen.append)

    assert counts(database, CONTENTS) == before
    assert pages == seen[-1].done == seen[-1].total > 36
    assert {p.stage for p in seen} == {Stage.DELETING}
    assert files_of(database, "17.10") == kept
    assert [r.name for p in catalog.products(every=True) for r in p.releases] == ["17.10"]
    assert catalog.product("Beacon").latest is None
    folders = {folder.name for folder in (data_dir / "generations").iterdir()}
    assert folders == {str(g.id) for g in catalog.generations("Beacon", "17.10")}
    with database.reading() as session:
        assert not broken_references(session)
    assert delete_release(database, data_dir, "Beacon", "17.30") == 0


def test_a_deletion_that_is_cut_off_is_completed_by_the_next_call(
    database: Database, data_dir: Path, tmp_path: Path, beacon: Path
) -> None:
    before = counts(database, CONTENTS)
    ingest_beacon(database, many_pages(tmp_path / "many", files=3), release="17.30")
    for moment in ("DELETE FROM pages", "DELETE FROM documents", "DELETE FROM releases"):
        cut_off_at(database, moment, "17.30")
        offered = [r.name for r in Catalog(database).product("Beacon").releases]
        assert offered == ["17.10", "17.20"]
    delete_release(database, data_dir, "Beacon", "17.30")
    assert counts(database, CONTENTS) == before


def test_no_transaction_of_a_deletion_is_a_long_one(
    database: Database, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpora.database.engine._ROWS_AT_ONCE", 5)
    ingest_beacon(database, many_pages(tmp_path / "many", files=3))
    seen: list[Progress] = []
    delete_release(database, data_dir, "Beacon", "17.10", seen.append)
    steps = [after.done - before.done for before, after in pairwise(seen)]
    assert max(steps) == 5


def test_a_deleted_release_takes_its_memory_along_and_leaves_the_turns(
    database: Database, data_dir: Path, beacon: Path
) -> None:
    gone = remember(database, "17.20", "horn", "lamp-failure")
    kept = remember(database, "17.10", "lamp-failure")
    for pair in (gone, kept):
        turn = asked(database, "How?", route="reuse")
        with database.writing() as session:
            session.add(MemoryUseRow(turn_id=turn, pair_id=pair, role="reuse"))
    delete_release(database, data_dir, "Beacon", "17.20")
    with database.reading() as session:
        assert session.scalars(select(MemoryPairRow.id)).all() == [kept]
        assert session.scalars(select(MemoryPageRow.pair_id)).all() == [kept]
        assert session.scalars(select(MemoryUseRow.pair_id)).all() == [kept]
        assert session.scalar(select(func.count()).select_from(TurnRow)) == 2
        assert not broken_references(session)
    delete_product(database, data_dir, "Beacon")
    with database.reading() as session:
        assert session.scalars(select(MemoryPairRow.id)).all() == []


def test_no_memory_of_a_deleted_release_is_left_for_the_next_of_its_id(
    database: Database, data_dir: Path, beacon: Path
) -> None:
    remember(database, "17.20", "horn")
    with database.reading() as session:
        release_id = session.scalars(select(func.max(ReleaseRow.id))).one()
    cut_off_at(database, "DELETE FROM releases", "17.20")
    delete_release(database, data_dir, "Beacon", "17.20")
    # SQLite gives the id out again, so the next one must begin without a memory.
    with database.writing() as session:
        (product_id,) = session.scalars(select(ProductRow.id))
        session.add(
            ReleaseRow(
                id=release_id, product_id=product_id, name="18.00", aliases=[], retired=False
            )
        )
    assert members(database, release_id) == []


def test_a_release_that_is_being_ingested_is_not_deleted(
    database: Database, data_dir: Path, beacon: Path
) -> None:
    def delete_meanwhile(progress: Progress) -> None:
        if progress.stage is Stage.EMBEDDING:
            with pytest.raises(BeingBuilt):
                delete_release(database, data_dir, "Beacon", "17.20")

    write(beacon, news="# News\n\nNew.\n")
    ingest_beacon(database, beacon, release="17.20", on_progress=delete_meanwhile)
    assert "news.md" in files_of(database, "17.20")


def test_a_deleted_product_leaves_nothing(database: Database, data_dir: Path, beacon: Path) -> None:
    Glossaries(database).put("Beacon", Entry("horn", ("siren",)), instead_of="")
    ReleaseAdministration(database).change_product("Beacon", ProductSettings(("lighthouse",)))
    assert delete_product(database, data_dir, "lighthouse") > 0
    assert set(counts(database, CONTENTS).values()) == {0}
    with database.reading() as session:
        assert session.scalars(select(ProductRow)).all() == []
    assert list((data_dir / "generations").iterdir()) == []
    assert delete_product(database, data_dir, "Beacon") == 0


def test_reading_again_by_other_parsers_publishes_from_the_kept_bytes(
    database: Database,
    data_dir: Path,
    beacon: Path,
    make_builder: MakeBuilder,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for file in beacon.rglob("*.md"):
        file.unlink()
    report = make_builder().reread("Beacon", "17.20")
    assert (report.outcome, report.unchanged, report.read) == (Outcome.UNCHANGED, 3, 0)
    monkeypatch.setattr(
        "corpora.building.gathering.reading_fingerprint", lambda: "tomorrow's parsers"
    )
    embedder = HashEmbedder()
    report = make_builder(embedder).reread("Beacon", "17.20")
    assert (report.outcome, report.read, report.dropped) == (Outcome.PUBLISHED, 3, [])
    assert embedder.embedded == []
    expected = {"guide.md", "reference/alarms.md", "extra.md"}
    assert files_of(database, "17.20") == expected
    with database.reading() as session:
        sources = set(session.scalars(select(MemberRow.source)))
    assert sources == {str(beacon.resolve())}
    # Its sources are as they were: a file that is gone from its folder leaves with the next ingest.
    write(beacon, guide="# Guide\n\nNew.\n")
    ingest_beacon(database, beacon, release="17.20")
    assert files_of(database, "17.20") == {"guide.md"}


def test_questions_of_the_evaluation_go_with_their_release_or_product(
    database: Database, beacon: Path, data_dir: Path
) -> None:
    asked_of = ["17.10", "17.20", "17.10, 17.20", "17.1", ""]
    with database.writing() as session:
        for number, release in enumerate(asked_of):
            session.add(_proposal("Beacon", release, f"{number}"))
        session.add(_proposal("other", "17.10", "other"))

    def left() -> list[tuple[str, str]]:
        with database.reading() as session:
            rows = select(ProposalRow.product, ProposalRow.release).order_by(ProposalRow.id)
            return [(product, release) for product, release in session.execute(rows)]

    delete_release(database, data_dir, "beacon", "17.10")
    kept = [("Beacon", "17.20"), ("Beacon", "17.1"), ("Beacon", "")]
    assert left() == [*kept, ("other", "17.10")]
    delete_product(database, data_dir, "beacon")
    assert left() == [("other", "17.10")]


def _proposal(product: str, release: str, digest: str) -> ProposalRow:
    return ProposalRow(
        state="accepted",
        product=product,
        release=release,
        gold={},
        pages=[],
        came_from="a test",
        digest=digest,
        created=datetime.now(UTC),
        decided_by="",
    )
