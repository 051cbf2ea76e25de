from __future__ import annotations

import math
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chatbot.answering.adaptive_temperature import adapt_temperature, adaptive_temperature
from chatbot.turn import Recollection, ReducedChunk, Remembered, Turn
from ingestion.page import Block, BlockKind
from tests.chatbot.stored import stored_page

scores = st.lists(st.floats(0, 1), max_size=8)


def temperature(*scores: float, k: float = 250, lowest: float = 0.7, highest: float = 1.2) -> float:
    return adaptive_temperature(scores, k=k, lowest=lowest, highest=highest)


def test_it_is_the_formula_between_the_limits() -> None:
    assert temperature(0.5, 0.51, k=10, lowest=0) == pytest.approx(math.exp(-0.1))
    assert temperature(0.9, 0.5, 0.52, k=10, lowest=0) == pytest.approx(math.exp(-0.2))


def test_equal_scores_let_the_model_speak_freely_and_unlike_ones_do_not() -> None:
    assert temperature(0.8, 0.8) == 1.0
    assert temperature(0.8, 0.8, highest=0.9) == 0.9
    assert temperature(0.8, 0.6) == temperature(0.8) == temperature() == 0.7


@given(scores)
def test_it_stays_between_the_limits_and_ignores_the_order(found: list[float]) -> None:
    made = temperature(*found, lowest=0.1, highest=0.6)
    assert 0.1 <= made <= 0.6
    assert made == temperature(*reversed(found), lowest=0.1, highest=0.6)


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1))
def test_the_further_apart_the_scores_the_lower(a: float, b: float, c: float) -> None:
    near, far = sorted([b, c])
    assert temperature(a, a + far, lowest=0) <= temperature(a, a + near, lowest=0) + 1e-9


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"lowest": 1.0, "highest": 0.5}, "no range"),
        ({"lowest": -1.0}, "no range"),
        ({"k": 0}, "positive"),
    ],
)
def test_what_makes_no_sense_is_said(options: dict[str, float], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        temperature(0.5, **options)
    with pytest.raises(ValueError, match="no number"):
        temperature(0.5, math.nan)


def recalled(score: float) -> Remembered:
    now = datetime.now(UTC)
    return Remembered(1, "How many?", "5", "5", (), score, "measured", "", now, 0.7)


def turn_of(*chunk_scores: float) -> Turn:
    page = stored_page(Block(BlockKind.PARAGRAPH, "Five.", ("A",)))
    return Turn("How many?", selected=tuple(ReducedChunk(page, (), s) for s in chunk_scores))


def test_the_step_takes_the_recalled_pairs_before_the_chunks() -> None:
    step = adapt_temperature(k=250, lowest=0.1, highest=0.6)
    chunks = turn_of(3.2, 1.5)
    assert step(chunks).temperature == 0.1
    alike = Recollection(good=(recalled(0.8), recalled(0.8)))
    assert step(replace(chunks, recollection=alike)).temperature == 0.6
    assert step(replace(chunks, recollection=Recollection())).temperature == 0.1


def test_the_scale_of_the_chunks_scores_does_not_matter() -> None:
    step = adapt_temperature(k=10, lowest=0, highest=2)
    assert step(turn_of(3.0, 2.7)).temperature == pytest.approx(math.exp(-1))
    assert step(turn_of(0.3, 0.27)).temperature == pytest.approx(math.exp(-1))
    assert step(turn_of(0.0, 0.0)).temperature == 1.0
    assert adapt_temperature(k=250, lowest=0, highest=0)(turn_of(1, 1)).temperature is None
