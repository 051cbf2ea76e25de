"""Is a question about what is documented here, and not about what the documents say?

Such a question holds nothing but words for what there is. One word of something else makes it a
question to the documents: "which releases are there?", but "which releases support hot standby?".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from chatbot.release_resolution.product_names import Span, mask, product_spans
from chatbot.release_resolution.release_names import release_names
from chatbot.release_resolution.release_numbers import Number, find_numbers
from corpora.release import Product


class Kind(Enum):
    """What is asked."""

    PRODUCTS = auto()
    RELEASES = auto()
    RELEASE_COUNT = auto()
    DOCUMENTS = auto()
    DOCUMENT_COUNT = auto()
    NEWEST = auto()
    OLDEST = auto()
    IS_NEWEST = auto()
    IS_THERE = auto()
    BEFORE = auto()
    AFTER = auto()


@dataclass(frozen=True)
class Inquiry:
    """A question about what there is: of the `products` it names, and the `release` as written."""

    kind: Kind
    products: tuple[Product, ...] = ()
    release: str = ""


_LONGEST = 200
_PRODUCT, _RELEASE, _YOU_HAVE = "§", "#", "~"
_OPENING = re.compile(
    r"^(?:(?:hi|hello|hey|ok|okay|so|and|but|then|also|well|please|now|great|sorry|just)\b[\s,!.:-]*"
    r"|thank(?:s| you)[\s,!.:-]*"
    r"|(?:can|could|would|will) you (?=(?:please )?(?:tell|show|give|list|name))"
    r"|i(?: would|'d)? (?:like|want|need) to (?:know|see) |(?:do you know|i wonder) (?=wh|how))+"
)
_CLOSING = re.compile(
    r"[\s,]*\b(?:please|right now|now|currently|at the moment|at present|today|so far"
    r"|in total|in all|altogether|then|overall|anyway|thanks|thank you)$"
)
_WRITTEN = (
    (re.compile(r"\b(what|which|there)(?:'s|s)\b"), r"\1 is"),
    (re.compile(rf"{_PRODUCT}(?:'s)?(?:\s*(?:,|and|or|&)\s*{_PRODUCT}(?:'s)?)*"), _PRODUCT),
    (re.compile(rf"(?:\b(?:releases?|versions?|rel|ver|v|r)[\s._-]*)?{_RELEASE}"), _RELEASE),
    (
        re.compile(
            r"\b(?:(?:do|can|could|did) )?(?:you|we)"
            r"(?: (?:currently|actually|also|already|still|even))?"
            r" (?:know|have|cover|hold|offer|support|include|index|serve|provide|got)\b"
            r"|\bhave you (?:got|ingested|indexed|loaded|read)\b|\byou (?:are|were) given\b"
            r"|\bcan (?:i|we) (?:ask|choose|pick|select|query|search)(?: you)?\b"
        ),
        _YOU_HAVE,
    ),
)
_PLAIN_WORDS = f"""
    {_PRODUCT} {_RELEASE} {_YOU_HAVE} a about an any anything are available been between by came can
    catalog catalogue come comes contain covered database did directly do documented does exist
    exists for from get give got had has have here immediately in included indexed ingested is
    issued just list loaded many me name names no number numbers of official offered on one ones or
    our out please present product public published released right shipped show so some something
    stable still system tell that's the there to total us was were what which with yet your
