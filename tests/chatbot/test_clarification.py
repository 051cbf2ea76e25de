from collections.abc import Callable
from dataclasses import replace

import pytest
from langchain_core.language_models import BaseChatModel

from chatbot.chatbot import Chatbot
from chatbot.releases.resolution import Resolution
from chatbot.releases.rules import resolve_release
from chatbot.turn import Turn
from chatbot.understanding.clarification import ask_back, fold_clarifications, resolve_turn
from corpora.catalog.release import Product
from tests.chatbot.release_catalogs import CATALOGS, MPI4PY, SQLALCHEMY, TESSALINE

ALL = [MPI4PY, SQLALCHEMY, TESSALINE]


def converse(products: list[Product], *said: str) -> tuple[Turn, Resolution]:
    """Say one thing after the other; what is clear is answered with "It is 5."."""
    history: list[tuple[str, str]] = []
    for text in said:
        request = fold_clarifications(Turn(text, history=tuple(history)), products)
        resolution = resolve_turn(request, products)
        clear = bool(resolution.releases)
        history.append((text, "It is 5." if clear else ask_back(resolution, products).text))
    return request, resolution


def test_whether_an_answer_asked_back_is_known_of_a_kept_conversation() -> None:
    history = (("What is hold_time in tessaline 7.5?", "It is 5."),)
    kept = Turn("17.20", history=history, asked_back=frozenset())
    assert fold_clarifications(kept, [TESSALINE]).question == "17.20"
    asked = fold_clarifications(replace(kept, asked_back=frozenset({0})), [TESSALINE])
    assert asked.question == "What is hold_time in tessaline 17.20?"


@pytest.mark.parametrize(
    ("products", "question"),
    [
        (ALL, "What is the default?"),
        (ALL, "What is new in 2.0?"),
        ([TESSALINE], "What is hold_time in 7.5?"),
        (CATALOGS["shared alias"], "The VLAN in Alpine?"),
    ],
)
def test_what_is_asked_back_is_one_short_question_with_its_choices(
    products: list[Product], question: str
) -> None:
    resolution = resolve_release(question, products)
    answer = ask_back(resolution, products)
    assert answer.abstained
    assert answer.text.count("?") == 1
    for name in resolution.available:
        assert name.rsplit(" ", 1)[-1] in answer.text


@pytest.mark.parametrize("name", ["ubuntu", "windows", "ros", "suffixes", "junos", "nx-os"])
def test_every_release_that_is_offered_can_be_chosen_by_its_name(name: str) -> None:
    products = CATALOGS[name]
    for release in products[0].releases:
        asked = f"What is the default in {products[0].name} release 99.7?"
        _, resolution = converse(products, asked, release.name)
        assert resolution.releases == (release.name,)


def test_a_conversation_goes_on_and_keeps_what_was_typed(
    relay: Callable[[BaseChatModel | None], Chatbot],
) -> None:
    chatbot = relay(None)
    conversation = chatbot.conversations.start("relay", "ports")
    asked = "What is the default of hold_time in release 7.5?"
    first = chatbot.ask(asked, conversation=conversation)
    assert first.content.route == "clarify"
    assert first.content.available_releases == ("18.00", "17.20", "17.10")
    again = chatbot.ask("16.0", conversation=conversation)
    assert again.content.route == "clarify"
    answered = chatbot.ask("17.20, please", conversation=conversation)
    assert (answered.content.release, answered.content.route) == ("17.20", "documents")
    assert "300" in answered.content.answer
    follow_up = chatbot.ask("and in 17.10?", conversation=conversation)
    assert "5" in follow_up.content.answer
    typed = [turn.question for turn in chatbot.conversations.turns(conversation)]
    assert typed == [asked, "16.0", "17.20, please", "and in 17.10?"]


def test_a_history_of_texts_goes_on_too(relay: Callable[[BaseChatModel | None], Chatbot]) -> None:
    chatbot = relay(None)
    asked = "What is the default of hold_time in release 7.5?"
    history = [(asked, chatbot.ask(asked).content.answer)]
    reply = chatbot.ask("17.20 please", history=history).content
    assert (reply.release, reply.release_status) == ("17.20", "stated")
    assert "300" in reply.answer
    both = chatbot.ask("17.10 and 17.20", history=history).content
    assert both.compared_releases == ("17.10", "17.20")


@pytest.mark.parametrize(
    ("question", "reply", "asked"),
    [
        ("Wie hoch ist hold_time in 7.5?", "die 17.20 bitte", "17.20"),
        ("Quelle est la valeur de hold_time en 7.5 ?", "la 17.20", "17.20"),
        ("¿Cuál es el hold_time en 7.5?", "la versión 17.20", "17.20"),
        ("7.5のhold_timeは？", "17.20です", "17.20"),
        ("7.5的hold_time是多少？", "17.20版本", "17.20"),
    ],
)
def test_a_reply_in_another_language_chooses_a_release(
    question: str, reply: str, asked: str
) -> None:
    request, resolution = converse([TESSALINE], question, reply)
    assert resolution.releases == (asked,)
    assert "hold_time" in request.question
