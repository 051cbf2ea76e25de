from __future__ import annotations

import pytest

from chatbot.releases.rules import resolve_release
from chatbot.turn import Queries, Turn
from chatbot.understanding.queries import rewrite_query
from corpora.catalog.release import Product, Release

CATALOG = (
    Product("switch", releases=tuple(Release("switch", n) for n in ("17.10", "17.20", "18.00"))),
)


def queries(question: str, *history: tuple[str, str]) -> Queries:
    resolution = resolve_release(question, CATALOG, product="switch", history=history)
    turn = Turn(question, product="switch", history=history, resolved=resolution)
    rewritten = rewrite_query(lambda: CATALOG)(turn).queries
    assert rewritten is not None
    return rewritten


def test_a_question_with_a_release_gives_three_queries() -> None:
    found = queries("What is the default of hello_timer in release 17.20?")
    assert found.base == "What is the default of hello_timer in release 17.20?"
    assert found.filtered == "default hello_timer 17.20"
    assert found.versionless == "default hello_timer"
    assert len(found.distinct()) == 3


def test_a_question_without_a_release_gives_two() -> None:
    found = queries("What is the default of hello_timer?")
    assert found.versionless is None
    assert len(found.distinct()) == 2


def test_identifiers_stay_as_they_are_written() -> None:
    found = queries("does Query.update(values, synchronize_session='auto') work in 18.00?")
    assert found.versionless is not None
    assert "synchronize_session='auto'" in found.versionless


@pytest.mark.parametrize("question", ["And in 17.10?", "what about 17.10", "same in 17.10?"])
def test_a_follow_up_takes_over_the_topic_without_its_release(question: str) -> None:
    found = queries(question, ("What is the default of hello_timer in 17.20?", "It is 10."))
    assert found.base == "What is the default of hello_timer in switch 17.10?"
    assert found.versionless is not None
    assert "17" not in found.versionless


def test_the_topic_lives_through_several_follow_ups() -> None:
    found = queries(
        "and in 18.00?",
        ("What is the default of hello_timer in 17.20?", "It is 10."),
        ("and in 17.10?", "It is 5."),
    )
    assert "hello_timer" in found.subject


def test_what_was_answered_helps_to_find_but_is_not_asked_for() -> None:
    found = queries("and in 17.10?", ("Which variable sets it in 18.00?", "SWITCH_NEW_NAME."))
    assert "SWITCH_NEW_NAME" in found.known
    assert "SWITCH_NEW_NAME" not in found.subject


def test_a_name_takes_the_place_of_the_name_before() -> None:
    found = queries(
        "and dead_timer?", ("What is the default of hello_timer in 17.20?", "It is 10.")
    )
    assert found.subject == "and dead_timer? What is the default of ?"


def test_a_question_that_stands_alone_takes_nothing_over() -> None:
    found = queries(
        "How many client ports does the line card of 17.10 have?",
        ("What is the default of hello_timer in 17.20?", "It is 10."),
    )
    assert "hello_timer" not in found.base


def test_the_other_release_of_an_upgrade_is_part_of_the_question() -> None:
    found = queries("How long does the upgrade to 18.00 take from 17.10?")
    assert "17.10" in found.subject
    assert "18.00" not in found.subject


@pytest.mark.parametrize("question", ["why?", "what is it used for?", "how do I use that?"])
def test_a_follow_up_in_small_words_is_still_asked(question: str) -> None:
    found = queries(question, ("What is the default of hello_timer in 17.20?", "It is 10."))
    assert found.base.startswith(question)
    assert "hello_timer" in found.base