"""
_PLAIN = frozenset(_PLAIN_WORDS.split())
_COUNT = frozenset(("how", "count", "number"))
_RELEASES = frozenset(("releases", "versions"))
_RELEASE_ONE = frozenset(("release", "version"))
_PRODUCTS = frozenset(("products", "projects"))
_PAPERS = frozenset(("documents", "files", "manuals", "guides", "handbooks", "books"))
_DOCUMENTATION = frozenset(("documentation", "docs", "information", "info"))
_NEWEST = frozenset(("newest", "latest", "current", "last", "highest", "recent", "most"))
_OLDEST = frozenset(("oldest", "earliest", "first", "initial"))
_BEFORE = frozenset(
    ("before", "prior", "preceding", "precedes", "preceded", "older", "earlier", "previous")
)
_AFTER = frozenset(
    ("after", "following", "follows", "followed", "newer", "later", "succeeds", "next", "since")
)
_COMPARED = frozenset(("than",))
_EVERY = frozenset(("all", "every", "each", "different", "known", "complete", "full"))
_POINTING = frozenset(("it", "that", "this", "same"))
_SIDES = _BEFORE | _AFTER | _COMPARED
_EXTREMES = _NEWEST | _OLDEST
_ASKED_FOR = _RELEASES | _RELEASE_ONE | _PRODUCTS | _PAPERS | _DOCUMENTATION
_ALLOWED = _PLAIN | _COUNT | _ASKED_FOR | _EXTREMES | _SIDES | _EVERY | _POINTING
_ANCHOR_WORDS = f"""
    {_YOU_HAVE} {_PRODUCT} available catalog covered documented exist give indexed ingested known
    list loaded name number offered show tell there
