"""How freely the model may speak, by the scores of what it reads (ComRAG 4.4)."""

import math
from collections.abc import Sequence
from itertools import pairwise


def adaptive_temperature(
    scores: Sequence[float], *, k: float, lowest: float, highest: float
) -> float:
    """ComRAG 4.4: clamp(exp(−k · min_i(s_{i+1} − s_i)), T_min, T_max) over the sorted scores.

    Evidence that scores alike lets the model speak freely, evidence that does not holds it to
    the best. Equal scores give exp(0) = 1, clamped. With fewer than two scores there is no
    difference; the least of none is infinite, which gives `lowest`. Raises ValueError for a range
    that is none, a k that is not positive, and a score that is no number.
    """
    if not 0 <= lowest <= highest:
        raise ValueError(f"temperatures from {lowest} to {highest} are no range")
    if not k > 0:
        raise ValueError(f"k has to be positive, not {k}")
    if not all(map(math.isfinite, scores)):
        raise ValueError(f"a score is no number: {list(scores)}")
    nearest = min((b - a for a, b in pairwise(sorted(scores))), default=math.inf)
    return min(max(math.exp(-k * nearest), lowest), highest)
