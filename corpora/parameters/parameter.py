"""A parameter of a release: a named thing, and what the pages state about it."""

import re
from dataclasses import dataclass, field

DEFAULT, UNIT, RANGE, TYPE, SYNTAX = "default", "unit", "range", "type", "syntax"
SINCE, DEPRECATED, REPLACED = "introduced in", "deprecated", "replaced by"
DESCRIPTION = "description"
KNOWN = (DEFAULT, UNIT, RANGE, TYPE, SYNTAX, SINCE, DEPRECATED, REPLACED, DESCRIPTION)
"""The relations that have a name of their own; any other one is the header of its column."""

ARGUMENT = "argument"
"""The kind of what stands in the brackets of a signature."""
_BARE_NUMBER = re.compile(r"[-−+]?\d[\d.,]*")


@dataclass(frozen=True, slots=True)
class Location:
    """Where words stand: the document, its page, the headings above them joined by " › ".

    `address` is where the document's original lies, if it has an address.
    """

    document: str
    file: str
    page: int
    page_id: int
    section: str
    anchor: str | None
    address: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """What a page states of a parameter, with the words that state it, letter for letter."""

    relation: str
    value: str
    quote: str
    place: Location


@dataclass(eq=False)
class Parameter:
    """A named thing of a release: a parameter, an option, an argument, a command, an alarm.

    `owner` is what it belongs to: a function, a command or a section. `aliases` are other
    spellings ("-q" of "--quiet"). `quote` are the words at `place` that name it.
    """

    name: str
    kind: str
    owner: str
    quote: str
    place: Location
    aliases: tuple[str, ...] = ()
    facts: list[Fact] = field(default_factory=list)

    def fact(self, relation: str) -> Fact | None:
        """What is stated first in this relation."""
        return next((fact for fact in self.facts if fact.relation == relation), None)

    def value(self, relation: str) -> str:
        """The value of a fact, a bare number with its unit; empty where nothing is stated."""
        fact, unit = self.fact(relation), self.fact(UNIT)
        value = fact.value if fact else ""
        numeric = relation in (DEFAULT, RANGE) and _BARE_NUMBER.fullmatch(value)
        return f"{value} {unit.value}" if unit and numeric else value


@dataclass(frozen=True, slots=True)
class Replacement:
    """That one name took the place of another, with the words that say so."""

    old: str
    new: str
    quote: str
    place: Location
