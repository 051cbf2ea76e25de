"""Release notes, item by item: what each says became of a thing, and in which release."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property

from chatbot.comparison.pages import file_text
from chatbot.retrieval.records import sentences
from chatbot.retrieval.support import plain
from chatbot.upgrading.usage import folded
from corpora.catalog.release import is_among, name_tokens
from corpora.indexing.corpus import Corpus
from corpora.indexing.pages import StoredPage
from corpora.parameters import forms
from ingestion.page import Block, BlockKind, DocumentKind


class Kind(StrEnum):
    """What a note says became of a thing."""

    REMOVED = "removed"
    RENAMED = "renamed"
    CHANGED = "changed"
    DEFAULT = "new default"
    DEPRECATED = "deprecated"
    NEW = "new"
    FIXED = "fixed"


_TOLD: Mapping[Kind, re.Pattern[str]] = {
    kind: re.compile(rf"\b(?:{stems})", re.I)
    for kind, stems in {
        Kind.DEPRECATED: "deprecat|obsolet",
        Kind.RENAMED: "renam|replac|supersed",
        Kind.REMOVED: "remov|drop|no longer (?:support|accept)|discontinu|withdrawn",
        Kind.DEFAULT: "default",
        Kind.CHANGED: r"(?:changed?|now|must)\b|incompatib|breaking|no longer|requir|reject"
        "|refus|error",
        Kind.NEW: r"(?:add|adds|added|new)\b|introduc|feature|enhanc|improv|support|allow",
        Kind.FIXED: "fix|bug|solved|resolved|correct|known|prevent|avoid",
    }.items()
}
"""How words say it, in English, at the head of a section, before an item and in it; the first that
fits counts, and what no word says is listed as told of."""
_IN_THE_MANUAL = re.compile(
    r"(?P<what>Changed|Deprecated|Removed|New|Added)(?: in| since)?(?: version| release)? "
    r"v?(?P<release>\d+(?:\.\w+)*)\b",
    re.I,
)
"""A remark on a release at the thing itself, as Sphinx and others write it."""
_OUTWEIGH = (Kind.REMOVED, Kind.DEPRECATED, Kind.NEW, Kind.FIXED)
"""Headings that say more than that something is new or other now."""
_ENDING = (Kind.REMOVED, Kind.RENAMED, Kind.DEPRECATED)
_DOTTED = re.compile(r"(?<![\w.])v?(\d+(?:\.\w+)+)(?!\w)")
PIECE = re.compile(r"(?:-{1,2}(?=\w))?[$@]?\w[\w.-]*(?:\(\))?")
_MARKED = re.compile(
    r"(?:(?<!\w)(\w{1,80})\W{1,4})?(?:``?|<code[^>]{0,60}>|:\w+:`)-{0,2}([\w.-]{1,80})(?=[`<=(])"
)


@dataclass(frozen=True)
class Mention:
    """A name in a note: what is said of it there, and whether it only takes another's place."""

    kind: Kind | None
    successor: bool
    first: bool


