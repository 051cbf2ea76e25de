"""Audit log, gaps, numbers, glossary and releases: each is drawn, filtered, and has its effect.

That nobody else sees them stands in test_doors.py.
"""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from streamlit.dataframe_util import convert_arrow_bytes_to_pandas_df
from streamlit.testing.v1 import AppTest

from chatbot.accounts.audit import AuditLog
from chatbot.accounts.people import LOCAL, Person
from chatbot.chatbot import Chatbot
from chatbot.models.served import ServedChatModel
from chatbot.models.server_calls import keep_attempts
from chatbot.runtime.model_calls import Attempt
from chatbot.settings import Settings
from corpora.catalog.glossary import Entry
from corpora.database.engine import Database
from tests.chatbot.asked import asked
from tests.chatbot.small_server import raw, refuses, serving
from tests.ui.admin_pages import choose, errors, open_admin_page, plain, press, run, shown
from tests.ui.conftest import MakeChatbot, SignIn
from tests.ui.pages import texts

ANN = Person("ann@example.org", "Ann", is_admin=True)
USER = Person("cy@example.org", "Cy", is_admin=False)
NOW = datetime.now(UTC)


@pytest.fixture
def database(valve: MakeChatbot, tmp_path: Path) -> Database:
    """The database of a data folder without any documentation."""
    return valve(None, Settings(data_dir=tmp_path / "data", generator="none")).database


@pytest.mark.parametrize("name", ["audit", "gaps", "numbers"])
def test_where_there_is_nothing_the_page_says_so(database: Database, name: str) -> None:
    page = open_admin_page(name)
    assert page.info
    assert not page.dataframe


@pytest.mark.parametrize("given", ["Delete", "Löschen", "削除"])
def test_a_filter_in_an_address_holds_in_another_language(given: str) -> None:
    def page() -> None:
        import streamlit as st

        from ui.elements.scope import any_of
        from ui.wording.audited import action_name

        any_of(st.container(), "Action", ["upload", "delete"], "audit-what", shown=action_name)

    sent = AppTest.from_function(page, default_timeout=30)
    sent.query_params["audit-what"] = given
    assert run(sent).selectbox(key="audit-what").value == "delete"
    sent.selectbox(key="audit-what").set_value(None)
    assert run(sent).selectbox(key="audit-what").value is None


def test_a_gap_shows_how_often_by_whom_and_where_it_is_found(database: Database) -> None:
    for owner in ("ann", "bob"):
        asked(
            *(database, "How do I reset it?"),
            at=NOW - timedelta(days=60),
            owner=owner,
            abstained=True,
            found_in=["17.10"],
        )
    asked(database, "answered", at=NOW)
    turn = asked(database, "Which colour has the lamp?", at=NOW, abstained=True)
    page = open_admin_page("gaps")
    assert "How do I reset it" not in texts(page)
    (link,) = page.get("page_link")[-1:]
    assert link.proto.query_string == f"turn={turn}"
    assert link.proto.label.replace("\\", "").startswith(f"{NOW:%d %b %Y, %H:%M} UTC · Which")
    page.selectbox(key="gaps-time").set_value("all time")
    told = texts(run(page))
    assert "**3 unanswered questions** · 2 groups" in told
    assert "2 times by 2 people" in told
    assert ":gray-badge[relay 17\\.20] :green-badge[found in 17\\.10]" in told


def test_numbers_of_a_time_a_product_and_a_release(database: Database) -> None:
    asked(database, "one", at=NOW, thumbs=1, seconds=0.5, model_calls=2)
    asked(database, "two", at=NOW, release="18.00", abstained=True, seconds=12.0)
    asked(database, "three", at=NOW - timedelta(days=60))
    page = open_admin_page("numbers")

    def totals() -> dict[str, str]:
        return {metric.label: metric.value for metric in page.metric}

    found = totals()
    assert (found["Questions"], found["Not answered"], found["Thumbs up"]) == ("2", "50.0 %", "1")
    assert (found["Median time"], found["95th percentile"]) == ("0.50 s", "12 s")
    assert found["Model calls"] == "2"
    assert len(page.get("vega_lite_chart")) + len(page.get("arrow_vega_lite_chart")) == 4
    assert list(page.dataframe[1].value["Not answered"]) == [0, 1]
    page.selectbox(key="numbers-time").set_value("all time")
    run(page)
    assert totals()["Questions"] == "3"
    page.selectbox(key="numbers-product").set_value("relay")
    run(page).selectbox(key="numbers-release").set_value("18.00")
    run(page)
    assert totals()["Questions"] == "1"
    page = open_admin_page("numbers")
    page.session_state["language"] = "de"
    run(page)
    cells = page.dataframe[1].proto.arrow_data.styler.display_values
    assert "12,00 s" in convert_arrow_bytes_to_pandas_df(cells).to_numpy()
    (chart, *_) = [*page.get("vega_lite_chart"), *page.get("arrow_vega_lite_chart")]
    assert json.loads(chart.proto.spec)["config"]["locale"]["number"]["decimal"] == ","


