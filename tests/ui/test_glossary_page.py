from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import LOCAL
from chatbot.chatbot import Chatbot
from chatbot.settings import Settings
from corpora.catalog.glossary import Entry, Glossaries
from tests.data_folders import copy_data
from tests.ui.admin_pages import errors, open_admin_page, press, run, shown
from tests.ui.conftest import MakeChatbot

PM = Entry("performance monitoring", ("PM", "perf mon"))
WTR = Entry("wait-to-restore", ("WTR",))


@pytest.fixture
def glossaries(valve: MakeChatbot, valve_settings: Settings, tmp_path: Path) -> Glossaries:
    """The glossaries in a data folder of this test's own."""
    copy_data(valve_settings.data_dir, tmp_path / "data")
    chatbot: Chatbot = valve(None, Settings(data_dir=tmp_path / "data", generator="none"))
    return chatbot.glossaries


def choose(page: AppTest, row: int) -> AppTest:
    page.session_state[page.dataframe[0].key] = {"selection": {"rows": [row]}}
    return run(page)


def fill(page: AppTest, term: str, *synonyms: str) -> AppTest:
    page.text_input[-1].set_value(term)
    page.text_area[0].set_value("\n".join(synonyms))
    return page


def actions(glossaries: Glossaries) -> list[str]:
    return [e.action for e in AuditLog(glossaries._database).page(LOCAL)[0]][::-1]


def test_a_first_term_is_added(glossaries: Glossaries) -> None:
    page = open_admin_page("glossary")
    assert "No terms yet" in shown(page)
    press(fill(page, "wait-to-restore", "WTR", ""), "Add")
    assert glossaries.entries("valve") == (WTR,)
    assert list(page.dataframe[0].value["Term"]) == ["wait-to-restore"]
    assert page.text_input[-1].value == ""
    assert actions(glossaries) == ["add term"]


def test_a_refused_term_stays_in_the_form(glossaries: Glossaries) -> None:
    glossaries.put("valve", WTR)
    page = open_admin_page("glossary")
    press(fill(page, "wait-to-restore", "revert time"), "Add")
    assert "is already a term" in errors(page)
    press(fill(page, "[a](b)"), "Add")
    assert "needs at least one synonym" in errors(page)
    assert "[a](b)" not in page.error[0].value
    assert page.text_input[-1].value == "[a](b)"
    assert glossaries.entries("valve") == (WTR,)
    assert actions(glossaries) == []


def test_a_term_is_searched_changed_and_removed(glossaries: Glossaries) -> None:
    glossaries.replace("valve", [PM, WTR])
    page = open_admin_page("glossary")
    page.text_input(key="glossary words").set_value("wtr")
    run(page)
    assert list(page.dataframe[0].value["Term"]) == ["wait-to-restore"]
    choose(page, 0)
    assert page.text_area[0].value == "WTR"
    press(fill(page, "revert time", "WTR", "wait to restore"), "Save")
    assert glossaries.entries("valve") == (PM, Entry("revert time", ("WTR", "wait to restore")))
    choose(page, 0)
    press(page, "Remove this term")
    assert glossaries.entries("valve") == (PM,)
    assert actions(glossaries) == ["change term", "remove term"]


def test_a_file_is_compared_and_then_becomes_the_glossary(glossaries: Glossaries) -> None:
    glossaries.replace("valve", [PM, WTR])
    page = open_admin_page("glossary")
    file = b"term,synonyms\nperformance monitoring,PM\nfan module,fan tray\n"
    page.file_uploader[0].set_value(("glossary.csv", file, "text/csv"))
    run(page)
    told = shown(page)
    assert "1 added: fan module" in told
    assert "1 changed: performance monitoring" in told
    assert "1 removed: wait-to-restore" in told
    assert glossaries.entries("valve") == (PM, WTR)
    press(page, "Replace the glossary")
    assert [e.term for e in glossaries.entries("valve")] == ["fan module", PM.term]
    assert actions(glossaries) == ["import glossary"]


def test_an_error_in_a_file_names_the_line_and_changes_nothing(glossaries: Glossaries) -> None:
    glossaries.put("valve", WTR)
    page = open_admin_page("glossary")
    page.file_uploader[0].set_value(("mine.csv", b"term,synonyms\nfan module\n", "text/csv"))
    run(page)
    assert "mine.csv, line 2: 'fan module' needs at least one synonym" in errors(page)
    assert glossaries.entries("valve") == (WTR,)
