from collections.abc import Callable

import pytest
from langchain_core.language_models import BaseChatModel

from chatbot.chatbot import Chatbot
from chatbot.understanding.reading_by_rules import small_talk

MakeRelay = Callable[[BaseChatModel | None], Chatbot]


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


def test_small_talk_is_never_remembered(relay: MakeRelay) -> None:
    chatbot = relay(None)
    reply = chatbot.ask("thanks", conversation=chatbot.conversations.start("relay", "thanks"))
    assert (reply.content.route, reply.content.model_calls) == ("chat", 0)
    assert (reply.content.citations, reply.content.nearest) == ((), ())
    with chatbot.database.reading() as session:
        assert chatbot.memory.pair_of(session, reply.kept_as or 0) is None