"""
_ANCHORS = frozenset(_ANCHOR_WORDS.split())
_WORD = re.compile(rf"[\w'-]+|[{_PRODUCT}{_RELEASE}{_YOU_HAVE}]")
_YES_NO = re.compile(rf"(?:{_YOU_HAVE}|is|are|does|{_RELEASE}|do)(?=\W|$)")
_ASKS = re.compile(r"(?:what|which|is|are|was|were|list|show|name|tell)\b(?! about)")
_BARE_EXTREME = re.compile(
    rf"(?:what|which)(?: one)? (?:is|was)(?: the)? (?:newest|latest|most recent|oldest)(?: one)?"
    rf"(?: (?:of|for|in) {_PRODUCT})?"
)
_OPEN = re.compile(rf"what (?:do |can )?(?:{_YOU_HAVE}|you know)(?: about| {_PRODUCT})?")
_ANOTHER = re.compile(
    rf"(?:(?:what|how) about )?(?:(?:or|of|for|in|on|from|with|the) )*"
    rf"(?:{_PRODUCT} {_RELEASE}|{_PRODUCT}|{_RELEASE})"
)
_AGAIN = re.compile(
    r"(?:which|what|list them|show them|name them)(?: ones?| are (?:they|those|these))?"
)
_COUNT_AGAIN = re.compile(r"how many(?: (?:are (?:there|they|those|these)|is that|of them))?")
_COUNT_OF = {
    Kind.RELEASES: Kind.RELEASE_COUNT,
    Kind.RELEASE_COUNT: Kind.RELEASE_COUNT,
    Kind.DOCUMENTS: Kind.DOCUMENT_COUNT,
    Kind.DOCUMENT_COUNT: Kind.DOCUMENT_COUNT,
    Kind.PRODUCTS: Kind.PRODUCTS,
}
_LIST_OF = {count: kind for kind, count in _COUNT_OF.items() if kind is not count}


def read_inquiry(
    question: str, products: Sequence[Product], history: Sequence[tuple[str, str]] = ()
) -> Inquiry | None:
    """Read a question about what there is; None for any other question.

    After such a question "how many?", "which ones?" and "and of 17.10?" ask on.
    """
    if len(question) > _LONGEST or not products:
        return None
    text, named, releases = _template(question, products)
    inquiry = Inquiry(Kind.PRODUCTS, named, releases[0] if releases else "")
    kind = _kind(text) if len(releases) < 2 else None
    if kind is not None:
        return replace(inquiry, kind=kind)
    pattern = next((p for p in (_ANOTHER, _COUNT_AGAIN, _AGAIN) if p.fullmatch(text)), None)
    if pattern is None or not history:
        return None
    before = read_inquiry(history[-1][0], products, history[:-1])
    if before is None:
        return None
    if pattern is _ANOTHER:
        return replace(inquiry, kind=before.kind, products=named or before.products)
    table = _COUNT_OF if pattern is _COUNT_AGAIN else _LIST_OF
    return replace(before, kind=table[before.kind]) if before.kind in table else None


def _kind(text: str) -> Kind | None:
    """Decide by the words, all of which must be words for what there is."""
    said = _WORD.findall(text)
    words = frozenset(said)
    if not words or not words <= _ALLOWED:
        return None
    counted, release = bool(words & _COUNT), _RELEASE in words
    if words & _PAPERS or (words & _DOCUMENTATION and (release or words & _POINTING)):
        if not _asks_for_papers(words):
            return None
        return Kind.DOCUMENT_COUNT if counted else Kind.DOCUMENTS
    if words & _POINTING:
        return None
    if words & _SIDES:
        beside = release or words & (_RELEASES | _RELEASE_ONE | {"anything", "something"})
        if not beside or not _ASKS.match(text):
            return None
        return Kind.BEFORE if words & _BEFORE else Kind.AFTER
    if words & _EXTREMES:
        if release:
            return Kind.IS_NEWEST if "is" in words and words & _NEWEST else None
        if not (words & _RELEASE_ONE or _BARE_EXTREME.fullmatch(text)):
            return None
        return Kind.OLDEST if words & _OLDEST else Kind.NEWEST
    if release:
        return Kind.IS_THERE if _YES_NO.match(text) and words & _ANCHORS else None
    if words & _RELEASES and words & _ANCHORS:
        return Kind.RELEASE_COUNT if counted else Kind.RELEASES
    if words & _RELEASE_ONE:
        return Kind.RELEASES if _YOU_HAVE in words else None
    if words & (_PRODUCTS | _DOCUMENTATION) and words & _ANCHORS:
        return Kind.RELEASES if _PRODUCT in words else Kind.PRODUCTS
    if _PRODUCT in words and said[0] == _YOU_HAVE:
        return Kind.RELEASES
    return Kind.PRODUCTS if _OPEN.fullmatch(text) else None


def _asks_for_papers(words: frozenset[str]) -> bool:
    """Whether documents are asked for as such: not the first of them, or those after a release."""
    loose = words & (_EXTREMES - {"latest", "newest"}) and not words & (_RELEASE_ONE | {"one"})
    aside = words & ((_AFTER | _COMPARED) - {"next"})
    return not loose and not aside and bool(words & (_ANCHORS | {"have", "has", _RELEASE}))


def _template(
    question: str, products: Sequence[Product]
) -> tuple[str, tuple[Product, ...], list[str]]:
    """Put a sign in the place of each product and release, and leave out what is only polite.

    Returns the products and the releases too, the latter as written.
    """
    spans = product_spans(question, products)
    places = _places(question, products, spans)
    text = question
    for start, end, sign in sorted(places, reverse=True):
        text = f"{text[:start]}{sign}{text[end:]}"
    text = " ".join(text.casefold().replace("’", "'").split()).strip(" ?.!")
    text = _OPENING.sub("", text)
    while (shorter := _CLOSING.sub("", text).strip(" ?.!,")) != text:
        text = shorter
    for pattern, sign in _WRITTEN:
        text = pattern.sub(sign, text)
    named = tuple(dict.fromkeys(product for _, _, product in spans))
    return text, named, [question[start:end] for start, end, sign in places if sign == _RELEASE]


def _places(
    question: str, products: Sequence[Product], spans: Sequence[Span]
) -> list[tuple[int, int, str]]:
    numbers: list[Number] = []
    for product in products:
        found = find_numbers(mask(question, product, spans), release_names(product))
        if sum(bool(n.reading.covers) for n in found) > sum(
            bool(n.reading.covers) for n in numbers
        ):
            numbers = found
        numbers = numbers or found
    named = [(start, end, _PRODUCT) for start, end, _ in spans]
    taken = [(number.start, number.end, _RELEASE) for number in numbers]
    names = {
        name
        for product in products
        for release in product.releases
        for name in (release.name, *release.aliases)
        if name[0].isalpha() and name.casefold() not in _ALLOWED
    }
    places = [*named, *taken]
    for name in sorted(names, key=len, reverse=True):
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", question, re.IGNORECASE):
            if not any(start < match.end() and match.start() < end for start, end, _ in places):
                places.append((*match.span(), _RELEASE))
    return sorted(places)