def test_numbers_show_each_model_server_and_whether_it_answers(
    valve: MakeChatbot, tmp_path: Path
) -> None:
    with serving(raw('{"data": []}', "application/json")) as good, serving(refuses(503)) as bad:
        spare = ServedChatModel(url=good.url, model="spare")
        model = ServedChatModel(url=bad.url, model="main", second=spare)
        embedder = "http://127.0.0.1:1/v1#small"
        settings = Settings(data_dir=tmp_path / "data", generator="none", embedder=embedder)
        chatbot = valve(model, settings)
        calls = [Attempt(bad.url, "main", kind, 0.1, None) for kind in ("503", "503", "timeout")]
        keep_attempts(chatbot.database, [*calls, Attempt("", "tiny", "", 2.0, 0.5)])
        page = open_admin_page("numbers")
        table = page.dataframe[0].value
        found = {row.Model: row for row in table.itertuples()}
        assert list(found) == ["main", "tiny", "spare", "small"]
        assert (found["small"].Server, found["small"].Now) == ("http://127.0.0.1:1/v1", "fails")
        assert (found["main"].Now, found["main"].Failed) == ("fails", 3)
        assert found["main"].Errors == "503: 2, timeout: 1"
        assert (found["tiny"].Server, found["tiny"].Now) == ("in this process", "–")
        assert (found["spare"].Now, found["spare"].Calls) == ("answers", 0)
        assert "fails (503" in plain(page.warning[0].value)
        assert "gave no vectors (ConnectError): start it" in plain(page.warning[1].value)
        # Its list of models is asked for, and nothing else.
        assert good.bodies == [{}]


PM = Entry("performance monitoring", ("PM", "perf mon"))
WTR = Entry("wait-to-restore", ("WTR",))


def glossary(chatbot: Chatbot, *entries: Entry) -> AppTest:
    chatbot.glossaries.replace("valve", entries)
    return open_admin_page("glossary")


def fill(page: AppTest, term: str, *synonyms: str) -> AppTest:
    page.text_input[-1].set_value(term)
    page.text_area[0].set_value("\n".join(synonyms))
    return page


def actions(chatbot: Chatbot) -> list[str]:
    return [entry.action for entry in AuditLog(chatbot.database).page(LOCAL)[0]][::-1]


def test_a_term_is_added_or_refused_and_then_stays_in_the_form(chatbot: Chatbot) -> None:
    page = press(fill(glossary(chatbot), "wait-to-restore", "WTR", ""), "Add")
    assert chatbot.glossaries.entries("valve") == (WTR,)
    assert page.text_input[-1].value == ""
    press(fill(page, "[a](b)"), "Add")
    assert "needs at least one synonym" in errors(page)
    assert "[a](b)" not in page.error[0].value
    assert page.text_input[-1].value == "[a](b)"
    assert chatbot.glossaries.entries("valve") == (WTR,)
    assert actions(chatbot) == ["add term"]


def test_a_term_is_searched_changed_and_removed(chatbot: Chatbot) -> None:
    page = glossary(chatbot, PM, WTR)
    page.text_input(key="glossary words").set_value("wtr")
    assert list(run(page).dataframe[0].value["Term"]) == ["wait-to-restore"]
    assert choose(page, 0).text_area[0].value == "WTR"
    press(fill(page, "revert time", "WTR", "wait to restore"), "Save")
    changed = Entry("revert time", ("WTR", "wait to restore"))
    assert chatbot.glossaries.entries("valve") == (PM, changed)
    press(choose(page, 0), "Remove this term")
    assert chatbot.glossaries.entries("valve") == (PM,)
    assert actions(chatbot) == ["change term", "remove term"]


def test_a_file_is_compared_and_then_becomes_the_glossary(chatbot: Chatbot) -> None:
    page = glossary(chatbot, PM, WTR)
    page.file_uploader[0].set_value(("mine.csv", b"term,synonyms\nfan module\n", "text/csv"))
    assert "mine.csv, line 2: 'fan module'" in errors(run(page))
    file = b"term,synonyms\nperformance monitoring,PM\nfan module,fan tray\n"
    page.file_uploader[0].set_value(("glossary.csv", file, "text/csv"))
    told = shown(run(page))
    for part in ("1 added: fan module", "1 changed: perf", "1 removed: wait-to-restore"):
        assert part in told
    assert chatbot.glossaries.entries("valve") == (PM, WTR)
    press(page, "Replace the glossary")
    assert [e.term for e in chatbot.glossaries.entries("valve")] == ["fan module", PM.term]
    assert actions(chatbot) == ["import glossary"]


@pytest.fixture
def releases(valve: MakeChatbot, signed_in: SignIn) -> AppTest:
    """The page Releases as somebody sees it who is no admin."""
    valve(None)
    signed_in(USER)
    return open_admin_page("releases")


def test_what_changed_between_any_two_releases_stands_with_both_pages(releases: AppTest) -> None:
    told = shown(releases)
    assert "From 1.0 to 2.0:** 0 new, 1 changed, 0 gone" in told
    assert "**hold_time** :orange-badge[changed]" in told
    assert "default: 20 s → 45 s" in told
    assert "drain_time" not in told
    labels = [b.label for b in releases.button]
    assert [label.split(" · ")[0] for label in labels if "·" in label] == ["1\\.0", "2\\.0"]
    releases.selectbox(key="releases-from").select("2.0")
    assert "Choose two different releases" in shown(run(releases))
    releases.selectbox(key="releases-to").select("1.0")
    assert "default: 45 s → 20 s" in shown(run(releases))
