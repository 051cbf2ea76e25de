from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from langchain_core.language_models.fake_chat_models import FakeListChatModel

from chatbot.chatbot import Chatbot
from chatbot.conversations.open_questions import OpenQuestions, Question, State
from chatbot.errors import GeneratorError, UnknownConversation
from chatbot.memory.pairs import NewPair, Score, ScoreOrigin
from chatbot.settings import Settings
from corpora.catalog.catalog import require_release
from tests.ui.conftest import MakeChatbot
from tests.ui.pages import button, open_page, settle, texts
from tests.ui.scripted import Dead, Endless
from tests.ui.valve_corpus import LATEST, QUESTION
from ui.serving import asking as asking_module
from ui.serving.asking import QuestionRunner, RunningQuestion
from ui.wording.failures import INTERNAL_ERROR

ROOT = Path(__file__).parents[2]
SAVED = "What is the default of hold_time?"


def begin(chatbot: Chatbot, text: str) -> tuple[QuestionRunner, RunningQuestion]:
    questions = QuestionRunner(chatbot)
    conversation = chatbot.conversations.start("valve", text)
    return questions, questions.ask(Question(text, conversation))


def wait_until(condition: Callable[[], bool], seconds: float = 20) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.01)


def kept(questions: QuestionRunner, asking: RunningQuestion) -> list[tuple[str, State]]:
    shown = questions.of(asking.question.conversation, "")
    return [(pending.id, pending.progress.state) for pending in shown]


def test_a_running_question_is_stopped_and_kept(valve: MakeChatbot) -> None:
    chatbot = valve(Endless())
    questions, asking = begin(chatbot, LATEST)
    wait_until(lambda: "word word" in asking.progress.written)

    questions.stop(asking.id)

    assert asking.wait(10).state is State.STOPPED
    assert kept(questions, asking) == [(asking.id, State.STOPPED)]
    assert kept(QuestionRunner(chatbot), asking) == [(asking.id, State.STOPPED)]
    assert chatbot.conversations.turns(asking.question.conversation) == ()


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (GeneratorError("the model does not answer"), "the model does not answer"),
        (ZeroDivisionError("a bug"), INTERNAL_ERROR),
    ],
)
def test_a_question_that_failed_is_kept_with_what_is_told_of_it(
    valve: MakeChatbot, error: Exception, told: str
) -> None:
    chatbot = valve(Dead(error=error))
    questions, asking = begin(chatbot, LATEST)
    progress = asking.wait(30)
    assert (progress.state, progress.refused, progress.message) == (State.FAILED, False, told)
    for server in (questions, QuestionRunner(chatbot)):
        assert kept(server, asking) == [(asking.id, State.FAILED)]
        assert server.of(asking.question.conversation, "")[0].progress.message == told


def test_a_question_above_the_limit_is_kept_with_what_the_limit_is(
    valve: MakeChatbot, valve_settings: Settings
) -> None:
    chatbot = valve(None, valve_settings.model_copy(update={"questions_per_minute": 1}))
    conversation = chatbot.conversations.of("ada").start("valve", QUESTION)
    questions = QuestionRunner(chatbot)
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
    assert kept(questions, first) == []


def test_a_waiting_question_can_be_stopped(valve: MakeChatbot) -> None:
    questions, first = begin(valve(Endless()), LATEST)
    second = questions.ask(Question(QUESTION, first.question.conversation))

    second.stop()
    assert second.wait(10).state is State.STOPPED
    assert first.progress.is_running
    first.stop()
    assert first.wait(10).state is State.STOPPED


def test_a_click_on_an_offer_stops_the_writing_and_gives_the_saved_answer(
    valve: MakeChatbot, valve_settings: Settings
) -> None:
    chatbot = valve(Endless(), valve_settings.model_copy(update={"memory": "on"}))
    memory, read = chatbot.memory, chatbot.memory.reader.read(SAVED, "valve")
    with chatbot.database.reading() as session:
        release = require_release(session, "valve", "2.0").id
    score = Score(1.0, ScoreOrigin.IMPORTED, datetime.now(UTC))
    answer = {"text": "It is 45 s.", "value": "It is 45 s.", "citations": []}
    pair = memory.stores.add(release, NewPair(read, answer, score)).pair
    questions, asking = begin(chatbot, "Which default does hold_time have in 2.0?")
    wait_until(lambda: asking.progress.offer is not None)
    assert asking.progress.offer
    assert asking.progress.offer.question == SAVED
    questions.take_offer(asking.id, pair or 0)
    assert asking.progress.state is State.STOPPED
    wait_until(lambda: kept(questions, asking) == [])
    (turn,) = chatbot.conversations.turns(asking.question.conversation)
    assert (turn.reply.route, [p.id for p in turn.reply.memory.pairs]) == ("reuse", [pair])
    questions.take_offer(asking.id, pair or 0)
    assert len(chatbot.conversations.turns(asking.question.conversation)) == 1


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
