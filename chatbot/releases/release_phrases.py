"""Releases named by their place among the others: the latest, the previous one, N-1, all."""

import re
from collections.abc import Iterator
from enum import Enum, auto

from chatbot.releases.product_names import OWN
from corpora.indexing.number_words import NUMBER_WORDS


class Place(Enum):
    """From where a phrase counts: REFERENCE was spoken of last; which one is OPEN is asked back."""

    LATEST = auto()
    OLDEST = auto()
    REFERENCE = auto()
    SAME = auto()
    EVERY = auto()
    OPEN = auto()


_ONE = r"(?:releases?|versions?|one|series|docs|documentation)\b"
_MANY = r"(?:release|version)s?\b"
_SAID = rf"(?:(?:\w+ed|{OWN}+)\s+)*"
_NEW = r"(?:la\w*st|newest|current|most\s+recent)"
_END = rf"(?=\s*(?:$|[?.!,;:)/]|{OWN}|\b(?:and|or|vs|how|what|which|is|does|do|to|than|please)\b))"
_OF = rf"(?!\s+of\s+(?!(?:the\s+)?{OWN}|this\b|it\b))"
"""Not of something else: "the previous version of the row"."""
_COUNT = r"(?:(one|two|three|four|\d)\s+)"
_BEFORE = r"(?:before|prior\s+to|preceding)\b(?:\s+(?:that|this|it)(?:\s+one)?\b)?"

_PATTERNS = tuple(
    (place, direction, re.compile(rf"(?<!\w)(?:{pattern})", re.IGNORECASE))
    for place, direction, pattern in (
        (
            Place.EVERY,
            0,
            rf"(?:which|what|all|both|every|each|over|across|between)\s+"
            rf"(?:(?:of|the|your|our|doc)\s+)*{_SAID}{_MANY}{_OF}"
            r"|since\s+when\b|when\s+(?=(?:was|were)\b.*(?:ed|ced)\s*(?:[?.]|$))"
            rf"|(?:first|oldest|earliest|newest|la\w*st)\s+{_SAID}{_MANY}\s+(?:with|to|where"
            r"|supporting|(?:that|which)\s+(?!is\b|(?:you|we)\s+(?:have|know)\b|there\b|you['’]ve"
            r"|exists))"
            rf"|older?\s+(?:and|with|to)\s+(?:the\s+)?newe?r?\s+{_MANY}",
        ),
        (
            Place.OPEN,
            0,
            rf"{_NEW}\s+{_COUNT}{_MANY}|{_COUNT}{_NEW}\s+{_MANY}|penultimate\s+{_ONE}"
            rf"|la\w*st\s+but\s+one\b|(?:second|third|fourth)[\s-]+{_NEW}"
            r"|(?:other|old(?:er)?|new|earlier|former)\s+(?:\w+\s+){0,4}?(?:releases?|versions?|one)\b"
            r"|(?:in|on|for|with)\s+the\s+(?:release|version)\s+(?:that\s+)?(?:our|we|my|i|they)\b"
            r"|(?:past|beyond)\s+v?\d+\.\d+",
        ),
        (
            Place.REFERENCE,
            -1,
            rf"{_COUNT}?{_ONE}\s+{_BEFORE}{_END}|{_COUNT}{_ONE}\s+(?:earlier|older|back|ago)\b"
            rf"|(?:prev\w*|prior|preceding|(?<=\bthe\s)older)\s+{_SAID}{_ONE}{_OF}"
            rf"|(?-i:N)\s?[-−–]\s?(\d)\b|(?<=^and\s){_BEFORE}{_END}",
        ),
        (
            Place.REFERENCE,
            1,
            rf"(?:next|following|subsequent)\s+{_SAID}{_ONE}{_OF}"
            rf"|{_ONE}\s+after\b(?:\s+(?:that|this|it)\b)?{_END}",
        ),
        (
            Place.LATEST,
            0,
            rf"(?:{_NEW}|(?<=\bthe\s)newer)\s+{_SAID}{_ONE}{_OF}|{_NEW}\s+{OWN}+"
            rf"|(?:latest|newest)\b{_END}",
        ),
        (
            Place.OLDEST,
            0,
            rf"(?:oldest|earliest|first)\s+{_SAID}(?:{_ONE}|(?<={OWN}\s)){_OF}",
        ),
        (Place.SAME, 0, rf"(?:that|this|same|said)\s+{_MANY}"),
    )
)


def find_phrases(text: str) -> Iterator[tuple[tuple[int, int], Place, int]]:
    """Yield the phrases for releases, those that say more before those inside them.

    Each is where it stands, and the place from where it counts so many steps on (negative: back).
    """
    for place, direction, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            steps = count_of(next(filter(None, match.groups()), ""))
            yield match.span(), place, direction * steps


def count_of(said: str) -> int:
    """Read how many releases are counted: "two", "3"; one where no number is said."""
    said = said.strip().casefold()
    return int(said) if said.isdecimal() else NUMBER_WORDS.get(said, 1)
