from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from corpora.catalog.release_settings import ReleaseAdministration, ReleaseSettings
from corpora.database.engine import Database
from corpora.database.job_tables import JobRow
from corpora.database.originals import Originals
from corpora.database.tables import FileRow
from corpora.documents import uploads
from corpora.documents.upload_checks import UploadNotice, Weight, accepted, by_problem, check
from corpora.documents.uploads import (
    KEPT_FOR_RETRY,
    UploadedFile,
    drop_upload,
    lay_out_upload,
    store,
    sweep_uploads,
    upload_dir,
)
from corpora.errors import DiskFull, UnusableName, UploadError
from corpora.generations.processes import this_process
from corpora.jobs.jobs import Claims, JobKind, Jobs, JobState
from tests.corpora.beacon import ingest_beacon, write
from tests.ingestion.office_files import zipped as zip_of

pytestmark = pytest.mark.database

LARGEST = 1_000_000
GUIDE = b"# Guide\n\nThe mast is 12 metres high.\n"


def of(name: str, data: bytes = GUIDE) -> UploadedFile:
    return UploadedFile(name, data)


def zipped(name: str, **members: bytes) -> UploadedFile:
    return of(name, zip_of(*((n.replace("__", "."), data) for n, data in members.items())))


def _pdf(**options: Any) -> bytes:
    import pymupdf

    with pymupdf.open() as pdf:  # type: ignore[no-untyped-call]
        pdf.new_page().insert_text((50, 50), "A page.")
        data: bytes = pdf.tobytes(**options)
    return data


Check = Callable[..., tuple[UploadNotice, ...]]


@pytest.fixture
def look(database: Database) -> Check:
    """Checks files for Beacon 17.20."""

    def at(*files: UploadedFile, release: str = "17.20", largest: int = LARGEST) -> Any:
        return check(files, "Beacon", release, database, largest)

    return at


@pytest.fixture
def beacon(database: Database, tmp_path: Path) -> Database:
    """Serves a guide in 17.10 and 17.20, and only in 17.20 the alarms."""
    docs = write(tmp_path / "docs", guide=GUIDE.decode())
    ingest_beacon(database, docs, release="17.10")
    write(docs, alarms="# Alarms\n\nThe lamp fails.\n")
    ingest_beacon(database, docs, release="17.20")
    return database


def problems(findings: Sequence[UploadNotice]) -> dict[str, str]:
    assert len({f.file for f in findings}) == len(findings), findings
    return {f.file: f.problem for f in findings}


def test_good_files_for_a_new_product_have_nothing_against_them(look: Check) -> None:
    files = [of("guide.md"), of("folder/guide.md", b"# Other\n"), of("a.pdf", _pdf())]
    archive = zipped("docs.zip", a__md=b"# A\n", b__html=b"<html><p>text</p></html>")
    findings = look(*files, archive)
    assert findings == ()
    assert accepted([*files, archive], findings) == (*files, archive)


@pytest.mark.parametrize(
    "name",
    [
        *("../guide.md", "/etc/guide.md", "C:/guide.md", "a/../../guide.md", "a\\..\\guide.md"),
        *("guide\n.md", "a//guide.md", "./guide.md", ".hidden.md", ".git/guide.md"),
        *("x" * 256 + ".md", "\udcff.md", "", "guide\x00.md", "guide\u202e.md"),
    ],
)
def test_a_hostile_name_is_not_taken_and_never_stored(
    look: Check, database: Database, data_dir: Path, name: str
) -> None:
    files = [of(name), of("good.md", b"# Good\n")]
    findings = look(*files)
    assert [(f.file, f.blocking) for f in findings] == [(name, True)]
    if name:
        assert accepted(files, findings) == (files[1],)
    with pytest.raises(UploadError):
        store(database, data_dir, files, product="Beacon", release="1", person_id="")
    assert list(data_dir.rglob("*.md")) == []
    assert Jobs(database).recent() == ()


def test_a_pdf_with_a_password_is_not_taken_one_that_opens_without_is(look: Check) -> None:
    import pymupdf

    locked = _pdf(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="secret", owner_pw="boss")
    protected = _pdf(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="", owner_pw="boss")
    found = problems(look(of("locked.pdf", locked), of("protected.pdf", protected)))
    assert found == {"locked.pdf": "locked with a password; save a copy without one"}


