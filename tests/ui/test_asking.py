from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from chatbot.chatbot import Chatbot
from chatbot.conversations.conversations import UnknownConversation
from chatbot.conversations.open_questions import OpenQuestions, Question, State
from chatbot.runtime.events import Event, StepFinished
from chatbot.settings import Settings
from tests.ui.conftest import MakeChatbot
from tests.ui.pages import button, open_page, settle, texts
from tests.ui.scripted import Dead, Endless
from tests.ui.valve_corpus import LATEST, QUESTION
from ui.serving import asking as asking_module
from ui.serving.asking import Asking, Askings
from ui.wording.failures import UNTOLD

ROOT = Path(__file__).parents[2]


def begin(chatbot: Chatbot, text: str) -> tuple[Askings, Asking]:
    questions = Askings(chatbot)
    conversation = chatbot.conversations.start("valve", text)
    return questions, questions.ask(Question(text, conversation))


def wait_until(condition: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.01)


def kept(questions: Askings, asking: Asking) -> list[tuple[str, State]]:
    shown = questions.of(asking.question.conversation, "")
    return [(pending.id, pending.progress.state) for pending in shown]


def test_an_answer_is_kept_in_its_conversation_and_no_longer_open(valve: MakeChatbot) -> None:
    chatbot = valve(None)
    questions, asking = begin(chatbot, QUESTION)

    assert asking.wait(30).state is State.ANSWERED

    conversation = asking.question.conversation
    assert [t.question for t in chatbot.conversations.turns(conversation)] == [QUESTION]
    assert kept(questions, asking) == []


def test_the_steps_tell_what_they_found(valve: MakeChatbot) -> None:
    _, asking = begin(valve(None), QUESTION)

    found = asking.wait(30).found

    assert found["release_extraction"] == "2.0"
    assert found["context_retrieval"].endswith(" pages")


def test_a_question_that_is_asked_back_tells_of_no_further_steps(valve: MakeChatbot) -> None:
    heard: list[Event] = []
    valve(None).ask("What is the default of hold_time in 7.5?", listener=heard.append)
    assert heard[-1] == StepFinished("release_extraction")


def test_a_running_question_is_stopped_and_kept(valve: MakeChatbot) -> None:
    chatbot = valve(Endless())
    questions, asking = begin(chatbot, LATEST)
    wait_until(lambda: "word word" in asking.progress.written)

    questions.stop(asking.id)

    assert asking.wait(10).state is State.STOPPED
    assert kept(questions, asking) == [(asking.id, State.STOPPED)]
    assert kept(Askings(chatbot), asking) == [(asking.id, State.STOPPED)]
    assert chatbot.conversations.turns(asking.question.conversation) == ()


def test_a_dead_model_is_told_in_its_own_words(valve: MakeChatbot) -> None:
    chatbot = valve(Dead())
    _, asking = begin(chatbot, LATEST)

    progress = asking.wait(30)

    assert (progress.state, progress.refused) == (State.FAILED, False)
    assert progress.message == "the model does not answer: run `strata models pull`"
    after_restart = Askings(chatbot).of(asking.question.conversation, "")
    assert after_restart[0].progress.message == progress.message


def test_a_failure_that_nobody_expected_keeps_the_question_too(valve: MakeChatbot) -> None:
    questions, asking = begin(valve(Dead(error=ZeroDivisionError("a bug"))), LATEST)

    assert asking.wait(30).state is State.FAILED
    assert asking.progress.message == UNTOLD
    assert kept(questions, asking) == [(asking.id, State.FAILED)]


def test_a_question_that_is_too_long_is_refused(valve: MakeChatbot) -> None:
    _, asking = begin(valve(None), "x" * 50_000)

    assert asking.wait(30).refused
    assert "50,000" in asking.progress.message


def test_a_question_above_the_limit_is_kept_with_what_the_limit_is(
    valve: MakeChatbot, valve_settings: Settings
) -> None:
    chatbot = valve(None, valve_settings.model_copy(update={"questions_per_minute": 1}))
    conversation = chatbot.conversations.of("ada").start("valve", QUESTION)
    questions = Askings(chatbot)
    asked = Question(QUESTION, conversation, "ada")

    first, second = questions.ask(asked), questions.ask(asked)

    assert first.wait(30).state is State.ANSWERED
    assert second.wait(30).state is State.FAILED
    kept = questions.of(conversation, "ada")
    assert [pending.id for pending in kept] == [second.id]
    assert "limit of 1 question" in kept[0].progress.message


def test_a_question_waits_for_the_one_before_it(valve: MakeChatbot) -> None:
    chatbot = valve(FakeListChatModel(responses=["90 days"], sleep=0.05))
    questions, first = begin(chatbot, LATEST)
    second = questions.ask(Question("And in 1.0?", first.question.conversation))

    assert second.wait(30).state is State.ANSWERED
    turns = chatbot.conversations.turns(first.question.conversation)
    assert [t.question for t in turns] == [LATEST, "And in 1.0?"]
    assert turns[1].reply.release == "1.0"


def test_a_waiting_question_can_be_stopped(valve: MakeChatbot) -> None:
    questions, first = begin(valve(Endless()), LATEST)
    second = questions.ask(Question(QUESTION, first.question.conversation))

    second.stop()
    assert second.wait(10).state is State.STOPPED
    assert first.progress.is_running
    first.stop()
    assert first.wait(10).state is State.STOPPED


def test_a_question_that_is_asked_anew_is_forgotten(valve: MakeChatbot) -> None:
    questions, asking = begin(valve(Dead()), LATEST)
    asking.wait(30)

    questions.drop(asking.id)

    assert kept(questions, asking) == []


def test_a_question_asked_anew_takes_the_place_of_its_turn(valve: MakeChatbot) -> None:
    chatbot = valve(None)
    questions, first = begin(chatbot, QUESTION)
    first.wait(30)
    old = chatbot.conversations.turns(first.question.conversation)[0]

    questions.ask(replace(first.question, text=LATEST, instead_of=old.id)).wait(30)

    turns = chatbot.conversations.turns(first.question.conversation)
    assert [t.question for t in turns] == [LATEST]


def test_questions_of_a_deleted_conversation_stop(
    valve: MakeChatbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking_module, "HEARTBEAT_SECONDS", 0.05)
    chatbot = valve(Endless())
    questions, first = begin(chatbot, LATEST)
    chatbot.conversations.delete(first.question.conversation)
    assert first.wait(10).state is State.STOPPED

    _, second = begin(chatbot, LATEST)
    OpenQuestions(chatbot.database, "another/1/0").stop(second.id)
    assert second.wait(10).state is State.STOPPED
    with pytest.raises(UnknownConversation):
        questions.ask(first.question)


def test_a_question_whose_server_was_killed_can_be_asked_again(
    valve: MakeChatbot, valve_settings: Settings
) -> None:
    where = (str(valve_settings.data_dir), valve_settings.database)
    command = [sys.executable, "-m", "tests.ui.asking_process", *where]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        conversation = server.stdout.readline().strip()
        valve(None)
        assert "Another server is answering this" in texts(open_page(conversation))
        server.kill()

    page = open_page(conversation)
    assert "Stopped. The server was restarted" in texts(page)
    settle(button(page, "Ask again"))
    assert "that fits best" in texts(page)
    assert "Stopped" not in texts(page)