@dataclass(frozen=True)
class Note:
    """An item of release notes, or a remark in the manual on the thing called `subject`.

    `release` is the one that the headings above it, or the remark, name; None where none does.
    """

    page: StoredPage
    block: Block
    release: str | None
    heading: Kind | None
    subject: str = ""
    marked: frozenset[tuple[str, str]] = field(default=frozenset(), repr=False)

    @property
    def text(self) -> str:
        """The words of the item."""
        return self.block.text

    @cached_property
    def kind(self) -> Kind | None:
        """What the item says, by its first sentence that says anything."""
        return next(filter(None, map(self._said, self._sentences)), self.heading)

    @cached_property
    def _sentences(self) -> tuple[str, ...]:
        return tuple(sentences(self.text)) or (self.text,)

    def _said(self, sentence: str) -> Kind | None:
        said = _kind_of(sentence)
        if _kind_of(*sentence.strip(" -*•").split()[:1]) is Kind.FIXED:
            return Kind.FIXED
        if said is Kind.DEFAULT and not self.subject:
            # "New setting x with the default 5" is new; "New default of x: 5" is no new thing.
            begins = sentence.strip(" -*•").split()[:3]
            is_new = _kind_of(*begins[:1]) is Kind.NEW
            if is_new and _kind_of(" ".join(begins)) is not Kind.DEFAULT:
                return Kind.NEW
        if self.subject and self.heading:
            # A remark begins with what it is: "Changed in version 3.0: the default is 5".
            told = said not in (None, Kind.DEPRECATED) and self.heading is Kind.CHANGED
            return said if told else self.heading
        is_weak = said in (Kind.CHANGED, Kind.NEW)
        return self.heading if is_weak and self.heading in _OUTWEIGH else said

    @cached_property
    def names(self) -> Mapping[str, Mention]:
        """The names in the item, as they are looked up.

        A word of everyday language is one only where it is written as code, or called an option.
        """
        found: dict[str, Mention] = {}
        if self.subject:
            found[folded(self.subject)] = Mention(self.kind, successor=False, first=True)
        before: str | None = None
        for sentence in self._sentences:
            kind = self._said(sentence) or self.kind
            successors = {folded(match["name"]) for match in forms.INSTEAD.finditer(sentence)}
            for place, match in enumerate(PIECE.finditer(sentence)):
                written = match[0].rstrip(".-")
                name = folded(written)
                # "Removed gaiohttp worker": what ends needs no mark.
                ends = place == 1 and _kind_of(before or "") in _ENDING
                is_name = ends or self._is_name(written, sentence, match.start(), before)
                if is_name and name not in found:
                    succeeds = name in successors and bool(found)
                    found[name] = Mention(kind, succeeds, first=not found)
                before = written.casefold()
        return found

    def spelt(self, name: str) -> str:
        """A name of the item as it is written there."""
        pieces = (match[0].rstrip(".-") for match in PIECE.finditer(self.text))
        return next((piece for piece in pieces if folded(piece) == name), self.subject or name)

    def _is_name(self, written: str, sentence: str, start: int, before: str | None) -> bool:
        is_acronym = written.isalpha() and written.isupper()
        if written.startswith("-") or (forms.is_name(written) and not is_acronym):
            return True
        around = sentence[start - 1 : start], sentence[start + len(written) :][:1]
        is_quoted = around in (("`", "`"), ('"', '"'), ("'", "'"))
        return (
            is_quoted
            or around[1] in ("(", "=")
            or (before or "", written.casefold()) in self.marked
        )


def _kind_of(text: str = "") -> Kind | None:
    return next((kind for kind, form in _TOLD.items() if form.search(text)), None)


def read_notes(corpus: Corpus) -> tuple[Note, ...]:
    """The items of a release's documentation on this and earlier releases, each once, in order."""
    found: dict[tuple[str, str | None], Note] = {}
    for document in corpus.documents():
        is_notes = document.kind is DocumentKind.RELEASE_NOTES
        marked = _marked(corpus, document.content_hash) if is_notes else frozenset()
        for page in corpus.pages_of(document.id):
            for note in _of_page(page, corpus.release, marked):
                found.setdefault((plain(note.text), note.release), note)
    return tuple(found.values())


def _of_page(page: StoredPage, release: str, marked: frozenset[tuple[str, str]]) -> Iterator[Note]:
    in_notes = page.document.kind is DocumentKind.RELEASE_NOTES
    for block in page.blocks:
        if block.kind in (BlockKind.HEADING, BlockKind.TABLE_HEADER, BlockKind.CODE):
            continue
        if len(block.text) > forms.LONGEST_READ:
            continue
        of = release_above(block.path, release)
        if in_notes or of:
            above = of or release_above((page.document.title, page.document.file), release)
            yield Note(page, block, above, _heading_kind(block.path), marked=marked)
        elif (match := _IN_THE_MANUAL.match(block.text)) and block.path:
            kind = _kind_of(match["what"])
            yield Note(page, block, match["release"], kind, block.path[-1])


def release_above(path: Sequence[str], release: str) -> str | None:
    """The release that the innermost heading with one names; none where it is a whole series."""
    own = name_tokens(release)
    for heading in reversed(path):
        named = _DOTTED.findall(heading)
        if is_among(release, heading, *heading.split()):
            return release
        if named:
            tokens = name_tokens(named[-1])
            is_series = len(tokens) < len(own) and own[: len(tokens)] == tokens
            return None if is_series else str(named[-1])
    return None


def _heading_kind(path: Sequence[str]) -> Kind | None:
    return next(filter(None, map(_kind_of, reversed(path))), None)


def _marked(corpus: Corpus, content_hash: str) -> frozenset[tuple[str, str]]:
    """The words that a file marks as code, each with the word before it."""
    text = file_text(corpus, content_hash)
    pairs = ((m[1] or "", m[2].rstrip(".")) for m in _MARKED.finditer(text))
    # At the beginning of an item another word, or none, stands before it.
    return frozenset(
        (word.casefold(), name.casefold()) for before, name in pairs for word in (before, "")
    )
