from __future__ import annotations

from pathlib import Path

from langchain_core.language_models.fake_chat_models import FakeListChatModel

from chatbot.chatbot import Chatbot
from chatbot.conversations.open_questions import Question
from chatbot.settings import Settings
from tests.ui.conftest import MakeChatbot
from tests.ui.pages import ask, button, open_page, settle, texts
from tests.ui.scripted import Dead, Endless
from tests.ui.valve_corpus import LATEST, QUESTION
from ui.serving import services
from ui.serving.asking import Askings


def test_an_empty_page_names_product_and_releases(valve: MakeChatbot) -> None:
    valve(None)
    page = open_page()
    assert page.title[0].value == "Ask about valve"
    assert page.selectbox[0].options == ["valve"]
    assert ":primary-badge[2\\.0 · latest] :gray-badge[1\\.0]" in texts(page)


def test_the_release_of_the_next_question_stands_out(valve: MakeChatbot) -> None:
    valve(None)
    page = ask(open_page(), "What is the default of hold_time in 1.0?")
    assert ":gray-badge[2\\.0 · latest] :primary-badge[1\\.0]" in texts(page)
    told = [caption.value for caption in page.caption]
    assert "The next question is about 1\\.0 unless it names another." in told
    button(page, "New conversation")
    assert ":primary-badge[2\\.0 · latest]" in texts(page)


def test_an_answer_shows_release_reason_and_sources(valve: MakeChatbot) -> None:
    valve(None)
    page = ask(open_page(), QUESTION)
    assert "valve 2\\.0]" in texts(page)
    assert "you said" in texts(page)
    assert "45" in texts(page)
    assert any(b.label == "**1**  Valve reference · Timers" for b in page.button)


def test_a_source_opens_with_the_quoted_words_marked(valve: MakeChatbot) -> None:
    valve(None)
    page = ask(open_page(), QUESTION)
    button(page, "**1**")
    assert ":yellow-background[45]" in texts(page)


def test_a_conversation_comes_back_by_its_address(valve: MakeChatbot) -> None:
    valve(None)
    conversation = ask(open_page(), QUESTION).query_params["conversation"]
    again = open_page(conversation)
    assert QUESTION.replace(".", "\\.").replace("_", "\\_").replace("?", "\\?") in texts(again)
    button(again, "New conversation")
    assert "conversation" not in again.query_params
    assert "45" not in texts(again)


def test_an_answer_can_be_linked_to(valve: MakeChatbot) -> None:
    chatbot = valve(None)
    page = ask(ask(open_page(), QUESTION), LATEST)
    conversation = page.query_params["conversation"]
    turn = chatbot.conversations.turns(conversation)[0].id

    linked = open_page(conversation, turn)
    assert "45" in texts(linked)
    assert linked.query_params["turn"] == str(turn)
    ask(linked, "What is the default of drain_time?")
    assert "turn" not in linked.query_params

    gone = open_page(conversation, 10**9)
    assert gone.toast[0].value == "This answer is no longer part of the conversation."
    assert "45" in texts(gone)


def test_the_conversation_of_another_is_not_there(valve: MakeChatbot) -> None:
    chatbot = valve(None)
    others = chatbot.conversations.of("somebody")
    conversation = others.start("valve", QUESTION)
    chatbot.ask(QUESTION, conversation=conversation, owner="somebody")
    asking = Askings(chatbot).ask(Question("x" * 50_000, conversation, "somebody"))
    assert asking.wait(30).refused

    page = open_page(conversation)

    assert "conversation" not in page.query_params
    assert "no longer exists" in page.toast[0].value
    assert "45" not in texts(page)
    assert not page.error


