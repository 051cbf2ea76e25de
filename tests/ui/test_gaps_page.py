from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import LOCAL, Person
from chatbot.settings import Settings
from corpora.database.engine import Database
from tests.chatbot.asked import asked
from tests.ui.conftest import MakeChatbot, SignIn
from tests.ui.pages import APP, go_to, texts
from tests.ui.payloads import PAYLOADS
from ui.wording.escaping import as_label

NOW = datetime.now(UTC)


@pytest.fixture
def database(valve: MakeChatbot, tmp_path: Path) -> Database:
    """The database of a data folder without any documentation."""
    return valve(None, Settings(data_dir=tmp_path / "data", generator="none")).database


def open_gaps() -> AppTest:
    page = AppTest.from_file(str(APP), default_timeout=30).run()
    go_to(page, "gaps").run()
    assert not page.exception
    assert not page.error, page.error[0].value
    return page


def test_without_gaps_the_page_says_so(database: Database) -> None:
    asked(database, "answered", at=NOW)
    assert open_gaps().info[0].value.startswith("Every question in this period was answered")


def test_a_gap_shows_how_often_by_whom_and_where_it_is_found(database: Database) -> None:
    for owner in ("ann", "bob"):
        asked(
            *(database, "How do I reset it?"),
            at=NOW - timedelta(days=1),
            owner=owner,
            abstained=True,
            found_in=["17.10"],
        )
    turn = asked(database, "Which colour has the lamp?", at=NOW, owner="ann", abstained=True)
    page = open_gaps()
    shown = texts(page)
    assert "**2 gaps** in 3 questions" in shown
    assert "2 times by 2 people" in shown
    assert ":gray-badge[relay 17\\.20] :green-badge[found in 17\\.10]" in shown
    links = page.get("page_link")
    assert len(links) == 3
    assert links[-1].proto.query_string == f"turn={turn}"
    assert [b.label for b in page.download_button] == ["CSV", "JSONL"]


def test_an_old_gap_is_found_with_a_longer_time(database: Database) -> None:
    asked(database, "How do I reset it?", at=NOW - timedelta(days=60), abstained=True)
    page = open_gaps()
    assert page.info
    page.selectbox(key="gaps-time").set_value("all time").run()
    assert "How do I reset it\\?" in texts(page)


def turn_to(page: AppTest, number: int) -> None:
    """Open another page of the gaps."""
    key = page.get("pagination")[0].proto.id
    page.session_state[key[key.index("gaps of") :]] = number
    page.run()
    assert not page.exception


def test_gaps_are_shown_page_by_page(database: Database) -> None:
    for number in range(25):
        asked(database, "How?", at=NOW, abstained=True, release=f"{number}.0")
    page = open_gaps()
    assert texts(page).count("**How\\?**") == 20
    assert page.caption[-1].value == "1–20 of 25 gaps"
    turn_to(page, 2)
    assert texts(page).count("**How\\?**") == 5


@pytest.mark.parametrize("name", ["question", "release"])
def test_hostile_text_is_shown_as_text(database: Database, name: str) -> None:
    for number, payload in enumerate(PAYLOADS):
        told = {"question": "How?", "release": f"{number}.0", name: payload}
        asked(database, told["question"], at=NOW, abstained=True, release=told["release"])
    page = open_gaps()
    shown = texts(page)
    for number in range(2, -(-len(PAYLOADS) // 20) + 1):
        turn_to(page, number)
        shown += texts(page)
    for payload in PAYLOADS:
        longest = 300 if name == "question" else 80
        wanted = payload if name == "question" else f"relay {payload}"
        assert as_label(wanted, longest) in shown


def test_who_is_no_admin_has_no_such_page(database: Database, signed_in: SignIn) -> None:
    signed_in(Person("u", "u", is_admin=False))
    asked(database, "How do I reset it?", at=NOW, abstained=True)
    page = AppTest.from_string("from ui.review.gaps_page import gaps\ngaps()").run()
    assert page.error[0].value.startswith("Only admins")
    assert "reset" not in texts(page)
    assert AuditLog(database).page(LOCAL)[0] == ()
