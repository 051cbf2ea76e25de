from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from chatbot.models.files import GENERATOR
from chatbot.settings import Settings
from tests.browser.conftest import OpenPage, strata_serves
from tests.ui.valve_corpus import HOSTILE, LATEST, QUESTION, TORQUE

pytestmark = pytest.mark.browser

SLOW = 60_000


def ask(page: Page, question: str) -> None:
    """Ask and wait for the end of it."""
    messages = page.get_by_test_id("stChatMessage")
    before = messages.count()
    page.get_by_test_id("stChatInputTextArea").fill(question)
    page.keyboard.press("Enter")
    expect(messages).to_have_count(before + 2, timeout=SLOW)
    expect(page.get_by_role("button", name="Stop")).to_have_count(0, timeout=SLOW)
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_attached()


def choose_product(page: Page, name: str) -> None:
    page.get_by_test_id("stSelectbox").get_by_role("combobox").click()
    page.get_by_role("option", name=name).click()
    expect(page.get_by_role("heading", name=f"Ask about {name}")).to_be_visible()


def last_answer(page: Page) -> str:
    return page.get_by_test_id("stChatMessage").last.inner_text()


def open_source(page: Page, name: str | re.Pattern[str]) -> None:
    page.get_by_role("button", name=name).last.click()
    expect(page.get_by_role("dialog")).to_be_visible()


def fits(page: Page) -> bool:
    """Whether nothing is wider than the window."""
    inside: bool = page.evaluate(
        """() => [document.scrollingElement, document.querySelector('[data-testid=stMain]'),
                  document.querySelector('[data-testid=stChatMessage]')]
                 .filter(Boolean).every(e => e.scrollWidth <= e.clientWidth + 1)"""
    )
    return inside


def test_a_sample_question_is_answered_with_its_source(served: str, open_page: OpenPage) -> None:
    page = open_page(served)
    page.get_by_role("button", name=re.compile("wait-to-restore")).click()
    source = page.get_by_role("button", name=re.compile(r"^\[1\] Protection"))
    expect(source).to_be_visible(timeout=SLOW)
    assert re.search(r"tessaline 17\.20\s+you said .17\.20.", last_answer(page))

    open_source(page, re.compile(r"^\[1\] Protection"))
    mark = page.get_by_role("dialog").locator(".stMarkdownColoredBackground", has_text="300").first
    expect(mark).to_be_in_viewport()
    assert page.title() == "Strata"


