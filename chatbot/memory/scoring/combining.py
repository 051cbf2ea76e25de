"""How good an answer is (ComRAG 4.1): what is measured, what thumbs say, what an admin says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from chatbot.memory.pairs import Origin, Rating, Score
from chatbot.memory.scoring.measuring import Measured

FAITHFUL = 0.5
"""The least faithfulness at which a thumb up counts.

Whoever asks sees whether an answer pleases, not whether it is so: an answer of which less than
half stands in the release's own pages is not made good by any number of people who like it.
"""

RATED = {
    Rating.GOOD: 1.0,
    Rating.INCOMPLETE: 0.3,
    Rating.BAD: 0.0,
    Rating.WRONG_RELEASE: 0.0,
}
"""The score of an admin's rating. All but "good" lie below every sensible γ (`LEAST_GAMMA`)."""

LEAST_GAMMA = 0.35
"""The least γ that keeps an incomplete answer out of the high store."""

_LASTING = (Origin.IMPORTED, Origin.CURATED)


@dataclass(frozen=True)
class Thumb:
    """A person's thumb (1 up, -1 down) on the turn that made a pair, or on one that reused it."""

    person: str
    thumbs: int
    at: datetime


@dataclass(frozen=True)
class Rated:
    """What an admin said of such a turn."""

    rating: str
    by: str
    at: datetime


def combine(
    kept: Score,
    measured_at: datetime,
    *,
    gamma: float,
    thumbs: Sequence[Thumb] = (),
    rating: Rated | None = None,
) -> Score:
    """The score of a pair by whoever outranks the others: measure < thumbs < an admin's rating.

    `kept` is the score so far, of which what was measured is taken; what is imported or curated
    stays as it is. Of a person only the last thumb counts, so that nobody counts twice. `thumbs`
    and `rating` are all that there are now: one that was withdrawn is no longer among them.
    """
    if kept.origin in _LASTING:
        return kept
    faithfulness, relevancy = kept.faithfulness, kept.relevancy
    if rating is not None and rating.rating:
        value = RATED[Rating(rating.rating)]
        return Score(value, Origin.RATING, rating.at, rating.by, faithfulness, relevancy)
    measured = 0.0
    if faithfulness is not None and relevancy is not None:
        measured = Measured(faithfulness, relevancy).value
    last = _last_of_each(thumbs)
    by_thumbs = _by_thumbs(measured, faithfulness or 0.0, [t.thumbs for t in last], gamma)
    if by_thumbs is None:
        return Score(measured, Origin.MEASURED, measured_at, "", faithfulness, relevancy)
    newest = max(last, key=lambda t: t.at)
    return Score(by_thumbs, Origin.THUMBS, newest.at, newest.person, faithfulness, relevancy)


def _last_of_each(thumbs: Sequence[Thumb]) -> list[Thumb]:
    return list({t.person: t for t in sorted(thumbs, key=lambda t: t.at)}.values())


def _by_thumbs(
    measured: float, faithfulness: float, thumbs: Sequence[int], gamma: float
) -> float | None:
    """The score by thumbs; None where they do not count.

    The measure is one voice and each thumb another, 1 or 0; their mean fills what lies above γ,
    or below it as soon as one thumb is down.
    """
    ups, downs = sum(t > 0 for t in thumbs), sum(t < 0 for t in thumbs)
    share = (measured + ups) / (1 + ups + downs)
    if downs:
        return min(measured, gamma * share)
    if not ups or faithfulness < FAITHFUL:
        return None
    return max(measured, gamma + (1 - gamma) * share)
