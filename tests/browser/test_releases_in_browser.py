"""The releases page in a browser, on documents whose values and headings try to be more."""

import csv
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.chat import fits
from tests.browser.conftest import OpenPage, strata_serves
from tests.browser.test_payloads_everywhere import SLOW, as_shown, at_rest
from tests.chatbot.conftest import ingested
from tests.ui.payloads import PAYLOADS

pytestmark = pytest.mark.browser

SHORT = [payload for payload in PAYLOADS if len(payload) < 60 and "\n" not in payload]
PRODUCT = "gate & <b>lock</b>"


def page_of(release: int) -> str:
    rows = "".join(
        f"<tr><td>gate-{n}</td><td>{escape(p)} {release}</td><td>{escape(p)}</td></tr>"
        for n, p in enumerate(SHORT)
    )
    gone = "<tr><td>old-latch</td><td>5</td><td>x</td></tr>" if release == 1 else ""
    return (
        f"<html><head><title>{escape(SHORT[0])}</title></head><body><main><h1>Gate</h1>"
        f"<h2>{escape(SHORT[1])}</h2><table><tr><th>Parameter</th><th>Default</th>"
        f"<th>{escape(SHORT[3])}</th></tr>{rows}{gone}</table></main></body></html>"
    )


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server on two releases."""
    files = {f"{release}.0": {"gate.html": page_of(release)} for release in (1, 2)}
    with strata_serves(ingested(tmp_path_factory.mktemp("gate"), PRODUCT, files)) as served:
        yield served


def opened(open_page: OpenPage, url: str, width: int = 1440) -> Page:
    page = open_page(url, width=width)
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=SLOW)
    return page


@pytest.mark.parametrize("width", [1440, 390])
def test_changes_are_filtered_opened_and_exported_as_text(
    address: str, open_page: OpenPage, width: int
) -> None:
    page = opened(open_page, f"{address}/releases", width)
    expect(page.get_by_text(f"0 new, {len(SHORT)} changed, 1 gone")).to_be_visible(timeout=SLOW)
    shown = at_rest(page)
    first = SHORT[: 25 if len(SHORT) > 25 else None]
    assert [p for p in first if as_shown(p) not in shown] == []
    assert fits(page)

    page.get_by_placeholder("Search names").fill("old-latch")
    expect(page.get_by_text("0 new, 0 changed, 1 gone")).to_be_visible(timeout=SLOW)
    row = page.locator(".st-key-difference-0")
    expect(row).to_contain_text("default: 5")
    row.get_by_role("button", name=re.compile(r"^1\.0")).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".st-key-page-text")).to_contain_text("old-latch", timeout=SLOW)
    at_rest(page)
    page.keyboard.press("Escape")
    with page.expect_download() as started:
        page.get_by_test_id("stDownloadButton").click()
    text = Path(started.value.path()).read_text("utf-8-sig")
    (exported,) = csv.DictReader(text.splitlines())
    assert (exported["change"], exported["name"]) == ("gone", "old-latch")

    row.get_by_role("button", name="History").click()
    expect(page.get_by_role("heading", name="old-latch")).to_be_visible(timeout=SLOW)
    expect(page).to_have_url(re.compile("parameter=old-latch"))
    at_rest(page)
    assert fits(page)


def test_the_history_of_a_parameter_is_text(address: str, open_page: OpenPage) -> None:
    page = opened(open_page, f"{address}/releases?parameter=gate-1")
    expect(page.get_by_role("button", name=re.compile(r"^2\.0"))).to_be_visible(timeout=SLOW)
    assert as_shown(SHORT[1]) in at_rest(page)
    page = opened(open_page, f"{address}/releases?parameter=%3Cimg src=//evil.test%3E")
    expect(page.get_by_text("No release of")).to_be_visible(timeout=SLOW)
    assert "<img src=//evil.test>" in at_rest(page)
