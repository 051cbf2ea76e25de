"""A saved answer is given, offered, had afresh, and edited by an admin, in a real browser."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import delete, func, select

from chatbot.assembly import open_chatbot
from chatbot.settings import Settings
from corpora.database.history_tables import ConversationRow, TurnRow
from corpora.database.memory_tables import MemoryPairRow
from tests.browser.chat import SLOW, ask, choose_product, fits, main, settle
from tests.browser.conftest import OpenPage, strata_serves
from tests.browser.test_accessibility import Colours, both, violations
from tests.chatbot.memory_bots import Bot

pytestmark = pytest.mark.browser

SAVED = "What is the default of hold_time?"
AGAIN = "In 2.0, what is the default of hold_time"
"""The same words; where the release stands does not matter."""


@dataclass(frozen=True)
class Server:
    """A server and what its memory holds."""

    address: str
    memory: Bot


@pytest.fixture(scope="module")
def running(documentation: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on a copy of the documentation, with a model that knows one answer."""
    folder = tmp_path_factory.mktemp("remembering")
    data = shutil.copytree(documentation.data_dir, folder / "data")
    settings = documentation.model_copy(update={"data_dir": data})
    script = folder / "replies.json"
    said = '{"otherwise": "The default of hold_time is 45 s.", "delay": 0.4}'
    script.write_text(said, "utf-8")
    bot = Bot(open_chatbot(settings))
    with strata_serves(settings, backend="scripted", scripted_replies=str(script)) as address:
        yield Server(address, bot)
    bot.close()


@pytest.fixture
def server(running: Server) -> Server:
    """The server with one saved answer, and without what was said there."""
    with running.memory.chatbot.database.writing() as session:
        session.execute(delete(ConversationRow))
        session.execute(delete(MemoryPairRow))
    running.memory.answered_before(SAVED, "It is 45 s.", "2.0", "valve")
    return running


def opened(server: Server, open_page: OpenPage, **options: Colours) -> Page:
    page = open_page(server.address, **options)
    choose_product(page, "valve")
    return page


def test_a_saved_answer_is_given_and_can_be_had_afresh(server: Server, open_page: OpenPage) -> None:
    page = opened(server, open_page)
    ask(page, AGAIN)
    said = page.get_by_test_id("stChatMessage").last
    for part in ("Saved answer", "It is 45 s."):
        expect(said).to_contain_text(part)
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(500)
    assert fits(page)
    main(page).get_by_role("button", name="Answer again from the documents").click()
    expect(main(page).get_by_text("Saved answer")).to_have_count(0, timeout=SLOW)
    settle(page)
    expect(said).to_contain_text("The default of hold_time is 45 s")


@pytest.mark.parametrize("width", [1440, 390])
def test_a_click_on_an_offer_shows_the_saved_answer(
    server: Server, open_page: OpenPage, width: int
) -> None:
    page = opened(server, open_page)
    page.set_viewport_size({"width": width, "height": 900})
    box = page.get_by_test_id("stChatInputTextArea")
    box.fill("Which default does hold_time have in 2.0?")
    box.press("Enter")
    expect(main(page).get_by_text(f"Answered before: “{SAVED}”")).to_be_visible(timeout=SLOW)
    assert fits(page)
    page.get_by_role("button", name="Show").click()
    said = page.get_by_test_id("stChatMessage").last
    for part in ("Saved answer", f"Saved for “{SAVED}”", "It is 45 s."):
        expect(said).to_contain_text(part, timeout=SLOW)


@both
def test_an_admin_follows_an_answer_from_its_trace_edits_and_deletes_it(
    server: Server, open_page: OpenPage, colours: Colours
) -> None:
    page = opened(server, open_page, colours=colours)
    ask(page, AGAIN)
    with server.memory.chatbot.database.reading() as session:
        turn = session.scalar(select(func.max(TurnRow.id)))
    page.goto(f"{server.address}/history?turn={turn}")
    page.get_by_role("button", name="reused").click()
    page.get_by_text("Edit", exact=True).click()
    expect(page.get_by_text("The answer becomes curated")).to_be_visible()
    assert violations(page) == []
    page.get_by_test_id("stBaseButton-primaryFormSubmit").click()
    expect(main(page).get_by_text("curated on").first).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Delete …").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_text("No saved answers yet")).to_be_visible()
