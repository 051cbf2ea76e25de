"""Tests, effect sizes and intervals, computed by hand."""

from itertools import product

import pytest

from eval.statistics import (
    EffectSize,
    bootstrap_interval,
    rank_sum,
    signed_rank,
    vargha_delaney,
)


@pytest.mark.parametrize(
    ("first", "second", "a12"),
    [
        ((3, 4), (1, 2), 1),
        ((1, 2), (3, 4), 0),
        ((1, 2), (1, 2), 0.5),
        # 2 is larger than 1 and equals 2: (1 + 1/2) / 2.
        ((2,), (1, 2), 0.75),
        ((1, 3, 5), (2, 2), 4 / 6),
    ],
)
def test_a12_is_the_share_of_pairs_in_which_the_first_is_larger(
    first: tuple[float, ...], second: tuple[float, ...], a12: float
) -> None:
    counted = [(a > b) + (a == b) / 2 for a, b in product(first, second)]
    assert sum(counted) / len(counted) == pytest.approx(a12)
    assert vargha_delaney(first, second).a12 == pytest.approx(a12)


@pytest.mark.parametrize(
    ("a12", "band"),
    [
        (0.5, ""),
        (0.559, ""),
        (0.56, "small"),
        (0.44, "small"),
        (0.64, "medium"),
        (0.71, "large"),
        (0.29, "large"),
        (0.3, "medium"),
        (1.0, "large"),
    ],
)
def test_the_bands_are_those_of_the_paper(a12: float, band: str) -> None:
    assert EffectSize(a12).band == band


def test_rank_sum_counts_the_orders_of_the_values() -> None:
    # Of the 70 ways to choose 4 of 8 ranks two are as far apart: 2/70.
    assert rank_sum((5, 6, 7, 8), (1, 2, 3, 4)) == pytest.approx(2 / 70)
    assert rank_sum((1, 1, 1), (1, 1)) == 1


def test_signed_rank_counts_the_signs_of_the_differences() -> None:
    # Of the 2^6 ways to give six ranks a sign two are as one-sided: 2/64.
    assert signed_rank((1, 2, 3, 4, 5, 6)) == pytest.approx(2 / 64)
    assert signed_rank((0, 0, 1, 2, 3, 4, 5, 6)) == pytest.approx(2 / 64)
    assert signed_rank((0, 0, 0)) == 1
    assert signed_rank(()) == 1


def test_an_interval_is_the_same_each_time_and_holds_the_mean() -> None:
    values = [0.0] * 30 + [1.0] * 70
    low, high = bootstrap_interval(values) or (0, 0)
    assert (low, high) == bootstrap_interval(values)
    # The normal approximation: 0.7 ± 1.96 · sqrt(0.7 · 0.3 / 100).
    assert low == pytest.approx(0.61, abs=0.015)
    assert high == pytest.approx(0.79, abs=0.015)


def test_what_does_not_vary_has_no_width_and_one_value_no_interval() -> None:
    assert bootstrap_interval([0.5, 0.5, 0.5]) == (0.5, 0.5)
    assert bootstrap_interval([0.5]) is None
    assert bootstrap_interval([]) is None
