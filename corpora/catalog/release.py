"""Releases and products: how their names are read, compared, ordered and mistyped."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property, lru_cache
from itertools import pairwise, zip_longest

from rapidfuzz.distance import OSA

from corpora.catalog.periods import MONTH_OF, year_first

Token = int | str
SortKey = tuple[tuple[int, int, str], ...]

_DOTTED = re.compile(r"(?<![\w.])\d+(?:\.\d+)+(?![\w.]*\w)")
_PART = re.compile(r"\d+|[^\W\d_]+")
_LEADING = {"v", "ver", "version", "r", "rel", "release"}
_SPELLED_OUT = (
    (re.compile(r"service[\s_-]*pack", re.I), "sp"),
    (re.compile(r"release[\s_-]*candidate", re.I), "rc"),
    (re.compile(r"pre[\s_-]+release", re.I), "pre"),
    (re.compile(r"(?<=[\d\s._-])update(?=[\s._-]*\d)", re.I), "u"),
    (re.compile(r"(?<=[\s._-])m(?=\d)", re.I), "milestone"),
)
_BEFORE_A_NUMBER = {"a": "alpha", "b": "beta", "c": "rc", "cr": "rc", "preview": "pre"}
_BEFORE_THE_FINAL = {
    "dev": 0,
    "nightly": 0,
    "snapshot": 0,
    "canary": 0,
    "alpha": 1,
    "beta": 2,
    "milestone": 3,
    "ea": 4,
    "pre": 4,
    "preview": 4,
    "rc": 5,
}
_NUMBER, _WORD, _END, _PRERELEASE = 2, 1, 0, -1
_LOOK_ALIKE = str.maketrans({"o": "0", "l": "1", "i": "1", "|": "1"})
_SHORTEST_WORD = 4
"""In which a letter off is a typing error."""
_LONGEST_NUMBER = 18
"""Digits of a number; more of them are text, which costs nothing to read whatever its length."""


def name_tokens(name: str) -> tuple[Token, ...]:
    """Read a release's name as numbers and words, so that equal releases have equal tokens.

    `R17.2`, `17-2` and `v17.02` are all (17, 2), never a float: 3.2 is not 3.20. Suffixes stay
    behind: `3.5 Service Pack 1` is (3, 5, "sp", 1), `2.0b1` is (2, 0, "beta", 1). A season, month
    or quarter stands behind its year: `Spring '25` is (2025, "spring"). A part longer than any
    number of a release is text.
    """
    for pattern, short in _SPELLED_OUT:
        name = pattern.sub(short, name)
    parts = [part.casefold() for part in _PART.findall(name)]
    if len(parts) > 1 and parts[0] in _LEADING and parts[1].isdecimal():
        parts = parts[1:]
    tokens: list[Token] = []
    for part, after in pairwise([*parts, ""]):
        if part.isdecimal() and len(part) <= _LONGEST_NUMBER:
            tokens.append(int(part))
        elif tokens and after.isdecimal():
            tokens.append(_BEFORE_A_NUMBER.get(part, part))
        else:
            tokens.append(part)
    return year_first(tuple(tokens))


@dataclass(frozen=True)
class Named:
    """Whether a text names one's own release or its series, and whether it names another one."""

    own: bool
    other: bool


def releases_named(text: str, release: str, *, parts: int | None = None) -> Named:
    """Look for release numbers in a text: "1.4 Changelog" names the series of 1.4.54.

    With `parts` only so many parts of a name count: with two 1.4.0 names 1.4.54, too.
    """
    own = name_tokens(release)
    named = [name_tokens(number)[:parts] for number in _DOTTED.findall(text)]
    is_own = [own[: len(name)] == name for name in named]
    return Named(any(is_own), not all(is_own))


@lru_cache(1024)
def sort_key(name: str) -> SortKey:
    """Order release names naturally: 3.2 < 3.20, 2.0rc9 < 2.0rc10 < 2.0 < 2.0.1 < 2.1.

    Zeros at the end do not count; a word that is no pre-release comes after the bare name.
    """
    tokens = list(name_tokens(name))
    numbers = next((i for i, t in enumerate(tokens) if isinstance(t, str)), len(tokens))
    while numbers > 1 and tokens[numbers - 1] == 0:
        numbers -= 1
        del tokens[numbers]
    key = [_token_key(token, leading=not i) for i, token in enumerate(tokens)]
    return (*key, (_END, 0, ""), (_END, 0, name))


def _token_key(token: Token, *, leading: bool) -> tuple[int, int, str]:
    if isinstance(token, int):
        return _NUMBER, token, ""
    if not leading and token in MONTH_OF:
        return _NUMBER, MONTH_OF[token], ""
    if not leading and token in _BEFORE_THE_FINAL:
        return _PRERELEASE, _BEFORE_THE_FINAL[token], ""
    return _WORD, 0, token


def is_prerelease(name: str) -> bool:
    """Say whether a name is that of a pre-release: 2.0rc1, 3.0-beta.2, 4.0.dev7, 5.0-SNAPSHOT."""
    return any(token in _BEFORE_THE_FINAL for token in name_tokens(name)[1:])


@lru_cache(1024)
def is_named_by_words(name: str) -> bool:
    """Say whether a name holds no number: next, main, Bionic."""
    return not any(isinstance(token, int) for token in name_tokens(name))


