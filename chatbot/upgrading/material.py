"""What a model reads of a step from one release to the next, in portions that a prompt holds.

These are the items of the release notes, and for each name that is used the words of either manual
that the other one lacks. Where a manual has no entry of a name, its section on the same subject is
shown: a thing whose heading has changed is not gone.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel
from rapidfuzz.process import extract

from chatbot.comparison.pages import pages_with
from chatbot.retrieval.support import names as is_named
from chatbot.retrieval.support import plain
from chatbot.upgrading.manual_mentions import (
    PAGES_OF_A_TOPIC,
    Entry,
    Said,
    has_words,
    in_sections,
    named_by,
    read_of,
    said_of,
)
from chatbot.upgrading.notes import PIECE, Note
from chatbot.upgrading.usage import Usage, folded
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens
from corpora.indexing.pages import StoredPage
from ingestion.page import DocumentKind

_MOST_USES = 300
"""Used things that a model is asked about."""
_MOST_PASSAGES = 60
"""In a portion: of twenty used things the reply is still short."""
_OF_A_SIDE, _OF_BOTH = 1_800, 400
"""Characters that are shown of what one manual, and of what both say of one of them."""
_RAREST, _PAGES_ALIKE = 30, 12
"""Words by which a section is looked for in the other manual, and pages that are compared."""
_MOST_LIKE = 3
"""Rows, items or sentences that are shown for one that the other manual lacks."""
_SAME_SUBJECT = 0.3
"""The share of words in the same order from which two sections may have one subject.

