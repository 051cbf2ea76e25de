"""The role of each number of a question, judged by what stands beside it.

It is a release of the catalog in one of its spellings, or none of them and yet asked for as one;
or it is something else: a quantity, a value, another thing's version by the name before it. What
may be either is open, and the user is asked.
"""

import re
from collections.abc import Sequence
from enum import Enum, auto
from itertools import pairwise

from chatbot.releases.product_names import OTHER, OWN, Span, mask, set_apart
from chatbot.releases.release_names import ReleaseNames, release_names
from chatbot.releases.release_numbers import Number, find_numbers
from chatbot.releases.words_beside import (
    CONTRASTS,
    FREE,
    JOINED,
    LINES,
    OF_RELEASES,
    WAYS,
    ends_name,
    last_word,
    next_word,
    owner_before,
    preposition,
    words_before,
)
from chatbot.text.asked_words import FILLING, THERE, WHETHER, words
from chatbot.text.parts import parts_named
from chatbot.text.words import MEASURE, STOP_WORDS, word_set
from corpora.catalog.release import Product


class NumberRole(Enum):
    """The role of a number: a release, possibly one (OPEN), or something else."""

    RELEASE = auto()
    OPEN = auto()
    OTHER = auto()


_HOSTS = word_set("host ip address")
_INTERFACES = word_set("api apis endpoint endpoints interface protocol schema")
"""Things with versions of their own."""
_OF_SOMETHING = re.compile(rf"\s+of\s+(?:(?:the|an?|our|your|its?)\s+)*(?!{OWN})(?P<word>\w+)")
_OF_OTHER = re.compile(rf"\s+of\s+(?:the\s+)?{OTHER}")
_OF_HOST = re.compile(r"/\d|:\d")
"""A mask or a port behind an address."""
_AROUND = WHETHER, THERE, FILLING
_SUBJECTS = word_set("i we you to can must should now still not do does")
"""Words before a verb: "we run 17.10" says no more of the number than "17.10" does."""
_OF_CODE = re.compile(r"_|(?<![^\W_])[a-z]{2,}[A-Z]+[a-z]|[A-Z]{2,}-[A-Z]{2,}")
"""In a name of code, which has no versions of its own: max_payload, maxPayload, LOW-BATTERY."""
_IN_PARTS = re.compile(r"[a-z][A-Z]+[a-z]|\w[./#-]\w")
"""In one that may as well be another product's: MaxPayload and max-payload, or TypeScript."""
_SIGNS = tuple("$€£#§^,/_")
UNIT = re.compile(rf"[ \u00a0-]?(?!a\b|v\.?\s*\d){MEASURE}(?!-)", re.I)
"""A unit behind a number that is no release; "1.4 a" and "1.4 v 2.0" have none."""


def account(text: str, numbers: Sequence[Number], product: Product) -> list[NumberRole]:
    """The role of each number of a masked question; those side by side are judged together.

    So "Python 3.8 and 3.9" has two of Python, "from 1.5 to 2.5 s" two quantities.
    """
    roles = [_role_of(text, number, product) for number in numbers]
    contrasts = CONTRASTS.search(text)
    for i, (left, right) in enumerate(pairwise(numbers)):
        joined = JOINED.fullmatch(text, left.end, right.start)
        if not (joined and any(joined.groups())) or OWN in joined[0]:
            continue
        first, second = roles[i : i + 2]
        both_known = left.is_known and right.is_known
        if first is NumberRole.OTHER and not right.is_known:
            roles[i + 1] = NumberRole.OTHER
        elif second is NumberRole.OTHER and UNIT.match(text, right.end):
            roles[i] = NumberRole.OTHER
        elif (contrasts and both_known and ends_name(text, right.end)) or (
            (contrasts or (joined["join"] in WAYS and both_known))
            and (left.is_dotted and right.is_dotted)
        ):
            roles[i : i + 2] = NumberRole.RELEASE, NumberRole.RELEASE
        elif first is NumberRole.OPEN and second is NumberRole.RELEASE and not joined["place"]:
            roles[i + 1] = NumberRole.OPEN
        elif first is NumberRole.RELEASE and right.is_known:
            roles[i + 1] = NumberRole.RELEASE
    return roles


