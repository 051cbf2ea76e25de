from __future__ import annotations

from functools import reduce

import pytest

from chatbot.runtime.events import Event, StepFinished, StepStarted, Token, Waiting
from chatbot.turn import Fallback
from ui.wording.progress import QuestionProgress, done_without_model

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
        ((StepStarted("answer_generation"), Token("a "), Token("b")), "a b"),
        ((*COMPARING, Token("words of "), Token("two answers")), ""),
    ],
)
def test_the_words_of_one_answer_are_shown_and_those_of_several_not_mixed(
    events: tuple[Event, ...], written: str
) -> None:
    assert after(*events).written == written


def test_what_was_done_without_the_model_is_told_once_for_all_sides() -> None:
    fallback = Fallback("query_rewriting", "the reply holds no JSON object")
    assert done_without_model([fallback, fallback]) == [("preparing the search", fallback.reason)]


def test_what_was_written_for_a_release_that_does_not_tell_is_not_shown_before_the_next() -> None:
    answering = StepStarted("answer_generation")
    progress = after(answering, Token("I don't know"), StepFinished("answer_generation", ""))
    assert after(answering, Token("I don't know"), answering, Token("Run it.")).written == "Run it."
    assert progress.written == "I don't know"
