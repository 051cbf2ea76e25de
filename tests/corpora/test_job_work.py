from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from sqlalchemy import select, update

from corpora.catalog.catalog import Catalog
from corpora.database.engine import Database
from corpora.database.tables import (
    DocumentRow,
    EmbeddingModelRow,
    FigureRow,
    GenerationRow,
    MemberRow,
    PageRow,
)
from corpora.documents.uploads import UploadedFile, drop_upload, store, upload_dir
from corpora.documents.worker import JobWork
from corpora.errors import IngestCancelled
from corpora.generations.generations import claim
from corpora.generations.processes import this_process
from corpora.generations.progress import Progress, Stage
from corpora.indexing.missing_vectors import TEXTS_AT_ONCE
from corpora.jobs.jobs import Job, JobFile, JobKind, Jobs, JobState
from ingestion.errors import StrataError
from tests.corpora.beacon import ingest_beacon, many_pages, write_beacon
from tests.hash_embedder import HashEmbedder
from tests.ingestion.office_files import zipped
from tests.job_work import worker
from tests.pictures import picture

pytestmark = pytest.mark.database

GUIDE = b"# Guide\n\nThe mast is 12 metres high.\n"


@pytest.fixture
def jobs(database: Database) -> Jobs:
    return Jobs(database)


@dataclass(frozen=True)
class Desk:
    """Takes uploads for Beacon, and has a worker do them."""

    database: Database
    data_dir: Path

    def worker(
        self, stopping: Callable[[], bool] = lambda: False, embedder: HashEmbedder | None = None
    ) -> JobWork:
        return worker(self.database, self.data_dir, embedder, stopping=stopping)

    def upload(self, release: str = "17.20", **files: bytes) -> int:
        given = [UploadedFile(name.replace("__", "."), data) for name, data in files.items()]
        place = {"product": "Beacon", "release": release, "person_id": "ann"}
        return store(self.database, self.data_dir, given, **place)

    def done(self, job_id: int, worker: JobWork | None = None) -> Job:
        (worker or self.worker()).do(job_id)
        return Jobs(self.database).get(job_id)


@pytest.fixture
def desk(database: Database, data_dir: Path) -> Desk:
    return Desk(database, data_dir)


def texts(database: Database, release: str = "17.20") -> dict[str, str]:
    serving = Catalog(database).serving("Beacon", release).generation
    with database.reading() as session:
        rows = session.execute(
            select(DocumentRow.file, PageRow.text)
            .join(MemberRow, MemberRow.document_id == DocumentRow.id)
            .join(PageRow, PageRow.document_id == DocumentRow.id)
            .where(MemberRow.generation_id == serving)
        )
        return {file: text for file, text in rows}  # noqa: C416 - rows are no pairs to mypy


def test_an_upload_is_published_and_its_files_go(
    desk: Desk, jobs: Jobs, database: Database, data_dir: Path
) -> None:
    archive = zipped(
        ("alarms/lamp.md", "# Lamp\n\nThe lamp fails.\n"),
        ("alarms/empty.md", ""),
        ("guide.md", "# Another guide\n"),
    )
    job_id = desk.upload(guide__md=GUIDE, broken__html=b"\x89PNG", docs__zip=archive)
    job = desk.done(job_id)
    assert job.state is JobState.DONE
    assert job.message == "Ready: 2 documents with 2 pages. Skipped 3 files."
    assert (job.report["outcome"], job.report["read"], job.report["failed"]) == ("published", 2, 3)
    assert set(texts(database)) == {"guide.md", "alarms/lamp.md"}
    reasons = {f.file: f.reason for f in jobs.files(job_id) if f.reason}
    assert set(reasons) == {"broken.html", "alarms/empty.md", "docs.zip: guide.md"}
    assert "PNG image" in reasons["broken.html"]
    assert not upload_dir(data_dir, job_id).exists()


def test_what_was_read_in_part_is_told_at_the_job(desk: Desk, jobs: Jobs) -> None:
    job_id = desk.upload(guide__rst=b"Guide\n=====\n\nThe mast is 12 m.\n\n.. include:: ../a.inc\n")
    job = desk.done(job_id)
    assert job.message == "Ready: 1 document with 1 page. Read in part: 1 file."
    (file,) = jobs.files(job_id)
    assert "(such as ../a.inc)" in file.reason


