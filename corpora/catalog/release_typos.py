"""Names of releases that look like a typing error in the name of another one."""

import unicodedata
from collections.abc import Iterable, Sequence

from rapidfuzz.distance import OSA

from corpora.catalog.release import Token, name_tokens

_LOOK_ALIKE = str.maketrans({"o": "0", "l": "1", "i": "1", "|": "1"})
_SHORTEST_WORD = 4


def likely_meant(name: str, releases: Iterable[str]) -> str | None:
    """Return the release that a name which is none of them looks like, if any.

    That is another way to write the same name (17-20, 1720, 17.2O), a letter off in a word
    (17.20-bata), and a digit too many or too few, or two that changed places, where that number
    is unlike those of all releases (17.200, 71.20). The next number is no typing error.
    """
    wanted = name.strip().casefold()
    others = [release for release in releases if release.strip().casefold() != wanted]
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
