"""What changed from one release to the next one, as steps of an upgrade with their pages."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain

from chatbot.retrieval.support import cite_stated, cite_words, names, plain
from chatbot.turn import Citation, Origin
from chatbot.upgrading.notes import Kind, Mention, Note
from chatbot.upgrading.usage import PART, folded, spoken
from corpora.catalog.release import sort_key
from corpora.parameters.parameter import (
    ARGUMENT,
    DEFAULT,
    DEPRECATED,
    DESCRIPTION,
    KNOWN,
    RANGE,
    REPLACED,
    SYNTAX,
    TYPE,
    UNIT,
    Fact,
    Parameter,
    Replacement,
)
from corpora.parameters.releases import Change, Difference, Outcome, ReleaseParameters, changes
from ingestion.messages import message, sentences
from ingestion.page import BlockKind


class Need(StrEnum):
    """What a step asks of whoever upgrades, the most urgent first."""

    MUST = "must change"
    DEFAULT = "new default"
    DEPRECATED = "deprecated"
    NEW = "new"


class What(StrEnum):
    """What became of the thing; removed and renamed ones come first."""

    REMOVED = "removed"
    RENAMED = "renamed"
    CHANGED = "changed"
    VALUE = "value"
    DEPRECATED = "deprecated"
    ADDED = "added"
    TOLD = "told of"


_BY_KIND: Mapping[Kind | None, tuple[Need, What]] = {
    Kind.REMOVED: (Need.MUST, What.REMOVED),
    Kind.RENAMED: (Need.MUST, What.RENAMED),
    Kind.CHANGED: (Need.MUST, What.CHANGED),
    Kind.DEFAULT: (Need.DEFAULT, What.VALUE),
    Kind.DEPRECATED: (Need.DEPRECATED, What.DEPRECATED),
    Kind.NEW: (Need.NEW, What.ADDED),
    None: (Need.NEW, What.TOLD),
}
NEED_OF: Mapping[What, Need] = {what: need for need, what in _BY_KIND.values()}
"""The list of what became of a thing."""
_ASKS_FOR_A_CHANGE = (RANGE, TYPE, UNIT, SYNTAX, "required")
_LONGEST = 300
AS_IN_CODE = re.compile(r"[_$]|^--?[A-Za-z]|[a-z][A-Z]|[A-Za-z]\.[a-z]|\(\)$")
"""How a name is written that is one though no page documents it."""


@dataclass(frozen=True)
class UpgradeStep:
    """What became of a documented thing from `older` to `newer`, in words, with its pages.

    `name` is as the documentation writes it, empty where a note names nothing; `names` are all by
    which it is looked up. `before` and `after` are the words of the two releases; at least one is
    there. `says` quotes the documentation and is hostile text.
    """

    need: Need
    what: What
    name: str
    owner: str
    says: str
    older: str
    newer: str
    before: Citation | None = None
    after: Citation | None = None
    note: Citation | None = None
    names: frozenset[str] = frozenset()
    spelt: tuple[str, ...] = ()
    successors: tuple[str, ...] = ()

    @property
    def citations(self) -> tuple[Citation, ...]:
        """Its pages, the older release first."""
        return tuple(dict.fromkeys(c for c in (self.before, self.after, self.note) if c))


def steps_between(
    older: ReleaseParameters,
    newer: ReleaseParameters,
    own: Sequence[Note],
) -> tuple[UpgradeStep, ...]:
    """The steps from one release to the next, in the order of the newer one's documents.

    `own` are the notes on what is new in between.
    """
    releases = older.release, newer.release
    compared = changes(older, newer)
    of_parameters = [step for change in compared for step in _of_change(change, releases)]
    told: defaultdict[str, list[Note]] = defaultdict(list)
    for note in own:
        for name, mention in note.names.items():
            if not mention.successor:
                told[name].append(note)
    stating = [confirmed(step, told) for step in of_parameters]
    known = {(name, step.need, step.note) for step in stating for name in step.names}
    commands: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for parameter in (*older.parameters, *newer.parameters):
        # An everyday word is a name in a note where its section stands before it.
        for spelt in (parameter.name, f"{parameter.owner} {parameter.name}"):
            if " " in spelt.strip():
                said = spoken(spelt)
                commands[said.partition(" ")[0]][said] = parameter.name
    stated = {name for step in stating for name in step.names}
    rows = {
        _quoted(note, newer.release)
        for note in own
        # A row of changed values says again what the parameters say.
        if note.block.kind is BlockKind.TABLE_ROW
        and not stated.isdisjoint(_named_in(note, commands))
    }
    new = {name for step in stating if step.need is Need.NEW for name in step.names}
    of_notes = (step for note in own for step in _of_note(note, older, newer, commands))
    left = (
        step
        for step in of_notes
        # What the parameters themselves tell is said once.
        if not any((name, step.need, step.note) in known for name in step.names)
        and not (step.need is Need.NEW and step.names and step.names <= new)
        and step.note not in rows
    )
    return (*stating, *left)


def notes_of_step(
    older: str, newer: str, before: Sequence[Note], notes: Sequence[Note]
) -> Iterator[Note]:
    """The notes on releases after the older one, up to the newer one.

    One that names no release belongs here if the older documentation does not have it.
    """
    known = {plain(note.text) for note in before}
    span = sort_key(older), sort_key(newer)
    seen: set[str] = set()
    for note in notes:
        text = plain(note.text)
        there = note.release and span[0] < sort_key(note.release) <= span[1]
        is_unnamed = note.release is None and text not in known
        if (there or is_unnamed) and (note.subject or text not in seen):
            seen.add(text)
            yield note


def _of_change(change: Change, releases: tuple[str, str]) -> Iterator[UpgradeStep]:
    shown = change.shown
    if shown.kind == ARGUMENT and shown.name.startswith("_"):
        return
    spelt = (shown.name, *shown.aliases)
    base = UpgradeStep(
        *(Need.MUST, What.REMOVED, shown.name, shown.owner, "", *releases),
        before=cite_fact(change.before, releases[0]) if change.before else None,
        after=cite_fact(change.after, releases[1]) if change.after else None,
        names=frozenset(map(folded, spelt)),
        spelt=spelt,
    )
    match change.outcome:
        case Outcome.GONE if by := change.replaced_by:
            yield replace(
                base,
                what=What.RENAMED,
                says=message("replaced by {name}", name=by.new),
                after=cite_fact(by, releases[1]),
                successors=(by.new,),
            )
        case Outcome.GONE:
            yield replace(base, says=message("no longer documented"))
        case Outcome.NEW:
            default = shown.value(DEFAULT)
            told = default and message("default: {value}", value=default[:_LONGEST])
            says = sentences((told, shown.value(DESCRIPTION)[:_LONGEST]), "; ")
            yield replace(base, need=Need.NEW, what=What.ADDED, says=says)
        case Outcome.CHANGED:
            for difference in change.differences:
                if step := _of_difference(change, difference, base):
                    yield step


def _of_difference(change: Change, difference: Difference, base: UpgradeStep) -> UpgradeStep | None:
    relation, was, now = difference.relation, difference.before, difference.after
    assert change.before is not None
    assert change.after is not None
    if relation in (DEPRECATED, REPLACED):
        if not now or was:
            return None
        if relation == REPLACED:
            says = message("replaced by {name}", name=now[:_LONGEST])
        elif now == "yes":
            says = message("deprecated")
        else:
            says = message("deprecated since {release}", release=now[:_LONGEST])
        need, what = Need.DEPRECATED, What.DEPRECATED
    elif not was or not now or _is_stated_in_both(change, relation):
        # What only one of them states is another documentation, and no other value.
        return None
    else:
        is_value = relation not in _ASKS_FOR_A_CHANGE
        need = Need.DEFAULT if is_value else Need.MUST
        what = What.VALUE if is_value else What.CHANGED
        # The documents' own names of relations have no translation, and stay as they are.
        name = message(relation) if relation in KNOWN else relation
        of = {"was": was[:_LONGEST], "now": now[:_LONGEST]}
        says = message("{relation}: {was} → {now}", relation=name, **of)
    before, after = change.before.fact(relation), change.after.fact(relation)
    return replace(
        base,
        need=need,
        what=what,
        says=says,
        before=cite_fact(before or change.before, base.older),
        after=cite_fact(after or change.after, base.newer),
    )


def _is_stated_in_both(change: Change, relation: str) -> bool:
    """Whether both releases state one value: 256K (262144), 262144 (256K); '600', 600."""
    assert change.before is not None
    assert change.after is not None
    sides = (change.before, change.after)
    spelt = [{s for v in _values(p, relation) for s in spellings(v)} for p in sides]
    if not spelt[0].isdisjoint(spelt[1]):
        return True
    # "The default is conservative": a word of prose, where the text has the other's figure, too.
    return any(
        own.value(relation).isalpha() and names(_words(own, relation), other.value(relation))
        for own, other in (sides, sides[::-1])
        if not other.value(relation).isalpha()
    )


def _words(parameter: Parameter, relation: str) -> str:
    fact = parameter.fact(relation)
    return f"{parameter.quote}\n{fact.quote if fact else ''}"


def _values(parameter: Parameter, relation: str) -> Iterator[str]:
    yield parameter.value(relation)
    yield from (fact.value for fact in parameter.facts if fact.relation == relation)


def spellings(value: str) -> set[str]:
    """A value as it is compared, with what stands in brackets as another spelling of it."""
    before, _, inside = plain(value).removesuffix(")").partition("(")
    # "none (< 3.5) denyall (>= 3.5)" has two values, and not one in two spellings.
    parts = (before, inside) if ")" not in inside else ()
    bare = (" ".join(sorted(PART.findall(part))) for part in (plain(value), *parts))
    return {spelling for spelling in bare if spelling}


def confirmed(step: UpgradeStep, told: Mapping[str, Sequence[Note]]) -> UpgradeStep:
    """A step with the note that tells of it."""
    for note in (note for name in step.names for note in told.get(name, ())):
        kind = _BY_KIND.get(note.kind) if note.kind else None
        if kind and kind[0] is step.need:
            step = replace(step, note=_quoted(note, step.newer))
            if step.what is not What.REMOVED or kind[1] is What.CHANGED:
                return step
            # What left the manual may have another name now, which the note tells.
            says = " ".join(note.text.split())[:_LONGEST]
            new = (name for name, mention in note.names.items() if mention.successor)
            by = tuple(new) if kind[1] is What.RENAMED else ()
            return replace(step, what=kind[1], says=says, successors=by)
    return step


def _of_note(
    note: Note,
    older: ReleaseParameters,
    newer: ReleaseParameters,
    commands: Mapping[str, Mapping[str, str]],
) -> Iterator[UpgradeStep]:
    """A note as a step for each documented name in it, and as one for what it names beside them.

    `commands` are the documented names of several words, as they are looked for in the note, by the
    first of these words.
    """
    mentions = _named_in(note, commands)
    about = {name: m for name, m in mentions.items() if m.kind in _BY_KIND}
    says = " ".join(note.text.split())[:_LONGEST]
    base = UpgradeStep(
        *(Need.NEW, What.ADDED, "", "", says, older.release, newer.release),
        note=_quoted(note, newer.release),
    )
    successors = tuple(name for name, mention in about.items() if mention.successor)
    unnamed: dict[str, Mention] = {}
    for name, mention in about.items():
        if mention.successor or _is_aside(mention):
            continue
        before, after = documented(name, older), documented(name, newer)
        shown = after or before
        if shown is None and not AS_IN_CODE.search(note.spelt(name)) and name != note.subject:
            unnamed[name] = mention
            continue
        need, what = _BY_KIND[mention.kind]
        yield replace(
            base,
            need=need,
            what=what,
            name=shown.name if shown else note.spelt(name),
            owner=shown.owner if shown else "",
            before=cite_fact(before, older.release) if before else None,
            after=cite_fact(after, newer.release) if after else None,
            names=frozenset([name]),
            spelt=(shown.name if shown else name,),
            successors=successors if what in (What.RENAMED, What.DEPRECATED) else (),
        )
    kind = _BY_KIND.get(note.kind)
    if kind and (unnamed or (note.kind and not mentions)):
        yield replace(base, need=kind[0], what=kind[1], names=frozenset(unnamed))


def _named_in(note: Note, commands: Mapping[str, Mapping[str, str]]) -> Mapping[str, Mention]:
    """The names in a note, with the documented ones of several words."""
    text = f" {spoken(note.text)} "
    told = Mention(note.kind, successor=False, first=True)
    near = (commands.get(word, {}).items() for word in dict.fromkeys(text.split()))
    found = (name for said, name in chain.from_iterable(near) if f" {said} " in text)
    return {**note.names, **{folded(name): told for name in found}}


def _is_aside(mention: Mention) -> bool:
    """Whether a note on something new only names a thing beside it."""
    return mention.kind is Kind.NEW and not mention.first


def documented(
    name: str, release: ReleaseParameters, owners: frozenset[str] = frozenset()
) -> Parameter | None:
    """The parameter of a release with this name, in whatever spelling; first of these `owners`."""
    spellings = (name, name.replace("_", "-"), f"--{name.replace('_', '-')}", f"{name}()")
    found = [p for spelling in spellings for p in release.named(spelling)]
    found = [p for p in found if folded(p.owner) in owners] or found
    return next((p for p in found if p.kind != ARGUMENT), found[0] if found else None)


def _quoted(note: Note, release: str) -> Citation:
    block = note.block
    return cite_words(note.page, block.text, block.path, block.anchor or note.page.anchor, release)


def cite_fact(stated: Fact | Parameter | Replacement, release: str) -> Citation:
    """What a release states of a parameter, cited as its documents have it."""
    return replace(cite_stated(stated, release), origin=Origin.DOCUMENTS)
