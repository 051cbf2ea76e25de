"""Compound words found by their parts, and parts by their compounds, without a dictionary.

German says "Bitfehlerrate" in one word, and people ask for "Bitfehler": the words that a release
has are the dictionary.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, takewhile

COMPOUNDING = frozenset({"da", "de", "et", "fi", "hu", "nl", "no", "sv"})
"""The languages that write compounds as one word."""

LEAST = 5
"""Letters of a part; shorter ones begin or end too many words by chance."""
_MOST = 8
"""The most words for one: those that share the larger part with it."""
_LOOKED_AT = 1_000


class Compounds:
    """The words of an index, by how they begin and how they end."""

    def __init__(self, words: Iterable[str]) -> None:
        self._forward = sorted(word for word in words if len(word) >= LEAST)
        self._backward = sorted(word[::-1] for word in self._forward)
        self._known = frozenset(self._forward)

    def of(self, word: str) -> list[str]:
        """Return the words that one begins or ends with, or that begin or end with it."""
        if len(word) < LEAST:
            return []
        lengths = range(LEAST, len(word))
        parts = self._known & {part for n in lengths for part in (word[:n], word[-n:])}
        longer = {
            *_beginning(self._forward, word),
            *(found[::-1] for found in _beginning(self._backward, word[::-1])),
        }
        found = (parts | longer) - {word}
        return sorted(found, key=lambda other: (abs(len(other) - len(word)), other))[:_MOST]


def _beginning(words: Sequence[str], with_: str) -> Iterator[str]:
    start = bisect_left(words, with_)
    near = islice(words, start, start + _LOOKED_AT)
    return takewhile(lambda word: word.startswith(with_), near)
