"""Retrieval scored by rank: recall, reciprocal rank and nDCG of the pages that were found."""

import math
from collections.abc import Sequence

from eval.gold import GoldQuestion
from eval.retrieval import CUTOFFS, RankedPage
from eval.runs.folder import FoundPage


def ranking_scores(question: GoldQuestion, found: Sequence[FoundPage]) -> dict[str, float | None]:
    """Recall and nDCG at each of the cut-offs, and the reciprocal rank, each 0 to 1.

    A page counts once, where it is found first. None of a question without sources, or of one that
    nothing says: it has no page to find.
    """
    names = ("mrr", *(f"{name}@{k}" for name in ("recall", "ndcg") for k in CUTOFFS))
    if not question.answerable or not question.sources:
        return dict.fromkeys(names)
    held = sources_held(question, found)
    first = next((rank for rank, sources in enumerate(held, 1) if sources), None)
    wanted = len(question.sources)
    gains = [min(sources, 1) for sources in held]
    # Sources that stand on one page are one page to find.
    pages = wanted - sum(held) + sum(gains)
    return {
        "mrr": 1 / first if first else 0.0,
        **{f"recall@{k}": sum(held[:k]) / wanted for k in CUTOFFS},
        **{f"ndcg@{k}": _discounted(gains[:k]) / _discounted([1] * min(k, pages)) for k in CUTOFFS},
    }


def sources_held(question: GoldQuestion, found: Sequence[FoundPage]) -> list[int]:
    """For each rank how many sources its page holds that no page before it does."""
    left = list(question.sources)
    held = []
    for page in dict.fromkeys(found):
        ranked = RankedPage(page.file, page.page, page.anchors)
        still = [s for s in left if s.release != page.release or not ranked.holds(s)]
        held.append(len(left) - len(still))
        left = still
    return held


def _discounted(gains: Sequence[int]) -> float:
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