def test_a_source_in_a_pdf_is_the_page_itself(served: str, open_page: OpenPage) -> None:
    page = open_page(served)
    choose_product(page, "valve")
    ask(page, TORQUE)
    open_source(page, re.compile(r"^\[1\].*page 2"))
    dialog = page.get_by_role("dialog")
    picture = dialog.get_by_test_id("stImage").locator("img")
    expect(picture).to_be_visible(timeout=SLOW)
    assert picture.evaluate("i => [i.naturalWidth, i.naturalHeight]") == [800, 600]

    dialog.get_by_role("button", name="Previous page").click()
    expect(dialog.get_by_text("mounting.pdf › page 1")).to_be_visible()
    dialog.get_by_role("button", name="Back to the quote").click()
    expect(dialog.get_by_text("mounting.pdf › page 2")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_hostile_documents_and_questions_show_as_text(served: str, open_page: OpenPage) -> None:
    page = open_page(served)
    choose_product(page, "valve")
    ask(page, f"How are the tokens of the log written, {HOSTILE[1]} or {HOSTILE[2]}?")
    ask(page, "How are the tokens of the pressure log written?")
    for text in HOSTILE:
        assert text in last_answer(page)
    assert HOSTILE[1] in page.get_by_test_id("stChatMessage").first.inner_text()

    open_source(page, re.compile(r"^\[1\] Valve reference"))
    shown = page.get_by_role("dialog").locator("p", has_text="tokens of the log")
    for text in HOSTILE:
        assert text in shown.inner_text()
    assert page.title() == "Strata"
    assert page.locator("img[src*=evil], a[href*='javascript:'], .katex").count() == 0


def test_an_unknown_release_is_chosen_by_a_button(served: str, open_page: OpenPage) -> None:
    page = open_page(served)
    choose_product(page, "valve")
    ask(page, "What is the default of hold_time in 7.5?")
    assert "unknown release" in last_answer(page)
    page.get_by_role("button", name=re.compile(r"1\.0$")).click()
    source = page.get_by_role("button", name=re.compile(r"^\[1\] Valve reference"))
    expect(source).to_be_visible(timeout=SLOW)
    assert "valve 1.0" in last_answer(page)


def test_a_reload_brings_the_conversation_back(served: str, open_page: OpenPage) -> None:
    page = open_page(served)
    choose_product(page, "valve")
    ask(page, QUESTION)
    answer = last_answer(page)
    page.reload()
    expect(page.get_by_test_id("stChatMessage")).to_have_count(2)
    expect(page.get_by_test_id("stChatMessage").last).to_have_text(answer, use_inner_text=True)
    expect(page.get_by_role("heading", name="Ask about valve")).to_be_visible()
    page.get_by_role("button", name="New conversation").click()
    expect(page.get_by_test_id("stChatMessage")).to_have_count(0)


def test_a_question_that_is_too_long_is_kept(served: str, open_page: OpenPage) -> None:
    page = open_page(served)
    ask(page, "x" * 50_000)
    assert "No answer: the question has 50,000 characters" in last_answer(page)
    assert len(page.get_by_label("Your question").input_value()) == 50_000


def test_questions_asked_at_once_are_all_answered_in_order(
    served: str, open_page: OpenPage
) -> None:
    page = open_page(served)
    choose_product(page, "valve")
    for question in (QUESTION, LATEST, TORQUE):
        page.get_by_test_id("stChatInputTextArea").fill(question)
        page.keyboard.press("Enter")
        expect(page.get_by_text(question, exact=True)).to_be_visible()
    expect(page.get_by_role("button", name="Stop")).to_have_count(0, timeout=SLOW)
    shown = page.get_by_test_id("stChatMessage").all_inner_texts()
    assert [text.splitlines()[-1] for text in shown[::2]] == [QUESTION, LATEST, TORQUE]
    assert all("valve 2.0" in text for text in shown[1::2])


def test_at_the_width_of_a_phone_nothing_is_cut_off(served: str, open_page: OpenPage) -> None:
    page = open_page(served, width=390, height=844)
    expect(page.get_by_role("heading", name="Ask about tessaline")).to_be_visible()
    assert fits(page)
    ask(page, "x" * 300 + " is what of wait-to-restore in 17.20?")
    ask(page, "What is the default of wait-to-restore in 17.20?")
    assert fits(page)
    open_source(page, re.compile(r"^\[1\]"))
    expect(page.get_by_role("dialog").locator("table").first).to_be_visible()
    page.wait_for_function(
        """() => { const box = document.querySelector('[role=dialog]').getBoundingClientRect();
                  return box.left >= 0 && box.right <= innerWidth + 1 }"""
    )


@pytest.mark.parametrize(("width", "beside"), [(1440, True), (390, False)])
def test_releases_that_are_compared_stand_beside_or_below_each_other(
    served: str, open_page: OpenPage, width: int, beside: bool
) -> None:
    page = open_page(served, width=width)
    ask(page, "What is the default of hold_time in valve 1.0 and 2.0?")
    older, newer = page.locator("[class*=st-key-sides] [data-testid=stColumn]").all()
    expect(older).to_contain_text("20 s")
    expect(newer).to_contain_text("45 s")
    first, second = older.bounding_box(), newer.bounding_box()
    assert first
    assert second
    assert (first["y"] == second["y"]) is beside
    assert (first["x"] + first["width"] <= second["x"]) is beside
    assert fits(page)


@pytest.mark.generator
def test_the_real_model_is_stopped_and_then_answers(
    documentation: Settings, open_page: OpenPage
) -> None:
    with strata_serves(documentation, GENERATOR.key) as address:
        page = open_page(address)
        choose_product(page, "valve")
        page.get_by_test_id("stChatInputTextArea").fill(LATEST)
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_text("Stopped. The question is kept.")).to_be_visible(timeout=SLOW)
        page.get_by_role("button", name="Ask again").click()
        source = page.get_by_role("button", name=re.compile(r"^\[1\] Valve reference"))
        expect(source).to_be_visible(timeout=2 * SLOW)
        assert "90 days" in last_answer(page)