def test_formats_that_nothing_reads_are_told_at_the_job(desk: Desk) -> None:
    members = {"guide.md": GUIDE, "a.textile": b"h1. A", "b.textile": b"h1. B", "logo.png": b"x"}
    job = desk.done(desk.upload(docs__zip=zipped(*members.items())))
    read = "Ready: 1 document with 1 page."
    assert (
        job.message
        == f"{read} 2 files were left out, in formats that Strata does not read: .textile (2)."
    )


def test_pictures_that_come_beside_a_document_are_its_figures(
    desk: Desk, database: Database
) -> None:
    guide = GUIDE + b"\n![The mast](img/mast.png)\n"
    job = desk.done(desk.upload(guide__md=guide, mast__png=picture()))
    assert job.message == "Ready: 1 document with 1 page."
    with database.reading() as session:
        assert session.scalars(select(FigureRow.description)).all() == ["The mast"]


def test_a_name_that_a_mac_has_parted_replaces_the_document(desk: Desk, database: Database) -> None:
    for name in ("Übersicht__md", "U\u0308bersicht__md"):
        desk.done(desk.upload(**{name: f"# {name}\n\nOne.\n".encode()}))
        assert [*texts(database)] == ["Übersicht.md"]
    desk.done(desk.upload(docs__zip=zipped(("U\u0308bersicht.md", b"# Third\n\nThree.\n"))))
    assert [*texts(database)] == ["Übersicht.md"]
    assert "Three." in texts(database)["Übersicht.md"]


def test_an_upload_replaces_files_of_its_names_and_leaves_the_others(
    desk: Desk, database: Database, tmp_path: Path
) -> None:
    ingest_beacon(database, write_beacon(tmp_path / "docs"), release="17.20")
    desk.done(desk.upload(first__md=b"# First\n\nOne.\n"))
    desk.done(desk.upload(guide__md=GUIDE))
    found = texts(database)
    assert set(found) == {"first.md", "guide.md", "reference/alarms.md"}
    assert "mast is 12" in found["guide.md"]
    assert "One." in found["first.md"]


def test_an_upload_that_cannot_be_read_at_all_fails_and_can_be_tried_again(
    desk: Desk, jobs: Jobs, database: Database
) -> None:
    job = desk.done(desk.upload(a__html=b"\x89PNG", b__md=b""))
    assert job.state is JobState.FAILED
    assert "No file could be read, so nothing changed." in job.message
    assert {f.file for f in jobs.files(job.id) if f.reason} == {"a.html", "b.md"}
    jobs.retry(job.id)
    assert desk.done(job.id).state is JobState.FAILED
    jobs.retry(job.id)
    drop_upload(database, job.id)
    assert "Upload them again" in desk.done(job.id).message


