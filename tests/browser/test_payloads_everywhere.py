"""Texts from documents, people and models in every page: shown, and nothing more than that."""

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Download, Page, expect

from tests.browser.chat import fits
from tests.browser.conftest import OpenPage, strata_serves
from tests.browser.hostile_data import QUESTION, RUN, hostile_settings
from tests.ui.payloads import PAYLOADS
from ui.wording.escaping import visible

pytestmark = pytest.mark.browser

SLOW = 90_000
TURNS = len(PAYLOADS) + len(PAYLOADS[::8])
MESSAGES = 2 * TURNS
OWN_FRAME = "iframe[title='ui.chat.page_script.page_script'][src*='/component/ui.chat.page_script']"
"""The frame of the chat page's own script, of which there is at most one."""
ACTIVE = (
    "a[href*=evil], a[href^='javascript:'], a[href^='data:text'], img[src*=evil], "
    f"iframe:not({OWN_FRAME}), {OWN_FRAME} ~ {OWN_FRAME}, "
    "object, embed, .katex, [onerror], [onload], main script, dialog script"
)
"""What none of the payloads may have become."""


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The address of a server on the hostile data, and the conversation with everything."""
    settings, conversation = hostile_settings(tmp_path_factory.mktemp("hostile"))
    script = str(settings.scripted_replies)
    with strata_serves(settings, backend="scripted", scripted_replies=script) as address:
        yield address, conversation


def at_rest(page: Page) -> str:
    """Wait until the page is drawn; nothing active may be on it; return its text."""
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_attached(timeout=SLOW)
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0, timeout=SLOW)
    assert page.locator(ACTIVE).count() == 0
    assert page.title().endswith(("Strata", "Chat", "Documents", "Review", "Gaps", "Numbers")) or (
        page.title() in ("Glossary", "Audit log", "Account", "Releases", "Evaluation", "Sources")
    )
    return words(page.locator("body").inner_text())


def words(text: str) -> str:
    return " ".join(text.split())


def as_shown(payload: str) -> str:
    """A payload's beginning as a reader sees it, without what is not shown of lines."""
    return words(visible(payload))[:30].strip()


def test_a_conversation_shows_every_payload_as_text(
    hostile: tuple[str, str], open_page: OpenPage
) -> None:
    address, conversation = hostile
    page = open_page(f"{address}/?conversation={conversation}")
    expect(page.get_by_test_id("stChatMessage")).to_have_count(MESSAGES, timeout=SLOW)
    shown = at_rest(page)
    assert [p for p in PAYLOADS if as_shown(p) not in shown] == []


def test_a_cited_page_shows_every_payload_as_text(
    hostile: tuple[str, str], open_page: OpenPage
) -> None:
    address, conversation = hostile
    page = open_page(f"{address}/?conversation={conversation}")
    messages = page.get_by_test_id("stChatMessage")
    expect(messages).to_have_count(MESSAGES, timeout=SLOW)
    for number in (1, 7):
        answer = messages.nth(2 * (number + -(-number // 8)) + 1)
        answer.locator("[class*=st-key-citations] button").first.click()
        dialog = page.get_by_role("dialog")
        expect(dialog.locator(".st-key-page-text")).to_contain_text("is cleaned with")
        assert as_shown(PAYLOADS[number]) in words(dialog.inner_text())
        assert page.locator(ACTIVE).count() == 0
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)


def test_an_answer_is_text_while_it_is_written(
    hostile: tuple[str, str], open_page: OpenPage
) -> None:
    page = open_page(hostile[0])
    page.get_by_test_id("stChatInputTextArea").fill(f"{QUESTION} {PAYLOADS[1]}")
    page.keyboard.press("Enter")
    answer = page.get_by_test_id("stChatMessage").last
    expect(answer).to_contain_text("alert(1)", timeout=SLOW)
    while page.get_by_role("button", name="Stop").count():
        assert page.locator(ACTIVE).count() == 0
        page.wait_for_timeout(100)
    at_rest(page)


@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize(
    "name",
    [
        *("documents", "sources", "glossary", "history", "gaps", "numbers", "audit", "account"),
        *("releases", "evaluation"),
    ],
)
def test_the_other_pages_show_text_and_nothing_else(
    hostile: tuple[str, str], open_page: OpenPage, name: str, width: int
) -> None:
    page = open_page(f"{hostile[0]}/{name}", width=width)
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=SLOW)
    at_rest(page)
    assert fits(page)


@pytest.mark.parametrize("width", [1440, 390])
def test_a_source_shows_every_payload_as_text(
    hostile: tuple[str, str], open_page: OpenPage, width: int
) -> None:
    page = open_page(f"{hostile[0]}/sources?source=1", width=width)
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=SLOW)
    for folded in ("Changed files", "Left out"):
        page.get_by_text(folded).click()
    shown = at_rest(page)
    assert [p for p in PAYLOADS if as_shown(p) not in shown] == []
    assert fits(page)


def test_a_turn_in_the_review_is_text(hostile: tuple[str, str], open_page: OpenPage) -> None:
    for number in (1, 7):
        page = open_page(f"{hostile[0]}/history?turn={1 + number + -(-number // 8)}")
        expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=SLOW)
        assert as_shown(PAYLOADS[number]) in at_rest(page)


def test_a_saved_answer_is_text(hostile: tuple[str, str], open_page: OpenPage) -> None:
    for number in (1, 7):
        page = open_page(f"{hostile[0]}/history?pair={1 + number}")
        expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=SLOW)
        assert as_shown(PAYLOADS[number]) in at_rest(page)
        page.get_by_role("button", name="All saved answers").click()
        expect(page.get_by_text("Import and export")).to_be_visible()
        at_rest(page)


@pytest.mark.parametrize("width", [1440, 390])
def test_a_run_is_text(hostile: tuple[str, str], open_page: OpenPage, width: int) -> None:
    page = open_page(f"{hostile[0]}/evaluation?run={RUN}", width=width)
    expect(page.get_by_text("What became of the answers")).to_be_visible(timeout=SLOW)
    at_rest(page)
    assert fits(page)
    page.get_by_role("tab", name="failures").click()
    failures = page.locator(".report details summary")
    expect(failures.first).to_be_visible(timeout=SLOW)
    for summary in failures.all()[:3]:
        summary.evaluate("element => element.parentElement.open = true")
    assert as_shown(PAYLOADS[0]) in at_rest(page)
    assert fits(page)


def test_an_export_opens_as_text_in_a_spreadsheet(
    hostile: tuple[str, str], open_page: OpenPage
) -> None:
    page = open_page(f"{hostile[0]}/history")
    expect(page.get_by_role("heading", level=1)).to_be_visible(timeout=SLOW)
    at_rest(page)
    rows = list(csv.DictReader(io.StringIO(_exported(page, "CSV"))))
    assert len(rows) >= TURNS
    cells = [cell for row in rows for cell in row.values()]
    dangerous = [c for c in cells if c.lstrip("\"' \t").startswith(("=", "+", "@")) and c[0] != "'"]
    assert dangerous == []
    lines = _exported(page, "JSONL").splitlines()
    asked = {json.loads(line)["question"].strip() for line in lines}
    assert {_exported_as(payload) for payload in PAYLOADS} <= asked


def _exported_as(payload: str) -> str:
    """Without what nobody sees."""
    return visible(payload).translate(dict.fromkeys(map(ord, "\u200b\ufeff"))).strip()


def _exported(page: Page, form: str) -> str:
    with page.expect_download() as started:
        page.get_by_test_id("stDownloadButton").filter(has_text=form).click()
    download: Download = started.value
    return Path(download.path()).read_text("utf-8-sig")
