"""The parameters of a release, and of two beside each other: what is new, changed and gone."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from corpora.indexing.corpus import Corpus
from corpora.parameters.extraction import read_parameters
from corpora.parameters.parameter import (
    ARGUMENT,
    DESCRIPTION,
    KNOWN,
    SINCE,
    UNIT,
    Parameter,
    Replacement,
)
from ingestion.page import DocumentKind

_LONGEST = 60
"""Of values under a header of their own: longer ones are texts."""
_FIGURE = re.compile(r"\d(?:[\d.,]*\d)?")
_HELD = 64
"""Releases whose parameters are held in memory; that asked about longest ago goes first."""
_LOOKED_AT = 50
"""Chunks, the best first, in which a name is looked for."""
_NOT_COMPARED = {SINCE, UNIT}


class ReleaseParameters:
    """What one release states about its parameters, in the order of its documents.

    `replacements` are what its release notes say of names that took the place of others.
    `mentions` tells whether a name stands in it anywhere else.
    """

    def __init__(self, corpus: Corpus, mentions: Callable[[str], bool]) -> None:
        self.product, self.release = corpus.product, corpus.release
        self.mentions = mentions
        read = [read_parameters(corpus.pages_of(document.id)) for document in corpus.documents()]
        self.parameters: tuple[Parameter, ...] = tuple(p for found, _ in read for p in found)
        self.replacements: tuple[Replacement, ...] = tuple(
            r for _, replacements in read for r in replacements
        )
        self._named: defaultdict[str, dict[Parameter, None]] = defaultdict(dict)
        self._owned: defaultdict[str, dict[Parameter, None]] = defaultdict(dict)
        for parameter in self.parameters:
            self._owned[parameter.owner][parameter] = None
            for name in (parameter.name, *parameter.aliases):
                self._named[name.casefold()][parameter] = None

    def named(self, name: str) -> tuple[Parameter, ...]:
        """The parameters with this name or spelling, whatever they belong to."""
        return tuple(self._named.get(name.casefold(), ()))

    def of_owner(self, owner: str) -> tuple[Parameter, ...]:
        """The parameters of a function, a command or a section."""
        return tuple(self._owned.get(owner, ()))


OpenParameters = Callable[[str, str], ReleaseParameters]
"""Gives the parameters of a product's release; raises NoCorpus where there is none."""


def opened_by(open_corpus: Callable[[str, str], Corpus]) -> OpenParameters:
    """What gives the parameters of a product's release, read when they are first asked for."""

    @lru_cache(_HELD)
    def of_generation(product: str, release: str, generation: int) -> ReleaseParameters:
        corpus = open_corpus(product, release)
        # Held without the corpus, which would stay open with it.
        return ReleaseParameters(corpus, lambda name: mentions(open_corpus(product, release), name))

    def open_parameters(product: str, release: str) -> ReleaseParameters:
        return of_generation(product, release, open_corpus(product, release).generation)

    return open_parameters


def mentions(corpus: Corpus, name: str) -> bool:
    """Whether a name stands in a release outside of its release notes, whatever is said of it."""
    whole = re.compile(rf"(?<![\w-]){re.escape(name.casefold())}(?![\w-])")
    ids = [chunk for chunk, _ in corpus.lexical(corpus.terms(name), _LOOKED_AT)]
    documented = [
        chunk
        for chunk, (_, document) in zip(ids, corpus.places(ids), strict=True)
        if document.kind is not DocumentKind.RELEASE_NOTES
    ]
    return any(whole.search(c.text.casefold()) for c in corpus.chunks(documented).values())


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
    partner: dict[Parameter, Parameter] = {}
    for same in (_same_place, _same_owner, _only_one_left):
        for parameter in newer.parameters:
            old = waiting[parameter.name]
            if parameter not in partner and (found := same(parameter, old)):
                old.remove(found)
                partner[parameter] = found
    changes: list[Change] = []
    for parameter in newer.parameters:
        before = partner.get(parameter)
        differing = tuple(_differences(before, parameter)) if before else ()
        if differing or (before is None and _is_missing(parameter, older)):
            changes.append(Change(before, parameter, differing))
    gone = (p for p in older.parameters if p in waiting[p.name])
    left = ((p, replacement(p.name, newer)) for p in gone)
    missing = ((p, by) for p, by in left if by or _is_missing(p, newer))
    return (*changes, *(Change(p, None, replaced_by=by) for p, by in missing))


def _is_missing(parameter: Parameter, release: ReleaseParameters) -> bool:
    """Whether nothing of its name stands in a release; there another form may say the same.

    The name of an argument says little: it is missing where its function is read without it.
    """
    if parameter.kind == ARGUMENT and release.named(parameter.owner):
        return True
    return not any(map(release.mentions, (parameter.name, *parameter.aliases)))


def replacement(name: str, release: ReleaseParameters) -> Replacement | None:
    """What a release says takes the place of a name, where it has a name for that itself."""
    replacements = [r for r in release.replacements if r.old.casefold() == name.casefold()]
    return next(
        (r for r in replacements if release.named(r.new)), replacements[0] if replacements else None
    )


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
        own = relation not in KNOWN
        is_text = relation == DESCRIPTION or (own and max(len(was), len(now)) > _LONGEST)
        # A text in other words is no change; the same words with another figure are one.
        reworded = is_text and _FIGURE.sub("0", _plain(was)) != _FIGURE.sub("0", _plain(now))
        if relation in _NOT_COMPARED or reworded or _plain(was) == _plain(now):
            continue
        # A column of its own may be new in the table, and then says nothing of this row; and what
        # another form says of it in a sentence is not gone.
        told = _tells(before if now else after, was or now)
        if (was and now) or not (own or is_text or told):
            yield Difference(relation, was, now)


def _tells(parameter: Parameter, value: str) -> bool:
    """Whether a value stands in the words that state a parameter."""
    whole = re.compile(rf"(?<![\w.]){re.escape(_plain(value))}(?!\w|\.\d)")
    words = (parameter.quote, *(fact.quote for fact in parameter.facts))
    return any(whole.search(_plain(quote)) for quote in words)


def _plain(value: str) -> str:
    return " ".join(value.split()).casefold().strip("\"'`‘’“”")
