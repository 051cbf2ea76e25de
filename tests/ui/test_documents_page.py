from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from streamlit.testing.v1 import AppTest

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import LOCAL
from chatbot.administration.release_packs import ReleasePacks
from chatbot.chatbot import Chatbot
from chatbot.settings import Settings
from corpora.catalog.release_settings import ReleaseAdministration, ReleaseSettings
from corpora.generations.processes import this_process
from corpora.generations.progress import Progress, Stage
from corpora.jobs.jobs import Claims, JobFile, JobKind, Jobs, JobState
from corpora.packs.signing import fingerprint
from tests.chatbot.made_memory import remember
from tests.ui.admin_pages import (
    choose,
    errors,
    notices,
    open_admin_page,
    plain,
    press,
    run,
    shown,
    tab,
)
from tests.ui.conftest import MakeChatbot
from tests.ui.valve_corpus import QUESTION
from ui.documents import jobs_view

pytestmark = pytest.mark.database

HOSTILE = "[2.0](javascript:alert(1)) <img src=x>"


def at_release(release: str = "2.0", tab_name: str = "Documents") -> AppTest:
    page = open_admin_page("documents", product="valve", release=release)
    return page if tab_name == "Documents" else tab(page, "release tab", tab_name)


def audit(chatbot: Chatbot) -> list[tuple[str, str]]:
    return [(e.action, e.subject) for e in AuditLog(chatbot.database).page(LOCAL)[0]][::-1]


def test_without_documentation_the_first_upload_is_offered(
    valve: MakeChatbot, tmp_path: Path
) -> None:
    valve(None, Settings(data_dir=tmp_path / "data", generator="none"))
    page = open_admin_page("documents")
    assert "no documentation yet" in shown(page)
    assert len(page.file_uploader) == 1


def test_a_release_opens_and_its_documents_are_searched(chatbot: Chatbot) -> None:
    page = press(open_admin_page("documents"), "Open")
    assert page.title[0].value == "valve 2\\.0"
    assert page.query_params["release"] == "2.0"
    assert list(page.dataframe[0].value["File"]) == ["mounting.pdf", "notes.md", "reference.html"]
    assert set(page.dataframe[0].value["Language"]) == {"English"}
    page.text_input(key="document words").set_value("valve ref")
    run(page)
    assert list(page.dataframe[0].value["File"]) == ["reference.html"]
    page.text_input(key="document words").set_value("100%")
    assert "No title or file name matches" in shown(run(page))
    press(page, "All releases of valve")
    assert page.title[0].value == "Documents"
    assert "release" not in page.query_params


def test_what_is_said_of_a_release_is_saved_and_recorded_or_refused(chatbot: Chatbot) -> None:
    remember(chatbot.database, "1.0", product="valve")
    page = at_release("1.0", "Settings")
    page.text_area(key="aliases of 1.0").set_value("2.0")
    press(page, "Save")
    assert "already a name of valve 2.0" in errors(page)
    assert page.text_area(key="aliases of 1.0").value == "2.0"
    assert audit(chatbot) == []
    page.text_area(key="aliases of 1.0").set_value("Heron\nblue one")
    page.date_input(key="end of 1.0").set_value(date(2027, 1, 1))
    page.selectbox(key="pre-release of 1.0").set_value(True)
    page.selectbox(key="language of 1.0").set_value("de")
    page.toggle(key="hidden 1.0").set_value(True)
    press(page, "Save")
    assert notices(page) == "Saved. 1 saved answer is suspended."
    settings = ReleaseAdministration(chatbot.database).settings("valve", "1.0")
    end = date(2027, 1, 1)
    assert settings == ReleaseSettings(("Heron", "blue one"), None, True, end, True, "de")
    assert [p.name for p in chatbot.products()[0].releases] == ["2.0"]
    assert {action for action, subject in audit(chatbot) if subject == "valve 1.0"} == {
        *("alias", "end of life", "pre-release", "hide", "language of documents")
    }


