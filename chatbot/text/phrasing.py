"""How several things, or what is wrong with a value, are named; words that a rule looks for."""

from collections.abc import Iterable

from pydantic import ValidationError


def listed(names: Iterable[str], last: str = "and") -> str:
    """At least one name, with a word before the last: "17.10, 17.20 and 18.00"."""
    *others, end = names
    return f"{', '.join(others)} {last} {end}" if others else end


def first_problem(error: ValidationError) -> str:
    """The first thing that is wrong with a value, and where: "rules.0: Field required"."""
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    return f"{place}: {first['msg']}" if place else first["msg"]


def word_set(words: str) -> frozenset[str]:
    """The words of a text that are set apart by spaces."""
    return frozenset(words.split())
