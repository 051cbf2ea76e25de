from __future__ import annotations

from collections.abc import Callable

import pytest
from langchain_core.language_models import BaseChatModel

from chatbot.accounts.people import LOCAL
from chatbot.chatbot import Chatbot
from chatbot.dialogue.small_talk import answer_small_talk, reply_to, small_talk
from chatbot.memory.remembering import candidate_of
from chatbot.review.gaps import ContentGaps
from chatbot.review.turns import TurnFilter
from chatbot.turn import Turn
from tests.chatbot.release_catalogs import MPI4PY, TESSALINE

KNOWN = (MPI4PY, TESSALINE)
MakeRelay = Callable[[BaseChatModel | None], Chatbot]


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        ("hello", "Hello! Ask me about mpi4py"),
        ("Hi there, good morning!", "Hello!"),
        ("Thank you very much, that was great :)", "You're welcome."),
        ("ok", "You're welcome."),
        ("bye", "Goodbye."),
        ("what can you do?", "I answer questions from the documentation of mpi4py"),
        ("Can you help me?", "I answer"),
    ],
)
def test_small_talk_gets_a_short_reply(said: str, reply: str) -> None:
    turn = answer_small_talk(lambda: KNOWN)(Turn(said))
    assert turn.answer is not None
    assert turn.answer.text.startswith(reply)


def test_what_it_can_do_names_the_releases() -> None:
    assert "tessaline 17.10, 17.20 and 18.00" in reply_to("abilities", KNOWN)
    assert "once some is added" in reply_to("abilities", ())


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
    assert small_talk(question) is None


def test_small_talk_is_nothing_to_follow_up() -> None:
    asked = ("What is the default of hold?", "5 s.")
    turn = Turn("and the range?", history=(asked, ("thanks", "You're welcome.")))
    told = answer_small_talk(lambda: KNOWN)(turn)
    assert isinstance(told, Turn)
    assert told.history == (asked,)


def test_a_question_off_every_document_is_refused_at_once(relay: MakeRelay) -> None:
    chatbot = relay(None)
    conversation = chatbot.conversations.start("relay", "bread")
    for question in ("How do I bake sourdough bread?", "thanks"):
        reply = chatbot.ask(question, conversation=conversation)
        assert reply.content.route == "chat"
        assert reply.content.model_calls == 0
        assert (reply.content.citations, reply.content.nearest) == ((), ())
        with chatbot.database.reading() as session:
            assert candidate_of(session, reply.kept_as or 0) is None
    gaps = ContentGaps(chatbot.database, chatbot.embedder).report(LOCAL, TurnFilter())
    assert not any("bread" in gap.question for gap in gaps.gaps)
    refused = chatbot.ask("How do I bake sourdough bread?").content
    assert refused.abstained
    assert refused.answer == (
        "I can only answer from the documentation of relay 17.10, 17.20 and 18.00."
    )


@pytest.mark.parametrize(
    "question", ["What does the relay cost?", "How long are events kept?", "FLORBOMAT?", "why?"]
)
def test_what_may_be_asked_of_the_documents_is_asked(relay: MakeRelay, question: str) -> None:
    assert relay(None).ask(question).content.route != "chat"
