"""The temperature of the answer, from how far its evidence's scores lie apart (ComRAG 4.4)."""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from chatbot.turn import RuleStep, Turn


def adaptive_temperature(
    scores: Sequence[float], *, k: float, lowest: float, highest: float
) -> float:
    """ComRAG 4.4: clamp(exp(−k · min_i(s_{i+1} − s_i)), T_min, T_max) over the sorted scores.

    Evidence that scores alike lets the model speak freely, evidence that does not holds it to
    the best. With fewer than two scores it is `lowest`. Raises ValueError for a range that is
    none, a k that is not positive, and a score that is no number.
    """
    if not 0 <= lowest <= highest:
        raise ValueError(f"temperatures from {lowest} to {highest} are not a range")
    if not k > 0:
        raise ValueError(f"k has to be positive, not {k}")
    if not all(map(math.isfinite, scores)):
        raise ValueError(f"a score is no number: {list(scores)}")
    nearest = min((b - a for a, b in pairwise(sorted(scores))), default=math.inf)
    return min(max(math.exp(-k * nearest), lowest), highest)


def adapt_temperature(*, k: float, lowest: float, highest: float) -> RuleStep:
    """Set the turn's temperature from the good pairs recalled, else from the selected chunks.

    A pair's score is 0 to 1; chunks are scored by whatever selected them, so that theirs are taken
    as shares of the best one's. Where `lowest` is `highest` there is nothing to adapt, and the
    model's own temperature holds.
    """

    def adapt(turn: Turn) -> Turn:
        if lowest == highest:
            return turn
        temperature = adaptive_temperature(_scores(turn), k=k, lowest=lowest, highest=highest)
        return replace(turn, temperature=temperature)

    return adapt


def _scores(turn: Turn) -> list[float]:
    if turn.recollection is not None and turn.recollection.good:
        return [pair.score for pair in turn.recollection.good]
    scores = [chunk.score for chunk in turn.selected]
    best = max(scores, default=0.0)
    return [score / best for score in scores] if best > 0 else scores