A model reads whether they have; without the section it would take the thing for removed.
"""


@dataclass(frozen=True)
class Passage:
    """Words of a release: items of its notes, or what only its manual says of `use`.

    `release` is empty where both manuals say it.
    """

    release: str
    section: str
    text: str
    pages: tuple[StoredPage, ...]
    use: str = ""


@dataclass(frozen=True)
class Use:
    """A used thing that a portion asks about: how it is looked up, and how it is written there.

    `entries` are the first words of either manual about it, None where one has none.
    """

    name: str
    written: str
    entries: tuple[Entry | None, Entry | None]


@dataclass(frozen=True)
class Portion:
    """What one prompt holds: passages of a step, and the used things that it asks about."""

    older: str
    newer: str
    uses: tuple[Use, ...]
    passages: tuple[Passage, ...]


def portions(
    older: Corpus, newer: Corpus, notes: Sequence[Note], usage: Usage, largest: int
) -> list[Portion]:
    """What is to be read of a step for what is used, some `largest` characters a portion.

    `notes` are those of the step. What stands in neither release is not asked about: a prompt has
    no words of an input but names and topics that the documentation has.
    """
    # A remark in the manual is among what only the newer manual says.
    own = [note for note in notes if not note.subject]
    wanted = frozenset((*usage.names, *usage.values))
    read = [said_of(corpus, wanted, usage.topics) for corpus in (older, newer)]
    before, after = in_sections([said for said, _ in read], usage)
    listed = in_sections([listed for _, listed in read], usage)
    told = {folded(m[0].rstrip(".-")) for note in own for m in PIECE.finditer(note.text)}
    told |= {t for t in usage.topics if any(has_words(set(tokens(t)), note.block) for note in own)}
    known = before.keys() | after.keys() | told
    in_words = set(map(folded, usage.topics))
    asked = (*(n for n in usage.names if n not in in_words), *sorted(usage.values), *usage.topics)
    names = [use for use in dict.fromkeys(asked) if use in known][:_MOST_USES]
    sections = _documented({s for name in names for s in usage.names.get(name, ())}, older, newer)
    uses = {name: _use(name, usage, sections, before, after) for name in names}
    made = [
        Portion(older.release, newer.release, tuple(uses.values()), tuple(passages))
        for passages in _filled(([p] for p in _of_notes(own, newer.release, largest)), largest)
        if uses
    ]
    sides = _Manual(older, before, listed[0]), _Manual(newer, after, listed[1])
    for passages in _filled((_differing(name, *sides) for name in names), largest):
        of = tuple(uses[name] for name in dict.fromkeys(passage.use for passage in passages))
        made.append(Portion(older.release, newer.release, of, tuple(passages)))
    return made


def _documented(sections: Iterable[str], *manuals: Corpus) -> frozenset[str]:
    """The sections of an input that a manual names; others are its own words, such as a host."""
    return frozenset(
        section
        for section in sections
        if any(
            is_named("\n".join((*page.heading_path, page.text)).replace("-", "_"), section)
            for corpus in manuals
            for page in pages_with(corpus, set(tokens(section)), PAGES_OF_A_TOPIC)
        )
    )


def _use(name: str, usage: Usage, documented: frozenset[str], before: Said, after: Said) -> Use:
    sections = ", ".join(sorted(documented.intersection(usage.names.get(name, ()))))
    first = (next(iter(said.get(name, ())), None) for said in (before, after))
    return Use(name, f"{name} ({sections})" if sections else name, (next(first), next(first)))


def _filled(parts: Iterable[list[Passage]], largest: int) -> Iterator[list[Passage]]:
    """Parts that belong together, as many in each portion as it holds, or one that is larger."""
    portion: list[Passage] = []
    for part in parts:
        size = sum(len(passage.text) for passage in (*portion, *part))
        if portion and (size > largest or len(portion) >= _MOST_PASSAGES):
            yield portion
            portion = []
        portion = [*portion, *part]
    if portion:
        yield portion


def _of_notes(notes: Sequence[Note], release: str, largest: int) -> Iterator[Passage]:
    """The items below each heading, in order."""
    for (page, path), items in groupby(notes, lambda note: (note.page, note.block.path)):
        texts = [note.text for note in items]
        while texts:
            taken = 1
            while taken < len(texts) and sum(map(len, texts[: taken + 1])) <= largest:
                taken += 1
            yield Passage(release, " › ".join(path), "\n".join(texts[:taken]), (page,))
            texts = texts[taken:]


_Place = tuple[int, tuple[str, ...]]
"""A section: the document, and the headings above it."""


@dataclass(frozen=True)
class _Manual:
    """A release's manual, what it says of each used thing, and where it lists one."""

    corpus: Corpus
    said: Said
    listed: Said

    def has_entry(self, use: str) -> bool:
        """Whether a heading is the thing's own."""
        return any(use in named_by(b.path[-1]) for _, b in self.said.get(use, ()) if b.path)

    @cached_property
    def _plainly(self) -> dict[str, str]:
        return {}

    def compared(self, entry: Entry) -> str:
        """The words of an entry as those of another release are held against them."""
        text, known = entry[1].text, self._plainly
        if text not in known:
            known[text] = plain(text.replace(self.corpus.release, "#")).lstrip("-*• ")
        return known[text]

    def words(self, entries: Iterable[Entry]) -> list[str]:
        """The words of entries in order."""
        return [word for entry in entries for word in self.compared(entry).split()]

    @cached_property
    def _sections(self) -> Mapping[_Place, list[Entry]]:
        """What stands below each heading."""
        made: defaultdict[_Place, list[Entry]] = defaultdict(list)
        for document in self.corpus.documents():
            if document.kind is not DocumentKind.RELEASE_NOTES:
                for entry in read_of(self.corpus.pages_of(document.id)):
                    made[document.id, entry[1].path].append(entry)
        return made

    @cached_property
    def _places(self) -> Mapping[str, set[tuple[str, ...]]]:
        """The headings below which each text stands."""
        made: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
        for entries in self._sections.values():
            for entry in entries:
                made[self.compared(entry)].add(entry[1].path)
        return made

    @cached_property
    def _beside(self) -> dict[_Place, tuple[list[Entry], list[Entry]]]:
        return {}

    def beside(self, entry: Entry, other: "_Manual") -> tuple[list[Entry], list[Entry]]:
        """The section that an entry stands in, and the one of another manual on its subject."""
        # Hundreds of used things may stand in one section.
        place = entry[0].document.id, entry[1].path
        if place not in self._beside:
            section = self._sections.get(place, [entry])
            self._beside[place] = section, other._like(section, self)
        return self._beside[place]

    def _like(self, section: Sequence[Entry], other: "_Manual") -> list[Entry]:
        """The section with most words of one of another manual, if it has enough of them.

        What stands in another section of that manual as well belongs to that one.
        """
        path = section[0][1].path
        text = "\n".join(block.text for _, block in section)
        rare = [term for term in self.corpus.terms(text) if self.corpus.frequency(term)]
        rare.sort(key=self.corpus.idf, reverse=True)
        pages = pages_with(self.corpus, rare[:_RAREST], _PAGES_ALIKE)
        found = dict.fromkeys((p.document.id, b.path) for p in pages for _, b in read_of([p]))
        own = other.words(section)

        def share(entries: list[Entry]) -> float:
            free = [e for e in entries if not other._places.get(self.compared(e), set()) - {path}]
            return Indel.normalized_similarity(own, self.words(free))

        # Of a long section the pages found are but a part.
        sections = (self._sections[place] for place in found if place in self._sections)
        best = max(sections, key=share, default=[])
        return best if share(best) >= _SAME_SUBJECT else []


