"""What changed between two releases, in words and as rows for files."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from corpora.parameters.changes import Change, Difference, Outcome
from corpora.parameters.parameter import (
    DEFAULT,
    DESCRIPTION,
    RANGE,
    SYNTAX,
    TYPE,
    UNIT,
    Parameter,
    Place,
)

_FIRST_TOLD = (DEFAULT, RANGE, TYPE, SYNTAX)
_SHORT, _MOST = 60, 4


def difference_in_words(difference: Difference) -> str:
    """One relation on both sides: "default: 5 s → 10 s"."""
    before, after = (value or "not stated" for value in (difference.before, difference.after))
    return f"{difference.relation}: {before} → {after}"


def facts_in_words(parameter: Parameter) -> Iterator[str]:
    """What is stated of a new or a former parameter, in short: "default: 5 s"."""
    stated = (fact.relation for fact in parameter.facts if len(fact.value) <= _SHORT)
    told = (r for r in dict.fromkeys((*_FIRST_TOLD, *stated)) if r not in (UNIT, DESCRIPTION))
    values = ((relation, parameter.value(relation)) for relation in told)
    yield from islice((f"{relation}: {value}" for relation, value in values if value), _MOST)


def told_of(change: Change) -> list[str]:
    """What a change comes to, relation by relation."""
    if change.outcome is Outcome.CHANGED:
        return [difference_in_words(d) for d in change.differences]
    told = list(facts_in_words(change.shown))
    if change.replaced_by:
        told.append(f"replaced by {change.replaced_by.new}")
    return told


def matching(
    changes: Iterable[Change], words: str, outcome: str | None, kind: str | None, owner: str | None
) -> list[Change]:
    """The changes that have all the words, and the outcome, the kind and the owner where given."""
    wanted = words.casefold().split()

    def fits(change: Change) -> bool:
        shown = change.shown
        text = " ".join((shown.name, *shown.aliases, shown.owner, *told_of(change))).casefold()
        return (
            all(word in text for word in wanted)
            and outcome in (None, change.outcome.value)
            and kind in (None, shown.kind)
            and owner in (None, shown.owner)
        )

    return [change for change in changes if fits(change)]


def change_rows(changes: Iterable[Change]) -> Iterator[dict[str, Any]]:
    """The changes as rows of a file, each with the pages of both sides."""
    for change in changes:
        shown, before, after = change.shown, change.before, change.after
        yield {
            "change": change.outcome.value,
            "name": shown.name,
            "kind": shown.kind,
            "belongs_to": shown.owner,
            "details": "; ".join(told_of(change)),
            "before": _place(before.place) if before else "",
            "after": _place(after.place) if after else "",
        }


def _place(place: Place) -> str:
    return ", ".join(dict.fromkeys((place.file, f"page {place.page}", place.section)))
