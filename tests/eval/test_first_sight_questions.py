"""The committed questions of first-sight sets: their gold answers fit their own patterns."""

from __future__ import annotations

from pathlib import Path

import pytest

import eval
from eval.gold import read_gold, read_lines
from eval.releases import ReleaseQuestion

FOLDER = Path(eval.__file__).parent / "questions" / "first_sight"
PRODUCTS = sorted({path.name.split(".")[0] for path in FOLDER.glob("*.jsonl")})


@pytest.mark.parametrize("product", PRODUCTS)
def test_a_gold_answer_is_right_and_complete_by_its_own_patterns(product: str) -> None:
    questions = read_gold(FOLDER / f"{product}.jsonl")
    assert len(questions) >= 24
    for question in questions:
        assert question.product == product
        if question.answerable:
            assert question.accepts(question.gold_answer), question.id
            assert question.facts_in(question.gold_answer) == len(question.facts), question.id
            assert question.has_steps(question.gold_answer), question.id


@pytest.mark.parametrize("product", PRODUCTS)
def test_there_are_enough_phrasings_of_releases(product: str) -> None:
    phrasings = read_lines(FOLDER / f"{product}.releases.jsonl", ReleaseQuestion, unique="id")
    assert len(phrasings) >= 30
