from __future__ import annotations

from collections.abc import Callable

import pytest
from langchain_core.language_models import BaseChatModel

from chatbot.chatbot import Chatbot
from chatbot.memory.remembering import candidate_of
from chatbot.turn import Turn
from chatbot.understanding.catalog_answers import without_documents
from chatbot.understanding.reading_by_rules import answer_small_talk, small_talk
from tests.chatbot.release_catalogs import MPI4PY, TESSALINE

KNOWN = (MPI4PY, TESSALINE)
MakeRelay = Callable[[BaseChatModel | None], Chatbot]


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("hello", "Hello! I answer questions from the documentation of mpi4py"),
        ("Hi there!", "Hello!"),
        ("Thank you very much, that was great :)", "You're welcome."),
        ("thanks, that helped a lot!", "You're welcome."),
        ("ok", "You're welcome."),
        ("bye", "You're welcome."),
        ("what can you do?", "Hello! I answer questions from"),
        ("Can you help me?", "Hello!"),
    ],
)
def test_small_talk_gets_a_short_reply(said: str, reply: str) -> None:
    turn = answer_small_talk(lambda: KNOWN)(Turn(said))
    assert turn.answer is not None
    assert turn.answer.text.startswith(reply)


def test_what_it_can_do_names_the_releases() -> None:
    told, empty = (without_documents(Turn(""), of, "greeting").answer for of in (KNOWN, ()))
    assert told
    assert "tessaline 17.10, 17.20 and 18.00" in told.text
    assert empty
    assert "once some is added" in empty.text


@pytest.mark.parametrize(
    "question",
    [
        "hello, what is the default of hold?",
        "what is the hello interval?",
        "why?",
        "can you explain that?",
        "what about the maximum?",
        "do you have 17.20?",
        "how do I say goodbye in code?",
        "help me replace the fan",
        "ok, what is it used for?",
        "great, how does it work?",
        "hey, how does this work",
        "yes",
        "",
    ],
)
def test_anything_else_is_none(question: str) -> None:
    assert small_talk(question) == ""


def test_small_talk_is_nothing_to_follow_up() -> None:
    asked = ("What is the default of hold?", "5 s.")
    turn = Turn("and the range?", history=(asked, ("thanks", "You're welcome.")))
    told = answer_small_talk(lambda: KNOWN)(turn)
    assert isinstance(told, Turn)
    assert told.history == (asked,)


def test_small_talk_is_never_remembered(relay: MakeRelay) -> None:
    chatbot = relay(None)
    reply = chatbot.ask("thanks", conversation=chatbot.conversations.start("relay", "thanks"))
    assert (reply.content.route, reply.content.model_calls) == ("chat", 0)
    assert (reply.content.citations, reply.content.nearest) == ((), ())
    with chatbot.database.reading() as session:
        assert candidate_of(session, reply.kept_as or 0) is None


def test_a_question_off_every_document_is_refused(relay: MakeRelay) -> None:
    refused = relay(None).ask("How do I bake sourdough bread?").content
    assert refused.abstained


@pytest.mark.parametrize(
    "question", ["What does the relay cost?", "How long are events kept?", "FLORBOMAT?", "why?"]
)
def test_what_may_be_asked_of_the_documents_is_asked(relay: MakeRelay, question: str) -> None:
    assert relay(None).ask(question).content.route != "chat"
