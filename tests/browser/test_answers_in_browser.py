import re
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from chatbot.conversations.conversations import Conversations
from chatbot.settings import Settings
from corpora.database.engine import open_database
from tests.browser.chat import (
    ask,
    choose_for,
    choose_product,
    fits,
    listed,
    main,
    open_source,
    settle,
)
from tests.browser.conftest import OpenPage
from tests.chatbot.asked import answer
from tests.ui.valve_corpus import HOSTILE, QUESTION

pytestmark = pytest.mark.browser

SLOW = 60_000


@pytest.mark.parametrize("width", [1440, 390])
def test_an_answer_is_copied_and_rated(
    served: str, documentation: Settings, open_page: OpenPage, width: int
) -> None:
    conversation = kept(documentation, f"Copied at {width}")
    page = open_page(f"{served}/?conversation={conversation}", width=width)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    settle(page)
    assert stands_still(page)
    main(page).locator("[class*=st-key-copy-answer] button").last.click(timeout=SLOW)
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("**relay 17.20**\n\nIt is \\<script>")
    main(page).locator("[class*=st-key-copy-link] button").last.click()
    assert f"?conversation={conversation}&turn=" in page.evaluate("navigator.clipboard.readText()")

    page.get_by_role("radio", name="Thumbs down").last.click()
    page.get_by_text("This is from the wrong release").click()
    page.get_by_label("Comment").fill(" ".join(HOSTILE))
    assert fits(page)
    page.get_by_role("button", name="Send feedback").click()
    noted = page.get_by_text("Noted: This is from the wrong release")
    expect(noted).to_contain_text(" ".join(HOSTILE)[:150])
    expect(page.get_by_role("button", name="Change")).to_be_visible()
    assert fits(page)


def test_a_conversation_is_saved_as_a_file(
    served: str, documentation: Settings, open_page: OpenPage, tmp_path: Path
) -> None:
    conversation = kept(documentation, "Saved <b>as</b> a file")
    page = open_page(f"{served}/?conversation={conversation}")
    dialog = choose_for(page, "Saved <b>as</b> a file", "Export")
    with page.expect_download() as download:
        dialog.get_by_role("button", name=re.compile("Markdown")).click()
    assert download.value.suggested_filename == "saved-b-as-b-a-file.md"
    file = tmp_path / "saved.md"
    download.value.save_as(file)
    assert file.read_text("utf-8").startswith("# Saved \\<b>as\\</b> a file\n")


def stands_still(page: Page) -> bool:
    """Whether nothing scrolls but the conversation in its own place."""
    still: bool = page.evaluate(
        """() => {
            const still = e =>
                !e || (e.scrollHeight <= e.clientHeight + 1 && still(e.parentElement));
            return still(document.querySelector('[data-testid=stApp]'));
        }"""
    )
    return still


def kept(settings: Settings, question: str) -> str:
    """A conversation of hostile answers."""
    with closing(open_database(settings.database)) as database:
        conversations = Conversations(database)
        conversation = conversations.start("valve", question)
        hostile = answer(answer=f"It is {' and '.join(HOSTILE)}.")
        for _ in range(6):
            conversations.add(conversation, question, hostile)
    return conversation


def test_a_mark_in_an_answer_opens_its_source(
    served: str, documentation: Settings, open_page: OpenPage
) -> None:
    page = open_page(served)
    choose_product(page, "valve")
    page.set_viewport_size({"width": 390, "height": 844})
    ask(page, QUESTION)
    main(page).get_by_role("link", name="[1]").first.click()
    panel = page.get_by_role("dialog")
    expect(panel.locator(".stMarkdownColoredBackground", has_text="45").first).to_be_visible()
    assert "#source" not in page.url


@pytest.mark.parametrize("slowly", [False, True], ids=["script first", "choice first"])
def test_on_a_phone_the_drawer_closes_once_a_conversation_was_chosen(
    served: str, documentation: Settings, open_page: OpenPage, slowly: bool
) -> None:
    kept(documentation, "Chosen on a phone")
    page = open_page("about:blank", width=390, height=844)
    scripts: list[Route] = []
    if slowly:
        page.route("**/page.js", lambda route: scripts.append(route))
    page.goto(served)
    page.get_by_test_id("stExpandSidebarButton").click()
    if not slowly:
        expect(page.frame_locator("iframe").locator("body")).to_be_attached()
        settle(page)
    listed(page, "Chosen on a phone").get_by_role("button").first.click()
    expect(page.get_by_text("It is <script>").last).to_be_in_viewport()
    for script in scripts:
        script.continue_()
    expect(page.get_by_test_id("stSidebar")).not_to_be_in_viewport()
    assert bool(scripts) is slowly


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
    expect(panel.get_by_text("This is 1.0")).to_be_visible()
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
