"""The chips that say in which releases an answer still holds, on a screen and on a telephone."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.chat import ask, choose_product, fits, main, settle
from tests.browser.conftest import OpenPage
from tests.ui.valve_corpus import QUESTION

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("width", [1280, 390])
def test_other_releases_are_told_on_hover_and_asked_by_one_click(
    served: str, open_page: OpenPage, width: int
) -> None:
    page = open_page(served, width=1280)
    choose_product(page, "valve")
    ask(page, QUESTION)
    page.set_viewport_size({"width": width, "height": 900})
    chip = main(page).get_by_role("button", name=re.compile(r"^1\.0 ≠"))
    expect(chip).to_be_visible()
    assert fits(page)
    chip.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("hold_time — 20 — s")
    if folder := os.environ.get("SHOTS"):
        page.screenshot(path=str(Path(folder) / f"still-{width}.png"))
    page.mouse.move(0, 0)
    main(page).get_by_role("button", name="Compare words").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("hold_time — 20 — s")
    if folder:
        page.screenshot(path=str(Path(folder) / f"words-{width}.png"))
    dialog.get_by_role("button", name="Close").click()
    messages = page.get_by_test_id("stChatMessage")
    chip.click()
    expect(messages).to_have_count(4)
    settle(page)
    expect(messages.last).to_contain_text("20 s")
