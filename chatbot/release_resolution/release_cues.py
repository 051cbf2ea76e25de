"""Whether a number in a question is a release of the product, judged by the words around it."""

from __future__ import annotations

import re
from enum import Enum, auto

from chatbot.release_resolution.release_numbers import Number
from chatbot.release_resolution.release_words import (
    BOUNDARY,
    MOVES,
    OTHER,
    OWN,
    TAIL,
    UNIT,
)
from chatbot.words import STOP_WORDS


class Claim(Enum):
    """To whom a number belongs: to the product, to something else, perhaps to it, or to nobody."""

    RELEASE = auto()
    DOUBTFUL = auto()
    ELSEWHERE = auto()
    NOTHING = auto()


_WINDOW = 64
_PAPERS = STOP_WORDS | {
    "changelog",
    "guide",
    "handbook",
    "manual",
    "notes",
    "reference",
    "tutorial",
}
"""Words after which a number is nobody's: those of grammar, and those for a document."""
_OWNER = re.compile(
    rf"(?P<word>{OTHER}+|[^\W\d_](?:[\w+]|\.(?=\w))*|\d+[^\W\d]\w*)(?:['’]s)?(?P<joint>[-/_=#]|\s*=)?\s*"
    r"(?:at\s+(?:least|most)\s+|up\s+to\s+)?(?P<bound>[<>=~!≥≤]*)\s*['\"]?$"
)
_OWN_BEFORE = re.compile(rf"{OWN}(?:['’]s)?(?P<joint>[\s-])(?P<word>[^\W\d_]+)[\s:]*$")
_INSIDE_NAME = re.compile(rf"\w[-/]{OWN}+\W*$")
_OWN_AFTER = re.compile(rf"\s+(?:of\s+)?(?:the\s+)?{OWN}")
_OF_SOMETHING = re.compile(rf"\s+of\s+(?P<article>(?:the|this|our|an?)\s+)?(?P<word>\w+|{OTHER})")
_CLAUSE = re.compile(r".*(?:[.?!:;,(]\s|\n)", re.DOTALL)
_SUBJECTS = frozenset("i we you they he she it one who".split())  # noqa: SIM905
_AUXILIARIES = frozenset(
    "am is are was were be been do does did can could will would shall should may might must have"  # noqa: SIM905
    " has had don't doesn't didn't can't cannot won't never still just now only already not".split()
)
_BEFORE_INFINITIVE = re.compile(
    r"\b(?:how|where|when|want\w*|need\w*|like|have|has|had|going|plan\w*|tr(?:y|ies|ied|ying)|able)"
    r"\s+to\s+$",
    re.IGNORECASE,
)
_ASSIGNED = re.compile(r"\bset(?:ting)?\s+(?:\S+\s+){0,4}?to\s+$", re.IGNORECASE)
_MEASURED = re.compile(r"\b(?:an?|with)\s+(?:\S+\s+){0,3}?\S+\s+of\s+$", re.IGNORECASE)
_VALUE = re.compile(
    r"(?:\b(?:values?\s+of|equals?(?:\s+to)?)\s+|\w\(['\"]?|[$€£#§]\s?)$", re.IGNORECASE
)
_COUNTED = re.compile(r"[\s-]+[^\W\d_]+s\b")
_ACTS = re.compile(r"\s+(?:can|could|will|would|should|may|might|must|does|did)\b", re.IGNORECASE)
_SUBJECT = re.compile(r"\b(?:do|does|did|will|has|is|are|was|can|could|should)\s+$", re.IGNORECASE)
_RELEASE_BESIDE = re.compile(r"\b(?:releases?|versions?|ones?)\s.*\b(?:before|after)\b", re.I)
_PLACED = frozenset(("in", "on", "under", "since", "as of"))
_LOOSE = frozenset(("about", "over", "at", "through", "via"))
_GOES_ON = re.compile(r"\s*(?:[-–—/&+,]|and\b|or\b|to\b)\s*\d", re.IGNORECASE)
_TWO = (
    r"v?\d+(?:\.\w+)+\s+(?:{between})\s+(?:in\s+)?v?\d+(?:\.\w+)+(?![\w%]|\s*(?:s|ms|seconds?)\b)"
)
_SIDES = (
    re.compile(
        r"\b(?:chang|differ|compar|diff\b|same\b|new\b)[^?]*\bbetween\s+"
        + _TWO.format(between="and"),
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:compar\w+|diff(?:erences?)?)\s+(?:(?:of|in|between)\s+)?"
        + _TWO.format(between="and|with|to|vs\\.?|versus"),
        re.IGNORECASE,
    ),
    re.compile(
        r"\b(?:what\b[^?]*\bchang\w+|upgrad\w+|migrat\w+)\b[^?]*\bfrom\s+"
        + _TWO.format(between="to"),
        re.IGNORECASE,
    ),
    re.compile(_TWO.format(between="vs\\.?|versus"), re.IGNORECASE),
)


