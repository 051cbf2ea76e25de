import subprocess
import sys
import threading
from dataclasses import replace
from functools import reduce
from pathlib import Path

import pytest

from chatbot.chatbot import Chatbot
from chatbot.conversations.open_questions import OpenQuestions, Question, State
from chatbot.errors import GeneratorError, UnknownConversation
from chatbot.runtime.events import Event, StepFinished, StepStarted, Token, Waiting
from chatbot.settings import Settings
from chatbot.text.languages import in_every_language
from tests.chatbot.memory_bots import Bot
from tests.endurance.site import until
from tests.ui.conftest import MakeChatbot
from tests.ui.pages import button, open_page, settle, texts
from tests.ui.scripted import Dead, Endless
from tests.ui.valve_corpus import LATEST
from ui.serving import asking as asking_module
from ui.serving.asking import QuestionRunner, RunningQuestion
from ui.wording.failures import INTERNAL_ERROR
from ui.wording.progress import QuestionProgress

ROOT = Path(__file__).parents[2]
SAVED = "What is the default of hold_time?"


def begin(
    chatbot: Chatbot, text: str, language: str | None = None
) -> tuple[QuestionRunner, RunningQuestion]:
    questions = QuestionRunner(chatbot)
    conversation = chatbot.conversations.start("valve", text)
    return questions, questions.ask(Question(text, conversation, language=language), chatbot)


def kept(questions: QuestionRunner, asking: RunningQuestion) -> list[tuple[str, State]]:
    shown = questions.of(asking.question.conversation, "")
    return [(pending.id, pending.progress.state) for pending in shown]


def test_a_running_question_is_stopped_and_kept(valve: MakeChatbot) -> None:
    chatbot = valve(Endless())
    questions, asking = begin(chatbot, LATEST)
    questions.wait_for_words(asking.id, 30)
    assert asking.progress.written.startswith("word")

    questions.stop(asking.id)
    questions.wait_for_words(asking.id, 30)

    assert asking.wait(10).state is State.STOPPED
    assert kept(questions, asking) == [(asking.id, State.STOPPED)]
    assert kept(QuestionRunner(chatbot), asking) == [(asking.id, State.STOPPED)]
    assert chatbot.conversations.turns(asking.question.conversation) == ()


@pytest.mark.parametrize(
    ("error", "language", "told"),
    [
        (GeneratorError("the model does not answer"), None, "the model does not answer"),
        (ZeroDivisionError("a bug"), None, INTERNAL_ERROR),
        (ZeroDivisionError("a bug"), "de", in_every_language(INTERNAL_ERROR)[1]),
    ],
)
def test_a_question_that_failed_is_kept_with_what_is_told_of_it(
    valve: MakeChatbot, error: Exception, language: str | None, told: str
) -> None:
    chatbot = valve(Dead(error=error))
    questions, asking = begin(chatbot, LATEST, language)
    progress = asking.wait(30)
    assert (progress.state, progress.refused, progress.message) == (State.FAILED, False, told)
    for server in (questions, QuestionRunner(chatbot)):
        assert kept(server, asking) == [(asking.id, State.FAILED)]
        assert server.of(asking.question.conversation, "")[0].progress.message == told


def test_a_click_on_an_offer_stops_the_writing_and_gives_the_saved_answer(
    valve: MakeChatbot, valve_settings: Settings
) -> None:
    chatbot = valve(Endless(), valve_settings.model_copy(update={"memory": "on"}))
    pair = Bot(chatbot).answered_before(SAVED, "It is 45 s.", "2.0", "valve")
    questions, asking = begin(chatbot, "Which default does hold_time have in 2.0?")
    until(lambda: asking.progress.offer is not None, "it never came true")
    assert asking.progress.offer
    assert asking.progress.offer.question == SAVED
    questions.take_offer(asking.id, pair)
    assert asking.progress.state is State.STOPPED
    until(lambda: kept(questions, asking) == [], "it never came true")
    (turn,) = chatbot.conversations.turns(asking.question.conversation)
    assert (turn.reply.route, [p.id for p in turn.reply.memory.pairs]) == ("reuse", [pair])
    questions.take_offer(asking.id, pair)
    assert len(chatbot.conversations.turns(asking.question.conversation)) == 1


