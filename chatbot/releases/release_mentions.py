"""Mentions of releases in a question: their place, the releases named, and their sense.

A release is named by a number, by words of the catalog, or by its place among the others: the
latest, the previous one, N-1, all.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from chatbot.releases.number_roles import NumberRole, account
from chatbot.releases.product_names import (
    AFTER,
    BEFORE,
    EVERY,
    NEWEST,
    NEXT,
    OLDEST,
    OWN,
    PREVIOUS,
    SINCE,
    Span,
    mask,
    product_spans,
    set_apart,
)
from chatbot.releases.release_names import NO_RELEASES, NameReading, ReleaseNames, release_names
from chatbot.releases.release_numbers import find_numbers
from chatbot.releases.words_beside import ends_name, next_word, preposition, words_before
from chatbot.text.asked_words import VERSION
from chatbot.text.words import word_set
from corpora.catalog.periods import PERIOD
from corpora.catalog.release import Product, name_tokens
from corpora.indexing.number_words import NUMBER_WORDS


class Place(Enum):
    """The release that a phrase counts from: REFERENCE was mentioned last; OPEN is asked back."""

    LATEST = auto()
    OLDEST = auto()
    REFERENCE = auto()
    SAME = auto()
    EVERY = auto()
    OPEN = auto()


@dataclass(frozen=True)
class ParsedMention:
    """A mention of releases in a masked question, as it was parsed.

    It names releases (`reading`), or a `place` among them from which it counts `steps`. A negated
    mention is of the kind "not that one"; an uncertain one may be something else than a release.
    `preposition` is the word before it ("to 18.00", "since 1.4"; "to" for an arrow). Beside it may
    stand a word for a release or a location (`has_release_word`), or the product's name.
    """

    start: int
    end: int
    name: str
    reading: NameReading = NO_RELEASES
    place: Place | None = None
    steps: int = 0
    is_negated: bool = False
    preposition: str = ""
    is_uncertain: bool = False
    has_release_word: bool = False
    names_product: bool = False

    @property
    def counts(self) -> bool:
        """Whether it names a release by its place in their order."""
        return self.steps != 0 or self.place in (Place.LATEST, Place.OLDEST)


_TAIL = re.compile(
    r"(?:['’]s\b)?[)\]\"'”’]*"
    r"(?P<later>\+(?![\w.])|\s+\(?(?:and|or)\s+(?:later|newer|above|up|higher)\b|\s+onwards?\b)?"
    rf"(?:(?P<earlier>{BEFORE}+)|(?P<after>{AFTER}+)|(?P<since>{SINCE}+))?"
    r"(?:(?:\s+|-|(?=版本))(?P<word>(?:release(?!\s+notes)|version|doc)s?|one(?!-)|series|line|branch|版本)\b[)\]\"'”’]*)?"
    rf"(?:(?<=[xX*])\s*{NEWEST})?(?P<product>\s+of\s+(?:the\s+)?{OWN}+)?",
    re.I,
)
"""Behind a name: `later` says that one and all after it, so the newest of them is meant."""
_UNFINISHED = "next main dev edge testing beta nightly"
_ORDINARY_WORDS = word_set(f"stable current latest standard {_UNFINISHED}")
"""Names of releases that are words of everyday use as well."""
_NAME_IN_WORDS = re.compile(rf"(?<![^\W_])(?:[A-Z][a-z]{{2,}}|{'|'.join(_UNFINISHED.split())})\b")
"""The shape of a release's name in words."""
_BESIDE = word_set("and or vs versus") | {""}
"""Words behind a name that end it for certain."""


_ONE = r"(?:releases?|versi(?:ons?|ón|one|ão|и\w)|one|series|docs|documentation)\b"
_MANY = r"(?:release|version)s?\b"
_SAID = rf"(?:(?:\w+ed|{OWN}+)\s+)*"
_END = rf"(?=\s*(?:$|[?.!,;:)/]|{OWN}|\b(?:and|or|how|what|is|does|to)\b))"
_OF = rf"(?!\s+of\s+(?!(?:the\s+)?{OWN}|this\b|it\b))"
"""Not of something else: "the previous version of the row"."""
_COUNT = r"(?:(one|two|three|four|\d)\s+)"
_BEFORE = r"(?:before|prior\s+to|preceding)\b(?:\s+(?:that|this|it)(?:\s+one)?\b)?"