def _role_of(text: str, number: Number, product: Product) -> NumberRole:
    """Judge a number by itself: by its unit, the product's name, another name before it."""
    names = release_names(product)
    for part in parts_named(text):
        if part.start <= number.start < part.end:
            if part.is_section or not number.is_known:
                return NumberRole.OTHER
            if number.is_dotted:
                # "alarm table 17.10" may be a query with its release.
                return NumberRole.OPEN
    before = words_before(text, number.start)
    mark = (before["word"] or before["prefix"] or "").casefold().rstrip(".-_")
    if UNIT.match(text, number.end):
        return (
            NumberRole.RELEASE
            if mark and number.is_known and number.is_dotted
            else NumberRole.OTHER
        )
    if number.is_address and not (mark or before["product"]):
        return _of_address(text, number, before, names)
    if number.is_glued:
        return NumberRole.OPEN
    if before["newest"] and not (mark or number.is_dotted):
        return _of_newest(number, next_word(text, number.end))
    if _OF_OTHER.match(text, number.end):
        return NumberRole.OTHER
    if _is_of_something(text, number, before, names):
        return NumberRole.OTHER if text[: before.start()].endswith(_SIGNS) else NumberRole.OPEN
    if before["product"]:
        glued = text[: number.start].endswith(OWN)
        likely = number.is_dotted or glued or names.near(number.tokens)
        if likely or names.squeezed(number.tokens):
            return NumberRole.RELEASE
        return NumberRole.OTHER if _is_amount(number) else NumberRole.OPEN
    bare = before.start() == before.start("word" if before["word"] else "open")
    head = text[: before.start()]
    owner = owner_before(head, len(head)) if bare else None
    bracketed = owner and owner["joint"].isspace() and before["open"] and OTHER not in owner["word"]
    if (
        owner
        and not bracketed
        and (not owner["joint"].isspace() or not _stands_free(owner, product))
    ):
        words = [word for word in text.casefold().split() if word[0].isalpha()]
        # A query and no sentence: "pool timeout echo 1.4".
        keywords = len(words) if STOP_WORDS.isdisjoint(words) else 0
        return _of_word(number, owner, mark, product, keywords=keywords)
    if head.endswith(_SIGNS):
        likely = head.endswith((",", "/", "#")) and number.is_known and number.is_dotted
        return NumberRole.OPEN if likely else NumberRole.OTHER
    return _free(text, number, before, mark, names)


def _of_newest(number: Number, following: str) -> NumberRole:
    """Judge a number of one part behind "latest": "the latest 2 series", "the last 2 alarms"."""
    if not number.is_known or following not in FREE or following in ("releases", "versions"):
        return NumberRole.OTHER
    return NumberRole.RELEASE if following in LINES else NumberRole.OPEN


def _of_address(
    text: str, number: Number, before: re.Match[str], names: ReleaseNames
) -> NumberRole:
    """Judge a number in the form of an IP address, which is a release only where words say so."""
    where, head = preposition(before), text[: before.start()]
    if next_word(text, number.end) in OF_RELEASES or where in ("in", "since", "as of"):
        likely = number.is_known or names.near(number.tokens)
        return NumberRole.RELEASE if likely else NumberRole.OTHER
    is_host = where == "at" or last_word(head) in _HOSTS or head.endswith(("@", "://"))
    is_host = is_host or _OF_HOST.match(text, number.end) is not None
    return NumberRole.OPEN if number.is_known and not is_host else NumberRole.OTHER


def _is_of_something(text: str, number: Number, before: re.Match[str], names: ReleaseNames) -> bool:
    """Whether a number may be the version of what is named behind it: "the v1 API", "1.2 of X"."""
    is_marked = before["word"] or before["prefix"]
    if of := _OF_SOMETHING.match(text, number.end):
        return bool(number.is_dotted or is_marked) and of["word"].casefold() not in FREE
    following, is_path = next_word(text, number.end), text.startswith("/", number.end)
    if number.is_dotted or not (number.is_known and is_marked):
        return False
    is_named = before["product"] or before["word"] or names.names(number.tokens)
    return following in _INTERFACES or not (is_named or (following in FREE and not is_path))


def _stands_free(owner: re.Match[str], product: Product) -> bool:
    """Whether the word before a number is a stop word or a verb, and so claims it for nothing."""
    word = owner["word"]
    if word.casefold() in FREE | words(*_AROUND) or CONTRASTS.fullmatch(word):
        return True
    verb = word.islower() and last_word(owner.string[: owner.start()]) in _SUBJECTS
    # "does python 3.8 work" has no verb before its number.
    return verb and not product.has_versions(word)


