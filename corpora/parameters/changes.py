"""The parameters of releases beside each other: what is new, changed and gone, and a history."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from corpora.parameters.of_release import ReleaseParameters
from corpora.parameters.parameter import (
    ARGUMENT,
    DESCRIPTION,
    KNOWN,
    SINCE,
    UNIT,
    Parameter,
    Replacement,
)

_LONGEST = 60
"""Of values under a header of their own, which are compared up to this length: longer ones are
texts, and a text in other words is no change."""
_NOT_COMPARED = {DESCRIPTION, SINCE, UNIT}


class Outcome(StrEnum):
    """What became of a parameter from one release to the other."""

    NEW = "new"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True)
class Difference:
    """A relation in which a parameter differs; empty on the side that states nothing."""

    relation: str
    before: str
    after: str


@dataclass(frozen=True)
class Change:
    """A parameter in the older and in the newer release; None where it is not.

    `replaced_by` names what the newer release says takes the place of what is gone.
    """

    before: Parameter | None
    after: Parameter | None
    differences: tuple[Difference, ...] = ()
    replaced_by: Replacement | None = None

    @property
    def outcome(self) -> Outcome:
        """What became of it."""
        if self.before and self.after:
            return Outcome.CHANGED
        return Outcome.NEW if self.after else Outcome.GONE

    @property
    def shown(self) -> Parameter:
        """The parameter as the newer release has it, else as the older one had it."""
        parameter = self.after or self.before
        assert parameter is not None
        return parameter


def changes(older: ReleaseParameters, newer: ReleaseParameters) -> tuple[Change, ...]:
    """What is new, changed and gone, in the order of the newer release; what is gone comes last.

    A parameter is the same one if it has the name and the owner that it had, or if its name is
    the only one left of that kind: sections are renamed. Arguments belong to their function.
    """
    waiting: defaultdict[str, list[Parameter]] = defaultdict(list)
    for parameter in older.parameters:
        waiting[parameter.name].append(parameter)
    partner: dict[int, Parameter] = {}
    for same in (_same_place, _same_owner, _only_one_left):
        for parameter in newer.parameters:
            if id(parameter) in partner:
                continue
            if found := same(parameter, waiting[parameter.name]):
                waiting[parameter.name].remove(found)
                partner[id(parameter)] = found
    told: list[Change] = []
    for parameter in newer.parameters:
        before = partner.get(id(parameter))
        differing = tuple(_differences(before, parameter)) if before else ()
        if before is None or differing:
            told.append(Change(before, parameter, differing))
    left = {id(p) for rest in waiting.values() for p in rest}
    gone = (p for p in older.parameters if id(p) in left)
    return (*told, *(Change(p, None, replaced_by=replacement(p.name, newer)) for p in gone))


def replacement(name: str, release: ReleaseParameters) -> Replacement | None:
    """What a release says takes the place of a name, where it has a name for that itself."""
    told = [r for r in release.replacements if r.old.casefold() == name.casefold()]
    return next((r for r in told if release.named(r.new)), told[0] if told else None)


def _same_place(parameter: Parameter, old: Sequence[Parameter]) -> Parameter | None:
    own = parameter.owner, parameter.place.file
    return next((o for o in old if (o.owner, o.place.file) == own), None)


def _same_owner(parameter: Parameter, old: Sequence[Parameter]) -> Parameter | None:
    return next((o for o in old if o.owner == parameter.owner), None)


def _only_one_left(parameter: Parameter, old: Sequence[Parameter]) -> Parameter | None:
    return old[0] if len(old) == 1 and ARGUMENT not in (parameter.kind, old[0].kind) else None


def _differences(before: Parameter, after: Parameter) -> Iterator[Difference]:
    relations = dict.fromkeys(f.relation for f in (*after.facts, *before.facts))
    for relation in relations:
        was, now = before.value(relation), after.value(relation)
        text = relation not in KNOWN and max(len(was), len(now)) > _LONGEST
        if relation in _NOT_COMPARED or text or _plain(was) == _plain(now):
            continue
        # A column of its own may be new in the table, and then says nothing of this row.
        if relation in KNOWN or (was and now):
            yield Difference(relation, was, now)


def _plain(value: str) -> str:
    return " ".join(value.split()).casefold().strip("\"'`‘’“”")
