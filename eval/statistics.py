"""How much of a difference may be chance: tests, effect sizes and intervals.

A question is the unit: its repeats are no further questions, so that they are averaged first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

SIGNIFICANCE = 0.01
"""The level of QAMR IV-F: a difference with a smaller p-value is significant."""
Band = Literal["", "small", "medium", "large"]
_BANDS: tuple[tuple[float, Band], ...] = ((0.21, "large"), (0.14, "medium"), (0.06, "small"))
"""How far from 0.5 an A12 has to be (QAMR IV-F)."""
_SEED = 1
_RESAMPLES = 2_000


@dataclass(frozen=True, slots=True)
class EffectSize:
    """Vargha and Delaney's A12: the probability that a value of the first is the larger one.

    Equal values count half: 0.5 is no effect, 1 and 0 the largest ones. `band` is empty below
    "small".
    """

    a12: float

    @property
    def band(self) -> Band:
        """How large the effect is."""
        away = round(abs(self.a12 - 0.5), 9)
        return next((band for least, band in _BANDS if away >= least), "")


def vargha_delaney(first: Sequence[float], second: Sequence[float]) -> EffectSize:
    """The effect size of two groups, each with a value: A12 = (R1/m − (m + 1)/2) / n.

    R1 is the sum of the ranks of the first group of m, n is the size of the second.
    """
    from scipy.stats import rankdata

    m, n = len(first), len(second)
    ranks = rankdata([*first, *second])[:m]
    return EffectSize(float((ranks.sum() / m - (m + 1) / 2) / n))


def rank_sum(first: Sequence[float], second: Sequence[float]) -> float:
    """The p-value of Wilcoxon's rank-sum test, two-sided, for groups that need not be paired.

    Ties share their ranks; 1 where all values are equal.
    """
    from scipy.stats import mannwhitneyu

    if len({*first, *second}) < 2:
        return 1.0
    return float(mannwhitneyu(first, second, alternative="two-sided").pvalue)


def signed_rank(differences: Sequence[float]) -> float:
    """The p-value of Wilcoxon's signed-rank test, two-sided, of the differences of pairs.

    Pairs without a difference are left out, as Wilcoxon does; 1 where none differs.
    """
    from scipy.stats import wilcoxon

    differing = [d for d in differences if d]
    return float(wilcoxon(differing).pvalue) if differing else 1.0


def bootstrap_interval(values: Sequence[float], level: float = 0.95) -> tuple[float, float] | None:
    """The interval of the mean of the values of so many questions, by percentiles.

    The same each time. None of fewer than two values, of which nothing can be said.
    """
    from scipy.stats import bootstrap

    if len(values) < 2:
        return None
    drawn = bootstrap(
        (np.asarray(values, dtype=float),),
        np.mean,
        confidence_level=level,
        n_resamples=_RESAMPLES,
        method="percentile",
        rng=np.random.default_rng(_SEED),
    ).confidence_interval
    return float(drawn.low), float(drawn.high)
