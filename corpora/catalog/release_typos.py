"""Whether a new release's name looks like a typing error of one that is there."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from rapidfuzz.distance import OSA

from corpora.catalog.release import Token, name_tokens

_LOOK_ALIKE = str.maketrans({"o": "0", "l": "1", "i": "1", "|": "1"})
_LEADING_ZERO = re.compile(r"(?<!\d)0\d")
_SHORTEST_WORD = 4


def likely_meant(name: str, releases: Iterable[str]) -> str | None:
    """Return the release that a name which is none of them looks like, if any.

    The next number is no typing error (17.30 beside 17.20), a digit too many or too few is one
    where no release has so many there (17.200, 17.2), and so are two that changed places if the
    number is far from all others (71.20). Another way to write the same name is one (17-20), and
    so are letters for digits (17.2O), a letter off in a word (17.20-bata), and a zero before a
    number where no release has any (17.021).
    """
    wanted = name.strip().casefold()
    others = [release for release in releases if release.strip().casefold() != wanted]
    for looks_like in (_reads_the_same, _is_spelled_alike, _has_a_digit_off, _has_a_letter_off):
        for other in others:
            if looks_like(name, other, others):
                return other
    if others and _LEADING_ZERO.search(name) and not any(map(_LEADING_ZERO.search, others)):
        return min(others, key=lambda other: OSA.distance(name, other))
    return None


def _reads_the_same(name: str, other: str, _others: list[str]) -> bool:
    return name_tokens(name) == name_tokens(other)


def _is_spelled_alike(name: str, other: str, others: list[str]) -> bool:
    """Letters for digits, or the same characters without the marks between the numbers."""
    own, its = _folded(name), _folded(other)
    if name_tokens(own) == name_tokens(its):
        return True
    # 1.11 is no 11.1, but 1720 among releases of two numbers is 17.20.
    shapes = {len(name_tokens(release)) for release in others}
    return _squeezed(own) == _squeezed(its) and len(name_tokens(name)) not in shapes


def _has_a_digit_off(name: str, other: str, others: list[str]) -> bool:
    own, its = name_tokens(name), name_tokens(other)
    if len(own) != len(its):
        return False
    places = [place for place, (a, b) in enumerate(zip(own, its, strict=True)) if a != b]
    if len(places) != 1:
        return False
    number, near = own[places[0]], its[places[0]]
    if not (isinstance(number, int) and isinstance(near, int)):
        return False
    there = [
        token
        for release in others
        if len(tokens := name_tokens(release)) > places[0]
        and isinstance(token := tokens[places[0]], int)
    ]
    return _is_slip(str(number), str(near)) and _is_odd(number, there)


def _is_slip(number: str, near: str) -> bool:
    """A digit too many, one too few, or two that changed places; never another digit."""
    if OSA.distance(number, near) != 1:
        return False
    return len(number) != len(near) or sorted(number) == sorted(near)


def _is_odd(number: int, there: list[int]) -> bool:
    """Whether a number is unlike those that releases have at its place."""
    if number > 2 * max(there):
        return True
    return 0 < number < max(there) and len(str(number)) not in {len(str(n)) for n in there}


def _has_a_letter_off(name: str, other: str, _others: list[str]) -> bool:
    own, its = name_tokens(name), name_tokens(other)
    if len(own) != len(its):
        return False
    differing = [(a, b) for a, b in zip(own, its, strict=True) if a != b]
    return len(differing) == 1 and _is_misspelled(*differing[0])


def _is_misspelled(word: Token, near: Token) -> bool:
    return (
        isinstance(word, str)
        and isinstance(near, str)
        and min(len(word), len(near)) >= _SHORTEST_WORD
        and OSA.distance(word, near) == 1
    )


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold().translate(_LOOK_ALIKE)


def _squeezed(name: str) -> str:
    return "".join(c for c in name if c.isalnum())
