"""How several things are named in a sentence, and sets of words that a rule looks for."""

from collections.abc import Iterable


def listed(names: Iterable[str], last: str = "and") -> str:
    """At least one name, with a word before the last: "17.10, 17.20 and 18.00"."""
    *others, end = names
    return f"{', '.join(others)} {last} {end}" if others else end


def word_set(words: str) -> frozenset[str]:
    """The words of a text that are set apart by spaces."""
    return frozenset(words.split())
