import shutil
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, func, select, update

from corpora.building.fingerprints import ChunkingSettings
from corpora.building.removal import delete_release
from corpora.building.report import Outcome
from corpora.catalog.catalog import Catalog
from corpora.database.engine import Database
from corpora.database.tables import (
    DocumentRow,
    EmbeddingRow,
    FileRow,
    GenerationRow,
    PageRow,
    ReleaseRow,
    SearchChunkRow,
)
from corpora.errors import BeingBuilt, DiskFull, IngestCancelled, NothingToIngest, TakenOver
from corpora.generations import disk, processes
from corpora.generations.generations import KEPT_FOR_ROLLBACK
from corpora.generations.progress import Progress, Stage
from corpora.indexing.corpus import open_corpus
from tests.corpora.beacon import ALARMS, GUIDE, ingest_beacon, many_pages, write, write_beacon
from tests.data_folders import data_dir_of
from tests.hash_embedder import HashEmbedder

pytestmark = pytest.mark.database

UNREADABLE = b"%PDF-1.7 is no Markdown"


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder with a guide, that says 12 metres, and a page of alarms."""
    return write_beacon(tmp_path / "docs")


def served(database: Database) -> dict[str, str]:
    """What 17.10 serves: the text of each file."""
    with closing(open_corpus(database, data_dir_of(database), "Beacon", "17.10")) as corpus:
        return {
            d.file: "\n".join(p.text for p in corpus.pages_of(d.id)) for d in corpus.documents()
        }


def test_a_text_is_read_again_when_what_it_includes_has_changed(
    database: Database, tmp_path: Path
) -> None:
    docs = tmp_path / "docs"
    write(docs, guide="# Guide\n\n```{include} height.inc\n```\n")
    for height in ("12 m", "14 m"):
        (docs / "height.inc").write_text(f"The mast is {height}.\n")
        assert ingest_beacon(database, docs).outcome is Outcome.PUBLISHED
        assert f"The mast is {height}." in served(database)["guide.md"]
    assert ingest_beacon(database, docs).outcome is Outcome.UNCHANGED


def count(database: Database, table: Any) -> int:
    with database.reading() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def folders(database: Database) -> set[str]:
    return {folder.name for folder in (data_dir_of(database) / "generations").iterdir()}


def test_files_become_a_published_corpus(database: Database, tmp_path: Path) -> None:
    embedder = HashEmbedder()
    report = ingest_beacon(database, write_beacon(tmp_path / "docs"), embedder=embedder)
    assert report.outcome is Outcome.PUBLISHED
    assert (report.documents, report.read, report.unchanged) == (2, 2, 0)
    assert report.chunks == report.embedded == len(embedder.embedded) > 0
    assert report.rejected == report.dropped == []
    assert [*report.seconds] == [
        Stage.READING,
        Stage.DETECTING,
        Stage.EMBEDDING,
        Stage.INDEXING,
        Stage.PUBLISHING,
    ]
    assert [*served(database)] == ["guide.md", "reference/alarms.md"]
    assert "at least 12 metres" in served(database)["guide.md"]


def test_headings_are_embedded_and_not_quoted(database: Database, tmp_path: Path) -> None:
    embedder = HashEmbedder()
    ingest_beacon(database, write_beacon(tmp_path / "docs"), embedder=embedder)
    corpus = open_corpus(database, data_dir_of(database), "Beacon", "17.10")
    (found, _), *_ = corpus.lexical(["350"], 1)
    chunk = corpus.chunk(found)
    assert any(t.startswith("Alarms") and t.endswith(chunk.text) for t in embedder.embedded)
    assert corpus.page(chunk.page_id).text[chunk.start : chunk.end] == chunk.text
    corpus.close()


def test_ingesting_the_same_again_does_nothing(database: Database, docs: Path) -> None:
    first = ingest_beacon(database, docs)
    embedder = HashEmbedder()
    again = ingest_beacon(database, docs, embedder=embedder)
    assert again.outcome is Outcome.UNCHANGED
    assert again.generation == first.generation
    assert (again.read, again.unchanged, again.embedded) == (0, 2, 0)
    assert embedder.embedded == []
    assert count(database, GenerationRow) == 1
    assert count(database, DocumentRow) == 2


def test_only_what_changed_is_read_and_embedded(database: Database, tmp_path: Path) -> None:
    docs = write_beacon(tmp_path / "docs", mast=12)
    first = ingest_beacon(database, docs)
    write_beacon(docs, mast=15)
    second = ingest_beacon(database, docs)
    assert second.outcome is Outcome.PUBLISHED
    assert (second.read, second.unchanged) == (1, 1)
    assert 0 < second.embedded < first.embedded
    assert second.reused == second.chunks - second.embedded
    text = served(database)["guide.md"]
    assert "15 metres" in text
    assert "12 metres" not in text


def test_what_came_from_elsewhere_stays(database: Database, tmp_path: Path) -> None:
    ingest_beacon(database, write(tmp_path / "guides", guide=GUIDE))
    ingest_beacon(database, write(tmp_path / "notes", notes="# Notes\n\nThe lamp is new."))
    report = ingest_beacon(database, write(tmp_path / "notes", notes="# Notes\n\nThe lamp is old."))
    assert (report.documents, report.dropped) == (2, [])
    assert [*served(database)] == ["guide.md", "notes.md"]
    assert "lamp is old" in served(database)["notes.md"]


def test_a_folder_that_moved_is_known_by_its_new_place(database: Database, tmp_path: Path) -> None:
    ingest_beacon(database, write_beacon(tmp_path / "old"))
    moved = ingest_beacon(database, write_beacon(tmp_path / "new"))
    assert (moved.outcome, moved.read, moved.embedded) == (Outcome.PUBLISHED, 0, 0)
    (tmp_path / "new" / "guide.md").unlink()
    assert ingest_beacon(database, tmp_path / "new").dropped == ["guide.md"]
    assert [*served(database)] == ["reference/alarms.md"]


def test_the_old_text_of_a_file_that_became_unreadable_does_not_stay(
    database: Database, docs: Path
) -> None:
    ingest_beacon(database, docs)
    (docs / "guide.md").write_bytes(UNREADABLE)
    report = ingest_beacon(database, docs)
    assert [r.file for r in report.rejected] == report.dropped == ["guide.md"]
    assert [*served(database)] == ["reference/alarms.md"]


def test_an_unreadable_file_from_elsewhere_takes_nothing_away(
    database: Database, docs: Path, tmp_path: Path
) -> None:
    ingest_beacon(database, docs)
    other = write(tmp_path / "other", notes="# Notes\n\nNew.")
    (other / "guide.md").write_bytes(UNREADABLE)
    report = ingest_beacon(database, other)
    assert (len(report.rejected), report.dropped) == (1, [])
    assert [*served(database)] == ["guide.md", "notes.md", "reference/alarms.md"]


def test_a_path_that_is_not_there_takes_nothing_away(database: Database, tmp_path: Path) -> None:
    docs, notes = write_beacon(tmp_path / "docs"), tmp_path / "notes"
    ingest_beacon(database, docs, write(notes, notes="# Notes\n\nNew."))
    notes.rename(tmp_path / "elsewhere")
    write_beacon(docs, mast=15)
    report = ingest_beacon(database, docs, notes)
    assert ([r.file for r in report.rejected], report.dropped) == ([str(notes)], [])
    assert [*served(database)] == ["guide.md", "notes.md", "reference/alarms.md"]


def test_if_nothing_can_be_read_the_old_generation_serves(database: Database, docs: Path) -> None:
    first = ingest_beacon(database, docs)
    for file in docs.rglob("*.md"):
        file.write_bytes(UNREADABLE)
    report = ingest_beacon(database, docs)
    assert report.outcome is Outcome.NOTHING_READABLE
    assert report.generation == first.generation
    assert len(report.rejected) == 2
    assert "12 metres" in served(database)["guide.md"]
    assert folders(database) == {str(first.generation)}


def test_an_empty_folder_is_an_error(database: Database, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    with pytest.raises(NothingToIngest, match=r"No files found in .*docs\. Give files"):
        ingest_beacon(database, tmp_path / "docs")
    assert Catalog(database).products() == ()


def test_other_settings_cut_anew_without_reading_what_is_not_there_any_more(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest_beacon(database, write(tmp_path / "guides", guide=GUIDE))
    shutil.rmtree(tmp_path / "guides")
    monkeypatch.setattr(ChunkingSettings, "__init__", _paper_settings)
    report = ingest_beacon(database, write(tmp_path / "alarms", alarms=ALARMS))
    assert (report.documents, report.chunks) == (2, 2 * report.pages)
    assert [*served(database)] == ["alarms.md", "guide.md"]


def _paper_settings(self: ChunkingSettings) -> None:
    object.__setattr__(self, "per_page", 2)
    object.__setattr__(self, "target", 500)


def test_another_model_embeds_anew(database: Database, docs: Path) -> None:
    first = ingest_beacon(database, docs)
    other = HashEmbedder()
    other.name = "other-words"
    second = ingest_beacon(database, docs, embedder=other)
    assert (second.outcome, second.read) == (Outcome.PUBLISHED, 0)
    assert second.embedded == first.embedded
    back = ingest_beacon(database, docs)
    assert (back.outcome, back.embedded) == (Outcome.PUBLISHED, 0)


def test_older_generations_are_removed_and_the_last_ones_kept(
    database: Database, tmp_path: Path
) -> None:
    published = []
    for mast in range(10, 10 + KEPT_FOR_ROLLBACK + 3):
        published.append(ingest_beacon(database, write_beacon(tmp_path / "docs", mast)).generation)
    kept = published[-KEPT_FOR_ROLLBACK - 1 :]
    found = Catalog(database).generations("Beacon", "17.10")
    assert [g.id for g in found] == kept[::-1]
    assert folders(database) == {str(g) for g in kept}
    assert count(database, DocumentRow) == len(kept) + 1
    assert count(database, FileRow) == len(kept) + 1
    with database.reading() as session:
        hashes = session.scalar(select(func.count(func.distinct(SearchChunkRow.text_hash))))
    assert count(database, EmbeddingRow) == hashes
    Catalog(database).rollback("Beacon", "17.10")
    assert f"{10 + KEPT_FOR_ROLLBACK + 1} metres" in served(database)["guide.md"]


def test_after_a_rollback_the_next_ingest_goes_on_from_what_serves(
    database: Database, tmp_path: Path
) -> None:
    for mast in (10, 11):
        ingest_beacon(database, write_beacon(tmp_path / "docs", mast))
    Catalog(database).rollback("Beacon", "17.10")
    report = ingest_beacon(database, tmp_path / "docs")
    assert (report.outcome, report.read, report.embedded) == (Outcome.PUBLISHED, 0, 0)
    assert "11 metres" in served(database)["guide.md"]


@pytest.mark.parametrize(
    "stage", [Stage.READING, Stage.EMBEDDING, Stage.INDEXING, Stage.PUBLISHING]
)
def test_a_cancelled_ingest_publishes_nothing_and_is_continued(
    database: Database, tmp_path: Path, stage: Stage
) -> None:
    ingest_beacon(database, write_beacon(tmp_path / "docs"))
    many_pages(tmp_path / "docs")
    last = Stage.PUBLISHING
    seen: list[Progress] = []
    with pytest.raises(IngestCancelled, match=r"changed nothing\. .* to continue where it stopped"):
        ingest_beacon(
            database,
            tmp_path / "docs",
            on_progress=seen.append,
            cancelled=lambda: seen[-1].stage is stage and (seen[-1].done > 0 or stage is last),
        )
    assert [*served(database)] == ["guide.md", "reference/alarms.md"]
    assert len(folders(database)) == 1
    report = ingest_beacon(database, tmp_path / "docs")
    assert (report.outcome, report.documents) == (Outcome.PUBLISHED, 10)
    if stage is not Stage.READING:
        assert (report.read, report.unchanged) == (0, 10)
    if stage in (Stage.INDEXING, Stage.PUBLISHING):
        assert report.embedded == 0


def test_languages_that_nobody_looked_for_are_told_step_by_step(
    database: Database, tmp_path: Path
) -> None:
    ingest_beacon(database, write_beacon(tmp_path / "docs"))
    with database.writing() as session:
        session.execute(update(DocumentRow).values(language=None))
    many_pages(tmp_path / "docs")
    unknown = select(func.count()).where(DocumentRow.language.is_(None))
    seen: list[Progress] = []
    with pytest.raises(IngestCancelled):
        ingest_beacon(
            database,
            tmp_path / "docs",
            on_progress=seen.append,
            cancelled=lambda: seen[-1].stage is Stage.DETECTING,
        )
    assert (seen[-1].done, seen[-1].total) == (1, 2)
    with database.reading() as session:
        assert session.scalar(unknown) == 1
    assert ingest_beacon(database, tmp_path / "docs").outcome is Outcome.PUBLISHED
    with database.reading() as session:
        assert session.scalar(unknown) == 0


def test_a_release_has_one_builder_at_a_time(database: Database, docs: Path) -> None:
    def ingest_meanwhile(progress: Progress) -> None:
        if progress.stage is Stage.INDEXING and not progress.done:
            with pytest.raises(BeingBuilt, match=r"17\.10 is already being ingested by process"):
                ingest_beacon(database, docs)
            assert ingest_beacon(database, docs, release="17.20").outcome is Outcome.PUBLISHED

    assert ingest_beacon(database, docs, on_progress=ingest_meanwhile).outcome is Outcome.PUBLISHED


def test_a_builder_without_heartbeat_is_replaced_and_publishes_nothing(
    database: Database, docs: Path
) -> None:

    def be_replaced(progress: Progress) -> None:
        if progress.stage is Stage.PUBLISHING:
            with database.writing() as session:
                long_ago = datetime.now(UTC) - timedelta(seconds=processes.DEAD_AFTER_SECONDS + 1)
                session.execute(update(GenerationRow).values(heartbeat=long_ago))
            write_beacon(docs, mast=99)
            ingest_beacon(database, docs)

    with pytest.raises(TakenOver, match="seemed dead"):
        ingest_beacon(database, docs, on_progress=be_replaced)
    assert "99 metres" in served(database)["guide.md"]
    assert len(folders(database)) == 1


@pytest.mark.sqlite
def test_a_full_disk_is_named_and_the_old_generation_serves(
    database: Database, tmp_path: Path
) -> None:
    ingest_beacon(database, write_beacon(tmp_path / "docs"))
    many_pages(tmp_path / "docs", files=12)

    def limit(connection: Any, *_: object) -> None:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 20}")

    database.engine.dispose()
    event.listen(database.engine, "connect", limit)
    with pytest.raises(DiskFull, match=r"too little room on the disk that holds .*not harmed"):
        ingest_beacon(database, tmp_path / "docs")
    event.remove(database.engine, "connect", limit)
    database.engine.dispose()
    assert [*served(database)] == ["guide.md", "reference/alarms.md"]
    assert ingest_beacon(database, tmp_path / "docs").documents == 14


def test_an_ingest_leaves_room_for_what_serves(
    database: Database, docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Progress] = []
    free = shutil.disk_usage(tmp_path).free

    def fill(progress: Progress) -> None:
        seen.append(progress)
        if progress.stage is Stage.EMBEDDING:
            monkeypatch.setattr(disk, "RESERVE", free * 10)

    with pytest.raises(DiskFull):
        ingest_beacon(database, docs, on_progress=fill)
    assert seen[-1].stage is Stage.EMBEDDING
    monkeypatch.undo()
    report = ingest_beacon(database, docs)
    assert (report.outcome, report.read) == (Outcome.PUBLISHED, 0)


def test_vectors_and_original_bytes_are_kept_once_for_all_releases(
    database: Database, docs: Path
) -> None:
    ingest_beacon(database, docs, release="17.10")
    other = ingest_beacon(database, docs, release="17.20")
    assert (other.chunks, other.embedded) == (count(database, SearchChunkRow) / 2, 0)
    assert count(database, FileRow) == 2
    corpus = open_corpus(database, data_dir_of(database), "Beacon", "17.20")
    for document in corpus.documents():
        assert corpus.original(document.content_hash) == (docs / document.file).read_bytes()
    corpus.close()


def test_a_file_that_another_release_has_is_not_read_again_and_stays_when_that_goes(
    database: Database, docs: Path
) -> None:
    ingest_beacon(database, docs, release="17.10")
    (docs / "reference" / "alarms.md").write_text("# Alarms\n\nThere are none any more.\n")
    later = ingest_beacon(database, docs, release="17.20")
    assert (later.read, later.unchanged, later.documents) == (1, 1, 2)
    before = every_chunk(database, "17.10", "guide.md")
    assert every_chunk(database, "17.20", "guide.md") == before
    delete_release(database, data_dir_of(database), "Beacon", "17.10")
    assert every_chunk(database, "17.20", "guide.md") == before
    again = ingest_beacon(database, docs, release="17.10")
    assert (again.read, again.unchanged, again.embedded) == (0, 2, 0)


def test_pages_of_a_release_that_is_being_deleted_are_not_taken(
    database: Database, docs: Path
) -> None:
    ingest_beacon(database, docs, release="17.10")

    def delete(progress: Progress) -> None:
        if progress.stage is Stage.READING and progress.done:
            with database.writing() as session:
                session.execute(update(ReleaseRow).values(retired=ReleaseRow.name == "17.10"))

    with pytest.raises(BeingBuilt, match="has just been removed"):
        ingest_beacon(database, docs, release="17.20", on_progress=delete)
    later = ingest_beacon(database, docs, release="17.20")
    assert (later.read, later.unchanged) == (2, 0)


def every_chunk(database: Database, release: str, file: str) -> list[tuple[Any, ...]]:
    """The pages of a document with their search chunks in order, but for their ids."""
    columns = PageRow.number, PageRow.anchor, PageRow.text, PageRow.blocks
    of_chunks = SearchChunkRow.ordinal, SearchChunkRow.start, SearchChunkRow.text_hash
    query = (
        select(*columns, *of_chunks, SearchChunkRow.end, SearchChunkRow.heading)
        .join(SearchChunkRow, SearchChunkRow.page_id == PageRow.id)
        .join(DocumentRow, DocumentRow.id == PageRow.document_id)
        .join(ReleaseRow, ReleaseRow.id == DocumentRow.release_id)
        .where(ReleaseRow.name == release, DocumentRow.file == file)
        .order_by(SearchChunkRow.id)
    )
    with database.reading() as session:
        found = [tuple(row) for row in session.execute(query)]
    assert found
    return found
