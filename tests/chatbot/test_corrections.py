"""A corrected answer is what the next person gets who asks the same in the same release."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chatbot.accounts.people import Person
from chatbot.administration.curation import ratings
from chatbot.chatbot import AnsweredTurn
from tests.chatbot.memory_bots import KEPT, LOG, LOG_AGAIN, Bot, says

pytestmark = pytest.mark.database

ADA = Person("ada@example.org", "Ada", is_admin=True)
WRONG = "The relay keeps its event log for 300."
RIGHT = "Events stay in the log for 30 days."
BEFORE = "How long is the event log kept in 17.10?"


@pytest.fixture
def asked(remember: Callable[..., Bot]) -> Bot:
    return remember(says(WRONG, KEPT))


def correct(asked: Bot, reply: AnsweredTurn, text: str, release: str = "") -> None:
    assert reply.kept_as is not None
    ratings(asked.chatbot).change(
        ADA, reply.kept_as, corrected_answer=text, corrected_release=release
    )


@pytest.mark.parametrize("question", [LOG, LOG_AGAIN])
def test_the_next_person_gets_the_corrected_answer_as_curated(asked: Bot, question: str) -> None:
    wrong = asked.ask(LOG, owner="bo@example.org")
    assert wrong.content.answer.startswith(WRONG.removesuffix("."))
    correct(asked, wrong, RIGHT)
    reply = asked.ask(question, owner="cy@example.org")
    assert reply.content.route == "reuse"
    assert reply.content.answer.startswith(RIGHT.removesuffix("."))
    (pair,) = reply.content.memory.pairs
    assert (pair.origin, pair.rated_by, pair.score) == ("curated", ADA.id, 1.0)
    assert len(asked.pairs) == 1


def test_a_refusal_is_corrected_too(remember: Callable[..., Bot]) -> None:
    asked = remember(says("I don't know"))
    refused = asked.ask(LOG)
    assert refused.content.abstained
    assert asked.pairs == []
    correct(asked, refused, RIGHT)
    assert asked.ask(LOG).content.answer.startswith(RIGHT.removesuffix("."))


def test_it_stays_in_its_release(asked: Bot) -> None:
    correct(asked, asked.ask(LOG), RIGHT)
    other = asked.ask(BEFORE)
    assert other.content.route == "documents"
    assert {c.release for c in other.content.citations} == {"17.10"}


def test_it_goes_to_the_release_that_should_have_answered(asked: Bot) -> None:
    correct(asked, asked.ask(LOG), RIGHT, "17.10")
    assert asked.ask(BEFORE).content.route == "reuse"
    assert asked.ask(LOG).content.route == "documents"


def test_the_later_correction_counts_and_one_that_is_taken_back_does_not(asked: Bot) -> None:
    first, second = asked.ask(LOG), asked.ask(LOG, afresh=True)
    correct(asked, first, RIGHT)
    correct(asked, second, "It is kept for 30 days, then overwritten.")
    assert "overwritten" in asked.ask(LOG).content.answer
    correct(asked, second, "It stays for 30 days.")
    assert "It stays" in asked.pair.answer["text"]
    correct(asked, second, "")
    assert asked.pairs == []


def test_that_nothing_is_documented_is_no_answer_to_give_again(asked: Bot) -> None:
    correct(asked, asked.ask(LOG), "I don't know")
    assert all(pair.origin != "curated" for pair in asked.pairs)
