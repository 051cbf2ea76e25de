from __future__ import annotations

from functools import reduce

import pytest

from chatbot.events import Event, StepFinished, StepStarted, Token, Waiting
from ui.chat.progress import Progress
from ui.chat.step_names import done_without_model

COMPARING = (
    StepStarted("release_extraction"),
    StepFinished("release_extraction", "17.10, 17.20"),
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


def test_a_step_that_has_no_name_for_people_is_called_by_its_own() -> None:
    progress = after(*COMPARING[:2], StepStarted("single_chunk_retrieval"))
    assert progress.now == "single chunk retrieval"


def test_a_step_that_is_done_says_what_it_found() -> None:
    steps = {
        "release_extraction": "17.20",
        "query_rewriting": "3 queries",
        "context_retrieval": "8 pages found",
        "context_selection": "3 kept",
        "undocumented_gate": "",
    }
    events = [
        event
        for step, found in steps.items()
        for event in (StepStarted(step), StepFinished(step, found))
    ]
    progress = after(*events, StepStarted("answer_generation"))
    assert progress.outcomes == ("release 17.20", "3 queries", "8 pages found", "3 kept")
    assert progress.now == "writing the answer"


def test_what_is_found_for_one_release_of_a_comparison_is_not_told_as_all() -> None:
    progress = after(*COMPARING, StepFinished("context_retrieval", "8 pages found"))
    progress = progress.after(StepFinished("context_retrieval", "2 pages found"))
    assert progress.outcomes == ("release 17.10, 17.20",)


def test_the_steps_of_a_comparison_are_told_with_it() -> None:
    assert after(*COMPARING).now == "comparing releases: searching"
    one_side_further = after(*COMPARING, StepFinished("context_retrieval"))
    assert one_side_further.now == "comparing releases: searching"
    both = after(*COMPARING, StepFinished("context_retrieval"), StepFinished("context_retrieval"))
    assert both.now == "comparing releases"


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