def test_a_cancelled_job_continues_where_it_was_when_it_is_tried_again(
    desk: Desk, jobs: Jobs, database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpora.documents.worker.WRITE_SECONDS", 0.0)
    folder = many_pages(tmp_path / "many", files=4)
    job_id = desk.upload(**{p.name.replace(".", "__"): p.read_bytes() for p in folder.iterdir()})

    class Cancels(HashEmbedder):
        def embed(self, texts: object) -> object:  # type: ignore[override]
            jobs.cancel(job_id)
            return super().embed(texts)  # type: ignore[arg-type]

    first = Cancels()
    job = desk.done(job_id, desk.worker(embedder=first))
    assert (job.state, job.cancelling) == (JobState.CANCELLED, False)
    assert len(first.embedded) == TEXTS_AT_ONCE
    assert Catalog(database).products() == ()
    jobs.retry(job_id)
    second = HashEmbedder()
    job = desk.done(job_id, desk.worker(embedder=second))
    assert job.state is JobState.DONE
    assert (job.report["read"], job.report["unchanged"]) == (0, 4)
    assert not set(first.embedded) & set(second.embedded)
    assert len(texts(database)) == 4


def test_a_worker_that_stops_puts_its_job_back(desk: Desk) -> None:
    job_id = desk.upload(guide__md=GUIDE)
    answers = iter([False, False])
    job = desk.done(job_id, desk.worker(stopping=lambda: next(answers, True)))
    assert job.state is JobState.WAITING
    assert desk.done(job_id, desk.worker(stopping=lambda: True)).state is JobState.WAITING
    assert desk.done(job_id).state is JobState.DONE


def test_a_job_waits_while_somebody_else_ingests_into_its_release(
    desk: Desk, jobs: Jobs, database: Database
) -> None:
    release_id = Catalog(database).add_release("Beacon", "17.20")
    with database.writing() as session:
        session.add(EmbeddingModelRow(name="another", dimension=2))
    generation = claim(database, release_id, 1, "")
    job_id = desk.upload(guide__md=GUIDE)
    work = desk.worker()
    assert work.do_next()
    job = jobs.get(job_id)
    assert job.state is JobState.WAITING
    assert "is already being ingested by process" in job.message
    another = desk.upload("18.00", guide__md=GUIDE)
    assert work.do_next()
    assert jobs.get(another).state is JobState.DONE
    assert not work.do_next()
    with database.writing() as session:
        session.execute(
            update(GenerationRow)
            .where(GenerationRow.id == generation)
            .values(builder=this_process().rpartition("/")[0] + "/1.0")
        )
    assert desk.done(job_id).state is JobState.DONE


def test_a_failure_nobody_thought_of_ends_the_job_and_says_so(desk: Desk, jobs: Jobs) -> None:
    class Fails(HashEmbedder):
        def embed(self, texts: object) -> object:  # type: ignore[override]
            raise ZeroDivisionError

    job = desk.done(desk.upload(guide__md=GUIDE), desk.worker(embedder=Fails()))
    assert job.state is JobState.FAILED
    assert "ZeroDivisionError" in job.message
    jobs.retry(job.id)
    assert desk.done(job.id).state is JobState.DONE


def test_an_evaluation_is_stopped_or_fails_as_any_job_and_does_none_on_documents(
    desk: Desk, jobs: Jobs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("corpora.documents.worker.WRITE_SECONDS", 0.0)

    def evaluate(
        job: Job, report: Callable[[Progress], None], is_to_stop: Callable[[], bool]
    ) -> str:
        if job.product == "Lantern":
            raise StrataError("There is no question.")
        jobs.cancel(job.id)
        report(Progress(Stage.ASKING, 1, 4))
        assert is_to_stop()
        raise IngestCancelled

    work = replace(desk.worker(), tasks={JobKind.EVALUATE: evaluate})
    desk.upload(guide__md=GUIDE)
    stopped, failed = (jobs.add(JobKind.EVALUATE, p, "", "") for p in ("Beacon", "Lantern"))
    assert work.do_next()
    assert (jobs.get(stopped).state, jobs.get(stopped).done) == (JobState.CANCELLED, 1)
    assert work.do_next()
    ended = jobs.get(failed)
    assert (ended.state, ended.message) == (JobState.FAILED, "There is no question.")
    assert not work.do_next()


def test_documents_are_removed_and_a_release_is_read_again_and_deleted(
    desk: Desk, jobs: Jobs, database: Database
) -> None:
    desk.done(desk.upload(guide__md=GUIDE, extra__md=b"# Extra\n\nMore.\n"))
    removal = jobs.add(JobKind.REMOVE, "Beacon", "17.20", "ann", [JobFile("extra.md")])
    job = desk.done(removal)
    assert (job.state, job.report["dropped"]) == (JobState.DONE, ["extra.md"])
    assert set(texts(database)) == {"guide.md"}

    again = jobs.add(JobKind.REREAD, "Beacon", "17.20", "ann")
    assert desk.done(again).message == "No changes."

    last = jobs.add(JobKind.REMOVE, "Beacon", "17.20", "ann", [JobFile("guide.md")])
    job = desk.done(last)
    assert job.state is JobState.FAILED
    assert "Delete the release" in job.message

    job = desk.done(jobs.add(JobKind.DELETE, "Beacon", "17.20", "ann"))
    assert (job.state, job.message) == (JobState.DONE, "Deleted Beacon 17.20.")
    assert Catalog(database).products() == ()
    job = desk.done(jobs.add(JobKind.DELETE, "Beacon", "", "ann"))
    assert (job.state, job.message) == (JobState.DONE, "Deleted Beacon.")
    assert Catalog(database).products(every=True) == ()

    job = desk.done(jobs.add(JobKind.REREAD, "Beacon", "17.20", "ann"))
    assert job.state is JobState.FAILED
    assert "no documentation" in job.message
