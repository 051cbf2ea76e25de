"""How one cited passage stands in another release: in the same words, in others, or not at all."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from rapidfuzz.distance import Indel

from chatbot.comparison.passage_index import (
    Passage,
    PassageIndex,
    Place,
    Said,
    Section,
    is_notes,
    places_of,
)
from chatbot.comparison.plain_words import (
    END,
    Words,
    in_order,
    joined,
    sentences_of,
    stands_in,
    without_release,
    words_of,
)
from ingestion.page import CELL_DELIMITER, BlockKind, DocumentKind

_ALONE = 8
"""Words from which a sentence says by itself what it is about."""
_SAME_SECTION, _ELSEWHERE, _NEARLY_SAME = 0.5, 0.75, 0.8
"""Shares of words in order from which two passages are versions of each other."""
_LOOKED_AT = 16
_PIECE = 0.3
"""The share of the words of a sentence that a piece of it has which is looked around."""
_NAME_LIKE = frozenset("_./-")


class Verdict(StrEnum):
    """How words stand in another release."""

    SAME = "same"
    CHANGED = "changed"
    ABSENT = "absent"


@dataclass(frozen=True)
class Standing:
    """A verdict, with the passage that says the same, or says it otherwise."""

    verdict: Verdict
    there: Passage | None = None


@dataclass(frozen=True)
class Cited:
    """Cited words with their place: a passage, a part of one, or words of a page that is gone."""

    words: Words
    name: str
    kind: str
    section: Section
    file: str
    release: str
    quote: str = ""
    notes: bool = False
    is_part: bool = False

    @cached_property
    def sentences(self) -> Words:
        """The words with the ends of their sentences."""
        return sentences_of([self.quote])

    @cached_property
    def places(self) -> frozenset[Place]:
        """Where the words stand."""
        return frozenset(places_of(self.section, self.file))

    @cached_property
    def cells(self) -> tuple[Words, ...]:
        """The words of the cells of a row; one of them where it is none."""
        return tuple(words_of(cell) for cell in self.quote.split(CELL_DELIMITER))


def cited_passage(passage: Passage, release: str) -> Cited:
    """A whole passage as it is looked for elsewhere."""
    return Cited(
        words=passage.words,
        name=passage.name,
        kind=passage.kind,
        section=passage.section,
        file=passage.document.file,
        release=release,
        quote=passage.quote,
        notes=passage.document.kind is DocumentKind.RELEASE_NOTES,
    )


def standing(cited: Cited, own: PassageIndex | None, there: PassageIndex) -> Standing:
    """How cited words stand in a release; `own` is the release that they are from, if it serves.

    Passages in other words count as another version of them only where they have the same name,
    or are alike, and do not stand in the `own` release too: there they are something else.
    """
    if not cited.words:
        return Standing(Verdict.SAME)
    masked = without_release(cited.words, cited.release, there.product)
    equal = there.saying(cited.words, masked)
    if in_place := [equal.at[place] for place in cited.places if place in equal.at]:
        return Standing(Verdict.SAME, there.passage(min(in_place)))
    if equal.passages:
        return _moved(cited, masked, own, there, equal)
    near = _near(cited, masked, there)
    if again := _cut_otherwise(cited, masked, near, there):
        return Standing(Verdict.SAME, again)
    others = _others(near, own)
    version = _version_in_section(cited, masked, others, _SAME_SECTION)
    if version := version or _version_elsewhere(cited, masked, own, others, there):
        return Standing(Verdict.CHANGED, version)
    return Standing(Verdict.ABSENT)


def _moved(
    cited: Cited,
    masked: Words,
    own: PassageIndex | None,
    there: PassageIndex,
    equal: Said,
) -> Standing:
    """How words stand that are in other places only: moved there, or what these always said."""
    here = own.saying(cited.words, masked) if own else Said((), {})
    if cited.name or len(here.passages) > 1:
        others = _others(_near(cited, masked, there), own)
        if beside := _version_in_section(cited, masked, others, _NEARLY_SAME):
            return Standing(Verdict.CHANGED, beside)
    new = (n for n, places in equal.passages if here.at.keys().isdisjoint(places))
    elsewhere = next(new, None)
    if elsewhere is None and len(cited.words) < _ALONE:
        return Standing(Verdict.ABSENT)
    number = equal.passages[0][0] if elsewhere is None else elsewhere
    return Standing(Verdict.SAME, there.passage(number))


def _near(cited: Cited, masked: Words, there: PassageIndex) -> list[Passage]:
    found = dict.fromkeys(there.named(cited.name) if cited.name else ())
    found |= dict.fromkeys(there.like(masked, _LOOKED_AT))
    return [p for p in found if cited.notes or not is_notes(p)]


def _others(near: Iterable[Passage], own: PassageIndex | None) -> list[Passage]:
    """Those that do not stand in the cited words' own release too."""
    return [p for p in near if own is None or not own.says(p.words, p.masked)]


