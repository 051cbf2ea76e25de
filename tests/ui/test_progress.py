from __future__ import annotations

from functools import reduce

import pytest

from chatbot.events import Event, StepFinished, StepStarted, Token, Waiting
from ui.progress import Progress
from ui.step_names import done_without_model

COMPARING = (
    StepStarted("release_extraction"),
    StepFinished("release_extraction"),
    StepStarted("comparison"),
    StepStarted("context_retrieval"),
    StepStarted("context_retrieval"),
)


def after(*events: Event) -> Progress:
    return reduce(Progress.after, events, Progress())


def test_who_waits_is_told_the_place_until_the_turn_has_come() -> None:
    assert after(Waiting(2)).now == "waiting, place 2 in the queue"
    assert after(Waiting(2), Waiting(1)).now == "waiting, place 1 in the queue"
    assert after(Waiting(1), StepStarted("release_extraction")).now == "finding the release"


def test_a_step_has_a_name_while_it_runs_and_once_it_is_done() -> None:
    progress = after(*COMPARING[:2], StepStarted("single_chunk_retrieval"))
    assert (progress.finished, progress.now) == (("finding the release",), "single chunk retrieval")


def test_steps_that_let_the_question_pass_are_not_called_done() -> None:
    steps = ("clarification", "inventory", "release_extraction", "comparison", "query_rewriting")
    done = [event for step in steps for event in (StepStarted(step), StepFinished(step))]
    assert after(*done).finished == ("finding the release", "writing queries")


def test_the_steps_of_a_comparison_are_told_with_it() -> None:
    assert after(*COMPARING).now == "comparing releases: searching"
    one_side_further = after(*COMPARING, StepFinished("context_retrieval"))
    assert one_side_further.now == "comparing releases: searching"
    assert one_side_further.finished == ("finding the release",)
    both = after(*COMPARING, StepFinished("context_retrieval"), StepFinished("context_retrieval"))
    assert (both.finished, both.now) == (("finding the release", "searching"), "comparing releases")


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
    fallback = {"step": "query_rewriting", "reason": "the reply holds no JSON object"}
    assert done_without_model([fallback, fallback]) == [("writing queries", fallback["reason"])]
