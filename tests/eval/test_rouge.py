from __future__ import annotations

import pytest

from eval.likeness import rouge_1, rouge_l

LIN = "police killed the gunman"
"""The reference of the worked example in section 3.1 of the paper."""


@pytest.mark.parametrize(
    ("candidate", "of_words", "of_order"),
    [
        ("police kill the gunman", 3 / 4, 3 / 4),
        ("the gunman kill police", 3 / 4, 2 / 4),
        ("the gunman police killed", 4 / 4, 2 / 4),
        ("the the the gunman", 2 / 4, 2 / 4),
        ("the gunman", 2 * 1 * (2 / 4) / (1 + 2 / 4), 2 / 3),
        ("nobody", 0, 0),
        ("", 0, 0),
    ],
)
def test_words_and_their_order_as_in_the_paper(
    candidate: str, of_words: float, of_order: float
) -> None:
    assert rouge_1(candidate, LIN) == pytest.approx(of_words)
    assert rouge_l(candidate, LIN) == pytest.approx(of_order)


def test_case_signs_and_alphabet_make_no_difference() -> None:
    assert rouge_1("Die Größe: pool_size!", "die größe pool size") == 1
    assert rouge_l("Die Größe: pool_size!", "die größe pool size") == 1


def test_two_texts_without_a_word_are_alike() -> None:
    assert (rouge_1("", "…"), rouge_l("", "…")) == (1, 1)
