"""An answer of a capable model, each part checked against the passages that its marks cite."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile, zip_longest

from chatbot.retrieval.passages import Passage, passages_of, section_of
from chatbot.retrieval.records import LIST_MARK
from chatbot.retrieval.support import (
    LONGEST_QUOTE,
    cite_words,
    claims_of_listing,
    is_verbatim,
    names,
    shared,
    unsupported,
)
from chatbot.text.markdown import marks, without_marks
from chatbot.text.words import filtered
from chatbot.turn import Citation
from corpora.indexing.lexical import tokens
from corpora.indexing.pages import StoredPage

QUESTIONED = "[?]"
"""The mark of an unsupported sentence."""
LISTING = re.compile(r"(^[ \t]*```[\w+-]*[ \t]*$.*?(?:^[ \t]*```[ \t]*$|\Z))", re.M | re.S)
"""A listing between its fences; the last may not be closed."""
_PART = re.compile(r".*?(?:\[\d+(?:\s*[,;]\s*\d+)*\]\s*)+(?:[.!?:;,|]+(?=\s|$)|(?=\s|$))|.+")
"""A part of a line: up to the marks that stand for it, or the rest of the line."""
_OTHER_RELEASE = re.compile(r"(?<![\w.])v?\d+(?:\.\d+){2,}")
_ALIKE = 0.5
"""The share of a sentence's words that a passage must have to be cited for it."""


@dataclass(frozen=True)
class Numbered:
    """A passage as it stood in the prompt: its number is its place, from 1."""

    text: str
    pages: tuple[StoredPage, ...]
    release: str


@dataclass(frozen=True)
class Cited:
    """A text whose marks are those of its citations, and what in it no passage supports."""

    text: str
    citations: tuple[Citation, ...]
    unsupported: tuple[str, ...]
    lead: str


def cited(
    reply: str, passages: Sequence[Numbered], own: str, releases: Sequence[str] = ()
) -> Cited:
    """The reply with its marks resolved: each is for the text before it in its line or row.

    A sentence that its passages do not support gets the marks of those that do; where none does, it
    is marked as QUESTIONED. A listing belongs to the line that leads in to it. With several
    `releases` a statement about one has to stand in a passage of that release.
    """
    work = _Citing(passages, own, releases)
    written: list[str] = []
    parts = LISTING.split(reply)
    before = ""
    for prose, listing in zip_longest(parts[::2], parts[1::2], fillvalue=""):
        lines = prose.split("\n")
        last = max((i for i, line in enumerate(lines) if line.strip()), default=None)
        claims = claims_of_listing(listing)
        if last is None:
            work.lacks(claims)
        cells = [line.startswith("|") for line in lines]
        for i, line in enumerate(lines):
            if not line.strip(" \t|:-"):
                continue
            if cells[i] and not (i and cells[i - 1]):
                work.columns = _cells(line)
                work.lacks(line)
            elif without_marks(line).strip():
                lines[i] = work.line(line, claims if i == last else "")
            else:
                # Marks alone stand for the listing above them.
                lines[i] = work.line(line, before)
        written += ["\n".join(lines), listing]
        before = claims
    return Cited("".join(written), tuple(work.citations), tuple(work.missing), work.lead)


