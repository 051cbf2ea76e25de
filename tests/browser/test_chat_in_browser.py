import re
from contextlib import closing
from typing import Any

import pytest
from playwright.sync_api import expect

from chatbot.conversations.conversations import Conversations
from chatbot.models.files import GENERATOR
from chatbot.settings import Settings
from corpora.database.engine import open_database
from tests.browser.chat import (
    SLOW,
    ask,
    choose_for,
    choose_product,
    fits,
    last_answer,
    listed,
    main,
    open_source,
    settle,
)
from tests.browser.conftest import OpenPage, strata_serves
from tests.chatbot.asked import answer
from tests.ui.valve_corpus import LATEST, QUESTION, TORQUE

pytestmark = pytest.mark.browser


def test_a_sample_question_is_answered_with_its_source(served: str, open_page: OpenPage) -> None:
    page = open_page(served)
    choose_product(page, "tessaline")
    main(page).get_by_role("button", name=re.compile("wait-to-restore")).click()
    source = page.get_by_role("button", name=re.compile(r"^1 Protection"))
    expect(source).to_be_visible(timeout=SLOW)
    settle(page)
    assert re.search(r"tessaline 17\.20\s+you said .17\.20.", last_answer(page))

    open_source(page, re.compile(r"^1 Protection"))
    mark = page.get_by_role("dialog").locator(".stMarkdownColoredBackground", has_text="300").first
    expect(mark).to_be_in_viewport()
    assert page.title() == "Strata"


def test_a_source_in_a_pdf_is_the_page_itself(served: str, open_page: OpenPage) -> None:
    page = open_page(served)
    choose_product(page, "valve")
    ask(page, TORQUE)
    open_source(page, re.compile(r"^1 .*p\. 2"))
    dialog = page.get_by_role("dialog")
    picture = dialog.get_by_test_id("stImage").locator("img")
    expect(picture).to_be_visible(timeout=SLOW)
    assert picture.evaluate("i => [i.naturalWidth, i.naturalHeight]") == [800, 600]

    dialog.get_by_role("button", name="Previous page").click()
    expect(dialog.get_by_text("mounting.pdf › page 1")).to_be_visible()
    dialog.get_by_role("button", name="Back to the source").click()
    expect(dialog.get_by_text("mounting.pdf › page 2")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_a_conversation_is_renamed_searched_opened_and_deleted(
    served: str, open_page: OpenPage
) -> None:
    page = open_page(served)
    choose_product(page, "valve")
    ask(page, "What is the default of drain_time in 1.0, asks Quillfeather?")
    asked = page.url
    dialog = choose_for(page, "drain_time in 1.0", "Rename")
    dialog.get_by_label("Title").fill("All about <b>draining</b>")
    dialog.get_by_role("button", name="Rename").click()
    expect(listed(page, "All about <b>draining</b>")).to_contain_text("valve 1.0")

    page.get_by_role("button", name="New conversation").click()
    expect(page.get_by_test_id("stChatMessage")).to_have_count(0)
    page.get_by_label("Search conversations").fill("asks quillf")
    page.keyboard.press("Enter")
    expect(page.locator("[class*='st-key-other-conversation']")).to_have_count(1)
    listed(page, "draining").get_by_role("button").first.click()
    expect(page.get_by_test_id("stChatMessage")).to_have_count(2)
    assert page.url == asked
    choose_for(page, "draining", "Delete").get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_test_id("stChatMessage")).to_have_count(2)
    choose_for(page, "draining", "Delete").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No conversations found.")).to_be_visible()
    expect(page.get_by_test_id("stChatMessage")).to_have_count(0)
    expect(page).not_to_have_url(asked)
    page.goto(asked)
    expect(page.get_by_text("This conversation no longer exists")).to_be_visible()


def test_a_link_to_an_answer_opens_the_conversation_there(
    served: str, documentation: Settings, open_page: OpenPage
) -> None:
    with closing(open_database(documentation.database)) as database:
        own = Conversations(database)
        conversation = own.start("valve", "Six answers")
        turns = [own.add(conversation, f"Question {i}", long_reply(i)) for i in range(6)]
    page = open_page(f"{served}/?conversation={conversation}")
    words = page.get_by_test_id("stChatMessage").locator("p")
    # Streamlit would show its end.
    page.wait_for_timeout(5000)
    expect(words.filter(has_text="Begin of answer 5")).to_be_in_viewport()
    page.goto(f"{served}/?conversation={conversation}&turn={turns[2]}")
    expect(page.get_by_text("Question 2", exact=True)).to_be_in_viewport()
    expect(words.filter(has_text="Begin of answer 2")).to_be_in_viewport()
    expect(words.filter(has_text="Begin of answer 3")).not_to_be_in_viewport()


def long_reply(number: int) -> dict[str, Any]:
    """An answer that is higher than the window."""
    lines = [f"Begin of answer {number}", *["A line of it"] * 50, f"End of answer {number}"]
    return answer(
        answer="\n".join(lines),
        product="valve",
        release="2.0",
        release_explanation="latest",
        available_releases=[],
        warnings=[],
    )


def test_questions_asked_at_once_are_all_answered_in_order(
    served: str, open_page: OpenPage
) -> None:
    page = open_page(served)
    choose_product(page, "valve")
    for question in (QUESTION, LATEST, TORQUE):
        page.get_by_test_id("stChatInputTextArea").fill(question)
        page.keyboard.press("Enter")
        # Streamlit may draw it twice for a moment while its answer takes the place of its progress;
        # what is left in the end is counted below.
        expect(main(page).get_by_text(question, exact=True).first).to_be_visible()
    expect(page.get_by_role("button", name="Stop")).to_have_count(0, timeout=SLOW)
    shown = page.get_by_test_id("stChatMessage").all_inner_texts()
    assert [text.splitlines()[-1] for text in shown[::2]] == [QUESTION, LATEST, TORQUE]
    assert all("valve 2.0" in text for text in shown[1::2])


def test_at_the_width_of_a_phone_nothing_is_cut_off(served: str, open_page: OpenPage) -> None:
    page = open_page(served)
    choose_product(page, "tessaline")
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.get_by_role("heading", name="Ask about tessaline")).to_be_visible()
    assert fits(page)
    ask(page, "x" * 300 + " is what of wait-to-restore in 17.20?")
    ask(page, "What is the default of wait-to-restore in 17.20?")
    assert fits(page)
    open_source(page, re.compile(r"^1 "))
    expect(page.get_by_role("dialog").locator("table").first).to_be_visible()
    page.wait_for_function(
        """() => { const box = document.querySelector('[role=dialog]').getBoundingClientRect();
                  return box.left >= 0 && box.right <= innerWidth + 1 }"""
    )


@pytest.mark.generator
def test_the_real_model_is_stopped_and_then_answers(
    documentation: Settings, open_page: OpenPage
) -> None:
    with strata_serves(documentation, generator=GENERATOR.key) as address:
        page = open_page(address)
        choose_product(page, "valve")
        page.get_by_test_id("stChatInputTextArea").fill(LATEST)
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Stop").click()
        expect(page.get_by_text("Stopped.")).to_be_visible(timeout=SLOW)
        page.get_by_role("button", name="Ask again").click()
        source = page.get_by_role("button", name=re.compile(r"^1( · 2)? +Valve reference"))
        expect(source).to_be_visible(timeout=2 * SLOW)
        settle(page)
        assert "90 days" in last_answer(page)