def _of_word(
    number: Number, owner: re.Match[str], mark: str, product: Product, *, keywords: int
) -> NumberRole:
    """Judge a number by the word before it: "Python 3.8", "port 17", "name=2.0".

    `keywords` is the number of words of a question that is a query, 0 of one that is a sentence.
    """
    word, head = owner["word"], owner.string[: owner.start()]
    of_code = bool(owner["sign"] or owner["code"] or _OF_CODE.search(word))
    # The first letter of a question is a capital in any word.
    word = word[not head.strip() :]
    named = word != word.lower() and not of_code
    joint = owner["joint"]
    is_set = "=" in joint or "set" in head.casefold().split()
    if number.is_dotted and not is_set and owner["word"].casefold() not in _INTERFACES:
        of_other = product.has_versions(owner["word"])
        if of_other is not None:
            likely = (number.is_known or mark) and joint != "/"
            asked = NumberRole.RELEASE if likely else NumberRole.OPEN
            return NumberRole.OTHER if of_other else asked
    if (sign := joint.strip(" (\"'`\n\t")) or not (joint.isspace() or mark):
        # "set name=2.0" and "call(2.0)" have a value.
        likely = (sign or of_code) and "set" not in head.casefold().split()
        return NumberRole.OPEN if likely and number.is_dotted else NumberRole.OTHER
    if owner["word"].casefold() in _INTERFACES:
        return NumberRole.OPEN if number.is_known else NumberRole.OTHER
    if mark and number.is_dotted and (not named or mark[0] == "r"):
        return NumberRole.RELEASE
    names = release_names(product)
    if (
        number.is_known
        and number.is_dotted
        and (head[-2:] == f"{OWN} " or (not named and keywords > (0 if of_code else 2)))
    ):
        return NumberRole.RELEASE
    exact = names.names(number.tokens) and _high(number)
    if number.is_known and (mark or number.is_dotted or exact or OWN in head[-2:]):
        return NumberRole.OPEN
    if not named and (mark or (number.is_dotted and (of_code or OWN in head))):
        return NumberRole.OPEN
    likely = number.is_dotted and names.near(number.tokens)
    likely = likely and OWN not in word and _IN_PARTS.search(word) is not None
    return NumberRole.OPEN if likely else NumberRole.OTHER


def _is_amount(number: Number) -> bool:
    return isinstance(number.tokens[0], int) and number.tokens[0] > 99


def _high(number: Number) -> bool:
    return isinstance(number.tokens[0], int) and number.tokens[0] > 9


def _free(
    text: str, number: Number, before: re.Match[str], mark: str, names: ReleaseNames
) -> NumberRole:
    """Judge a number that no word claims; one of one part ("17") needs a word beside it."""
    where, following = preposition(before), next_word(text, number.end)
    if where == "to" and "set " in text.casefold():
        return NumberRole.OPEN if number.is_dotted else NumberRole.OTHER
    if number.is_dotted or mark or (number.is_known and following in OF_RELEASES):
        return NumberRole.RELEASE
    if following not in FREE:
        likely = where == "since" or last_word(text[: number.start]) in _SUBJECTS
        return NumberRole.OPEN if likely and number.is_known else NumberRole.OTHER
    placed = where in ("in", "on", "since") or before["before"] or (where and _high(number))
    if not (number.is_known or names.near(number.tokens)):
        return NumberRole.OTHER
    return NumberRole.RELEASE if placed else NumberRole.OPEN


def other_versions(text: str, spans: Sequence[Span], product: Product) -> list[str]:
    """The versions that a question gives to a word which the documents do not have: "Foo 17.20"."""
    masked = set_apart(mask(text, product, spans))
    numbers = find_numbers(masked, release_names(product))
    found: list[str] = []
    for number, role in zip(numbers, account(masked, numbers, product), strict=True):
        owner = owner_before(masked, number.start)
        is_part = any(part.start <= number.start < part.end for part in parts_named(masked))
        if is_part or role is not NumberRole.OTHER or not number.is_dotted or owner is None:
            continue
        is_free = owner["joint"].isspace() and not UNIT.match(masked, number.end)
        if is_free and owner["word"].isalpha() and product.has_versions(owner["word"]) is None:
            found.append(text[owner.start("word") : number.end])
    return found
