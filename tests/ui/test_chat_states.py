"""What the page shows while a question waits, is answered by the paper's chain, or fails."""

from __future__ import annotations

import pytest
from langchain_core.language_models import BaseChatModel
from streamlit.testing.v1 import AppTest

from chatbot.chatbot import Chatbot
from chatbot.models.scripted import Rule, ScriptedChatModel
from chatbot.models.served import ServedChatModel
from chatbot.settings import Settings
from corpora.database.history_tables import TurnRow
from tests.chatbot import lamp
from tests.chatbot.small_server import Answer, raw, refuses, serving, words
from tests.ui.conftest import MakeChatbot
from tests.ui.pages import ask, button, open_page, settle, texts
from tests.ui.scripted import Endless
from tests.ui.valve_corpus import LATEST, QUESTION

READ = lamp.reading("How long is the pressure log kept?", search="pressure log kept")
COPIED = '{"needs": "days", "spans": ["The pressure log is kept for 90 days."]}'


def paper(settings: Settings) -> Settings:
    return settings.model_copy(update={"profile": "qamr", "selection": "listwise"})


def script(*, reading: str = COPIED) -> ScriptedChatModel:
    """Answers every step of the paper's chain on the pressure log."""
    return ScriptedChatModel(
        rules=(
            READ,
            Rule(contains="Documentation of valve", reply="It is kept for 90 days [1]."),
            Rule(contains="<chunk section=", reply=reading),
            Rule(contains="<chunk ", reply='{"order": [1, 2, 3]}'),
        ),
        otherwise="I cannot",
    )


def labels(page: AppTest) -> list[str]:
    return [b.label for b in page.button]


def test_who_waits_sees_the_place_in_the_queue_and_can_stop(valve: MakeChatbot) -> None:
    valve(Endless())
    first, second = open_page(), open_page()
    first.chat_input[0].set_value(LATEST).run()
    second.chat_input[0].set_value(LATEST).run()
    while "Waiting" not in texts(second):
        second.run()
    assert ":gray[Waiting\\: 1 in line…]" in texts(second)
    assert "Waiting" not in texts(first)
    settle(button(second, "Stop"))
    assert "Stopped." in texts(second)
    settle(button(first, "Stop"))


def test_the_papers_chain_answers_in_a_sentence_with_its_source(
    valve: MakeChatbot, valve_settings: Settings
) -> None:
    valve(script(), paper(valve_settings))
    page = ask(open_page(), LATEST)
    assert "It is kept for 90 days\xa0[\\[1\\]](#source-" in texts(page)
    assert [e.label for e in page.expander] == ["How this was found"]
    button(page, "**1**  Valve reference")
    assert "kept for 90 days" in texts(page)
    assert ":yellow-background[" in texts(page)


def test_a_step_that_fell_back_is_told_in_one_line_with_its_reason_behind_it(
    valve: MakeChatbot, valve_settings: Settings
) -> None:
    valve(script(reading="I cannot"), paper(valve_settings))
    page = ask(open_page(), LATEST)
    assert "90 days" in texts(page)
    assert [e.label for e in page.expander] == ["How this was found"]
    told = page.expander[0].caption[1].value.replace("\\", "")
    assert told.startswith("Without the language model: reading what was found (3 of 3 chunks: ")


def test_an_answer_that_says_nothing_of_its_steps_is_still_shown(valve: MakeChatbot) -> None:
    chatbot = valve(None)
    new = {"fallbacks", "sides", "seconds", "model", "nearest", "found_in"}
    reply = chatbot.ask(QUESTION).content
    conversation = chatbot.conversations.start("valve", QUESTION)
    kept = chatbot.conversations.add(conversation, QUESTION, reply)
    with chatbot.database.writing() as session:
        row = session.get_one(TurnRow, kept)
        row.answer = {
            key: value for key, value in reply.model_dump(mode="json").items() if key not in new
        }
    assert "45" in texts(open_page(conversation))


def test_the_catalog_answers_in_a_sentence_and_nothing_else(valve: MakeChatbot) -> None:
    valve(None)
    page = ask(open_page(), "Which releases do you know?")
    assert "of valve documented here" in texts(page)
    assert "from the catalog" in texts(page)
    assert "orange-badge" not in texts(page)
    assert not [label for label in labels(page) if label.startswith("**")]


@pytest.mark.parametrize(("reply", "value"), [("1.0", "20"), ("the newest", "45")])
def test_a_question_back_is_answered_by_typing(valve: MakeChatbot, reply: str, value: str) -> None:
    valve(None)
    page = ask(open_page(), "What is the default of hold_time in 7.5?")
    assert labels(page)[:2] == ["2\\.0", "1\\.0"]
    ask(page, reply)
    assert value in texts(page)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (refuses(429, "busy"), "is overloaded"),
        (refuses(404, "no such model"), "set STRATA_MODEL to a model that it serves"),
        (raw("", pause=2), "sent nothing for 0.5 seconds"),
    ],
)
def test_a_server_that_fails_is_told_and_the_question_can_be_asked_again(
    valve: MakeChatbot, answer: Answer, told: str
) -> None:
    with serving(answer) as server:
        valve(served(server.url))
        page = ask(open_page(), "Which releases do you know?")
        ask(page, LATEST)
        assert told in page.error[0].value.replace("\\", "").replace("`", "")
        assert server.url in page.error[0].value.replace("\\", "")
        server.answers[:] = [words("90 days")]
        settle(button(page, "Ask again"))
    assert not page.error
    assert "of valve documented here" in texts(page)
    assert "90 days" in texts(page)


def test_a_server_that_is_gone_is_told(valve: MakeChatbot) -> None:
    with serving(words("never")) as server:
        pass
    valve(served(server.url))
    page = ask(open_page(), LATEST)
    assert "start it, or correct STRATA" in page.error[0].value.replace("\\", "")
    assert "Ask again" in labels(page)


def served(url: str) -> BaseChatModel:
    return ServedChatModel(url=url, model="m", retries=0, timeout=0.5)


def test_a_profile_that_needs_a_model_says_so(valve: MakeChatbot, valve_settings: Settings) -> None:
    chatbot: Chatbot = valve(None, paper(valve_settings))
    page = ask(open_page(), LATEST)
    assert "the profile qamr needs a language model" in page.error[0].value
    assert chatbot.products()