def test_an_answer_that_is_asked_anew_is_not_shown_meanwhile_and_stands_again_if_stopped(
    valve: MakeChatbot,
) -> None:
    chatbot = valve(None)
    conversation = chatbot.conversations.start("valve", QUESTION)
    old = chatbot.ask(QUESTION, conversation=conversation).kept_as
    again(chatbot, Endless())
    asking = services.open_questions().ask(Question(LATEST, conversation, instead_of=old))
    page = open_page(conversation)
    assert "45" not in texts(page)
    assert LATEST.replace("?", "\\?") in texts(page)
    settle(button(page, "Stop"))
    assert asking.wait(10)
    shown = texts(page)
    assert shown.index("45") < shown.index(LATEST.replace("?", "\\?")) < shown.index("Stopped")

    again(chatbot, FakeListChatModel(responses=["90 days"]))
    settle(button(page, "Ask again"))
    assert "90 days" in texts(page)
    assert "45" not in texts(page)


def test_a_question_that_was_stopped_can_be_discarded(valve: MakeChatbot) -> None:
    valve(Dead())
    page = ask(open_page(), LATEST)
    button(page, "Discard")
    assert not page.error
    assert "conversation" in page.query_params


def test_a_question_in_a_conversation_that_was_deleted_meanwhile_begins_a_new_one(
    valve: MakeChatbot,
) -> None:
    chatbot = valve(None)
    page = ask(open_page(), LATEST)
    before = page.query_params["conversation"]
    chatbot.conversations.delete(before)
    ask(page, QUESTION)
    assert page.query_params["conversation"] != before
    assert "45" in texts(page)


def test_a_conversation_that_is_not_there_gives_way_to_a_new_one(valve: MakeChatbot) -> None:
    valve(None)
    page = open_page("nothing")
    assert page.title[0].value == "Ask about valve"
    assert "conversation" not in page.query_params


def test_an_unknown_release_is_asked_back_and_chosen(valve: MakeChatbot) -> None:
    valve(None)
    page = ask(open_page(), "What is the default of hold_time in 7.5?")
    assert "unknown release" in texts(page)
    settle(button(page, "1\\.0"))
    assert "20" in texts(page)


def test_a_follow_up_stays_in_the_release_of_the_conversation(valve: MakeChatbot) -> None:
    valve(None)
    page = ask(open_page(), "What is the default of hold_time in 1.0?")
    ask(page, "What is the default of drain_time?")
    assert texts(page).count("valve 1\\.0]") == 2


def test_a_running_question_is_stopped_and_asked_again(valve: MakeChatbot) -> None:
    chatbot = valve(Endless())
    page = open_page()
    page.chat_input[0].set_value(LATEST).run()
    button(page, "Stop")
    settle(page)
    assert "Stopped" in texts(page)
    again(chatbot, FakeListChatModel(responses=["90 days"]))
    settle(button(page, "Ask again"))
    assert "90 days" in texts(page)
    assert "Stopped" not in texts(page)


def test_a_dead_model_is_told_and_the_question_kept(valve: MakeChatbot) -> None:
    chatbot = valve(Dead())
    page = ask(open_page(), LATEST)
    assert page.error[0].value.startswith("No answer: the model does not answer")
    assert LATEST.replace("?", "\\?") in texts(page)
    again(chatbot, FakeListChatModel(responses=["90 days"]))
    settle(button(page, "Ask again"))
    assert "90 days" in texts(page)
    assert not page.error


def test_a_question_that_is_too_long_can_be_shortened(valve: MakeChatbot) -> None:
    valve(None)
    page = ask(open_page(), "why " * 12_500)
    assert "49,999 characters" in page.error[0].value.replace("\\", "")
    assert len(page.text_area[0].value) >= 49_999
    page.text_area[0].set_value(QUESTION)
    settle(button(page, "Ask again"))
    assert "45" in texts(page)


def test_without_documentation_the_page_says_what_to_do(valve: MakeChatbot, tmp_path: Path) -> None:
    valve(None, Settings(data_dir=tmp_path / "data", generator="none"))
    page = open_page()
    assert page.title[0].value == "No documentation yet"
    assert not page.chat_input


def again(chatbot: Chatbot, model: FakeListChatModel) -> None:
    """Let the chatbot have another model from now on."""
    object.__setattr__(chatbot, "model", model)
    for made in ("_parts", "_profile", "_chain"):
        chatbot.__dict__.pop(made, None)