@dataclass
class _Citing:
    passages: Sequence[Numbered]
    own: str
    releases: Sequence[str]
    citations: list[Citation] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    columns: Sequence[str] = ()
    """The header of the table: what stands below it is said of the release that it names."""
    lead: str = ""
    _led: Sequence[str] = ()

    def __post_init__(self) -> None:
        self.all = range(1, len(self.passages) + 1)

    def lacks(self, text: str, numbers: Sequence[int] | None = None) -> bool:
        """Whether a text has claims that the passages, else all, do not support; they are noted."""
        missing = self._left(without_marks(text), self.all if numbers is None else numbers)
        self.missing += (claim for claim in missing if claim not in self.missing)
        return bool(missing)

    def line(self, line: str, listing: str) -> str:
        """A line with the marks of its citations; those of its last part are for the listing."""
        indent = line[: len(line) - len(line.lstrip())]
        doubted = self._is_misplaced(line)
        parts = [part.strip() for part in _PART.findall(line) if part.strip()]
        units = [self._unit(part) for part in parts[:-1]]
        return indent + " ".join([*units, self._unit(parts[-1], listing, doubted=doubted)])

    def _unit(self, unit: str, listing: str = "", *, doubted: bool = False) -> str:
        bare = " ".join(without_marks(unit).split())
        self.lead = self.lead or bare
        claim = f"{bare}\n{listing}" if listing else bare
        numbers = self._supporting(claim, [n for n in marks(unit) if n in self.all])
        doubted = self.lacks(claim, numbers) or doubted
        new = dict.fromkeys(self._cite(claim, self.passages[n - 1]) for n in numbers)
        return marked(bare, [*(f"[{number}]" for number in new), *[QUESTIONED] * doubted])

    def _supporting(self, claim: str, given: Sequence[int]) -> list[int]:
        """The passages to cite for a sentence: those given, and others for what these leave open.

        They are of the releases that it names; of each there is one if it claims anything.
        """
        named = self._named(claim)
        words = set(tokens(filtered(claim))).difference(self.releases)
        allowed = [n for n in self.all if not named or self._release(n) in named]
        numbers = [n for n in given if n in allowed]
        left = self._left(claim, numbers)
        uncovered = set(named if self._left(claim, []) else ()) - set(map(self._release, numbers))

        def likeness(n: int) -> tuple[bool, float]:
            text = self.passages[n - 1].text
            return is_verbatim(claim, text), shared(words, text)

        for n in sorted(allowed, key=likeness, reverse=True):
            if numbers and not left and not uncovered:
                break
            still = self._left(claim, [*numbers, n])
            is_alike = not numbers and shared(words, self.passages[n - 1].text) >= _ALIKE
            if len(still) < len(left) or self._release(n) in uncovered or is_alike:
                numbers.append(n)
                left = still
                uncovered.discard(self._release(n))
        return numbers

    def _is_misplaced(self, line: str) -> bool:
        """Whether a column or list of a release states what none of its passages supports.

        A claim of a sentence that names none of the releases has to hold in each of them.
        """
        bare = without_marks(line).strip()
        if bare.startswith("|"):
            cells = zip(_cells(bare), self.columns, strict=False)
            parts = [(cell, self._named(cell) or self._named(column)) for cell, column in cells]
        else:
            named = self._named(bare)
            if bare.rstrip("*_ ").endswith(":"):
                self._led = named
            elif not LIST_MARK.match(line):
                self._led = ()
            # "since 1.17.0": a release that is not compared is documented by one of them.
            rest = _OTHER_RELEASE.sub("", bare)
            parts = [(rest, [release]) for release in self._led or self.releases if not named]
        of = [(text, [n for n in self.all if self._release(n) in its]) for text, its in parts]
        return True in [self.lacks(text, numbers) for text, numbers in of if numbers]

    def _left(self, text: str, numbers: Sequence[int]) -> list[str]:
        return unsupported(text, [self.passages[n - 1].text for n in numbers], self.own)

    def _named(self, text: str) -> list[str]:
        return [release for release in self.releases if names(text, release)]

    def _release(self, number: int) -> str:
        return self.passages[number - 1].release

    def _cite(self, bare: str, numbered: Numbered) -> int:
        """The number of the citation of a passage's words that support a sentence.

        Words that stand there as they are support it best; of passages that support as much, the
        one that is about what was asked: "Availability: Linux" may stand in each section.
        """
        words, asked = set(tokens(filtered(bare))), set(tokens(filtered(self.own)))

        def support_score(text: str) -> float:
            is_copied = is_verbatim(bare, text)
            return is_copied + shared(words, text) - len(unsupported(bare, [text], ""))

        def rank(passage: Passage) -> tuple[float, float]:
            said = "\n".join((*passage.path[-1:], passage.text))
            return support_score(said), shared(asked, "\n".join((*passage.path, said)))

        # Else the first: the page's own, before its neighbours'.
        options = (passage for page in numbered.pages for passage in passages_of(page))
        best = max(options, key=rank, default=None)
        if best is None:
            # A page of headings alone.
            page = numbered.pages[0]
            citation = cite_words(page, page.text, (), page.anchor, numbered.release)
        else:
            quote = _quoted(best, support_score)
            citation = cite_words(best.page, quote, best.path, best.anchor, numbered.release)
        if citation not in self.citations:
            self.citations.append(citation)
        return self.citations.index(citation) + 1


def _quoted(passage: Passage, support_score: Callable[[str], float]) -> str:
    """The words of a passage, or of the run of its records that supports a sentence best.

    That is the shortest run of its section that supports most in LONGEST_QUOTE characters, where
    the passage is longer or supports less.
    """
    records = [record for p in section_of(passage) for record in p.records]
    if not records:
        return passage.text

    def words(first: int, last: int) -> str:
        end = records[last].start + len(records[last].quote)
        return passage.page.text[records[first].start : end]

    def fits(run: tuple[int, int]) -> bool:
        return len(words(*run)) <= LONGEST_QUOTE

    best = max(range(len(records)), key=lambda i: support_score(records[i].quote))
    starts = takewhile(fits, ((i, best) for i in range(best, -1, -1)))
    ends = (takewhile(fits, ((i, n) for n in range(best, len(records)))) for i, _ in starts)
    runs = [run for of_start in ends for run in list(of_start)[-1:]] or [(best, best)]
    first, last = max(runs, key=lambda run: support_score(words(*run)))
    most = support_score(words(first, last))
    if len(passage.text) <= LONGEST_QUOTE and support_score(passage.text) >= most:
        return passage.text
    while first < last and support_score(words(first + 1, last)) >= most:
        first += 1
    while first < last and support_score(words(first, last - 1)) >= most:
        last -= 1
    return words(first, last)


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def marked(text: str, written: Sequence[str]) -> str:
    """A sentence or a row with its marks before the stop."""
    bare = text.rstrip(".!?:;,| ")
    return f"{bare} {' '.join(written)}{text[len(bare) :]}" if written else text