def judge(text: str, number: Number, lead: re.Match[str]) -> Claim:
    """Say whether a number of a masked question is a release of the product, known or unknown.

    The product's own name or the word "release" beside it decides; else a release that is written
    as the catalog has it, unless another name, a counted noun or a unit claims the number. Where
    both readings are possible the number is DOUBTFUL, and the user is to be asked.
    """
    known = bool(number.reading.covers)
    mark = (lead["word"] or lead["prefix"] or "").casefold()
    after = text[number.end : number.end + _WINDOW]
    before = text[max(0, number.start - _WINDOW) : number.start]
    head = text[max(0, lead.start() - _WINDOW) : lead.start()]
    if after.lstrip(" \u00a0-").startswith("%") or UNIT.match(after.lstrip(" \u00a0-")):
        sure = mark and known and number.dotted
        return Claim.RELEASE if sure else Claim.ELSEWHERE
    glued = not mark and re.search(r"[\w.]$", before)
    if OWN in lead[0]:
        if known and not lead["word"] and _INSIDE_NAME.search(before):
            return Claim.DOUBTFUL
        likely = known or number.dotted or number.shaped or lead["word"]
        return Claim.RELEASE if likely else Claim.NOTHING
    if known and number.dotted and (glued or re.search(r"\bis\s+$", lead[0])):
        return Claim.RELEASE
    near = _OWN_BEFORE.search(head) if number.dotted or (known and number.whole) else None
    if near and near["joint"] == "-":
        return Claim.DOUBTFUL if known else Claim.ELSEWHERE
    if near and number.dotted and (known or number.akin or near["word"].casefold() in _PAPERS):
        return Claim.RELEASE
    if (claim := _of_something(after, number, known=known)) is not None:
        return claim
    if not mark and (claim := _as_value(before, number)) is not None:
        return claim
    bare = lead.start() in (number.start, lead.start("word"), lead.start("prefix"))
    owner = _OWNER.search(head) if bare else None
    verb = owner is not None and _is_verb(head, owner)
    if owner and not verb:
        claim = _beside_word(text, number, mark, head, owner)
        if claim is not None:
            return claim
    if number.dotted and _OWN_AFTER.match(after):
        return Claim.RELEASE
    return _standing_free(text, number, lead, verb=verb)


def _of_something(after: str, number: Number, *, known: bool) -> Claim | None:
    """Judge "version 1.4 of something", which is not the product."""
    owner = _OF_SOMETHING.match(after)
    if not owner or (owner["article"] and owner["word"] != OTHER):
        return None
    if owner["word"] in _PAPERS:
        return None
    if owner["word"] == OTHER or not known:
        return Claim.ELSEWHERE
    return Claim.DOUBTFUL


def _as_value(before: str, number: Number) -> Claim | None:
    """Judge a number that something is set to or measures: "a timeout of 17.20"."""
    if _VALUE.search(before):
        return Claim.ELSEWHERE
    if _ASSIGNED.search(before) or _MEASURED.search(before):
        return Claim.DOUBTFUL if number.whole and number.dotted else Claim.ELSEWHERE
    return None


def _is_verb(head: str, owner: re.Match[str]) -> bool:
    """Whether the word before a number says what somebody does with it: "we run 17.20"."""
    word = owner["word"]
    if owner["joint"] or owner["bound"] or word != word.lower() or word in _SUBJECTS:
        return False
    earlier = head[: owner.start("word")]
    if word.endswith("ing") or _BEFORE_INFINITIVE.search(earlier):
        return True
    previous = re.search(r"([\w']+)\s+$", earlier)
    return bool(previous and previous[1].casefold() in _SUBJECTS | _AUXILIARIES)


def _beside_word(
    text: str, number: Number, mark: str, head: str, owner: re.Match[str]
) -> Claim | None:
    """Judge a number right after a word; None where the word is one that claims nothing.

    "Python 3.8" and "port 17" are not the product's, "release" says that it is, and in a query of
    keywords a release stands after any word: "default client port 17.20".
    """
    word, known, whole = owner["word"], bool(number.reading.covers), number.whole
    if word[0] == OTHER:
        return Claim.ELSEWHERE
    released = mark.startswith("r")
    if owner["bound"]:
        return Claim.ELSEWHERE
    if owner["joint"] and not mark:
        in_path = owner["joint"] == "/" and text[number.end : number.end + 1] == "/"
        if in_path and number.dotted and (known or number.akin):
            return Claim.RELEASE
        return Claim.ELSEWHERE
    clause = _CLAUSE.sub("", head[: owner.start("word")])
    if word.casefold() in _PAPERS and not (word[-1].isupper() and len(word) > 1):
        return None
    named = _is_name(word, text, begins=not clause.strip())
    bounded = bool(BOUNDARY.match(text, number.end))
    keywords = [] if named else _keywords(text, number, mark)
    if not mark:
        if number.dotted and whole:
            long = number.exact and len(number.tokens) > 2
            acts = not named and _ACTS.match(text, number.end)
            sure = long or acts or number.lettered or len(keywords) > 2
            return Claim.RELEASE if sure else Claim.DOUBTFUL
        if number.dotted and not known and not named and _is_side(text, number):
            return Claim.RELEASE
        ends = len(number.tokens) > 2 or not text[number.end :].strip(" ?.!")
        if number.dotted and not known and ends and not named and number.akin and number.shaped:
            return Claim.DOUBTFUL
        qualifies = len(keywords) > 1 and number.exact and number.high and bounded
        return Claim.DOUBTFUL if qualifies else Claim.ELSEWHERE
    if known:
        told = released or (keywords and not word[0].isupper())
        plain = number.dotted or mark not in {"", "r"} or (bounded and (named or len(keywords) > 2))
        if told and plain:
            return Claim.RELEASE
        return Claim.DOUBTFUL if number.dotted or bounded else Claim.ELSEWHERE
    if mark.startswith("rel") or (released and number.dotted and not named):
        return Claim.RELEASE
    likely = not named and (number.akin or not clause.strip()) and (number.dotted or len(mark) > 1)
    likely = likely or (released and bounded and len(keywords) > 1)
    return Claim.DOUBTFUL if likely else Claim.ELSEWHERE


