from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chat import ask, choose_product, fits, open_source
from tests.browser.conftest import OpenPage
from tests.ui.valve_corpus import HOSTILE, QUESTION

pytestmark = pytest.mark.browser


def inside(page: Page) -> bool:
    """Whether nothing in the panel is wider than the panel."""
    fitting: bool = page.evaluate(
        "() => { const box = document.querySelector('[role=dialog]');"
        " return box.scrollWidth <= box.clientWidth + 1 }"
    )
    return fitting


def test_a_source_opens_in_another_release_and_shows_what_differs(
    served: str, open_page: OpenPage
) -> None:
    page = open_page(served)
    choose_product(page, "valve")
    page.set_viewport_size({"width": 390, "height": 844})
    ask(page, QUESTION)
    open_source(page, re.compile(r"^1 Valve reference"))
    panel = page.get_by_role("dialog")
    panel.get_by_role("radio", name="1.0").click()
    expect(panel.get_by_text("this is 1.0")).to_be_visible()
    expect(panel.get_by_text("valve 1.0", exact=True)).to_be_visible()

    panel.get_by_text("Show changes from 2.0").click()
    expect(panel.get_by_text("Changed from 1.0 to 2.0")).to_be_visible()
    marked = panel.locator(".stMarkdownColoredBackground")
    expect(marked.get_by_text("20", exact=True).first).to_be_visible()
    expect(marked.get_by_text("45", exact=True).first).to_be_visible()
    assert inside(page)
    assert fits(page)
    assert page.title() == "Strata"
    assert page.locator("img[src*=evil], a[href*='javascript:']").count() == 0
    assert HOSTILE[0] not in page.locator("head").inner_html()
