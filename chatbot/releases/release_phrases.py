"""Releases named by their place among the others: the latest, the previous one, N-1, all."""

import re
from collections.abc import Iterator
from enum import Enum, auto

from chatbot.releases.release_words import OWN, count_of


class Place(Enum):
    """From where a phrase counts; REFERENCE was spoken of last, NEWEST are several together."""

    LATEST = auto()
    OLDEST = auto()
    REFERENCE = auto()
    SAME = auto()
    EVERY = auto()
    NEWEST = auto()


_RANKS = {"second": 1, "2nd": 1, "third": 2, "3rd": 2, "fourth": 3, "4th": 3}

_ONE = r"(?:release|version|one)\b"
_NOUN = r"(?:(?:releases?|versions?|one|series|docs|documentation|edition|train)\b)"
_QUALITY = rf"(?:(?:\w+ed|stable|official|available|public|docs?|documentation|{OWN}+)\s+)*"
_END = (
    r"(?=\s*(?:$|[?.!,;:)/]|\b(?:and|or|vs|versus|how|what|is|does|do|did|to|than|please|instead)\b"
    rf"|{OWN}))"
)
_OF_OTHERS = (
    rf"(?!\s+of\s+(?!(?:the\s+|this\s+)?(?:{OWN}|(?:products?|software|docs?|documentation|manual"
    r"|system|it|this|that)\b)))(?!\s+(?:numbers?|strings?|id|column|counter)\b)"
)
_THAT = r"(?:that\s+one|this\s+one|that|this|it)\b"
_CAME = r"(?:that\s+(?:came|comes|was)\s+)?(?:(?:just|right|immediately|directly|shortly)\s+)?"
_NEWEST = r"(?:latest|newest|most\s+(?:recent|current)|current|up[- ]to[- ]date|stable)\b"
_THERE = (
    r"(?:\s+(?:that|which)\s+(?:(?:you|we|they|i)(?:['’]ve)?(?:\s+(?:can|may|still|currently))?"
    r"\s+(?!can\b)\w+(?:\s+(?:got|of|about))?"
    r"|there\s+is|exists|is\s+(?:still\s+)?(?:there|available|documented|supported|known|listed))"
    r"(?:\s+(?:docs|documentation|manuals?)(?:\s+(?:of|for|on|about))?)?"
    r"(?:\s+(?:here|now|today|on\s+(?:record|file)))?(?:\s+in\s+(?:the|your)\s+\w+)?"
    r"(?=\s*(?:$|[?.!,;:)/]|[-–—]\s|\b(?:and|or|how|what|which|is|was|does|do|did|has|have|can|will"
    r"|should|must|needs?|uses?|allows?|supports?(?!\s+for)|says?|please|instead|than)\b)))"
)
"""Says of a release only that it is one of those there are: "that you have"."""
_LATEST = (
    rf"(?:{_NEWEST}\s+{_QUALITY}{_NOUN}{_OF_OTHERS}{_THERE}?|last\s+{_QUALITY}{_ONE}{_OF_OTHERS}{_THERE}?"
    rf"|(?<=\bthe\s)newer\s+{_QUALITY}(?:{_ONE}|docs\b|documentation\b){_OF_OTHERS}"
    rf"|{_NEWEST}\s+{OWN}+{_END}|{OWN}+\s+{_NEWEST}{_END}|(?:latest|newest)\b{_END})"
)
_OLDEST = (
    rf"(?:(?:oldest|earliest|first|initial|original)\s+{_QUALITY}(?:release|version|manual|documentation|docs)\b"
    rf"|(?:oldest|earliest)\s+(?:one\b|{OWN}+(?:\s+{_NOUN})?)){_OF_OTHERS}{_THERE}?"
    r"(?!\s+(?:that|which|to|with|where|when|in\s+which|supporting|having)\b)"
)
_SEVERAL = r"(two|three|four|[2-9])"
_RELEASES = r"(?:releases?|versions?)\b"
_HAS = (
    r"(?:ha(?:s|ve|d)|introduc\w+|add\w*|support\w*|document\w*|contain\w*|remov\w+|dropp?\w*"
    r"|includ\w+|offer\w*|mention\w*|describ\w+|cover\w*|c[ao]me|brought|lacks?"
    r"|do(?:es)?\s*n['’o]t)\b"
)
_APPEARED = (
    r"(?:added|introduced|changed|removed|dropped|deprecated|renamed|documented|discontinued)"
    rf"\s*(?:$|[?.!,]|(?:in|to|from)\s+{OWN})"
)
_COUNT = r"(?:(one|two|three|four|a|\d)\s+)"