def _version_in_section(
    cited: Cited, masked: Words, others: Iterable[Passage], least: float
) -> Passage | None:
    """The passage that stands where the cited one stood, in other words."""
    named = (p for p in others if p.name == cited.name)
    inside = [p for p in named if not cited.places.isdisjoint(p.places)]
    best, share = _most_alike(masked, inside)
    if cited.name:
        return best
    return best if best and share >= least and best.kind == cited.kind else None


def _version_elsewhere(
    cited: Cited,
    masked: Words,
    own: PassageIndex | None,
    others: Sequence[Passage],
    there: PassageIndex,
) -> Passage | None:
    """The only entry of the same name, or a sentence that is nearly the same."""
    alike = [p for p in others if p.name == cited.name]
    best, share = _most_alike(masked, alike)
    if best is None:
        return None
    if cited.name:
        once = own is None or len(own.named(cited.name)) == 1
        is_only = once and len(there.named(cited.name)) == 1
        return best if is_only or share >= _ELSEWHERE else None
    if share < _ELSEWHERE or _names_another(masked, best.masked):
        return None
    return best


def _most_alike(masked: Words, passages: Iterable[Passage]) -> tuple[Passage | None, float]:
    shares = [(Indel.normalized_similarity(masked, p.masked), p) for p in passages]
    share, best = max(shares, key=lambda pair: pair[0], default=(0.0, None))
    return best, share


def _names_another(words: Words, others: Words) -> bool:
    """Whether two sentences differ in a name as in code: they are about two things."""
    gone, come = set(words) - set(others), set(others) - set(words)
    return any(map(_is_name, gone)) and any(map(_is_name, come))


def _is_name(word: str) -> bool:
    is_figure = word[:1].isdigit() or word.strip("-")[:1].isdigit()
    return not is_figure and (not _NAME_LIKE.isdisjoint(word) or word[1:].lower() != word[1:])


def _cut_otherwise(
    cited: Cited, masked: Words, near: Iterable[Passage], there: PassageIndex
) -> Passage | None:
    """The passage that says the same in sentences cut otherwise, or in a row with more cells.

    A sentence that goes on, or another before it in the same one, is not the same: "only on …".
    """
    wanted = [*map(joined, _wanted(cited, masked, there))]
    distinct = set(cited.words)
    least = _PIECE * len(distinct)
    for passage in near:
        if cited.kind == BlockKind.TABLE_ROW and passage.kind == BlockKind.TABLE_ROW:
            more = cited.name and passage.name == cited.name
            if more and in_order(cited.cells, passage.cells):
                return passage
        elif BlockKind.CODE in (cited.kind, passage.kind):
            # A listing with more lines is another one, but a part of it may be the cited one.
            if cited.is_part and cited.kind == passage.kind and stands_in(masked, passage.words):
                return passage
        elif len(masked) > 2 and len(distinct.intersection(passage.words)) >= least:
            if any(words in text for words in wanted for text in there.around(passage)):
                return passage
            if _is_headed(cited, passage):
                return passage
    return None


def _is_headed(cited: Cited, passage: Passage) -> bool:
    """Whether the first word, the name of an option, has become the heading of the others."""
    name, *rest = cited.words
    is_rest = passage.words == tuple(rest) and passage.section
    return bool(is_rest) and name.lower() in words_of(passage.section[-1])


def _wanted(cited: Cited, masked: Words, there: PassageIndex) -> list[Words]:
    """The sentences to look for; without the one word before a colon that labels them as a note."""
    if cited.is_part:
        return [cited.words, masked]
    whole = cited.sentences
    forms = [whole, without_release(whole, cited.release, there.product)]
    is_note = cited.kind == BlockKind.PARAGRAPH and cited.quote[:2].istitle()
    if is_note and whole[2:3] == (END,) and len(whole) > _ALONE:
        forms += [form[2:] for form in forms]
    return forms
