"""The releases page without a browser: two releases of a valve, its changes and a history."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from chatbot.accounts.people import Person
from tests.ui.admin_pages import open_admin_page, press, run, shown
from tests.ui.conftest import MakeChatbot, SignIn

USER = Person("cy@example.org", "Cy", is_admin=False)


@pytest.fixture
def page(valve: MakeChatbot, signed_in: SignIn) -> AppTest:
    """The page as somebody sees it who is no admin."""
    valve(None)
    signed_in(USER)
    return open_admin_page("releases")


def test_what_changed_stands_with_both_pages(page: AppTest) -> None:
    told = shown(page)
    assert "From 1.0 to 2.0:** 0 new, 1 changed, 0 gone" in told
    assert "**hold_time** :orange-badge[changed]" in told
    assert "default: 20 s → 45 s" in told
    assert "drain_time" not in told
    labels = [b.label for b in page.button]
    assert [label.split(" · ")[0] for label in labels if "·" in label] == ["1\\.0", "2\\.0"]


def test_the_releases_can_be_any_two(page: AppTest) -> None:
    page.selectbox(key="releases-from").select("2.0")
    assert "Choose two different releases" in shown(run(page))
    page.selectbox(key="releases-to").select("1.0")
    assert "default: 45 s → 20 s" in shown(run(page))


def test_words_and_kinds_filter(page: AppTest) -> None:
    page.text_input(key="releases-words").set_value("no such")
    assert "Nothing matches" in shown(run(page))
    page.text_input(key="releases-words").set_value("HOLD 45")
    assert "hold_time" in shown(run(page))
    page.selectbox(key="releases-change").select("new")
    assert "Nothing matches" in shown(run(page))


def test_a_parameter_has_its_history_over_the_releases(page: AppTest) -> None:
    press(page, "History")
    assert page.query_params["parameter"] == "hold_time"
    (table,) = page.dataframe
    assert list(table.value["Release"]) == ["2.0", "1.0"]
    assert list(table.value["Default"]) == ["45 s", "20 s"]
    press(page, "All changes")
    assert "1 changed" in shown(page)
