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


def temperature(*scores: float, k: float = 250, lowest: float = 0.7, highest: float = 1.2) -> float:
    return adaptive_temperature(scores, k=k, lowest=lowest, highest=highest)


def test_it_is_the_formula_between_the_limits() -> None:
    assert temperature(0.5, 0.51, k=10, lowest=0) == pytest.approx(math.exp(-0.1))
    assert temperature(0.9, 0.5, 0.52, k=10, lowest=0) == pytest.approx(math.exp(-0.2))
    assert (temperature(0.8, 0.8), temperature(0.8), temperature()) == (1.0, 0.7, 0.7)


@given(st.lists(st.floats(0, 1), max_size=8))
def test_it_stays_between_the_limits_and_ignores_the_order(found: list[float]) -> None:
    made = temperature(*found, lowest=0.1, highest=0.6)
    assert 0.1 <= made <= 0.6
    assert made == temperature(*reversed(found), lowest=0.1, highest=0.6)


@pytest.mark.parametrize("options", [{"lowest": 1.0, "highest": 0.5}, {"lowest": -1.0}, {"k": 0}])
def test_what_makes_no_sense_is_said(options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"not a range|positive"):
        temperature(0.5, **options)
    with pytest.raises(ValueError, match="no number"):
        temperature(0.5, math.nan)


def test_the_step_takes_the_recalled_pairs_before_the_chunks_whatever_their_scale() -> None:
    def turn_of(*scores: float) -> Turn:
        page = stored_page(Block(BlockKind.PARAGRAPH, "Five.", ("A",)))
        return Turn("How many?", selected=tuple(ReducedChunk(page, (), s) for s in scores))

    now = datetime.now(UTC)
    pair = Remembered(1, "How many?", "5", "5", (), 0.8, "measured", "", now, 0.7)
    step = adapt_temperature(k=10, lowest=0, highest=0.6)
    for chunks in (turn_of(3.0, 2.7), turn_of(0.3, 0.27)):
        assert step(chunks).temperature == pytest.approx(math.exp(-1))
        alike = Recollection(good=(pair, pair))
        assert step(replace(chunks, recollection=alike)).temperature == 0.6
    assert adapt_temperature(k=250, lowest=0, highest=0)(turn_of(1, 1)).temperature is None