_PHRASES = {
    (Place.EVERY, 0): r"(?:which|what|all|both|every|each|over|across|between)\s+"
    rf"(?:(?:of|the|your|our|doc)\s+)*{_SAID}{_MANY}{_OF}"
    r"|(?<=\bsame\s)everywhere\b|since\s+when\b|when\s+(?=(?:was|were)\b.*(?:ed|ced)\s*(?:[?.]|$))"
    rf"|{EVERY}+|(?:first|oldest|earliest|newest|la\w*st)\s+{_SAID}{_MANY}\s+(?:with|to|where|supporting"
    r"|(?:that|which)\s+(?!is\b|(?:you|we)\s+(?:have|know)\b|there\b|you['’]ve|exists))",
    (Place.OPEN, 0): rf"{NEWEST}\s+{_COUNT}{_MANY}|{_COUNT}{NEWEST}\s+{_MANY}|penultimate\s+{_ONE}"
    rf"|la\w*st\s+but\s+one\b|(?:second|third|fourth)[\s-]+{NEWEST}"
    r"|(?:other|old(?:er)?|new(?!\s+in\b)|earlier|former)\s+(?:[^\s.?!]+\s+){0,4}?(?:release|version|one)s?\b"
    r"|(?:in|on|for|with)\s+the\s+(?:release|version)\s+(?:that\s+)?(?:our|we|my|i|they)\b"
    rf"|(?:past|beyond)\s+v?\d+\.\d+|旧(?:{VERSION}|版)",
    (Place.REFERENCE, -1): rf"{_COUNT}?{_ONE}\s+{_BEFORE}{_END}"
    rf"|{_COUNT}{_ONE}\s+(?:earlier|older|back|ago)\b"
    rf"|(?:prev\w*|prior|preceding)\s+{_SAID}{_ONE}{_OF}|{PREVIOUS}+"
    rf"|(?-i:N)\s?[-−–]\s?(\d)\b|(?<=^and\s){_BEFORE}{_END}",
    (Place.REFERENCE, 1): rf"(?:next|following|subsequent)\s+{_SAID}{_ONE}{_OF}"
    rf"|{NEXT}+|{_ONE}\s+after\b(?:\s+(?:that|this|it)\b)?{_END}",
    (Place.LATEST, 0): rf"(?:{NEWEST}|(?<=\bthe\s)newer)\s+{_SAID}{_ONE}{_OF}|{NEWEST}\s+{OWN}+"
    rf"|(?:latest|newest|neueste\w?|derni[èe]re|[úu]ltim[ao])\b{_END}|(?:最新|최신)(?:{VERSION}|版)?",
    (
        Place.OLDEST,
        0,
    ): rf"{OLDEST}+"
    rf"|(?:oldest|earliest|first)\s+{_SAID}(?:{_ONE}|(?<={OWN}\s)){_OF}",
    (Place.SAME, 0): rf"(?:that|this|same|said)\s+{_MANY}",
}
"""The place that a phrase counts from, and the direction; longer phrases come first."""
_PATTERNS = {key: re.compile(rf"(?<!\w)(?:{phrase})", re.I) for key, phrase in _PHRASES.items()}


def find_mentions(
    question: str, product: Product, spans: Sequence[Span] = ()
) -> list[ParsedMention]:
    """The mentions of releases of one product in a question, in order.

    `spans` are the places where it names products, that product's alone if none are given. The
    names of releases go before phrases that lie over them, phrases that say more before those
    inside them; words that two mentions claim are the first one's.
    """
    names = release_names(product)
    masked = mask(question, product, spans or product_spans(question, [product]))
    text = set_apart(masked)
    mentions = [*_numbers(question, text, product), *_worded(question, text, masked, names)]
    for (place, direction), pattern in _PATTERNS.items():
        for phrase in pattern.finditer(text):
            start, end = phrase.span()
            mention = _mention_at(question, text, start, end)
            if all(f.end <= start or end <= f.start for f in mentions):
                counted = _count(next(filter(None, phrase.groups()), ""))
                steps = direction * counted + mention.steps
                mentions.append(replace(mention, end=end, place=place, steps=steps))
    apart: list[ParsedMention] = []
    for mention in sorted(mentions, key=lambda f: f.start):
        start = max(mention.start, apart[-1].end if apart else 0)
        if start < mention.end:
            apart.append(replace(mention, start=start))
    return apart


