from __future__ import annotations

import pytest

from chatbot.memory.scoring.measuring import DOUBT_LIMIT, Measured, measure
from chatbot.settings import Settings
from chatbot.turn import Answer

OWN = "How long until traffic of the TX9 returns in 2.0?"
PAGE = (
    "Parameters of a group\nwait-to-restore — 5 — min — 1 to 12 — Time until traffic returns.\n"
    "A switch of the group takes less than 50 ms.\n"
    "The fan must not be removed while it runs.\nset group wtr 5"
)
GAMMA = Settings().memory_gamma


def measured(text: str, *texts: str, doubt: float = 0.0) -> Measured:
    return measure(Answer(text, False, (), text), texts or (PAGE,), OWN, doubt)


@pytest.mark.parametrize(
    "text",
    [
        "Traffic returns after 5 min [1].",
        "The fan must not be removed while it runs [1]. A switch takes less than 50 ms [1].",
        "Set it so [1]:\n\n```\nset group wtr 5\n```",
        "| Parameter | Time |\n|---|---|\n| wait-to-restore | 5 min [1] |",
        "In 2.0 traffic of the TX9 returns.",
    ],
)
def test_what_the_cited_pages_say_is_good(text: str) -> None:
    assert measured(text) == Measured(1.0)
    assert measured(text).value > GAMMA


@pytest.mark.parametrize(
    "text",
    [
        "Traffic returns after 10 min [1].",
        "Traffic returns after 5 hours [1].",
        "Traffic of the TX10 returns after 5 min [1].",
        "The fan is painted blue and comes from a supplier abroad [1].",
        "",
    ],
)
def test_a_figure_a_name_or_words_that_stand_nowhere_are_not_supported(text: str) -> None:
    assert measured(text) == Measured(0.0)


def test_an_answer_is_worth_the_share_of_its_sentences_that_are_supported() -> None:
    half = "The fan must not be removed [1]. It is painted blue by suppliers abroad."
    assert measured(half).value == 0.5


def test_each_page_that_is_cited_counts() -> None:
    said = "Traffic returns after 5 min, and the pump runs for 40 hours [1] [2]."
    assert measured(said).value == 0
    assert measured(said, PAGE, "The pump runs for 40 hours.").value == 1


def test_what_the_model_doubted_waits_for_somebody_to_say_that_it_is_good() -> None:
    doubted = measured("Traffic returns after 5 min [1].", doubt=DOUBT_LIMIT)
    assert doubted == Measured(1.0, 0.0)
    assert doubted.value == 0
