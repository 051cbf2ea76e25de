"""Every page by WCAG 2.1, levels A and AA, in light and dark, as axe-core finds it."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from sqlalchemy import delete

from chatbot.settings import Settings
from corpora.database.engine import open_database
from corpora.database.memory_tables import MemoryPairRow
from eval.reports.writing import write_reports
from tests.browser.chat import SLOW, ask, choose_product, open_source
from tests.browser.conftest import OpenPage
from tests.eval.made_run import OTHER, REFUSED, RIGHT, WRONG, made_run
from tests.ui.memory_pairs import keep
from tests.ui.valve_corpus import QUESTION

pytestmark = pytest.mark.browser

RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"], "resultTypes": ["violations"]}
WITHOUT_DRAWINGS = {"exclude": [[".vega-embed svg"]]}
"""A chart's own drawing has no names in it; the same figures stand in the table below it."""
PAGES = (
    "documents",
    "documents?product=valve&release=2.0",
    "sources",
    "sources?add=1",
    "glossary",
    "history",
    "gaps",
    "numbers",
    "evaluation",
    "audit",
    "account",
    "releases?releases-product=valve",
    "releases?releases-product=valve&parameter=hold_time",
)
Colours = Literal["light", "dark"]
both = pytest.mark.parametrize("colours", ["light", "dark"])


def violations(page: Page) -> list[str]:
    """What axe still objects to once the page has come to rest, with the places in which it does.

    While Streamlit draws a page anew, what is about to go is shown paler.
    """
    end = time.monotonic() + 20
    while (found := _violations(page)) and time.monotonic() < end:
        page.wait_for_timeout(500)
    return found


def _violations(page: Page) -> list[str]:
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_attached()
    page.wait_for_timeout(500)
    found = Axe().run(page, context=WITHOUT_DRAWINGS, options=RULES).response["violations"]
    return [
        f"{rule['id']}: {node['html'][:160]} ({node.get('failureSummary', '')[:200]})"
        for rule in found
        for node in rule["nodes"]
    ]


@both
@pytest.mark.parametrize("name", PAGES)
def test_a_page_can_be_read_and_used_by_everybody(
    served: str, open_page: OpenPage, name: str, colours: Colours
) -> None:
    page = open_page(f"{served}/{name}", colours=colours)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert violations(page) == []


@both
def test_the_chat_can_be_read_and_used_by_everybody(
    served: str, open_page: OpenPage, colours: Colours
) -> None:
    page = open_page(served, colours=colours)
    choose_product(page, "valve")
    assert violations(page) == []
    ask(page, QUESTION)
    ask(page, "What is the default of hold_time in valve 1.0 and 2.0?")
    assert violations(page) == []
    open_source(page, re.compile(r"^1 Valve reference"))
    assert violations(page) == []


@both
def test_an_opened_turn_can_be_read_and_used_by_everybody(
    served: str, open_page: OpenPage, colours: Colours
) -> None:
    page = open_page(served, colours=colours)
    choose_product(page, "valve")
    ask(page, QUESTION)
    page.goto(f"{served}/history?turn=1")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert violations(page) == []


@both
def test_a_run_of_the_evaluation_can_be_read_by_everybody(
    documentation: Settings, served: str, open_page: OpenPage, colours: Colours
) -> None:
    folder = documentation.data_dir / "evaluation" / "seen"
    made_run(folder, {"embedded": (RIGHT, WRONG, REFUSED, OTHER), "naive": (WRONG, OTHER) * 2})
    page = open_page(f"{served}/evaluation?run=seen", colours=colours)
    expect(page.get_by_text("What became of the answers")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("tab", name="failures").click()
    expect(page.locator(".report details").first).to_be_visible()
    assert violations(page) == []
    page.goto(f"{served}/evaluation")
    expect(page.get_by_role("heading", name="Evaluation")).to_be_visible()
    assert violations(page) == []


@both
def test_the_report_of_a_run_can_be_read_by_everybody(
    tmp_path: Path, open_page: OpenPage, colours: Colours
) -> None:
    run = made_run(tmp_path / "run", {"embedded": (RIGHT, WRONG, REFUSED, OTHER)})
    write_reports(run)
    page = open_page("about:blank", colours=colours)
    page.set_content((run / "report.html").read_text("utf-8"))
    found = Axe().run(page, options=RULES).response["violations"]
    assert [rule["id"] for rule in found] == []


@pytest.fixture
def suspended(documentation: Settings) -> Iterator[int]:
    """The id of a suspended saved answer, which has a warning."""
    database = open_database(documentation.database)
    pair = keep(database, QUESTION, suspended="the page 1 of reference.html has changed")
    yield pair
    with database.writing() as session:
        session.execute(delete(MemoryPairRow).where(MemoryPairRow.id == pair))
    database.close()


@both
def test_a_warning_can_be_read_by_everybody(
    served: str, suspended: int, open_page: OpenPage, colours: Colours
) -> None:
    page = open_page(f"{served}/history?pair={suspended}", colours=colours)
    expect(page.get_by_text("Suspended:")).to_be_visible()
    assert violations(page) == []


def test_the_chat_is_reached_by_keyboard_alone(served: str, open_page: OpenPage) -> None:
    page = open_page(served)
    choose_product(page, "valve")
    page.get_by_test_id("stChatInputTextArea").focus()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    source = page.get_by_role("button", name=re.compile(r"^1 Valve reference"))
    expect(source).to_be_visible(timeout=SLOW)
    expect(page.get_by_role("button", name="Stop")).to_have_count(0)
    reached = _names_by_tab(page, 80)
    wanted = ("Chat", "Admin", "New conversation", "Search conversations", "1 Valve", "Copy")
    assert [name for name in wanted if not any(name in told for told in reached)] == []
    source.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def _names_by_tab(page: Page, steps: int) -> list[str]:
    """What is told of everything that Tab comes to, from the top of the page."""
    page.evaluate("() => { document.activeElement.blur(); window.scrollTo(0, 0); }")
    names = []
    for _ in range(steps):
        page.keyboard.press("Tab")
        names.append(
            page.evaluate(
                """() => { const e = document.activeElement;
                          return [e.innerText, e.ariaLabel, e.placeholder].join(' ') }"""
            )
        )
    return names