def test_too_much_in_all_is_not_taken(look: Check) -> None:
    files = [of("a.md", b"a" * 600), of("b.md", b"b" * 600)]
    assert look(*files, largest=1200) == ()
    findings = look(*files, largest=1199)
    assert [(f.file, f.blocking) for f in findings] == [("", True)]
    assert "STRATA_LARGEST_UPLOAD" in findings[0].problem
    assert accepted(files, findings) == ()
    assert [(f.file, f.blocking) for f in look()] == [("", True)]


def test_what_is_wrong_in_a_zip_is_named_and_the_rest_is_taken(look: Check) -> None:
    bomb = zip_of(("zeros.md", b"\0" * 3_000_000))
    members = {
        "good.md": GUIDE,
        "../out.md": GUIDE,
        "image.html": b"\x89PNG",
        "inner.zip": bomb,
        "bomb.md": b"\0" * 3_000_000,
        "picture.png": b"\x89PNG",
        "locked.pdf": b"%PDF-1.4 nonsense",
    }
    archive = of("docs.zip", zip_of(*members.items()))
    findings = look(archive)
    assert not any(f.blocking for f in findings)
    found = problems(findings)
    assert set(found) == {"../out.md", "image.html", "inner.zip", "bomb.md", "locked.pdf"}
    assert "leads out of the archive" in found["../out.md"]
    assert "zip bomb" in found["bomb.md"]
    assert "in docs.zip" in found["image.html"]
    assert accepted([archive], findings) == (archive,)


def test_what_of_a_zip_is_not_read_and_how_its_names_were_is_told_before(look: Check) -> None:
    data = {"a__json": b'{"port": 1}', "b__json": b'{"openapi": "3.1.0"}', "c__yml": b"port: 1"}
    data = {"a__json": b'{"port": 1}', "b__json": b'{"openapi": "3.1.0"}', "c__yml": b"port: 1"}
    archive = zipped("docs.zip", aaaaaaaa__md=GUIDE, b__textile=b"h1. B", logo__png=b"x", **data)
    named = archive.content.replace(b"aaaaaaaa.md", "指南安装.md".encode("gbk"))
    findings = look(of("docs.zip", named))
    assert {finding.weight for finding in findings} == {Weight.INFORMS}
    assert [finding.problem for finding in findings] == [
        "1 file was left out, in formats that Strata does not read: .textile (1). 2 files were "
        "left out, as they are data and not OpenAPI: .json (1), .yml (1).",
        "The zip docs.zip does not say how its file names are encoded; they were read as GBK.",
    ]


def test_a_format_that_nothing_reads_is_told_once_for_all_files(look: Check) -> None:
    findings = look(of("logo.psd", b"x"), of("film.mp4", b"x"), of("guide.md"))
    ((problem, files),) = by_problem(findings).items()
    assert files == ["logo.psd", "film.mp4"]
    assert problem.startswith("Strata does not read this format; use .pdf, ")


def test_pictures_are_taken_with_documents_and_not_alone(look: Check) -> None:
    assert not look(of("guide.md"), of("mast.png", b"x"))
    (finding,) = look(of("mast.png", b"x"))
    assert (finding.file, finding.weight) == ("", Weight.BLOCKS)
    assert "choose those documents" in finding.problem


def test_two_files_of_one_name_cannot_both_be_taken(look: Check) -> None:
    findings = look(of("a.md", b"1"), of("A.md", b"2"), of("b.md", b"3"), of("b.md/c.md", b"4"))
    assert [(f.file, f.blocking) for f in findings] == [("A.md", True), ("b.md/c.md", True)]


def test_a_file_in_two_releases_is_normal_and_a_whole_release_is_told_of(
    look: Check, beacon: Database
) -> None:
    assert look(of("guide.md"), release="17.30") == ()
    files = [of("guide.md"), of("again.md")]
    assert [(f.file, f.problem, f.weight) for f in look(*files, release="17.30")][1:] == [
        (
            "",
            "All files are identical to those of 17.10, 17.20. "
            "Check that 17.30 is the right release.",
            Weight.INFORMS,
        )
    ]


def test_a_name_that_cannot_be_a_release_blocks_the_upload(
    look: Check, beacon: Database, database: Database, data_dir: Path
) -> None:
    ReleaseAdministration(database).change_release("Beacon", "17.20", ReleaseSettings(("LTS",)))
    for release in ("", "x" * 101, "17\n20", "lts"):
        findings = look(of("fresh.md", b"# Fresh\n"), release=release)
        assert [(f.file, f.blocking) for f in findings] == [("", True)]
    with pytest.raises(UnusableName):
        store(database, data_dir, [of("a.md")], product="", release="1", person_id="")
    with pytest.raises(UploadError, match="No file"):
        put(database, data_dir)


