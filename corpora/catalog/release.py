"""Releases and products: how their names are read, compared and ordered."""

import re
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from itertools import pairwise

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


def name_tokens(name: str) -> tuple[Token, ...]:
    """Read a release's name as numbers and words, so that equal releases have equal tokens.

    `R17.2`, `17-2` and `v17.02` are all (17, 2): never a float, so 3.2 is not 3.20. Suffixes stay
    behind the numbers: `20.2R2-S3.5` is (20, 2, "r", 2, "s", 3, 5), `3.5 Service Pack 1` is
    (3, 5, "sp", 1), `2.0b1` is (2, 0, "beta", 1).
    """
    for pattern, short in _SPELLED_OUT:
        name = pattern.sub(short, name)
    parts = [part.casefold() for part in _PART.findall(name)]
    if len(parts) > 1 and parts[0] in _LEADING and parts[1].isdecimal():
        parts = parts[1:]
    tokens: list[Token] = []
    for part, after in pairwise([*parts, ""]):
        if part.isdecimal():
            tokens.append(int(part))
        elif tokens and after.isdecimal():
            tokens.append(_BEFORE_A_NUMBER.get(part, part))
        else:
            tokens.append(part)
    return tuple(tokens)


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


def sort_key(name: str) -> SortKey:
    """Order release names naturally: 3.2 < 3.20, 2.0rc9 < 2.0rc10 < 2.0 < 2.0.1 < 2.1.

    Zeros at the end of the numbers do not count (17.20.0 stands where 17.20 does); a word that is
    no pre-release comes after the bare name (3.5 < 3.5-sp1) and before a longer number.
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
    if not leading and token in _BEFORE_THE_FINAL:
        return _PRERELEASE, _BEFORE_THE_FINAL[token], ""
    return _WORD, 0, token


def is_prerelease(name: str) -> bool:
    """Say whether a name is that of a pre-release: 2.0rc1, 3.0-beta.2, 4.0.dev7, 5.0-SNAPSHOT."""
    return any(token in _BEFORE_THE_FINAL for token in name_tokens(name)[1:])


@dataclass(frozen=True)
class Release:
    """One release of a product, with the other names that an administrator gave it.

    From `end_of_life` on it has no support; it can be asked as before.
    """

    product: str
    name: str
    aliases: tuple[str, ...] = ()
    prerelease: bool = False
    end_of_life: date | None = None


@dataclass(frozen=True)
class Product:
    """A product with its releases from the oldest to the newest.

    `latest` is the name or alias of the release that an administrator calls the latest, if any.
    """

    name: str
    aliases: tuple[str, ...] = ()
    releases: tuple[Release, ...] = ()
    latest: str | None = None

    @cached_property
    def newest(self) -> Release | None:
        """The administrator's latest, else the newest final release, else the newest of all."""
        if self.latest is not None:
            wanted = self.latest.casefold()
            for release in self.releases:
                if wanted in (name.casefold() for name in (release.name, *release.aliases)):
                    return release
        return newest_of(self.releases)


def newest_of(releases: tuple[Release, ...]) -> Release | None:
    """Return the last of some releases in order that is no pre-release, else the last."""
    finals = tuple(release for release in releases if not release.prerelease)
    return (finals or releases)[-1] if releases else None
