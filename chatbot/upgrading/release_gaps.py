"""Gaps between releases: what the documentation lost, only announced, or states in two ways."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import combinations, pairwise
from typing import Any

from chatbot.accounts.people import Person
from chatbot.comparison.pages import pages_with
from chatbot.comparison.presence import find_everywhere
from chatbot.retrieval.support import cite_stated, cite_words, whole
from chatbot.runtime.concurrency import Stopped
from chatbot.turn import Citation
from chatbot.upgrading.guide import OpenCorpus, UpgradeGuides
from chatbot.upgrading.notes import Kind, Note, release_above
from chatbot.upgrading.steps import AS_IN_CODE, spellings
from chatbot.upgrading.usage import folded
from corpora.catalog.release import Product
from corpora.database.engine import Database
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens
from corpora.parameters.forms import is_name
from corpora.parameters.parameter import ARGUMENT, DEFAULT, Parameter
from corpora.parameters.releases import OpenParameters, ReleaseParameters
from ingestion.messages import message
from ingestion.page import TERM_DELIMITER, Block, BlockKind, DocumentKind

_SHARED, _AGREEING = 3, 0.6
"""Names that two sections share, and the share of equal values, from which they state one thing."""
_LOOKED_AT = 20
_HELD = 500
_USUAL, _LOOKED_BACK = 2 / 3, 50
"""The share of what notes tell of that a manual has, and the names by which that is told."""
_FILE = re.compile(r"\.(?:py|toml|cfg|ini|md|rst|txt|html|json|yml|org)$", re.I)
_FIGURE = re.compile(r"\d")
_NAMED = re.compile(rf"{AS_IN_CODE.pattern}|^[A-Z]+\d+$")
"""A name of release notes for sure, such as `--color` or E902; "non-fork" is none."""
_LEFT = (Kind.REMOVED, Kind.RENAMED)


class GapKind(StrEnum):
    """What is wrong."""

    LOST = "lost"
    ANNOUNCED = "only announced"
    CONTRADICTION = "contradiction"


@dataclass(frozen=True)
class ReleaseGap:
    """A gap in the documentation of `release`, in words, with the pages that show it.

    `says` quotes the documentation and is hostile text.
    """

    kind: GapKind
    release: str
    name: str
    says: str
    citations: tuple[Citation, ...]


class ReleaseGaps:
    """Finds the gaps between the releases of a product, for admins; others raise NotAllowed.

    Those of a release are kept in memory: whoever stops and asks again goes on from there.
    """

    def __init__(
        self,
        open_corpus: OpenCorpus,
        open_parameters: OpenParameters,
        guides: UpgradeGuides,
        database: Database | None = None,
    ) -> None:
        self._corpus, self._parameters, self._guides = open_corpus, open_parameters, guides
        self._database = database
        # By generations: a release that is built anew is another one.
        self._found = lru_cache(_HELD)(self._find)

    def of(
        self,
        person: Person,
        product: Product,
        *,
        told: Callable[[int, int], None] = lambda done, of: None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> tuple[ReleaseGap, ...]:
        """All gaps, those of the newest release first; `told(done, of)` hears of each release.

        One that several releases have stands with the newest of them, which names the others.
        """
        person.require_admin(self._database)
        names = [release.name for release in product.releases]
        found: list[tuple[ReleaseGap, ...]] = []
        for number, (older, newer) in enumerate(pairwise([None, *names])):
            if stopped():
                raise Stopped
            told(number, len(names))
            assert newer is not None
            found.append(self._found(product.name, *self._built(product, older, newer)))
        told(len(names), len(names))
        return _each_once(gap for gaps in reversed(found) for gap in gaps)

    def _built(
        self, product: Product, older: str | None, newer: str
    ) -> tuple[tuple[str, int] | None, tuple[str, int]]:
        """Two releases, each with its generation."""
        before = None if older is None else (older, self._corpus(product.name, older).generation)
        return before, (newer, self._corpus(product.name, newer).generation)

    def _find(
        self,
        product: str,
        before: tuple[str, int] | None,
        after: tuple[str, int],
    ) -> tuple[ReleaseGap, ...]:
        return tuple(self._of_release(product, before and before[0], after[0]))

    def _of_release(self, product: str, older: str | None, newer: str) -> Iterator[ReleaseGap]:
        stated, corpus = self._parameters(product, newer), self._corpus(product, newer)
        if older is not None:
            before = self._parameters(product, older)
            notes = self._guides.notes(product, newer)
            own = self._guides.notes_between(product, older, newer)
            corpora = self._corpus(product, older), corpus
            yield from _lost(before, stated, corpora, own)
            yield from _announced(product, stated, own, notes)
        yield from _contradictions(stated)


def _each_once(gaps: Iterable[ReleaseGap]) -> tuple[ReleaseGap, ...]:
    alike: defaultdict[tuple[GapKind, str, str], list[ReleaseGap]] = defaultdict(list)
    for gap in gaps:
        alike[gap.kind, gap.name, gap.says].append(gap)
    return tuple(_for_others(newest, others) for newest, *others in alike.values())


def _for_others(gap: ReleaseGap, others: Sequence[ReleaseGap]) -> ReleaseGap:
    """A gap that says in which other releases it is as well."""
    if not others:
        return gap
    where = ", ".join(other.release for other in others)
    return replace(gap, says=message("{gap}; also in {releases}", gap=gap.says, releases=where))


def _lost(
    older: ReleaseParameters,
    newer: ReleaseParameters,
    corpora: tuple[Corpus, Corpus],
    notes: Iterable[Note],
) -> Iterator[ReleaseGap]:
    """What has an entry in the older release and none in the newer one, which names it still."""
    gone = {n for note in notes for n, m in note.names.items() if m.kind in _LEFT}
    gone |= {folded(replaced.old) for replaced in newer.replacements}
    # An entry may have all its spellings as its name: "-v, --verbosity LEVEL".
    gone |= {folded(part.strip(",")) for p in newer.parameters for part in p.name.split()}
    seen: set[str] = set()
    for parameter in older.parameters:
        name = parameter.name
        if parameter.kind == ARGUMENT or not is_name(name) or folded(name) in seen | gone:
            continue
        seen.add(folded(name))
        if any(map(newer.named, (name, *parameter.aliases))) or not newer.mentions(name):
            continue
        there = find_everywhere(name, corpora)[1]
        mention = _mention(corpora[1], name)
        if there.citation is None and mention is not None:
            said = message(
                "{older} documents it, {newer} only names it",
                older=older.release,
                newer=newer.release,
            )
            pages = cite_stated(parameter, older.release), mention
            yield ReleaseGap(GapKind.LOST, newer.release, name, said, pages)


def _mention(corpus: Corpus, name: str) -> Citation | None:
    """The words of a release's manual that name a thing, if no entry or section is headed so.

    What stands below the name of a release is no manual, but tells of that release.
    """
    found: Citation | None = None
    for page in pages_with(corpus, tokens(name), _LOOKED_AT):
        for block in page.blocks:
            if not _has(block.text, name):
                continue
            if _has(_head(block), name):
                return None
            is_notes = page.document.kind is DocumentKind.RELEASE_NOTES
            if found is None and not is_notes and not release_above(block.path, corpus.release):
                found = cite_words(page, block.text, block.path, block.anchor, corpus.release)
    return found


def _has(text: str, name: str) -> bool:
    """Whether a text has a name in a spelling of it: "WebSocket" is no `webSocket`."""
    found = whole(name.lower()).finditer(text.lower())
    return any(folded(text[m.start() : m.end()]) == folded(name) for m in found)


def _head(block: Block) -> str:
    """What a block is about, if it is headed by that."""
    match block.kind:
        case BlockKind.HEADING | BlockKind.SIGNATURE:
            return block.text
        case BlockKind.DEFINITION:
            return block.text.partition(TERM_DELIMITER)[0]
        case _:
            return ""


def _announced(
    product: str, release: ReleaseParameters, own: Iterable[Note], notes: Iterable[Note]
) -> Iterator[ReleaseGap]:
    """What the release notes bring or change, and the manual does not have.

    Only where the manual has nearly all that `notes`, those on earlier releases too, tell of in
    this style: they may name what is the program's own as they name a setting.
    """
    missing = [told for told in _told(product, release, own) if not _is_in_manual(release, told[0])]
    styles = {_style(written) for written, _ in missing}
    habit: defaultdict[tuple[bool, ...], list[bool]] = defaultdict(list)
    for written, _ in _told(product, release, notes) if missing else ():
        of_style = habit[_style(written)]
        if _style(written) in styles and len(of_style) < _LOOKED_BACK:
            of_style.append(_is_in_manual(release, written))
    for written, note in missing:
        of_style = habit[_style(written)]
        if sum(of_style) < _USUAL * len(of_style):
            continue
        said = message(
            "the release notes tell of it, the manual of {release} does not",
            release=release.release,
        )
        cited = cite_words(
            note.page, note.text, note.block.path, note.block.anchor, release.release
        )
        yield ReleaseGap(GapKind.ANNOUNCED, release.release, written, said, (cited,))


def _is_in_manual(release: ReleaseParameters, written: str) -> bool:
    # A key behind its section, such as "auth.type", is documented below that.
    last = written.rpartition(".")[2]
    return bool(release.named(last)) or any(map(release.mentions, (written, folded(written), last)))


def _told(
    product: str, release: ReleaseParameters, notes: Iterable[Note]
) -> Iterator[tuple[str, Note]]:
    """The names, as they are written, that release notes tell of as new or changed, each once."""
    seen: set[str] = set()
    styles = {_style(parameter.name) for parameter in release.parameters}
    for note in notes:
        if note.page.document.kind is not DocumentKind.RELEASE_NOTES or note.subject:
            continue
        for name, mention in note.names.items():
            written = note.spelt(name)
            is_thing = _NAMED.search(written) and not _FILE.search(written)
            told = mention.kind in (Kind.NEW, Kind.DEFAULT) and mention.first
            if not told or not is_thing or name in seen or name == folded(product):
                continue
            seen.add(name)
            # What is private, or written as nothing in the manual is, is the program's own.
            if not written.startswith("_") and _style(written) in styles:
                yield written, note


def _style(name: str) -> tuple[bool, ...]:
    """How a name is written: as an option, with a number, in capitals, in both."""
    letters = "".join(filter(str.isalpha, name.rpartition(".")[2]))
    return name.startswith("-"), name[-1:].isdigit(), letters.isupper(), letters.islower()


def _contradictions(release: ReleaseParameters) -> Iterator[ReleaseGap]:
    """Parameters with two defaults, in sections that state the same parameters otherwise.

    Two functions may each have a `timeout`, and two plugins a section "Configuration" with a
    `host`: their other values differ, too, or they have no others in common.
    """
    sections: defaultdict[tuple[str, str], dict[str, Parameter]] = defaultdict(dict)
    for parameter in release.parameters:
        if parameter.value(DEFAULT):
            section = parameter.place.document, parameter.owner
            sections[section].setdefault(folded(parameter.name), parameter)
    seen: set[str] = set()
    for (of_one, one), (of_other, other) in combinations(sections.items(), 2):
        shared = [name for name in one if name in other]
        differing = [n for n in shared if not _agree(one[n], other[n])]
        agreeing = len(shared) - len(differing)
        # The same section of another document, such as a generated overview.
        is_named_alike = of_one[1] == of_other[1] and of_one[0] != of_other[0]
        if not (is_named_alike or len(shared) >= _SHARED):
            continue
        if agreeing < _AGREEING * len(shared):
            continue
        for name in differing:
            if name not in seen:
                seen.add(name)
                yield _contradiction(release.release, (one[name], other[name]))


def _agree(one: Parameter, other: Parameter) -> bool:
    values = one.value(DEFAULT), other.value(DEFAULT)
    of_prose = [value.isalpha() or (" " in value and not _FIGURE.search(value)) for value in values]
    if of_prose[0] != of_prose[1]:
        # "The default is conservative" says nothing of 100.
        return True
    # A value of signs alone, such as "/", has no other spelling.
    return values[0] == values[1] or not spellings(values[0]).isdisjoint(spellings(values[1]))


def _contradiction(release: str, parameters: Sequence[Parameter]) -> ReleaseGap:
    values = ", ".join(p.value(DEFAULT) for p in parameters)
    stated = tuple(cite_stated(p.fact(DEFAULT) or p, release) for p in parameters)
    name = parameters[0].name
    detail = message("two defaults: {values}", values=values)
    return ReleaseGap(GapKind.CONTRADICTION, release, name, detail, stated)


def release_gap_rows(gaps: Iterable[ReleaseGap]) -> Iterator[dict[str, Any]]:
    """The columns of an export."""
    for gap in gaps:
        pages = [f"{c.release}, {c.file}, page {c.page}, {c.section}" for c in gap.citations]
        yield {
            "kind": str(gap.kind),
            "release": gap.release,
            "name": gap.name,
            "details": gap.says,
            "pages": pages,
        }
