"""What a person does on the chat page: ask, wait, choose, open a source, look."""

import re

from playwright.sync_api import Locator, Page, expect

SLOW = 120_000


def ask(page: Page, question: str) -> None:
    """Ask and wait for the end of it."""
    messages = page.get_by_test_id("stChatMessage")
    before = messages.count()
    page.get_by_test_id("stChatInputTextArea").fill(question)
    page.keyboard.press("Enter")
    expect(messages).to_have_count(before + 2, timeout=SLOW)
    settle(page)


def settle(page: Page) -> None:
    """Wait until nothing is being answered or drawn."""
    expect(page.get_by_role("button", name="Stop")).to_have_count(0, timeout=SLOW)
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_attached(timeout=SLOW)


def choose_product(page: Page, name: str) -> None:
    page.get_by_test_id("stSelectbox").get_by_role("combobox").click()
    page.get_by_role("option", name=name).click()
    expect(page.get_by_role("heading", name=f"Ask about {name}")).to_be_visible()


def main(page: Page) -> Locator:
    """The page without its sidebar, which lists what was asked before."""
    return page.locator(".stMain")


def listed(page: Page, title: str) -> Locator:
    """A conversation in the list."""
    rows = "[class*='st-key-open-conversation'], [class*='st-key-other-conversation']"
    return page.locator(rows).filter(has_text=title)


def choose_for(page: Page, title: str, action: str) -> Locator:
    """Choose from the menu of a conversation in the list; returns the dialog that opens."""
    menu = page.locator("[class*='st-key-change-'] button")
    listed(page, title).locator(menu).click()
    page.get_by_role("menuitem", name=action).click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_be_visible()
    return dialog


def last_answer(page: Page) -> str:
    return page.get_by_test_id("stChatMessage").last.inner_text()


def open_source(page: Page, name: str | re.Pattern[str]) -> None:
    main(page).get_by_role("button", name=name).last.click()
    expect(page.get_by_role("dialog")).to_be_visible()


def fits(page: Page) -> bool:
    """Whether nothing is wider than the window."""
    inside: bool = page.evaluate(
        """() => [document.scrollingElement, document.querySelector('[data-testid=stMain]'),
                  document.querySelector('[data-testid=stChatMessage]')]
                 .filter(Boolean).every(e => e.scrollWidth <= e.clientWidth + 1)"""
    )
    return inside
