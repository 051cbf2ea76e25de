from __future__ import annotations

import time
from collections.abc import Callable

from langchain_core.language_models.fake_chat_models import FakeListChatModel

from chatbot.assembly import Chatbot
from tests.ui.conftest import MakeChatbot
from tests.ui.scripted import Dead, Endless
from tests.ui.valve_corpus import LATEST, QUESTION
from ui.asking import Asking, OpenQuestions, Question
from ui.progress import State


def begin(chatbot: Chatbot, text: str) -> tuple[OpenQuestions, Asking]:
    questions = OpenQuestions(chatbot)
    conversation = chatbot.conversations.start("valve", text)
    return questions, questions.ask(Question(text, conversation, after=0))


def wait_until(condition: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.01)


def test_an_answer_is_kept_in_its_conversation_and_no_longer_open(valve: MakeChatbot) -> None:
    chatbot = valve(None)
    questions, asking = begin(chatbot, QUESTION)

    assert asking.wait(30).state is State.ANSWERED

    conversation = asking.question.conversation
    assert [t.question for t in chatbot.conversations.turns(conversation)] == [QUESTION]
    assert questions.of(conversation) == ()
    assert asking.progress.done[:3] == ("clarification", "inventory", "release_extraction")


def test_a_running_question_is_stopped_and_kept(valve: MakeChatbot) -> None:
    chatbot = valve(Endless())
    questions, asking = begin(chatbot, LATEST)
    wait_until(lambda: "word word" in asking.progress.written)

    asking.stop()

    assert asking.wait(10).state is State.STOPPED
    assert questions.of(asking.question.conversation) == (asking,)
    assert chatbot.conversations.turns(asking.question.conversation) == ()


def test_a_dead_model_is_told_in_its_own_words(valve: MakeChatbot) -> None:
    _, asking = begin(valve(Dead()), LATEST)

    progress = asking.wait(30)

    assert (progress.state, progress.refused) == (State.FAILED, False)
    assert progress.message == "the model does not answer: run `strata models pull`"


def test_a_failure_that_nobody_expected_keeps_the_question_too(valve: MakeChatbot) -> None:
    questions, asking = begin(valve(Dead(error=ZeroDivisionError("a bug"))), LATEST)

    assert asking.wait(30).state is State.FAILED
    assert "ZeroDivisionError" in asking.progress.message
    assert questions.of(asking.question.conversation) == (asking,)


def test_a_question_that_is_too_long_is_refused(valve: MakeChatbot) -> None:
    _, asking = begin(valve(None), "x" * 50_000)

    assert asking.wait(30).refused
    assert "50,000" in asking.progress.message


def test_a_question_waits_for_the_one_before_it(valve: MakeChatbot) -> None:
    chatbot = valve(FakeListChatModel(responses=["90 days"], sleep=0.05))
    questions, first = begin(chatbot, LATEST)
    second = questions.ask(Question("And in 1.0?", first.question.conversation, after=0))

    assert second.question.after == 1
    assert second.wait(30).state is State.ANSWERED
    turns = chatbot.conversations.turns(first.question.conversation)
    assert [t.question for t in turns] == [LATEST, "And in 1.0?"]
    assert turns[1].reply["release"] == "1.0"


def test_a_waiting_question_can_be_stopped(valve: MakeChatbot) -> None:
    questions, first = begin(valve(Endless()), LATEST)
    second = questions.ask(Question(QUESTION, first.question.conversation, after=0))

    second.stop()
    assert second.wait(10).state is State.STOPPED
    assert first.is_running
    first.stop()
    assert first.wait(10).state is State.STOPPED


def test_a_question_that_is_asked_anew_is_forgotten(valve: MakeChatbot) -> None:
    questions, asking = begin(valve(Dead()), LATEST)
    asking.wait(30)

    questions.drop(asking)

    assert questions.of(asking.question.conversation) == ()
