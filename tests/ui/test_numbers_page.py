from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chatbot.settings import Settings
from corpora.database.engine import Database
from tests.chatbot.asked import asked
from tests.ui.conftest import MakeChatbot
from tests.ui.pages import APP, go_to

NOW = datetime.now(UTC)


@pytest.fixture
def database(valve: MakeChatbot, tmp_path: Path) -> Database:
    """The database of a data folder without any documentation."""
    return valve(None, Settings(data_dir=tmp_path / "data", generator="none")).database


def open_numbers() -> AppTest:
    page = AppTest.from_file(str(APP), default_timeout=30).run()
    go_to(page, "numbers").run()
    return checked(page)


def checked(page: AppTest) -> AppTest:
    assert not page.exception
    assert not page.error
    return page


def totals(page: AppTest) -> dict[str, str]:
    return {metric.label: metric.value for metric in page.metric}


def test_without_questions_the_page_says_what_to_do(database: Database) -> None:
    page = open_numbers()
    assert page.info[0].value.startswith("No questions in this period")
    assert not page.metric


def test_totals_charts_and_releases(database: Database) -> None:
    asked(database, "one", at=NOW, thumbs=1, seconds=0.5, model_calls=2)
    asked(database, "two", at=NOW, release="18.00", abstained=True, seconds=12.0)
    page = open_numbers()
    shown = totals(page)
    assert (shown["Questions"], shown["Not answered"], shown["Thumbs up"]) == ("2", "50.0 %", "1")
    assert (shown["Median time"], shown["95th percentile"]) == ("0.50 s", "12 s")
    assert shown["Model calls"] == "2"
    assert len(page.get("vega_lite_chart")) + len(page.get("arrow_vega_lite_chart")) == 4
    # No admin has rated anything.
    assert "None in this period." in [caption.value for caption in page.caption]
    steps, releases = (frame.value for frame in page.dataframe)
    assert list(steps["Step"]) == ["writing the answer", "searching the documentation"]
    assert list(releases["Release"]) == ["17.20", "18.00"]
    assert list(releases["Not answered"]) == [0, 1]
    assert [b.label for b in page.download_button] == ["CSV", "JSONL"]


def test_a_release_and_a_time_are_chosen(database: Database) -> None:
    asked(database, "one", at=NOW)
    asked(database, "two", at=NOW - timedelta(days=60))
    asked(database, "three", at=NOW, release="18.00")
    page = open_numbers()
    assert totals(page)["Questions"] == "2"
    checked(page.selectbox(key="numbers-time").set_value("all time").run())
    assert totals(page)["Questions"] == "3"
    checked(page.selectbox(key="numbers-product").set_value("relay").run())
    checked(page.selectbox(key="numbers-release").set_value("18.00").run())
    assert totals(page)["Questions"] == "1"


def test_a_week_can_be_one_bar(database: Database) -> None:
    asked(database, "one", at=NOW)
    page = open_numbers()
    checked(page.segmented_control(key="numbers-span").set_value("week").run())
    assert "Questions per week" in [heading.value for heading in page.subheader]