def test_a_document_is_looked_into(chatbot: Chatbot) -> None:
    page = press(choose(at_release(), 0), "View")
    assert "Put the valve on a flat surface" in shown(page)
    assert page.image
    assert not page.info


def test_removing_documents_says_what_that_affects(chatbot: Chatbot) -> None:
    remember(chatbot.database, "2.0", "drain_time", product="valve")
    conversation = chatbot.conversations.start("valve", "one")
    chatbot.ask(QUESTION, product="valve", conversation=conversation)
    page = press(choose(at_release(), 2), "Remove …")
    told = shown(page)
    assert "reference.html" in told
    assert "Cited by 1 answer in 1 conversation" in told
    assert "Saved answers that cite them are suspended." in told
    press(dialog(_confirm_removal, files=("reference.html",)), "Remove", -1)
    job = Jobs(chatbot.database).recent()[0]
    assert (job.kind, job.product, job.release) == (JobKind.REMOVE, "valve", "2.0")
    assert [file.file for file in Jobs(chatbot.database).files(job.id)] == ["reference.html"]
    assert audit(chatbot) == [("remove documents", "valve 2.0")]


@pytest.mark.parametrize(
    ("release", "name", "told"), [("1.0", "1.0", "3 documents"), ("", "valve", "2 releases")]
)
def test_a_release_or_product_is_deleted_only_when_its_name_was_typed(
    chatbot: Chatbot, release: str, name: str, told: str
) -> None:
    remember(chatbot.database, "1.0", product="valve")
    page = dialog(_confirm_deletion, release=release)
    assert told in shown(page)
    assert "The saved answers go with it." in shown(page)
    page.text_input(key=f"typed {name}").set_value("1.1")
    press(page, "Delete", -1)
    assert "does not match" in errors(page)
    assert Jobs(chatbot.database).recent() == ()
    page.text_input(key=f"typed {name}").set_value(name)
    press(page, "Delete", -1)
    job = Jobs(chatbot.database).recent()[0]
    assert (job.kind, job.product, job.release) == (JobKind.DELETE, "valve", release)
    assert audit(chatbot) == [("delete", f"valve {release}".strip())]


def test_the_windows_that_delete_open_from_the_page(chatbot: Chatbot) -> None:
    page = press(at_release("1.0", "Settings"), "Delete this release …")
    assert "3 documents" in shown(page)
    page = tab(open_admin_page("documents"), "documents tab", "Product")
    assert "2 releases: 1.0, 2.0" in shown(press(page, "Delete this product …"))


def test_a_release_is_read_again(chatbot: Chatbot) -> None:
    press(at_release("1.0", "Settings"), "Reprocess")
    assert Jobs(chatbot.database).recent()[0].kind is JobKind.REREAD
    assert audit(chatbot) == [("read again", "valve 1.0")]


def test_files_are_uploaded_for_a_new_release_without_what_speaks_against_them(
    chatbot: Chatbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs_view, "PATIENCE", 0.0)
    page = upload(
        ("notes.md", b"# Notes\n\nThe valve 3.0 closes at once."),
        (f"{HOSTILE.replace('/', '')}.pdf", b"this is no PDF"),
        release="3.0",
    )
    assert "PDF" in errors(page)
    assert "[2.0](" not in page.error[0].value
    assert next(b for b in page.button if b.label.startswith("Upload")).disabled
    page.checkbox(key="leave out").check()
    page.selectbox(key="language of the upload to valve 3.0").set_value("de")
    press(run(page), "Upload 1 file to valve 3\\.0")
    job = Jobs(chatbot.database).recent()[0]
    assert job.order["language"] == "de"
    assert (job.kind, job.release, job.state) == (JobKind.UPLOAD, "3.0", JobState.WAITING)
    files = Jobs(chatbot.database).files(job.id)
    assert [file.file for file in files if not file.reason] == ["notes.md"]
    assert len(files) == 2
    assert "No worker is running" in page.info[0].value
    assert audit(chatbot) == [("upload", "valve 3.0")]