def _is_name(word: str, text: str, *, begins: bool) -> bool:
    """Whether a word is written as a name: with a capital inside a sentence, a digit, an "_"."""
    if re.search(r"[\d_.]", word.rstrip(".")):
        return True
    if text.upper() == text:
        return False
    return word[1:] != word[1:].lower() or (word[0].isupper() and not begins)


def _keywords(text: str, number: Number, mark: str) -> list[str]:
    """The words around a number if they are a query of keywords and no sentence."""
    before = text[: number.start].rstrip().casefold().removesuffix(mark)
    words = re.findall(r"[^\W\d_][\w']*", f"{before} {text[number.end :]}")
    return [] if any(word.casefold() in STOP_WORDS for word in words) else words


def _standing_free(text: str, number: Number, lead: re.Match[str], *, verb: bool) -> Claim:
    """Judge a number that no word before it claims.

    A known release of two parts needs no cue; a bare "17" and an unknown number do.
    """
    known = bool(number.reading.covers)
    if known and number.dotted:
        return Claim.RELEASE
    bounded = bool(BOUNDARY.match(text, number.end))
    tail = TAIL.match(text, number.end)
    named = bool(lead["word"] or lead["prefix"] or (tail and tail["word"]))
    alone = not (text[: lead.start()] + text[number.end :]).strip(" ?.!")
    begins = not text[: lead.start()].strip()
    subject = _SUBJECT.search(text, max(0, number.start - 8), number.start)
    preposition = " ".join((lead["preposition"] or "").casefold().split())
    if number.dotted:
        if named or alone or (tail and tail["range"]) or number.suffixed or _is_side(text, number):
            return Claim.RELEASE
        if number.akin and begins:
            return Claim.DOUBTFUL
        if not bounded:
            return Claim.NOTHING
        if preposition in _PLACED:
            return Claim.RELEASE
        set_off = preposition or lead["before"] or lead["after"] or lead["open"]
        if number.akin and (set_off or text[: number.start].endswith(", ")):
            return Claim.RELEASE
        told = (preposition and preposition not in _LOOSE) or lead["before"] or lead["after"]
        told = told or verb or subject
        return Claim.DOUBTFUL if number.shaped and number.near and told else Claim.NOTHING
    if not (named or bounded) and _COUNTED.match(text, number.end):
        return Claim.NOTHING
    ranged = tail and tail["range"] and (number.exact or number.high)
    ranged = ranged or _RELEASE_BESIDE.search(lead[0])
    if lead["word"] or alone or (lead["prefix"] and bounded) or (known and (named or ranged)):
        return Claim.RELEASE
    if not known:
        asked_for = lead["prefix"] and (begins or preposition in _PLACED)
        told = subject or (bounded and (preposition in _PLACED or lead["before"] or lead["after"]))
        told = told and not _GOES_ON.match(text, number.end)
        asked_for = asked_for or (number.near and told)
        return Claim.DOUBTFUL if asked_for else Claim.NOTHING
    beside = lead["before"] or lead["after"] or lead["pre"]
    placed = preposition in _PLACED or beside
    if number.high and (preposition or beside or subject or verb):
        if bounded or (number.exact and subject):
            return Claim.RELEASE
        return Claim.DOUBTFUL if number.exact and placed else Claim.NOTHING
    if not bounded and subject and subject[0][0] in "dDwW":
        return Claim.DOUBTFUL
    if not bounded or preposition in _LOOSE:
        return Claim.NOTHING
    if placed or (preposition == "to" and MOVES.search(text)):
        return Claim.DOUBTFUL if _GOES_ON.match(text, number.end) else Claim.RELEASE
    told = preposition in {"for", "with", "of", "from", "than"} or subject or verb or begins
    return Claim.DOUBTFUL if told else Claim.NOTHING


def _is_side(text: str, number: Number) -> bool:
    """Whether the number is one of two that a question compares."""
    return any(
        pair.start() <= number.start < pair.end()
        for sides in _SIDES
        for pair in sides.finditer(text)
    )
