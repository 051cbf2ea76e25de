"""A product's release names, indexed: which releases does a written name cover?"""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from chatbot.releases.product_names import BEGINS, ENDS, is_slip
from chatbot.text.words import STOP_WORDS
from corpora.catalog.periods import DATED, IN_SHORT, PERIOD, period_of, read_period
from corpora.catalog.release import (
    Product,
    Release,
    Token,
    is_among,
    is_prerelease,
    name_tokens,
    newest_of,
    sort_key,
)

Tokens = tuple[Token, ...]
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class NameReading:
    """The releases that a written name covers, oldest first; none if there is no such release.

    A series means its newest; of several that are no series the user has to choose (`is_certain`).
    """

    covers: tuple[Release, ...] = ()
    is_certain: bool = True

    @property
    def release(self) -> Release | None:
        """The release that is meant, where it is certain."""
        return newest_of(self.covers) if self.is_certain else None


NO_RELEASES = NameReading()


class ReleaseNames:
    """The names, aliases and series of one product's releases."""

    def __init__(self, product: Product) -> None:
        self.finals = tuple(r for r in product.releases if not r.prerelease) or product.releases
        self._place = product.releases.index
        parts = [re.findall(r"\d+", release.name) for release in product.releases]
        self._digits = [("".join(of), sum(map(len, of[1:]))) for of in parts if of]
        self._unordered = product.unordered
        owners = [name_tokens(name) for name in (product.name, *product.aliases)]
        self._names: dict[Tokens, list[Release]] = defaultdict(list)
        self._series: dict[Tokens, list[Release]] = defaultdict(list)
        self._add([(r.name, r) for r in product.releases], owners)
        self._add([(alias, r) for r in product.releases for alias in r.aliases], owners)
        self._years: set[Token] = set()
        for tokens in [*self._names]:
            if period := period_of(tokens):
                self._years.add(tokens[0])
                self._series[period].extend(self._names[tokens])
        self._called_by_suffix = self._add_suffixes()
        in_words = sorted((t for t in self._names if isinstance(t[0], str)), key=len, reverse=True)
        called = "|".join(r"[\W_]*".join(map(str, tokens)) for tokens in in_words) or r"(?!)"
        self._worded = re.compile(rf"{BEGINS}(?:{called}){ENDS}(?![\d])", re.I)
        self._of_words = [t for t in in_words if len(t) > 1 and all(isinstance(p, str) for p in t)]
        self._suffixes = {t for tokens in self._names for t in tokens[1:] if isinstance(t, str)}
        majors = [tokens[0] for tokens in self._names if isinstance(tokens[0], int)]
        reach = 3 if max(majors, default=0) < 100 else 10
        self._near = range(min(majors) - reach, max(majors) + reach + 1) if majors else range(0)

    def _add(self, called: Sequence[tuple[str, Release]], owners: Sequence[Tokens]) -> None:
        """Add names by which nothing is called yet; the product's own name may stand before."""
        taken = set(self._names)
        for name, release in called:
            tokens = name_tokens(name)
            for owner in owners:
                if len(tokens) > len(owner) and tokens[: len(owner)] == owner:
                    tokens = tokens[len(owner) :]
            if not tokens or tokens in taken:
                continue
            self._names[tokens].append(release)
            for length in range(1, len(tokens)):
                self._series[tokens[:length]].append(release)

    def _add_suffixes(self) -> set[Tokens]:
        """Add the words at the end of one release's name alone: "lts" of 4.8-lts."""
        ends: dict[Tokens, list[Release]] = defaultdict(list)
        for tokens, releases in self._names.items():
            if isinstance(tokens[0], int) and isinstance(tokens[-1], str) and len(tokens[-1]) > 2:
                ends[tokens[-1:]] += releases
        suffixes = {t for t, of in ends.items() if len(of) == 1 and t not in self._names}
        self._names.update((suffix, ends[suffix]) for suffix in suffixes)
        return suffixes

    def is_suffix(self, word: str) -> bool:
        """Whether a word is the end of a release's name, and no name of its own."""
        return name_tokens(word) in self._called_by_suffix

    def read(self, tokens: Tokens, text: str = "", *, series: bool = False) -> NameReading:
        """The releases that a name covers, given as tokens and, as 24.4 is not 24.04, as text.

        In this order: the exact name (not for a `series`, "17.x"), an alias, a series, the name
        with zeros at its end (17.20.0), the name that lost its last zero (17.2). Never the nearest.
        """
        if not series and tokens in self._names:
            return _exact(self._names[tokens], text)
        members = {*self._series.get(tokens, ()), *self._names.get(tokens, ())}
        if members:
            return NameReading(tuple(sorted(members, key=self._place)))
        shorter = tokens
        while len(shorter) > 1 and shorter[-1] == 0:
            shorter = shorter[:-1]
            if shorter in self._names:
                return NameReading(tuple(self._names[shorter]))
        match tokens:
            case (int(major), int(minor)) if minor and not series:
                padded = (major, minor * 10)
                return self.read(padded) if self.begins(padded) else NO_RELEASES
        return NO_RELEASES

    def names(self, tokens: Tokens) -> bool:
        """Whether the tokens are the whole name or alias of a release."""
        return tokens in self._names

    def begins(self, tokens: Tokens) -> bool:
        """Whether some release's name is, or begins with, these tokens."""
        return self.names(tokens) or tokens in self._series

    def suffixed(self, tokens: Tokens) -> bool:
        """Whether a name ends with a counted suffix as releases have it: 3.5 SP 2, 2.0 rc 1."""
        if len(tokens) < 3 or not isinstance(tokens[-1], int):
            return False
        return tokens[-2] in self._suffixes or is_prerelease(" ".join(map(str, tokens)))

    def near(self, tokens: Tokens) -> bool:
        """Whether a first part is a little below, among or above those of the releases.

        Or has the digits of one, as 176 has of 1.7.6.
        """
        digits = str(tokens[0])
        alike = len(digits) > 2 and any(name.startswith(digits) for name, _ in self._digits)
        return tokens[0] in self._near or alike

    def squeezed(self, tokens: Tokens) -> bool:
        """Whether a number may be a name without its points, as 2104 is beside 22.04."""
        digits = str(tokens[0])
        return any(
            3 < len(name) == len(digits) and int(digits[: len(name) - minor]) in self._near
            for name, minor in self._digits
            if digits.isdecimal()
        )

    def and_later(self, reading: NameReading, written: str) -> NameReading:
        """The releases that a name covers and all final ones after it, also for an unknown name.

        Those alone that it covers, where some have no known place.
        """
        if self._unordered:
            return reading
        if reading.covers:
            first = self._place(reading.covers[0])
            later = tuple(r for r in self.finals if self._place(r) >= first)
            return NameReading(later or reading.covers)
        least = sort_key(written)
        return NameReading(tuple(r for r in self.finals if sort_key(r.name) >= least))

    def step(self, origin: NameReading, steps: int) -> NameReading:
        """The release `steps` final ones before (negative) or after those that a name covers.

        None if there is no such release, or its place or theirs is not known.
        """
        if not origin.covers or any(r.name in self._unordered for r in origin.covers):
            return NO_RELEASES
        if steps < 0:
            first = self._place(origin.covers[0])
            ordered = [r for r in reversed(self.finals) if self._place(r) < first]
        else:
            last = self._place(origin.covers[-1])
            ordered = [r for r in self.finals if self._place(r) > last]
        if any(r.name in self._unordered for r in ordered[: abs(steps)]):
            return NO_RELEASES
        return NameReading(tuple(ordered[abs(steps) - 1 : abs(steps)]))

    def worded(self, text: str) -> list[tuple[int, str, NameReading]]:
        """The names in words that stand in a text: their start, themselves and what they cover.

        Those of several words also with a slip.
        """
        matches = self._worded.finditer(text)
        found = [(m.start(), m[0], self.read(name_tokens(m[0]), m[0])) for m in matches]
        words = [*_WORD.finditer(text)] if self._of_words else []
        for name in self._of_words:
            for first, last in zip(words, words[len(name) - 1 :], strict=False):
                if not _alike(first[0].casefold(), name[0]):
                    continue
                written = text[first.start() : last.end()]
                said = name_tokens(written)
                known = any(start == first.start() for start, _, _ in found)
                if not known and len(said) == len(name) and all(map(_alike, said, name)):
                    found.append((first.start(), written, self.read(name)))
        return found

    def periods(self, text: str) -> list[re.Match[str]]:
        """The seasons, months and quarters of a text that stand without a year.

        None for a product without releases that are called so.
        """
        if not self._years:
            return []
        dated = [match.span() for match in DATED.finditer(text)]
        found = PERIOD.finditer(text)
        return [m for m in found if not any(start <= m.start() < end for start, end in dated)]

    def dated(self, text: str) -> list[re.Match[str]]:
        """Those that stand with their year."""
        return [*DATED.finditer(text)] if self._years else []

    def in_short(self, text: str) -> list[re.Match[str]]:
        """What may be a season in short, of the years of the releases or the next."""
        near = {int(year) % 100 + more for year in self._years for more in (0, 1)}
        return [match for match in IN_SHORT.finditer(text) if int(match[1]) in near]

    def in_words(self, word: str, ordinary: frozenset[str]) -> bool:
        """Whether a word has the shape of the names of releases: ordinary words, or others."""
        names = {tokens[0] for tokens in self._names if isinstance(tokens[0], str)}
        named = word.casefold()
        return named not in STOP_WORDS and bool(
            names & ordinary if named in ordinary else names - ordinary
        )

    def in_period(self, written: str) -> NameReading:
        """The releases of a season, month or quarter that is named without a year."""
        covers = tuple(self._series.get(read_period(written), ()))
        return NameReading(covers, is_certain=len(covers) < 2)


def _alike(said: Token, name: Token) -> bool:
    """Whether a word is one of a name, with a slip in a long one."""
    words = isinstance(said, str) and isinstance(name, str) and len(name) > 3
    return said == name or (words and is_slip(str(said), str(name)))


def _exact(candidates: list[Release], text: str) -> NameReading:
    same = [r for r in candidates if is_among(text, r.name, *r.aliases)]
    chosen = tuple(dict.fromkeys(same or candidates))
    return NameReading(chosen, is_certain=len(chosen) == 1)


_kept_names = lru_cache(maxsize=256)(ReleaseNames)


def release_names(product: Product) -> ReleaseNames:
    """The index of a product's release names; one is kept for each state of a product."""
    return _kept_names(product.plain)