def test_a_release_pack_is_taken_in_once_its_signer_is_trusted(
    chatbot: Chatbot, tmp_path: Path
) -> None:
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (tmp_path / "key.pem").write_bytes(pem)
    made = tmp_path / "valve.strata"
    ReleasePacks(chatbot, LOCAL).make("valve", "1.0", made, key=tmp_path / "key.pem")
    page = upload((made.name, made.read_bytes()), release="1.0")
    assert fingerprint(key) in page.warning[0].value
    assert "**valve 1.0** · 3 documents · made " in shown(page)
    assert not [b for b in page.button if b.label == "Take in"]
    page.checkbox(key=f"trust {fingerprint(key)}").check()
    press(run(page), "Take in")
    job = Jobs(chatbot.database).recent()[0]
    assert (job.kind, job.product, job.release) == (JobKind.UNPACK, "valve", "1.0")

    broken = upload((made.name, made.read_bytes()[:-40]), release="1.0")
    assert "is no release pack" in errors(broken)


def test_a_release_that_looks_like_a_typing_error_is_asked_about(chatbot: Chatbot) -> None:
    page = upload(("notes.md", b"# Notes\n\nThe valve closes at once."), release="2.00")
    assert "similar to 2.0" in plain(page.warning[0].value)
    start = next(b for b in page.button if b.label.startswith("Upload"))
    assert start.disabled
    page.checkbox(key="all the same").check()
    press(run(page), "Upload 1 file")
    assert Jobs(chatbot.database).recent()[0].release == "2.00"


def test_a_running_job_shows_how_far_it_is_and_is_cancelled(chatbot: Chatbot) -> None:
    jobs = Jobs(chatbot.database)
    job = jobs.add(JobKind.UPLOAD, "valve", HOSTILE, "ann")
    claims = Claims(chatbot.database, this_process())
    assert claims.claim(job)
    claims.progress(job, Progress(Stage.READING, 3, 12, "guide.pdf"))
    page = open_admin_page("documents")
    told = shown(page)
    assert "✓ listing" in told.replace("\u00a0", " ")
    assert "**reading\u00a0…**" in told
    assert page.progress[0].value == 13
    assert "3 of 12 files" in plain(page.caption[0].value)
    assert "guide.pdf" in plain(page.caption[0].value)
    assert "[2.0](" not in "".join(element.value for element in page.markdown)
    assert not page.info
    press(page, "Cancel")
    assert jobs.get(job).cancelling
    assert ("cancel job", f"valve {HOSTILE}") in audit(chatbot)


def test_a_job_that_failed_says_why_and_is_tried_again(chatbot: Chatbot) -> None:
    jobs = Jobs(chatbot.database)
    job = jobs.add(JobKind.UPLOAD, "valve", "3.0", "ann")
    claims = Claims(chatbot.database, this_process())
    assert claims.claim(job)
    problems = [JobFile("a.pdf", reason="is encrypted")]
    claims.finish(job, JobState.FAILED, "No file could be read.", problems=problems)
    page = tab(open_admin_page("documents"), "documents tab", "Jobs")
    assert "No file could be read" in shown(page)
    press(page, "Files")
    assert "**a.pdf**\\\nis encrypted" in shown(page)
    press(page, "Try again")
    assert jobs.get(job).state is JobState.WAITING


def dialog(script: Callable[..., None], **arguments: object) -> AppTest:
    """A window over the page by itself: the page would open it only as long as one presses."""
    return run(AppTest.from_function(script, kwargs=arguments, default_timeout=30))


def _confirm_removal(files: tuple[str, ...]) -> None:
    from ui.documents.actions import confirm_documents

    confirm_documents("valve", "2.0", files)


def _confirm_deletion(release: str) -> None:
    from ui.documents.actions import confirm_deletion

    confirm_deletion("valve", release)


def upload(*files: tuple[str, bytes], release: str) -> AppTest:
    page = open_admin_page("documents")
    page.session_state["upload release"] = release
    tab(page, "documents tab", "Upload")
    assert [s.label for s in page.selectbox] == ["Product", "Release"]
    page.file_uploader[0].set_value([(name, data, "") for name, data in files])
    return run(page)