def put(database: Database, data_dir: Path, *files: UploadedFile) -> int:
    return store(database, data_dir, files, product="Beacon", release="17.20", person_id="ann")


def test_files_lie_where_the_job_finds_them(database: Database, data_dir: Path) -> None:
    archive = zipped("docs.zip", a__md=b"# A\n")
    job_id = put(
        database,
        data_dir,
        of("folder/guide.md"),
        of("given.md", b"# Given\n"),
        archive,
        zipped("more/docs.zip", b__md=b"# B\n"),
    )
    files, *archives = lay_out_upload(database, data_dir, job_id)
    assert (files / "folder" / "guide.md").read_bytes() == GUIDE
    assert (files / "given.md").read_bytes() == b"# Given\n"
    assert [a.name for a in archives] == ["docs.zip", "docs.zip"]
    assert archives[0].read_bytes() == archive.content
    job = Jobs(database).get(job_id)
    assert (job.kind, job.product, job.release, job.person, job.state) == (
        JobKind.UPLOAD,
        "Beacon",
        "17.20",
        "ann",
        JobState.WAITING,
    )
    listed = {f.file: f.size for f in Jobs(database).files(job_id)}
    assert listed["folder/guide.md"] == len(GUIDE)
    assert set(listed) == {"folder/guide.md", "given.md", "docs.zip", "more/docs.zip"}


def test_without_room_nothing_is_left_behind(
    database: Database, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(*_: object) -> None:
        raise DiskFull("no room")

    monkeypatch.setattr(uploads, "require_room", no_room)
    with pytest.raises(DiskFull):
        put(database, data_dir, of("guide.md"))
    assert Jobs(database).recent() == ()


def test_what_a_crash_left_is_not_taken_for_the_files_of_a_job(
    database: Database, data_dir: Path
) -> None:
    job_id = put(database, data_dir, of("guide.md"))
    left = upload_dir(data_dir, job_id) / "files" / "left.md"
    left.parent.mkdir(parents=True)
    left.write_text("of a worker that was killed")
    lay_out_upload(database, data_dir, job_id)
    assert not left.exists()


def test_what_a_prune_took_before_the_job_was_there_is_kept_again(
    database: Database, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add = Jobs.add

    def pruned_before(self: Jobs, *job: Any, session: Session, **more: Any) -> int:
        session.execute(delete(FileRow))
        return add(self, *job, session=session, **more)

    monkeypatch.setattr(Jobs, "add", pruned_before)
    job_id = put(database, data_dir, of("guide.md"))
    (files,) = lay_out_upload(database, data_dir, job_id)
    assert (files / "guide.md").read_bytes() == GUIDE


def test_files_of_jobs_are_let_go_of_once_nobody_needs_them(
    database: Database, data_dir: Path
) -> None:
    names = ("waiting", "running", "done", "failed", "given_up")
    jobs = {name: put(database, data_dir, of(f"{name}.md", name.encode())) for name in names}
    claims = Claims(database, this_process())
    for name, state in (("done", JobState.DONE), ("failed", JobState.FAILED)):
        claims.claim(jobs[name])
        claims.finish(jobs[name], state)
    claims.claim(jobs["running"])
    Jobs(database).cancel(jobs["given_up"])
    with database.writing() as session:
        long_ago = datetime.now(UTC) - KEPT_FOR_RETRY - timedelta(minutes=1)
        given_up = update(JobRow).where(JobRow.id == jobs["given_up"])
        session.execute(given_up.values(finished=long_ago))
    for job_id in (*jobs.values(), 99):
        upload_dir(data_dir, job_id).mkdir(parents=True)
    drop_upload(database, jobs["done"])
    sweep_uploads(database, data_dir)
    with database.reading() as session:
        hashes = session.scalars(select(FileRow.content_hash)).all()
    kept = [Originals(database).read(content_hash) for content_hash in hashes]
    assert sorted(data.decode() for data in kept if data) == ["failed", "running", "waiting"]
    left = {p.name for p in (data_dir / "uploads").iterdir()}
    assert left == {str(jobs["waiting"]), str(jobs["running"])}
    with pytest.raises(UploadError, match="Upload them again"):
        lay_out_upload(database, data_dir, jobs["given_up"])
    Jobs(database).retry(jobs["failed"])
    assert lay_out_upload(database, data_dir, jobs["failed"])
