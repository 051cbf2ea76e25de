from __future__ import annotations

from streamlit.testing.v1 import AppTest

from chatbot.chatbot import Chatbot
from chatbot.conversations.feedback import DOWN, UP, Feedback
from tests.ui.conftest import MakeChatbot
from tests.ui.pages import button, open_page, settle, texts
from tests.ui.valve_corpus import LATEST, QUESTION


def answered(chatbot: Chatbot, *questions: str) -> tuple[AppTest, list[int]]:
    """The page of a conversation with these questions, and the ids of its turns."""
    conversation = chatbot.conversations.start("valve", questions[0])
    for question in questions:
        chatbot.ask(question, product="valve", conversation=conversation)
    turns = chatbot.conversations.turns(conversation)
    return open_page(conversation), [turn.id for turn in turns]


def opened(page: AppTest) -> str:
    """The conversation that the address names."""
    named = page.query_params["conversation"]
    return named if isinstance(named, str) else named[0]


def kept(chatbot: Chatbot, turn: int) -> tuple[int, str, str] | None:
    said = Feedback(chatbot.database).of([turn]).get(turn)
    return (said.thumbs, said.reason, said.comment) if said else None


def thumb(page: AppTest, turn: int, value: int | None) -> AppTest:
    page.feedback(key=f"thumbs-{turn}").set_value(value).run()
    assert not page.exception
    return page


def questions(page: AppTest) -> list[str]:
    return [m.markdown[0].value for m in page.chat_message if m.name == "user"]


def test_only_the_last_question_can_be_asked_anew(valve: MakeChatbot) -> None:
    page, turns = answered(valve(None), QUESTION, LATEST)
    regenerates = [b.key for b in page.button if b.label == "Regenerate"]
    assert regenerates == [f"regenerate-{turns[-1]}"]
    settle(button(page, "Regenerate"))
    assert [text.replace("\\", "") for text in questions(page)] == [QUESTION, LATEST]
    assert f"regenerate-{turns[-1]}" not in [b.key for b in page.button]


def test_an_edited_question_takes_the_place_of_the_one_before(valve: MakeChatbot) -> None:
    page, turns = answered(valve(None), QUESTION)
    page.text_area(key=f"edited-{turns[0]}").set_value(QUESTION.replace("2.0", "1.0"))
    settle(button(page, "Ask"))
    assert [text.replace("\\", "") for text in questions(page)] == [QUESTION.replace("2.0", "1.0")]
    assert "20" in texts(page)
    assert "45 s" not in texts(page)


def test_a_release_that_was_chosen_is_kept_and_one_that_is_edited_out_is_not(
    valve: MakeChatbot,
) -> None:
    chatbot = valve(None)
    conversation = chatbot.conversations.start("valve", LATEST)
    chatbot.ask(LATEST, product="valve", release="1.0", conversation=conversation)
    assert "valve 1\\.0]" in texts(settle(button(open_page(conversation), "Regenerate")))
    page, turns = answered(chatbot, QUESTION.replace("2.0", "1.0"))
    page.text_area(key=f"edited-{turns[0]}").set_value("What is the default of hold_time?")
    assert "valve 2\\.0]" in texts(settle(button(page, "Ask")))


def test_thumbs_are_kept_with_reason_and_comment_changed_and_withdrawn(valve: MakeChatbot) -> None:
    chatbot = valve(None)
    page, (turn,) = answered(chatbot, QUESTION)
    thumb(page, turn, 1)
    assert kept(chatbot, turn) == (UP, "", "")
    thumb(page, turn, 0)
    page.button_group(key=f"reason-{turn}").set_value("wrong release")
    page.text_area(key=f"comment-{turn}").set_value("It is from 1.0.")
    button(page, "Send feedback")
    assert kept(chatbot, turn) == (DOWN, "wrong release", "It is from 1.0.")
    again = open_page(opened(page))
    assert again.feedback(key=f"thumbs-{turn}").value == 0
    button(again, "Change")
    assert again.text_area(key=f"comment-{turn}").value == "It is from 1.0."
    thumb(again, turn, None)
    assert kept(chatbot, turn) is None


def test_an_answer_that_is_gone_is_told(valve: MakeChatbot) -> None:
    chatbot = valve(None)
    page, (turn,) = answered(chatbot, QUESTION)
    chatbot.conversations.delete(opened(page))
    thumb(page, turn, 1)
    assert page.toast
