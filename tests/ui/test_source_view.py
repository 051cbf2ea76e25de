from dataclasses import replace

import pytest
from streamlit.testing.v1 import AppTest

from chatbot.chatbot import Chatbot
from chatbot.turn import Citation
from tests.ui.conftest import MakeChatbot
from tests.ui.pages import button, texts

TORQUE = "The cover screw needs a torque of 4.5 N m."


@pytest.fixture
def chatbot(valve: MakeChatbot) -> Chatbot:
    return valve(None)


def citation(chatbot: Chatbot, quote: str) -> Citation:
    """Of the page of release 2.0 that has these words."""
    corpus = chatbot.corpora.corpus("valve", "2.0")
    pages = (page for document in corpus.documents() for page in corpus.pages_of(document.id))
    page = next(page for page in pages if quote in page.text)
    title, file = page.document.title, page.document.file
    return Citation(title, file, "2.0", page.number, "", None, quote, page.id)


def panel(cited: Citation) -> AppTest:
    """The panel alone, without the chat below it."""

    def script() -> None:
        import streamlit as st

        from ui.sources.source_view import source_panel

        source_panel("valve", st.session_state["cited"])

    opened = AppTest.from_function(script, default_timeout=30)
    opened.session_state["cited"] = cited
    opened.run()
    assert not opened.exception
    return opened


@pytest.mark.parametrize(
    ("quote", "marked", "place", "pictures"),
    [
        ("hold_time — 45 — s", ":yellow-background[45]", "reference\\.html", 0),
        (TORQUE, "", "mounting\\.pdf › page 2", 1),
    ],
)
def test_a_page_is_clean_text_with_the_quote_marked_or_a_picture(
    chatbot: Chatbot, quote: str, marked: str, place: str, pictures: int
) -> None:
    opened = panel(citation(chatbot, quote))
    assert ":primary-badge[valve 2\\.0]" in texts(opened)
    assert marked in texts(opened)
    assert place in texts(opened)
    assert len(opened.get("image")) == pictures


def test_going_on_in_another_release_stays_there(chatbot: Chatbot) -> None:
    opened = panel(citation(chatbot, TORQUE))
    opened.segmented_control[0].set_value("1.0").run()
    button(opened, "Previous page")
    assert ":orange-badge[valve 1\\.0]" in texts(opened)
    assert "mounting\\.pdf › page 1" in texts(opened)
    assert opened.segmented_control[0].value == "1.0"
    button(opened, "Back to the source")
    assert ":primary-badge[valve 2\\.0]" in texts(opened)
    assert "mounting\\.pdf › page 2" in texts(opened)


def test_a_page_that_is_gone_is_told(chatbot: Chatbot) -> None:
    cited = replace(citation(chatbot, "hold_time — 45 — s"), page_id=99_999)
    assert "has no page 99999" in panel(cited).error[0].value.replace("\\", "")


def test_a_file_that_is_gone_leaves_the_text(
    chatbot: Chatbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(content_hash: str) -> bytes:
        raise LookupError(f"valve 2.0 has no file {content_hash}.")

    monkeypatch.setattr(chatbot.corpora.corpus("valve", "2.0"), "original", gone)
    opened = panel(citation(chatbot, TORQUE))
    assert "has no file" in opened.info[0].value
    assert "cover screw" in texts(opened)
