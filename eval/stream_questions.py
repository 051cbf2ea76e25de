"""Questions and their paraphrases as they arrive: shuffled, in iterations (ComRAG 5.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from eval.gold import GoldError, GoldQuestion, read_gold, read_objects


@dataclass(frozen=True, slots=True)
class Arrival:
    """A question as somebody asks it: in the words of its gold question, or in others."""

    gold: GoldQuestion
    text: str


def read_arrivals(gold: Iterable[Path], paraphrases: Path) -> tuple[Arrival, ...]:
    """Every question of the gold files that has paraphrases, followed by these.

    The file of paraphrases has a line {id, paraphrases} for each. Raises GoldError for a line
    that is none, or whose id no question has.
    """
    by_id = {question.id: question for path in gold for question in read_gold(path)}
    arrivals: list[Arrival] = []
    for where, row in read_objects(paraphrases):
        try:
            identity, texts = row["id"], [str(text) for text in row["paraphrases"]]
        except (TypeError, KeyError) as error:
            raise GoldError(f"{where}: expected an object with id and paraphrases") from error
        if identity not in by_id:
            raise GoldError(f"{where}: there is no question {identity!r}")
        asked = by_id[identity]
        arrivals += (Arrival(asked, text) for text in (asked.question, *texts))
    return tuple(arrivals)


def shuffled(
    arrivals: Sequence[Arrival], iterations: int, seed: int
) -> tuple[tuple[Arrival, ...], ...]:
    """The arrivals in a random order, parted into so many iterations of nearly the same length."""
    order = np.random.default_rng(seed).permutation(len(arrivals))
    return tuple(tuple(arrivals[n] for n in order[i::iterations]) for i in range(iterations))
