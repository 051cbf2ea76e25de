"""The chips below an answer, and what is said when its documentation has changed since."""

from streamlit.testing.v1 import AppTest

from chatbot.chatbot import Chatbot
from corpora.building.building import Builder
from tests.ui.conftest import MakeChatbot
from tests.ui.pages import ask, button, open_page, settle, texts
from tests.ui.test_answers import labels
from tests.ui.valve_corpus import LATEST, QUESTION, TORQUE, write_sources


def asked(chatbot: Chatbot, question: str) -> AppTest:
    """The page with an answer, once all releases are read."""
    chatbot.still_true.prepare("valve")
    assert chatbot.still_true.indexes.wait(30)
    return ask(open_page(), question)


def test_a_changed_value_is_told_with_the_words_there_and_asked_there(valve: MakeChatbot) -> None:
    page = asked(valve(None), QUESTION)
    assert labels(page, "still-") == ["1\\.0 ≠", "Compare words"]
    assert ":primary-badge[**2\\.0**]" in texts(page)
    (chip,) = (b for b in page.button if b.label == "1\\.0 ≠")
    told = chip.help.replace("\\", "")
    assert "1.0 has other words. [1] “hold_time — 20 — s”" in told
    answer = page.chat_message[1].markdown[1].value
    assert "20" not in answer
    chip.click().run()
    settle(page)
    assert "1.0" in page.chat_message[2].markdown[0].value.replace("\\", "")
    assert "20" in texts(page)


def test_the_same_words_are_told_as_the_same(valve: MakeChatbot) -> None:
    page = asked(valve(None), TORQUE)
    assert labels(page, "still-") == ["1\\.0 \\="]


def test_the_words_are_put_side_by_side(valve: MakeChatbot) -> None:
    page = button(asked(valve(None), LATEST), "Compare words")
    assert ":red-background[90]" in texts(page)
    assert ":green-background[30]" in texts(page)


def test_nothing_is_waited_for(valve: MakeChatbot) -> None:
    chatbot = valve(None)
    page = ask(open_page(), QUESTION)
    assert chatbot.still_true.indexes.wait(30)
    page.run()
    assert labels(page, "still-") == ["1\\.0 ≠", "Compare words"]


def test_an_old_conversation_says_what_has_changed_since(
    chatbot: Chatbot, tmp_path: object
) -> None:
    page = asked(chatbot, QUESTION)
    assert not page.warning
    settings = chatbot.settings
    source = write_sources(settings.data_dir.parent / "anew", "2.0", "60", "90")
    Builder(chatbot.database, settings.data_dir, chatbot.embedder, workers=1).ingest(
        [source], product="valve", release="2.0"
    )
    (conversation,) = chatbot.conversations.recent()
    asked_again = open_page(conversation.id)
    assert chatbot.still_true.indexes.wait(30)
    asked_again.run()
    (warning,) = asked_again.warning
    assert "now reads “hold_time — 60 — s”" in warning.value.replace("\\", "")