def unordered(names: Sequence[str]) -> list[str]:
    """Return those of some names in order of which another may as well be the newer.

    Names are ordered by a number that differs. Words tell nothing (Bionic, Focal), nor does the
    winter of a year beside its other seasons.
    """
    beside = [*pairwise(names), *((name, names[-1]) for name in names[:-1])]
    open_pairs = [pair for pair in beside if not _differ_by_number(*map(name_tokens, pair))]
    return [name for name in names if any(name in pair for pair in open_pairs)]


def _differ_by_number(tokens: Sequence[Token], others: Sequence[Token]) -> bool:
    for place, pair in enumerate(zip_longest(tokens, others)):
        if pair[0] == pair[1]:
            continue
        words = [token for token in pair if isinstance(token, str)]
        if place == 0 or len(words) < 2:
            return not words or place > 0
        if all(word in MONTH_OF for word in words):
            return "winter" not in words
        # 1.1.1a and 1.1.1b; alpha and beta.
        return all(word in _BEFORE_THE_FINAL or len(word) == 1 for word in words)
    return True


def is_among(name: str, *names: str) -> bool:
    """Say whether a name is one of some, without regard to case."""
    return name.strip().casefold() in (known.casefold() for known in names)


@dataclass(frozen=True)
class Release:
    """One release of a product, with its other names; from `end_of_life` on it has no support.

    `languages` are the codes of those of its documents, the most frequent one first; `id` is its
    own, and `generation` that of what serves it, if there is anything.
    """

    product: str
    name: str
    aliases: tuple[str, ...] = ()
    prerelease: bool = False
    end_of_life: date | None = None
    languages: tuple[str, ...] = field(default=(), compare=False)
    id: int = field(default=0, compare=False)
    generation: int | None = field(default=None, compare=False)


def _knows_none(word: str) -> bool | None:
    return None


def _has_none(name: str, release: str) -> bool:
    return False


@dataclass(frozen=True)
class Product:
    """A product with its releases, the oldest first; `latest` is what an administrator calls so.

    The place of those that are `unordered` is not known: none of them is the newest before an
    administrator says so. `has_versions` tells of a word whether its documents put versions behind
    it, as in "Python 3.9", or never; None of a word that they do not have. `has_name` tells whether
    those of a release, or of the newest ones where it is "", hold a name, written as in code.
    """

    name: str
    aliases: tuple[str, ...] = ()
    releases: tuple[Release, ...] = ()
    latest: str | None = None
    unordered: tuple[str, ...] = ()
    has_versions: Callable[[str], bool | None] = field(
        default=_knows_none, compare=False, repr=False
    )
    has_name: Callable[[str, str], bool] = field(default=_has_none, compare=False, repr=False)

    @cached_property
    def plain(self) -> "Product":
        """The same without its documents, which a cache would keep open."""
        return replace(self, has_versions=_knows_none, has_name=_has_none)

    @cached_property
    def newest(self) -> Release | None:
        """The administrator's latest, else the newest final release, else the newest of all.

        None without a release, and where its place is not known.
        """
        for release in self.releases:
            if self.latest and is_among(self.latest, release.name, *release.aliases):
                return release
        newest = newest_of(self.releases)
        return None if newest is None or newest.name in self.unordered else newest


def newest_of(releases: tuple[Release, ...]) -> Release | None:
    """Return the last of some releases in order that is no pre-release, else the last."""
    finals = tuple(release for release in releases if not release.prerelease)
    return (finals or releases)[-1] if releases else None


def likely_meant(name: str, releases: Iterable[str]) -> str | None:
    """Return the release that a name which is none of them looks like, if any.

    That is another way to write it (17-20, 1720, 17.2O), a letter off in a word, and one slip in a
    number that is unlike those of all releases (17.200, 71.20). The next number is no typing error.
    """
    others = [release for release in releases if not is_among(name, release)]
    same = [other for other in others if _reads_the_same(name, other, others)]
    return next(iter(same or [o for o in others if _has_one_slip(name, o, others)]), None)


def _reads_the_same(name: str, other: str, others: Sequence[str]) -> bool:
    own, its = _folded(name), _folded(other)
    if name_tokens(name) == name_tokens(other) or name_tokens(own) == name_tokens(its):
        return True
    # 1.11 is no 11.1, but 1720 among releases of two numbers is 17.20.
    shapes = {len(name_tokens(release)) for release in others}
    squeezed = ["".join(filter(str.isalnum, text)) for text in (own, its)]
    return squeezed[0] == squeezed[1] and len(name_tokens(name)) not in shapes


def _has_one_slip(name: str, other: str, others: Sequence[str]) -> bool:
    own, its = name_tokens(name), name_tokens(other)
    if len(own) != len(its):
        return False
    places = [place for place, (a, b) in enumerate(zip(own, its, strict=True)) if a != b]
    if len(places) != 1:
        return False
    (place,) = places
    there = [tokens[place] for o in others if len(tokens := name_tokens(o)) > place]
    return _is_slip(own[place], its[place], [token for token in there if isinstance(token, int)])


def _is_slip(written: Token, near: Token, numbers: Sequence[int]) -> bool:
    if OSA.distance(str(written), str(near)) != 1:
        return False
    if isinstance(written, int) and isinstance(near, int):
        if len(str(written)) == len(str(near)) and sorted(str(written)) != sorted(str(near)):
            return False
        unlike = len(str(written)) not in {len(str(number)) for number in numbers}
        return written > 2 * max(numbers) or (0 < written < max(numbers) and unlike)
    words = isinstance(written, str) and isinstance(near, str)
    return words and min(len(str(written)), len(str(near))) >= _SHORTEST_WORD


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold().translate(_LOOK_ALIKE)