def _worded(question: str, text: str, masked: str, names: ReleaseNames) -> Iterator[ParsedMention]:
    """Releases named by words; a word of everyday use needs one for a release beside it.

    What may be such a name, or stand for a place among the releases, is uncertain.
    """
    named = names.worded(masked)
    named += [(m.start(), m[0], names.in_period(m[0])) for m in names.periods(text)]
    for short in names.in_short(text):
        yield replace(_mention_at(question, text, *short.span()), is_uncertain=True)
    known = {start for start, _, _ in named}
    others = (m for m in _NAME_IN_WORDS.finditer(text) if m.start() not in known)
    named += [(m.start(), m[0], NO_RELEASES) for m in others]
    for start, word, reading in named:
        end = start + len(word)
        before, tail = words_before(text, start), _tail(text, end)
        mention = _mention_at(question, text, start, end, reading)
        is_marked = before["product"] or before["word"] or tail["word"]
        # In a path, or between signs: /docs/main/limits.html, "next: how many?", "limit (main)".
        is_apart = text[start - 1 : start] == "/" == text[end : end + 1]
        is_apart = is_apart or _is_between_signs(text[:start].rstrip(), text[end:].lstrip())
        is_name = start in known and not _ORDINARY_WORDS.issuperset(name_tokens(word))
        if start not in known:
            likely = names.in_words(word, _ORDINARY_WORDS)
            is_placed = mention.preposition in ("in", "since") and ends_name(text, end)
            if likely and (is_marked or is_placed):
                yield replace(mention, is_uncertain=True)
        elif is_name and not PERIOD.fullmatch(word):
            yield replace(mention, is_uncertain=not is_marked and names.is_suffix(word))
        elif is_apart:
            yield replace(mention, is_uncertain=True)
        elif is_marked or (mention.preposition and ends_name(text, end)) or word[-1].isdigit():
            goes_on = not is_marked and next_word(text, end) not in _BESIDE
            counts = tail["word"] or text[:start].casefold().endswith("the ")
            counts = counts and any(p.match(text, start) for p in _PATTERNS.values())
            yield replace(mention, is_uncertain=bool(goes_on or counts))


def _is_between_signs(before: str, after: str) -> bool:
    return before[-1:] in ("", "(", "[", ",") and after[:1] in ("", ":", ")", "]", "?")


def _numbers(question: str, text: str, product: Product) -> list[ParsedMention]:
    names = release_names(product)
    numbers = find_numbers(text, names)
    mentions: list[ParsedMention] = []
    for number, role in zip(numbers, account(text, numbers, product), strict=True):
        if role is NumberRole.OTHER:
            continue
        reading = number.reading
        if words_before(text, number.start)["newest"]:
            reading = names.read(number.tokens, series=True)
        later = _tail(text, number.end)["later"]
        if later or _sign(text, number.start).endswith((">", ">=")):
            reading = names.and_later(reading, text[number.start : number.end])
        mention = _mention_at(question, text, number.start, number.end, reading)
        mentions.append(replace(mention, is_uncertain=role is NumberRole.OPEN))
    return mentions


def _mention_at(
    question: str, text: str, start: int, end: int, reading: NameReading = NO_RELEASES
) -> ParsedMention:
    """The mention at a span, by the words before it and behind it."""
    before, tail = words_before(text, start), _tail(text, end)
    steps = -1 if _sign(text, start).endswith("<") else 0
    if before["before"] or before["after"] or before["pre"]:
        steps = _count(before["count"] or "") * (1 if before["after"] else -1)
    elif tail["earlier"] or tail["after"]:
        steps = -1 if tail["earlier"] else 1
    name_start = before.start() if steps else before.start("prefix") if before["prefix"] else start
    where, arrow = preposition(before), text[: before.start()].rstrip().endswith(("->", "=>", "→"))
    where = where or ("since" if tail["since"] else "")
    named = before["product"] or tail["product"]
    is_marked = named or before["word"] or before["prefix"] or steps or tail["word"]
    return ParsedMention(
        before.start(),
        tail.end(),
        question[name_start:end],
        reading,
        steps=steps,
        is_negated=bool(before["negation"]),
        preposition="to" if arrow else before["than"] or where,
        names_product=bool(named),
        has_release_word=bool(is_marked) or where in ("in", "on", "under", "since", "as of"),
    )


def _sign(text: str, start: int) -> str:
    """The signs right before a name: "<", ">=", but no arrow, and no end of a tag."""
    signs = text[max(0, start - 5) : start].rstrip("\"'^ ")
    is_tag = "".join(text[max(0, start - 64) : start].split()[-1:]).startswith("<")
    return "" if signs.endswith(("->", "=>")) or (is_tag and signs.endswith(">")) else signs


def _tail(text: str, end: int) -> re.Match[str]:
    match = _TAIL.match(text, end)
    assert match is not None, "every part of the pattern may be missing"
    return match


def _count(words: str) -> int:
    """Read how many releases are counted: "two", "3"; one where no number is said."""
    words = words.strip().casefold()
    return int(words) if words.isdecimal() else NUMBER_WORDS.get(words, 1)
