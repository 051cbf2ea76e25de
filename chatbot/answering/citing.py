"""What a capable model wrote, with its marks held against the passages that they stand for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from chatbot.retrieval.passages import passages_of
from chatbot.retrieval.provenance import cite_words, names
from chatbot.retrieval.support import claimed, claims_of_listing, shared, unsupported
from chatbot.text.citation_markers import marks, without_marks
from chatbot.text.query_terms import filtered
from chatbot.turn import Citation
from corpora.indexing.lexical import tokens
from corpora.indexing.pages import StoredPage

_LONGEST_QUOTE = 600
_MARKS_BEHIND = re.compile(r"([.!?:;,])((?:\s*\[\d+(?:\s*[,;]\s*\d+)*\])+)(?=\s|$)")
_END = re.compile(r"[.!?:;,|]*\s*$")
_FENCE = re.compile(r"\s*(?:```|~~~)[\w+-]*\s*$")
_ROW_OF_DASHES = re.compile(r"[\s|:-]+")
_PART = re.compile(r".*?(?:\[\d+(?:\s*[,;]\s*\d+)*\]\s*)+(?:[.!?:;,|]+(?=\s|$)|(?=\s|$))|.+")
"""A part of a line: up to the marks that stand for it, or the rest of the line."""
_OWN = 0.1
"""How much more a passage of the page itself counts than of its neighbours, which it quotes."""
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s|\s*$")
"""An item of a list, or an empty line."""
_SUBSTANCE = 4
"""Words from which a sentence without a claim needs a passage, too."""
_NOTHING = "nothing found"
"""What a comparison says of a release without passages, in the words of its prompt."""
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
    """Resolve the marks of a reply: each is for what stands before it in its line or row.

    What its passages do not support is given the marks of those that do; where none does, what is
    missing is told. A listing belongs to the line that leads in to it. With several `releases`
    what is said of one has to stand in a passage of that release.
    """
    work = _Citing(passages, own, releases)
    lines = _MARKS_BEHIND.sub(r"\2\1", reply).split("\n")
    listings = _listings(lines)
    written: list[str] = []
    in_code = False
    work.check(claims_of_listing(listings.get(-1, "")))
    for number, line in enumerate(lines):
        if _FENCE.match(line):
            in_code = not in_code
        elif in_code or not line.strip() or _ROW_OF_DASHES.fullmatch(line):
            pass
        elif _is_header(lines, number):
            work.header(line)
        else:
            line = work.line(line, listings.get(number, ""))
        written.append(line)
    return Cited("\n".join(written), tuple(work.citations), tuple(work.missing), work.lead)


def _listings(lines: Sequence[str]) -> dict[int, str]:
    """The listings by the number of the last line of text before each."""
    found: dict[int, str] = {}
    last, in_code = -1, False
    for number, line in enumerate(lines):
        if _FENCE.match(line):
            in_code = not in_code
        elif in_code:
            found[last] = f"{found.get(last, '')}\n{line}"
        elif line.strip():
            last = number
    return found


def _is_header(lines: Sequence[str], number: int) -> bool:
    """Whether a line is the header of a table: one of several cells, and dashes below it."""
    below = lines[number + 1] if number + 1 < len(lines) else ""
    return lines[number].count("|") > 1 and "--" in below and bool(_ROW_OF_DASHES.fullmatch(below))


@dataclass
class _Citing:
    passages: Sequence[Numbered]
    own: str
    releases: Sequence[str]
    citations: list[Citation] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    lead: str = ""
    _numbers: dict[tuple[int, int], int] = field(default_factory=dict)
    _columns: Sequence[str] = ()
    _led: Sequence[str] = ()

    def header(self, line: str) -> None:
        """The header of a table: what stands in a column is said of the release that names it."""
        self._columns = _cells(line)
        self.check(line)

    def line(self, line: str, listing: str) -> str:
        """A line with the marks of its citations; those of its last part are for the listing."""
        indent = line[: len(line) - len(line.lstrip())]
        if self.releases:
            self._check_place(line)
        *parts, last = [part for part in _PART.findall(line) if part.strip()]
        units = [*(self._unit(part.strip()) for part in parts), self._unit(last.strip(), listing)]
        return indent + " ".join(units)

    def _unit(self, unit: str, listing: str = "") -> str:
        given = [n for n in marks(unit) if 0 < n <= len(self.passages)]
        bare = " ".join(without_marks(unit).split())
        self.lead = self.lead or bare
        said = f"{bare}\n{claims_of_listing(listing)}" if listing else bare
        numbers = self._supporting(said, given)
        self._check(said, numbers)
        new = dict.fromkeys(self._cite(said, self.passages[n - 1]) for n in numbers)
        shown = " ".join(f"[{number}]" for number in new)
        end = _END.search(bare)
        if not shown or end is None:
            return bare
        row = "|" in end[0]
        return f"{bare[: end.start()].rstrip()} {shown}{' ' * row}{end[0].strip()}"

    def _supporting(self, bare: str, given: Sequence[int]) -> list[int]:
        """The passages to cite for a sentence: those given, if they support it, else others."""
        if self.releases and _NOTHING in bare.casefold():
            return []
        spoken_of = [r for r in self.releases if names(bare, r)]
        fitting = [n for n in given if not spoken_of or self._release(n) in spoken_of]
        words = set(tokens(filtered(bare)))
        for release in spoken_of if len(spoken_of) > 1 or not fitting else ():
            # What is said of two releases stands in a passage of each.
            own = [n for n, p in enumerate(self.passages, 1) if p.release == release]
            if own and not any(n in own for n in fitting):
                fitting.append(max(own, key=lambda n: _telling(words, bare, self._texts([n])[0])))
        if fitting and not unsupported(bare, self._texts(fitting), self.own):
            return fitting
        if not fitting and not claimed(bare) and len(bare.split()) < _SUBSTANCE:
            return list(given)
        found = list(fitting)
        left = unsupported(bare, self._texts(found), self.own)
        others = [n for n in range(1, len(self.passages) + 1) if n not in found]
        others = [n for n in others if not spoken_of or self._release(n) in spoken_of]
        for n in sorted(others, key=lambda n: -shared(words, self.passages[n - 1].text)):
            if found and not left:
                break
            text = self.passages[n - 1].text
            still = unsupported(bare, [*self._texts(found), text], self.own)
            if len(still) < len(left) or (not found and shared(words, text) >= _ALIKE):
                found, left = [*found, n], still
        leads_in = bare.rstrip("*_ ").endswith(":")
        return found if given or not leads_in else []

    def check(self, text: str) -> None:
        """What a text without marks claims has to stand in some passage."""
        self._add(unsupported(without_marks(text), self._texts(self._all), self.own))

    def _check_place(self, line: str) -> None:
        """What stands in a column or a list of a release has to stand in its passages.

        A claim of a sentence that names none of the releases has to hold in each of them.
        """
        bare = without_marks(line).strip()
        cells = _cells(bare) if bare.startswith("|") else []
        if not cells:
            self._columns = ()
        spoken_of = self._named(bare)
        if len(cells) == len(self._columns):
            for cell, column in zip(cells, self._columns, strict=True):
                self._check_in(cell, self._named(cell) or self._named(column))
        if not cells and bare.rstrip("*_ ").endswith(":"):
            self._led = spoken_of or self._led
        elif not _ITEM.match(line):
            self._led = ()
        if not spoken_of and not cells and _NOTHING not in bare.casefold():
            for release in self._led or self.releases:
                self._check_in(bare, [release])

    def _check_in(self, text: str, releases: Sequence[str]) -> None:
        texts = self._texts([n for n in self._all if self._release(n) in releases])
        if releases and texts:
            self._add(unsupported(text, texts, self.own))

    def _named(self, text: str) -> list[str]:
        return [release for release in self.releases if names(text, release)]

    @property
    def _all(self) -> Sequence[int]:
        return range(1, len(self.passages) + 1)

    def _add(self, missing: Sequence[str]) -> None:
        self.missing += (m for m in missing if m not in self.missing)

    def _check(self, bare: str, numbers: Sequence[int]) -> None:
        spoken_of = [r for r in self.releases if names(bare, r)]
        others = [c for c in claimed(bare) if c not in spoken_of]
        if spoken_of and others and not numbers and _NOTHING not in bare.casefold():
            self.missing += (r for r in spoken_of if r not in self.missing)
        texts = self._texts(numbers) if numbers else [p.text for p in self.passages]
        self.missing += (m for m in unsupported(bare, texts, self.own) if m not in self.missing)

    def _texts(self, numbers: Sequence[int]) -> list[str]:
        return [self.passages[n - 1].text for n in numbers]

    def _release(self, number: int) -> str:
        return self.passages[number - 1].release

    def _cite(self, bare: str, numbered: Numbered) -> int:
        """The number of the citation of what a passage says to a sentence."""
        words = set(tokens(filtered(bare)))
        options = [passage for page in numbered.pages for passage in passages_of(page)]
        own = numbered.pages[0]
        best = max(options, key=lambda p: _telling(words, bare, p.text) + _OWN * (p.page is own))
        place, quote = best.place, best.text
        if len(quote) > _LONGEST_QUOTE and best.records:
            record = max(best.records, key=lambda r: _telling(words, bare, r.quote))
            place, quote = record.place, record.quote
        if place not in self._numbers:
            citation = cite_words(best.page, quote, best.path, best.anchor, numbered.release)
            self.citations.append(citation)
            self._numbers[place] = len(self.citations)
        return self._numbers[place]


def _cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip().strip("|").split("|")]


def _telling(words: set[str], bare: str, text: str) -> float:
    held = len(claimed(bare)) - len(unsupported(bare, [text], ""))
    return shared(words, text) + held
