"""The page and the replies in another language than English, in a real browser."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from chatbot.text.languages import gettext, spoken
from tests.browser.chat import fits, last_answer

pytestmark = [pytest.mark.browser, pytest.mark.slow]
WIDE, PHONE = (1440, 900), (390, 844)


@pytest.fixture(params=["de-DE", "ja-JP"])
def page(request: pytest.FixtureRequest, chromium: Browser) -> Iterator[Page]:
    context = chromium.new_context(locale=request.param)
    yield context.new_page()
    context.close()


TEXTS = {
    "de": {
        "about": "Fragen zu",
        "account": "Konto",
        "release": "Version",
        "new": "Neue Unterhaltung",
        "asks": ("Welche Versionen von tessaline gibt es?", "Version von tessaline ist hier"),
        "stop": "Stopp",
    },
    "ja": {
        "about": "について質問",
        "account": "アカウント",
        "release": "バージョン",
        "new": "新しい会話",
        "asks": (
            "tessalineにはどのバージョンがありますか？",
            "件のバージョンのドキュメントがあります",
        ),
        "stop": "停止",
    },
}


ADMINS = {
    "documents": "Documents",
    "sources": "Sources",
    "glossary": "Glossary",
    "history": "Review",
    "gaps": "Content gaps",
    "numbers": "Numbers",
    "evaluation": "Evaluation",
    "audit": "Audit log",
}


def ask(page: Page, question: str, stop: str) -> None:
    messages = page.get_by_test_id("stChatMessage")
    before = messages.count()
    page.get_by_test_id("stChatInputTextArea").fill(question)
    page.keyboard.press("Enter")
    expect(messages).to_have_count(before + 2, timeout=120_000)
    expect(page.get_by_role("button", name=stop, exact=True)).to_have_count(0, timeout=120_000)
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_attached(timeout=60_000)


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_page_and_reply_are_in_the_language_of_browser_and_question(
    page: Page, served: str, size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.goto(served)
    language = page.evaluate("navigator.language")[:2]
    texts = TEXTS[language]
    expect(page.get_by_role("heading", name=texts["about"])).to_be_visible(timeout=60_000)
    question, said = texts["asks"]
    ask(page, question, texts["stop"])
    assert said in last_answer(page)
    with spoken(language):
        words = [gettext("Chat message from assistant"), gettext("Thumbs up")]
    for label in words:
        expect(page.get_by_label(label, exact=True).last).to_be_attached()
    # The page is in the language of the browser, and the answer in that of the question.
    ask(page, "Which releases of tessaline are there?", texts["stop"])
    assert "release of tessaline documented here" in last_answer(page)
    assert page.evaluate("document.documentElement.lang") == language
    assert fits(page)


@pytest.mark.parametrize("size", [WIDE, PHONE])
def test_pages_for_admins_speak_the_language_too(
    page: Page, served: str, size: tuple[int, int]
) -> None:
    page.set_viewport_size({"width": size[0], "height": size[1]})
    for address, title in ADMINS.items():
        page.goto(f"{served}/{address}")
        with spoken(page.evaluate("navigator.language")[:2]):
            heading = page.get_by_role("heading", name=gettext(title), exact=True)
            skip = gettext("Skip to main content")
        expect(heading).to_be_visible(timeout=60_000)
        # Streamlit's own words, which it has in English alone, and what a screen reader goes by.
        expect(page.get_by_test_id("stSkipToContent")).to_have_text(skip)
        assert page.evaluate("navigator.language.startsWith(document.documentElement.lang)")
        assert fits(page), address


def test_charts_speak_the_language_too(page: Page, served: str) -> None:
    language = page.goto(served) and page.evaluate("navigator.language")[:2]
    ask(page, TEXTS[language]["asks"][0], TEXTS[language]["stop"])
    page.goto(f"{served}/numbers")
    with spoken(language):
        value, data = gettext("Value"), gettext("Show data")
    chart = page.get_by_test_id("stVegaLiteChart").first
    told = chart.locator("[aria-label]")
    expect(told.first).to_have_attribute(
        "aria-label", re.compile(rf"; {value}: \d"), timeout=60_000
    )
    assert "axis" not in str(told.evaluate_all("all => all.map(one => one.ariaLabel)"))
    expect(page.get_by_role("button", name=data, exact=True).first).to_be_attached()
    told.first.hover(force=True)
    expect(page.locator("#vg-tooltip-element")).to_contain_text(value)


def test_the_choice_of_a_language_is_kept(chromium: Browser, served: str) -> None:
    for first in (True, False):
        context = chromium.new_context(locale="en-GB")
        page = context.new_page()
        page.goto(f"{served}/account")
        if first:
            page.get_by_role("combobox", name="Language").click(timeout=60_000)
            page.get_by_role("option", name="Français").click()
        expect(page.get_by_role("heading", name="Compte")).to_be_visible(timeout=60_000)
        # Streamlit's own words follow without a reload, there and back.
        skip = page.get_by_test_id("stSkipToContent")
        with spoken("fr"):
            expect(skip).to_have_text(gettext("Skip to main content"))
        if not first:
            page.get_by_role("combobox", name="Langue").click()
            page.get_by_role("option", name="English").first.click()
            expect(page.get_by_role("heading", name="Account")).to_be_visible()
            expect(skip).to_have_text("Skip to main content")
        context.close()
