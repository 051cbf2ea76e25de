"""An answer is given, given again, had afresh, and looked at by an admin, in a real browser."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import delete, func, select

from chatbot.assembly import open_embedder
from chatbot.memory.pairs import ScoreOrigin, Thresholds, new_pair
from chatbot.memory.questions import QuestionReader
from chatbot.memory.stores.stores import Stores
from chatbot.settings import Settings
from corpora.catalog.catalog import require_release
from corpora.database.engine import Database, open_database
from corpora.database.history_tables import ConversationRow, TurnRow
from corpora.database.memory_tables import MemoryPairRow
from tests.browser.chat import SLOW, ask, choose_product, fits, last_answer, main, settle
from tests.browser.conftest import OpenPage, strata_serves
from tests.browser.test_accessibility import Colours, both, violations
from tests.ui.valve_corpus import QUESTION

pytestmark = pytest.mark.browser

SAVED = "What is the default of hold_time?"
AGAIN = "In 2.0, what is the default of hold_time"
"""The same words; where the release stands does not matter."""


@dataclass(frozen=True)
class Server:
    """A server and its database."""

    address: str
    database: Database

    @property
    def newest_turn(self) -> int:
        with self.database.reading() as session:
            return session.scalar(select(func.max(TurnRow.id))) or 0


@pytest.fixture(scope="module")
def server(documentation: Settings, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on a copy of the documentation, with a model that knows one answer."""
    folder = tmp_path_factory.mktemp("remembering")
    data = shutil.copytree(documentation.data_dir, folder / "data")
    settings = documentation.model_copy(update={"data_dir": data})
    database = open_database(settings.database)
    script = folder / "replies.json"
    said = '{"otherwise": "The default of hold_time is 45 s.", "delay": 0.4}'
    script.write_text(said, "utf-8")
    with strata_serves(settings, backend="scripted", scripted_replies=str(script)) as address:
        yield Server(address, database)
    database.close()


@pytest.fixture
def remembering(server: Server) -> Server:
    """The server without what was said there."""
    with server.database.writing() as session:
        session.execute(delete(ConversationRow))
        session.execute(delete(MemoryPairRow))
    return server


def new_conversation(page: Page) -> None:
    page.get_by_role("button", name="New conversation").click()
    expect(page.get_by_test_id("stChatMessage")).to_have_count(0)


def test_an_answer_is_given_again_and_can_be_had_afresh(
    remembering: Server, open_page: OpenPage
) -> None:
    page = open_page(remembering.address)
    choose_product(page, "valve")
    ask(page, QUESTION)
    assert "Saved answer" not in last_answer(page)
    new_conversation(page)
    ask(page, AGAIN)
    said = page.get_by_test_id("stChatMessage").last
    for part in ("Saved answer", "45", QUESTION.removesuffix(" in 2.0?")):
        expect(said).to_contain_text(part)
    assert violations(page) == []
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(500)
    assert fits(page)
    main(page).get_by_role("button", name="Answer again from the documents").click()
    expect(main(page).get_by_text("Saved answer")).to_have_count(0, timeout=SLOW)
    settle(page)
    expect(said).to_contain_text("45")


@pytest.mark.parametrize("width", [1440, 390])
def test_a_click_on_an_offer_shows_the_saved_answer(
    remembering: Server, open_page: OpenPage, width: int
) -> None:
    read = QuestionReader(open_embedder(Settings())).read(SAVED, "valve")
    answer = {"text": "It is 45 s.", "value": "It is 45 s.", "citations": []}
    with remembering.database.reading() as session:
        release = require_release(session, "valve", "2.0").id
    stores = Stores(remembering.database, Thresholds(0.6, 0.85, 0.8), 10)
    stores.add(release, new_pair(read, answer, origin=ScoreOrigin.IMPORTED))
    page = open_page(remembering.address)
    choose_product(page, "valve")
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
def test_an_admin_follows_an_answer_from_its_trace_and_curates_it(
    remembering: Server, open_page: OpenPage, colours: Colours
) -> None:
    page = open_page(remembering.address, colours=colours)
    choose_product(page, "valve")
    ask(page, QUESTION)
    new_conversation(page)
    ask(page, AGAIN)
    page.goto(f"{remembering.address}/history?turn={remembering.newest_turn}")
    page.get_by_role("button", name="reused").click()
    expect(page.get_by_role("button", name="Promote …")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Promote …").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("A curated answer has the highest score")
    assert violations(page) == []
    dialog.get_by_role("button", name="Promote").click()
    expect(dialog).to_have_count(0)
    expect(main(page).get_by_text("curated").first).to_be_visible()
    page.get_by_role("button", name="Delete …").click()
    dialog.get_by_role("button", name="Delete").click()
    expect(dialog).to_have_count(0)
    expect(page.get_by_text("No saved answers yet")).to_be_visible()