_EVERY = "|".join(
    (
        r"(?:in|since|from|as\s+of|with|by|until|till|up\s+to)\s+(?:which|what)\s+"
        rf"{_QUALITY}{_RELEASES}{_OF_OTHERS}",
        rf"(?:which|what)\s+(?:of\s+(?:the|your|our|these)\s+)?{_QUALITY}{_RELEASES}"
        r"(?:\s+(?:that\s+)?(?:you|we)\s+\w+"
        r"(?:\s+(?:docs|documentation|of|for|on|about|here|there))*)?"
        rf"(?=\s+(?:(?:still|already|first|also)\s+)?{_HAS})",
        rf"since\s+when\b|when\s+(?=(?:was|were)\b[^.?!]*\b{_APPEARED})",
        rf"(?:first|earliest|oldest|last|latest|newest)\s+{_QUALITY}{_RELEASES}(?!{_THERE})\s+"
        r"(?:with|that|which|where|in\s+which|supporting|having|documenting"
        r"|to\s+(?=have|support|include|document|contain|offer))\b",
        r"(?:over|throughout|through|among|between)\s+(?:the\s+)?(?:various\s+|different\s+)?"
        rf"(?:releases|versions)\b{_OF_OTHERS}",
    )
)
"""Every release is asked for: those which have a thing, or the first or last of these."""
_ALL = (
    r"(?:old|older|previous)\s+(?:and|with|to|against|vs\.?|versus)\s+(?:the\s+)?(?:new|newer)\s+"
    rf"{_RELEASES}"
    rf"|(?:all|both|every|each|across|in\s+any)\s+(?:(?:of|the|your|our|all)\s+)*{_QUALITY}{_RELEASES}"
    rf"{_OF_OTHERS}"
)
_SEVERAL_NEWEST = (
    rf"(?:(?:{_NEWEST}|last)\s+{_SEVERAL}|{_SEVERAL}\s+{_NEWEST})"
    rf"\s+{_QUALITY}(?:releases|versions)\b"
)
_RANKED = (
    rf"penultimate\s+{_ONE}|(?:latest|newest|last)\s+(?:{_ONE}\s+)?but\s+one\b"
    r"|(second|2nd|third|3rd|fourth|4th)[\s-]+(?:to[\s-]+)?"
    rf"(?:latest|newest|last|most\s+recent)\b(?:\s+{_QUALITY}{_ONE})?"
)
_BACK = (
    rf"{_COUNT}?{_NOUN}\s+{_CAME}(?:before|prior\s+to|preceding|(?:earlier|older)\s+than)\b"
    rf"(?:\s+{_THAT}|{_END})|{_COUNT}{_NOUN}\s+(?:earlier|older|back|ago|behind|down)\b"
    rf"|(?:previous|prior|preceding|(?<=\bthe\s)older)\s+{_QUALITY}(?:{_ONE}|series\b){_OF_OTHERS}"
    rf"|\b(?-i:N)\s?[-−–]\s?(\d)\b(?:\s+{_ONE}|{_END})"
)
_ON = (
    rf"{_COUNT}?{_NOUN}\s+{_CAME}(?:after|following|(?:newer|later)\s+than)\b(?:\s+{_THAT}|{_END})"
    rf"|{_COUNT}{_NOUN}\s+(?:later|newer|on|up|ahead)\b"
    rf"|(?:next|following|subsequent|succeeding)\s+{_QUALITY}{_ONE}{_OF_OTHERS}"
)

_PATTERNS = tuple(
    (place, direction, re.compile(rf"(?<!\w)(?:{pattern})", re.IGNORECASE))
    for place, direction, pattern in (
        (Place.EVERY, 0, _EVERY),
        (Place.NEWEST, 1, _SEVERAL_NEWEST),
        (Place.LATEST, -1, _RANKED),
        (Place.REFERENCE, -1, _BACK),
        (Place.REFERENCE, 1, _ON),
        (Place.EVERY, 0, _ALL),
        (Place.LATEST, 0, _LATEST),
        (Place.OLDEST, 0, _OLDEST),
        (Place.SAME, 0, r"(?:that|this|the\s+same|same|said)\s+(?:release|version)\b"),
    )
)
_ONLY_BEFORE = re.compile(
    rf"\s*(?:(?:and|or|what|how|about|in|the|one)\s+)*before(?:\s+{_THAT})?\s*\??\s*", re.IGNORECASE
)


def find_phrases(text: str) -> Iterator[tuple[tuple[int, int], Place, int]]:
    """Yield the phrases for releases, those that say more before those inside them.

    Each is where it stands, and the place from where it counts so many steps on (negative: back).
    """
    for place, direction, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            counted = next(filter(None, match.groups()), "one").casefold()
            steps = _RANKS.get(counted) or count_of(counted)
            yield match.span(), place, direction * steps
    if _ONLY_BEFORE.fullmatch(text):
        yield (0, len(text)), Place.REFERENCE, -1