def test_a_page_waits_for_what_is_computed_and_for_no_model(
    valve: MakeChatbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    chatbot = valve(Endless())
    questions, writing = begin(chatbot, LATEST)
    again = chatbot.conversations.start("valve", LATEST)
    in_line = questions.ask(replace(writing.question, conversation=again), chatbot)
    behind = questions.ask(Question("and of mtu?", writing.question.conversation), chatbot)
    questions.let_begin(30)
    assert (writing.progress.is_running, writing.waits.is_set()) == (True, True)
    assert (in_line.progress.place, in_line.waits.is_set()) == (1, True)
    assert behind.waits.is_set()

    computing = threading.Event()
    monkeypatch.setattr(QuestionRunner, "_ask", lambda *_: computing.wait(30))
    slow = questions.ask(replace(writing.question, conversation=again), chatbot)
    questions.let_begin(0.05)
    assert not slow.waits.is_set()
    computing.set()
    questions.let_begin(30)
    assert slow.waits.is_set()
    for asking in (behind, writing, in_line):
        asking.stop()
        asking.wait(10)


def test_questions_of_a_deleted_conversation_stop(
    valve: MakeChatbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking_module, "HEARTBEAT_SECONDS", 0.05)
    chatbot = valve(Endless())
    questions, first = begin(chatbot, LATEST)
    until(lambda: "word" in first.progress.written, "nothing is written")
    chatbot.conversations.delete(first.question.conversation)
    assert first.wait(10).state is State.STOPPED

    _, second = begin(chatbot, LATEST)
    OpenQuestions(chatbot.database, "another/1/0").stop(second.id)
    assert second.wait(10).state is State.STOPPED
    with pytest.raises(UnknownConversation):
        questions.ask(first.question, chatbot)


@pytest.mark.slow
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
    assert "documentation that fits best" in texts(page)
    assert "Stopped" not in texts(page)


ANSWERING, ANSWERED = StepStarted("answer_generation"), StepFinished("answer_generation")
COMPARING = (
    StepStarted("release_extraction"),
    StepFinished("release_extraction", "17.10 and 17.20"),
    StepStarted("comparison"),
    StepStarted("context_retrieval"),
    StepStarted("context_retrieval"),
)


def after(*events: Event) -> QuestionProgress:
    return reduce(QuestionProgress.after, events, QuestionProgress())


def test_one_line_says_what_is_waited_for_or_done_and_with_what() -> None:
    assert after(Waiting(2), Waiting(1)).now == "Waiting: 1 in line…"
    release = (StepStarted("release_extraction"), StepFinished("release_extraction", "17.20"))
    assert after().now == "Reading the question…"
    assert after(Waiting(1), release[0]).now == "Preparing the search…"
    searching = after(*release, StepStarted("context_retrieval"))
    assert searching.now == "Searching the 17.20 documentation…"
    found = (StepFinished("context_retrieval", "8 pages"), StepStarted("context_reduction"))
    assert reduce(QuestionProgress.after, found, searching).now == "Reading 8 pages…"
    one_side_further = after(*COMPARING, StepFinished("context_retrieval", "8 pages"))
    assert one_side_further.now == "Comparing 17.10 and 17.20…"
    # A step of the beginning that comes late does not lead back there.
    late = (*found, StepFinished("context_reduction", ""), StepStarted("clarification"))
    assert reduce(QuestionProgress.after, late, searching).now == "Reading 8 pages…"
    again = (*found, StepStarted("answer_generation"), StepStarted("context_retrieval"))
    assert reduce(QuestionProgress.after, again, searching).now == "Searching the other releases…"


@pytest.mark.parametrize(
    ("events", "written"),
    [
        ((ANSWERING, Token("a "), Token("b")), "a b"),
        ((*COMPARING, Token("both "), Token("beside each other")), "both beside each other"),
        ((*COMPARING, Token("half of"), ANSWERING, ANSWERED, Token("both")), "both"),
        ((*COMPARING, Token("both"), ANSWERING, ANSWERING, Token("of "), Token("two")), ""),
    ],
)
def test_the_words_of_one_answer_are_shown_and_those_of_several_not_mixed(
    events: tuple[Event, ...], written: str
) -> None:
    assert after(*events).written == written


def test_what_was_written_for_a_release_that_does_not_tell_is_not_shown_before_the_next() -> None:
    progress = after(ANSWERING, Token("I don't know"), StepFinished("answer_generation", ""))
    assert after(ANSWERING, Token("I don't know"), ANSWERING, Token("Run it.")).written == "Run it."
    assert progress.written == "I don't know"
