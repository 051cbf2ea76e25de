"""What was told once, by a worker or to the audit log, is read in the reader's language."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import update

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import LOCAL
from chatbot.administration.administration import Administration
from chatbot.text.languages import in_words, spoken
from corpora.catalog.rights import Audience, Right
from corpora.database.engine import Database
from corpora.documents.upload_checks import check
from corpora.documents.uploads import UploadedFile
from corpora.jobs.jobs import Job, Jobs
from corpora.sources.run_report import ReleaseRun, SourceRun
from eval.reports.html import html_report
from eval.reports.markdown import markdown_report
from eval.reports.summary import summarize
from eval.runs.folder import read_run
from ingestion.messages import Message, kept, message, read
from tests.eval.made_run import FAILED, RIGHT, WRONG, made_run
from tests.job_work import worker
from ui.review.audit_page import _details
from ui.wording.escaping import as_label, as_text

GUIDE = UploadedFile("guide.md", b"# Guide\n\nThe mast is 12 metres high.\n")
EMPTY = UploadedFile("empty.md", b" ")

Upload = Callable[..., Job]


@pytest.fixture
def upload(database: Database, data_dir: Path) -> Upload:
    """Upload files as a release of Beacon, have a worker do it, and return the job as it is."""

    def done(*files: UploadedFile, release: str = "17.20") -> Job:
        number = Administration(database, LOCAL).upload("Beacon", release, files, data_dir)
        worker(database, data_dir).do(number)
        return Jobs(database).get(number)

    return done


@pytest.mark.database
def test_the_result_of_a_job_and_what_it_left_out(upload: Upload, database: Database) -> None:
    job = upload(GUIDE, EMPTY)
    assert job.message == "Ready: 1 document with 1 page. Skipped 1 file."
    (left_out, _) = Jobs(database).files(job.id)
    assert left_out.reason == "empty file"
    with spoken("de"):
        said = "Fertig: 1 Dokument mit 1 Seite. 1 Datei übersprungen."
        assert in_words(job.message) == said
        assert as_text(job.message) == said.replace(".", "\\.").replace(":", "\\:")
        assert in_words(left_out.reason) == "leere Datei"
    with spoken("ja"):
        assert in_words(left_out.reason) == "空のファイル"


@pytest.mark.database
def test_names_that_no_database_takes_are_told_though_they_become_the_same(
    database: Database, data_dir: Path
) -> None:
    refused = dict.fromkeys(("a\0", "a?", "b" * 9_000, "guide.md"), "left out")
    left_out = Administration(database, LOCAL).upload(
        "Beacon", "17.20", [GUIDE], data_dir, None, refused
    )
    names = {file.file: file.reason for file in Jobs(database).files(left_out)}
    assert names == {"a?": "left out", "b" * 255: "left out", "guide.md": ""}


@pytest.mark.database
def test_a_row_from_before_is_shown_as_it_is(upload: Upload, database: Database) -> None:
    number = upload(GUIDE).id
    with database.writing() as session:
        session.execute(update(Job).values(message="Ready: 3 documents with 12 pages."))
    with spoken("de"):
        assert in_words(Jobs(database).get(number).message) == "Ready: 3 documents with 12 pages."


@pytest.mark.database
def test_the_findings_on_an_upload(upload: Upload, database: Database) -> None:
    upload(GUIDE)
    findings = check([GUIDE, EMPTY], "Beacon", "17.20", database, 1_000_000)
    assert {f.problem for f in findings} == {"empty file", "already in 17.20, unchanged"}
    with spoken("de"):
        said = {in_words(f.problem) for f in findings}
    assert said == {"leere Datei", "schon in 17.20, unverändert"}


@pytest.mark.database
def test_the_details_of_the_audit_log(upload: Upload, database: Database) -> None:
    upload(GUIDE)
    administration = Administration(database, LOCAL)
    administration.change_right("Beacon", "", Right(Audience.GROUPS, ("rigging",)))
    changed, uploaded = AuditLog(database).page(LOCAL)[0]
    assert _details(changed) == "before: all · now: groups, rigging"
    with spoken("de"):
        assert _details(changed) == "vorher: alle · jetzt: Gruppen, rigging"
        assert _details(uploaded) == "Auftrag: 1 · Dateien: 1 · Größe: 37 Bytes"


def test_the_result_of_a_run_of_a_source() -> None:
    failed = message("There is no job {job_id}.", job_id=7)
    run = SourceRun(
        [ReleaseRun("2.0", "published"), ReleaseRun("1.0", "failed", message=failed)],
    )
    assert run.message == "New: 2.0. 1.0 failed: There is no job 7."
    with spoken("de"):
        assert in_words(run.message) == "Neu: 2.0. 1.0 fehlgeschlagen: Es gibt keinen Auftrag 7."


def test_a_report_on_a_run(tmp_path: Path) -> None:
    summary = summarize(read_run(made_run(tmp_path / "run", {"embedded": (RIGHT, WRONG, FAILED)})))
    english, text = html_report(summary), markdown_report(summary)
    assert 'lang="en"' in english
    assert "What became of the answers" in english
    assert "## What was run" in text
    with spoken("de"):
        page, text = html_report(summary), markdown_report(summary)
    assert 'lang="de"' in page
    assert "Was aus den Antworten wurde" in page
    assert "aus einer falschen Version beantwortet" in page
    assert "## Was gelaufen ist" in text
    assert "Dokumentation durchsuchen" in page
    assert "Antwort schreiben" in text
    assert "nicht lesbar: no verdict" in page
    assert "What became" not in page + text


@pytest.mark.parametrize(
    "value",
    [
        message("{release}: {remark}", release="{0.__class__}", remark="**x** {file}"),
        {"a": [message("There is no job {job_id}.", job_id=1_000)], "b": None},
    ],
)
def test_what_is_kept_is_read_as_the_same(value: object) -> None:
    assert read(kept(value)) == value
    made = read(kept(value))
    assert isinstance(made["a"][0] if isinstance(made, dict) else made, Message)


@pytest.mark.parametrize(
    "forged",
    [
        "text\x1e",
        "text\x1e[1]",
        'text\x1e[["{release}: {remark}"], {"release": {"a": 1}}]',
        'text\x1e[["{a.__class__.__mro__}"], {"a": "b"}]',
        'text\x1e[["{a:>999999999}"], {"a": "b"}]',
        "text\x1e" + "[" * 100_000,
    ],
)
def test_what_a_hostile_file_says_is_text_and_never_fails(forged: str) -> None:
    with spoken("de"):
        assert as_label(read(forged)) == "text"


def test_words_of_a_document_are_no_message_however_they_are_kept() -> None:
    forged = 'text\x1e[["{release}: {remark}"], {"release": "Strata", "remark": "a lie"}]'
    told = read(kept({"alone": forged, "within": message("the {field} is empty", field=forged)}))
    with spoken("de"):
        assert in_words(told["alone"]).startswith("text [[")
        assert in_words(told["within"]) == f"{told['alone']} ist leer"
