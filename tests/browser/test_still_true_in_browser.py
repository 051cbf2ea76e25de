"""The chips that say in which releases an answer still holds, on a screen and on a telephone."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.chat import SLOW, ask, choose_product, fits, main, settle
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
    chip.scroll_into_view_if_needed()
    assert fits(page)
    if width > 600:
        # A finger has no hover: there the words are behind the button "Compare words".
        chip.hover()
        expect(page.get_by_role("tooltip")).to_contain_text("hold_time — 20 — s")
    page.mouse.move(0, 0)
    main(page).get_by_role("button", name="Compare words").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("hold_time — 20 — s")
    dialog.get_by_role("button", name="Close").click()
    messages = page.get_by_test_id("stChatMessage")
    chip.click()
    expect(messages).to_have_count(4, timeout=SLOW)
    settle(page)
    expect(messages.last).to_contain_text("20 s")