def _differing(use: str, older: _Manual, newer: _Manual) -> list[Passage]:
    """What each manual says of a used thing and the other does not, and how both begin.

    A manual without an entry of it says what its section on that subject does. Nothing where both
    say the same, and below the same heading.
    """
    manuals = (older, newer)
    shown = [list(manual.said.get(use, ())) for manual in manuals]
    held = [list(entries) for entries in shown]
    likes: list[list[Entry]] = [[], []]
    for here, there in ((0, 1), (1, 0)):
        has_entry = [manual.has_entry(use) for manual in manuals]
        if shown[here] and not has_entry[there] and (has_entry[here] or not shown[there]):
            entry = shown[here][0]
            section, likes[there] = manuals[here].beside(entry, manuals[there])
            held[here] += section if likes[there] else []
            if not has_entry[here]:
                # Of a section on more than this thing what is most like its row or sentence.
                texts = [*map(manuals[there].compared, likes[there])]
                words = manuals[here].compared(entry)
                alike = extract(words, texts, scorer=fuzz.ratio, limit=_MOST_LIKE)
                likes[there] = [likes[there][number] for *_, number in alike]
    for side in (side for side in (0, 1) if not shown[side] and not likes[side]):
        # A manual may show its configuration as a file alone.
        if shown[1 - side]:
            shown[side] = held[side] = list(manuals[side].listed.get(use, ()))
    shown = [[*like, *entries] for like, entries in zip(likes, shown, strict=True)]
    held = [[*like, *entries] for like, entries in zip(likes, held, strict=True)]
    made = []
    both: list[Entry] = []
    for own, other in ((0, 1), (1, 0)):
        releases = [manuals[side].corpus.release for side in (own, other)]
        other_has = set(map(manuals[other].compared, held[other]))
        left = [e for e in shown[own] if manuals[own].compared(e) not in other_has]
        both = [entry for entry in shown[own] if entry not in left]
        none = "nothing that the other does not have" if shown[own] else "it does not stand there"
        lines = ["(no entry of that name; what is most like it:)"] if likes[own] else []
        lines += [] if left else [f"({none})"]
        headed = shown[own] if any(likes) else left
        made.append(_passage(use, releases[0], left, _OF_A_SIDE, lines, headed))
    if not any(likes) and all(not passage.pages for passage in made):
        return []
    return [*made, _passage(use, "", both, _OF_BOTH)] if both else made


def _passage(
    use: str,
    release: str,
    said: Sequence[Entry],
    longest: int,
    lines: Sequence[str] = (),
    headed: Sequence[Entry] = (),
) -> Passage:
    """Words of a manual below some lines on them, under the heading of the first of `headed`."""
    path = next((block.path for _, block in headed or said), ())
    section, lines = " › ".join(path), list(lines)
    for _, block in said:
        if block.path != path:
            path = block.path
            lines.append(f"[{' › '.join(path)}]")
        lines.append(block.text)
        if sum(map(len, lines)) > longest:
            break
    pages = tuple(dict.fromkeys(page for page, _ in said))
    return Passage(release, section, "\n".join(lines)[:longest], pages, use)
