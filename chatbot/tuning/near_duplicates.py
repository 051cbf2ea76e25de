"""Questions that ask nearly the same: one a release is kept, and all stand on one side."""

import hashlib
from collections.abc import Sequence

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from chatbot.memory.pairs import MemoryQuestion
from chatbot.tuning.instructions import Split

_AT_ONCE = 1_000


def groups(questions: Sequence[MemoryQuestion], delta: float) -> list[int]:
    """The number of each question's group: those that ask the same, or are as near as δ, share one.

    It is that of the first of them. Nearness is handed on: whatever is near a member belongs.
    """
    if not questions:
        return []
    vectors = np.stack([question.vector for question in questions])
    first_asked: dict[str, int] = {}
    ends = [(i, first_asked.setdefault(q.asks, i)) for i, q in enumerate(questions)]
    for start in range(0, len(questions), _AT_ONCE):
        rows, columns = np.nonzero(vectors[start : start + _AT_ONCE] @ vectors.T >= delta)
        ends += zip((rows + start).tolist(), columns.tolist(), strict=True)
    one, other = zip(*ends, strict=True)
    size = (len(questions), len(questions))
    graph = coo_array((np.ones(len(ends), dtype=bool), (one, other)), shape=size)
    labels = connected_components(graph, directed=False)[1].tolist()
    first: dict[int, int] = {}
    return [first.setdefault(label, i) for i, label in enumerate(labels)]


def split_of(key: str, validation: float, held_back: float) -> Split:
    """The split of a group: by a hash of its key, so that another export puts it there again."""
    place = int.from_bytes(hashlib.sha256(key.encode()).digest()[:8], "big") / 2**64
    if place < held_back:
        return Split.HELD_BACK
    return Split.VALIDATION if place < held_back + validation else Split.TRAIN
