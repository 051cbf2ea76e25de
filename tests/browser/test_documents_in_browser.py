import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from chatbot.settings import Settings
from tests.browser.conftest import OpenPage, strata_serves
from tests.ui.valve_corpus import write_sources

pytestmark = pytest.mark.browser

SLOW = 120_000
QUESTION = "What is the default of hold_time in valve 2.0?"


@pytest.fixture
def with_worker(documentation: Settings, tmp_path: Path) -> Iterator[str]:
    """The address of a server with a worker, on a copy of the documentation."""
    shutil.copytree(documentation.data_dir, tmp_path / "data")
    settings = documentation.model_copy(update={"data_dir": tmp_path / "data"})
    with strata_serves(settings, worker=True) as address:
        yield address


def expect_answer(page: Page, address: str, value: str) -> None:
    """Ask for the valve's hold time in a new conversation."""
    page.goto(address)
    page.get_by_test_id("stChatInputTextArea").fill(QUESTION)
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("stChatMessage").last).to_contain_text(value, timeout=SLOW)


def test_an_upload_changes_the_answer_and_an_earlier_state_changes_it_back(
    with_worker: str, open_page: OpenPage, tmp_path: Path
) -> None:
    new = write_sources(tmp_path / "new", "2.0", "61", "90")
    page = open_page(with_worker)
    expect_answer(page, with_worker, "45 s")

    page.goto(f"{with_worker}/documents?product=valve&release=2.0")
    page.get_by_role("button", name="Upload documents").click()
    page.locator("input[type=file]").set_input_files([new / "reference.html", new / "notes.md"])
    expect(page.get_by_text("replaces the file with this name in 2.0")).to_be_visible(timeout=SLOW)
    start = page.get_by_role("button", name="Upload 2 files to valve 2.0")
    expect(start).to_be_enabled(timeout=SLOW)
    start.click()
    expect(page.get_by_text("Ready: 3 documents")).to_be_visible(timeout=SLOW)
    expect_answer(page, with_worker, "61 s")

    page.goto(f"{with_worker}/documents?product=valve&release=2.0")
    page.get_by_role("tab", name="Versions").click()
    page.get_by_role("button", name="Roll back …").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("reference.html")
    dialog.get_by_role("button", name="Roll back").click()
    expect(dialog).to_have_count(0)
    expect_answer(page, with_worker, "45 s")
