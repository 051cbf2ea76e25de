from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import LOCAL, Person
from chatbot.settings import Settings
from tests.ui.conftest import MakeChatbot
from tests.ui.pages import APP, button, go_to

ANN = Person("ann@example.org", "Ann", is_admin=True)


@pytest.fixture
def log(valve: MakeChatbot, tmp_path: Path) -> AuditLog:
    """The audit log of a data folder without any documentation."""
    return AuditLog(valve(None, Settings(data_dir=tmp_path / "data", generator="none")).database)


def open_audit() -> AppTest:
    page = AppTest.from_file(str(APP), default_timeout=30).run()
    go_to(page, "audit").run()
    assert not page.exception
    assert not page.error
    return page


def subjects(page: AppTest) -> list[str]:
    return list(page.dataframe[0].value["Applies to"])


def test_an_empty_log_says_what_will_be_in_it(log: AuditLog) -> None:
    page = open_audit()
    assert page.title[0].value == "Audit log"
    assert page.info[0].value.startswith("No entries yet")
    assert not page.dataframe


def test_entries_are_shown_with_their_details(log: AuditLog) -> None:
    log.record(ANN, "upload", "valve 2.0", files=3, names=["a.pdf"])
    page = open_audit()
    (row,) = page.dataframe[0].value.to_dict("records")
    assert row["User"] == "ann@example.org"
    assert (row["Action"], row["Applies to"]) == ("Upload", "valve 2.0")
    assert row["Details"] == "files: 3 · names: a.pdf"


def test_what_changed_is_told(log: AuditLog) -> None:
    log.record(ANN, "rate", "turn 7", corrected_answer=113, rating="bad", assignee="")
    log.record(ANN, "alias", "valve 2.0", before=[], now=["Heron", "H"])
    log.record(ANN, "rollback", "valve 2.0", generation=4, before=7, suspended=2, restored=0)
    told = open_audit().dataframe[0].value.to_dict("records")
    assert [(row["Action"], row["Applies to"], row["Details"]) for row in told] == [
        ("Rollback", "valve 2.0", "generation: 4 · before: 7 · suspended: 2 · restored: 0"),
        ("Alias", "valve 2.0", "before: none · now: Heron, H"),
        ("Rate", "turn 7", "corrected answer: 113 characters · rating: bad · assignee: none"),
    ]


def test_pages_go_back_and_to_the_newest(log: AuditLog) -> None:
    for number in range(60):
        log.record(LOCAL, "rate", f"turn {number}")
    page = open_audit()
    assert subjects(page)[0] == "turn 59"
    for back in ("Newest", "Newer"):
        button(page, "Older")
        assert (subjects(page)[0], subjects(page)[-1]) == ("turn 9", "turn 0")
        disabled = {b.label: b.disabled for b in page.button}
        assert disabled == {"Newest": False, "Newer": False, "Older": True}
        button(page, back)
        assert subjects(page)[0] == "turn 59"


def test_another_choice_begins_with_the_newest(log: AuditLog) -> None:
    for number in range(60):
        log.record(LOCAL, "rate", f"turn {number}")
        log.record(ANN, "export", f"numbers {number}")
    page = button(open_audit(), "Older")
    page.selectbox(key="audit-what").set_value("export").run()
    assert subjects(page)[0] == "numbers 59"
    page.selectbox(key="audit-who").set_value("local").run()
    assert page.info[0].value.startswith("This user has no such entries")
    page.selectbox(key="audit-what").set_value(None).run()
    assert subjects(page)[0] == "turn 59"


def test_downloads_are_offered_and_not_yet_recorded(log: AuditLog) -> None:
    log.record(LOCAL, "rate", "turn 1")
    page = open_audit()
    assert [b.label for b in page.download_button] == ["CSV", "JSONL"]
    assert log.page(LOCAL, action="export")[0] == ()
