"""Is a question about what is documented here, and not about what the documents say?

Such a question holds nothing but words for what there is. One word of something else makes it a
question to the documents: "which releases are there?", but "which releases support hot standby?".
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from rapidfuzz import fuzz, process

from chatbot.releases.product_names import mask, product_spans
from chatbot.releases.release_names import release_names
from chatbot.releases.release_numbers import find_numbers
from chatbot.text.phrasing import word_set
from corpora.catalog.release import Product


class Kind(Enum):
    """What is asked."""

    PRODUCTS = auto()
    RELEASES = auto()
    DOCUMENTS = auto()
    NEWEST = auto()
    OLDEST = auto()
    IS_NEWEST = auto()
    IS_THERE = auto()
    BEFORE = auto()
    AFTER = auto()


@dataclass(frozen=True)
class Inquiry:
    """A question about what there is, of `products`; `counted` where it asks how many."""

    kind: Kind
    products: tuple[Product, ...] = ()
    release: str = ""
    counted: bool = False


_LONGEST = 200
_PRODUCT, _RELEASE = "§", "#"
_COUNT = word_set("many count number numbers")
_RELEASES = word_set("releases versions")
_RELEASE_ONE = word_set("release version")
_PRODUCTS = word_set("products projects")
_PAPERS = word_set("documents files manuals guides handbooks books")
_DOCUMENTATION = word_set("documentation docs information info")
_NEWEST = word_set("newest latest current last highest recent")
_OLDEST = word_set("oldest earliest first initial")
_BARE_EXTREMES = word_set("newest latest recent oldest")
_BEFORE = word_set("before prior preceding precedes preceded older earlier previous")
_AFTER = word_set("after following follows followed newer later succeeds next since")
_SIDES = _BEFORE | _AFTER | {"than"}
_EXTREMES = _NEWEST | _OLDEST
_POINTING = word_set("it that this same")
_YOU = word_set("you your we our i")
_CATALOG = word_set("""
    available catalog catalogue covered documented exist exists given here included indexed ingested
    known list loaded name names offered out tell there
""")
_YOU_DO = word_set("""
    ask choose cover hold include index know offer pick provide query search select serve show
    support
""")
"""What is said of a catalog only where somebody does it: "do you support 1.4?"."""
_GRAMMAR = word_set("""
    a about all also already altogether am an and any anything are at been between but by came can
    come comes complete contain contains could currently database did different directly do does
    each every for from full get give got had has have hello hey hi how immediately in into is
    issued just let like me moment most my no now of official ok okay on one ones or overall please
    present public published released right see shipped so some something stable still system tell
    thanks the then these they those to today total us want was well were what what's whats which
    with would yet
""")
_NOUNS = _RELEASES | _RELEASE_ONE | _PRODUCTS | _PAPERS | _DOCUMENTATION
_SIGNS = frozenset((_PRODUCT, _RELEASE))
_CLOSED = (
    _GRAMMAR | _NOUNS | _COUNT | _EXTREMES | _SIDES | _POINTING | _YOU | _CATALOG | _YOU_DO | _SIGNS
)
_MISSPELT = sorted(_NOUNS | _BARE_EXTREMES)
_NEAR = 85.0
_COURTESIES = word_set("hi hello hey ok okay so and but then also well")
_YES_NO = word_set("is are do does was were have can")
_LISTS = (Kind.PRODUCTS, Kind.RELEASES, Kind.DOCUMENTS)
_ASKING = _YES_NO | word_set("what what's whats which list show name tell")
_WORD = re.compile(rf"[\w'-]+|[{_PRODUCT}{_RELEASE}]")
_NAMED_RELEASE = re.compile(rf"\b(?:(?:releases?|versions?|rel|ver|v|r)[\s._-]*){_RELEASE}", re.I)
_ANOTHER = word_set("what how about and or of for in on from with the")
_AGAIN = word_set("""
    are how is list many name of one ones show that them there these they those what which
""")


def read_inquiry(
    question: str, products: Sequence[Product], history: Sequence[tuple[str, str]] = ()
) -> Inquiry | None:
    """Read a question about what there is, or one that goes on with such; None for others."""
    if len(question) > _LONGEST or not products:
        return None
    said, named, releases = _masked(question, products)
    words = frozenset(said)
    counted = bool(words & _COUNT)
    inquiry = Inquiry(Kind.PRODUCTS, named, releases[0] if releases else "", counted)
    kind = _kind(said, counted=counted) if said and len(releases) < 2 else None
    if kind is not None:
        return replace(inquiry, kind=kind)
    before = read_inquiry(history[-1][0], products, history[:-1]) if words and history else None
    if before is None:
        return None
    if words & _SIGNS and words <= _ANOTHER | _SIGNS:
        return replace(inquiry, kind=before.kind, products=named or before.products)
    if words <= _AGAIN and words & {"many", "which", "what", "them"} and before.kind in _LISTS:
        return replace(before, counted=counted)
    return None


def _masked(
    question: str, products: Sequence[Product]
) -> tuple[list[str], tuple[Product, ...], list[str]]:
    """The words of a question with signs for products and releases, which follow as named."""
    spans = product_spans(question, products)
    read = [find_numbers(mask(question, p, spans), release_names(p)) for p in products]
    # The numbers of the product of which most are releases; where none is, any.
    numbers = max(read, key=lambda found: (sum(bool(n.reading.covers) for n in found), bool(found)))
    places = [(start, end, _PRODUCT) for start, end, _ in spans]
    places += [(number.start, number.end, _RELEASE) for number in numbers]
    for name in _names(products):
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", question, re.IGNORECASE):
            if all(match.end() <= start or end <= match.start() for start, end, _ in places):
                places.append((*match.span(), _RELEASE))
    text = question
    for start, end, sign in sorted(places, reverse=True):
        text = f"{text[:start]} {sign} {text[end:]}"
    text = _NAMED_RELEASE.sub(_RELEASE, text.casefold().replace("’", "'"))
    said = [_corrected(word.removesuffix("'s")) for word in _WORD.findall(text)]
    while said and said[0] in _COURTESIES:
        said.pop(0)
    named = tuple(dict.fromkeys(product for _, _, product in spans))
    releases = [question[start:end] for start, end, sign in sorted(places) if sign == _RELEASE]
    return [word for word in said if word], named, releases


def _names(products: Sequence[Product]) -> list[str]:
    releases = [release for product in products for release in product.releases]
    names = {name for release in releases for name in (release.name, *release.aliases)}
    worded = (name for name in names if name[0].isalpha() and name.casefold() not in _CLOSED)
    return sorted(worded, key=len, reverse=True)


def _corrected(word: str) -> str:
    if word in _CLOSED or len(word) < 6:
        return word
    near = process.extractOne(word, _MISSPELT, scorer=fuzz.ratio, score_cutoff=_NEAR)
    return str(near[0]) if near else word


def _kind(said: Sequence[str], *, counted: bool) -> Kind | None:
    """Decide by the words, all of which must be words for what there is."""
    words = frozenset(said)
    release, by_us = _RELEASE in words, words & _YOU
    if not words <= _CLOSED or (words & _YOU_DO - {"show"} and not by_us):
        return None
    if words & {"how", "why", "when"} and not counted:
        return None
    ours = bool(by_us and words & (_YOU_DO | {"have", "got"}))
    held = ours or bool(words & (_CATALOG | {"show", _PRODUCT}))
    one, several = bool(words & _RELEASE_ONE), bool(words & _RELEASES)
    if words & _PAPERS or (words & _DOCUMENTATION and (release or words & _POINTING)):
        return Kind.DOCUMENTS if _asks_for_papers(words, held=held) else None
    if words & _POINTING or ((one or several) and "about" in words and not ours):
        return None
    if words & _SIDES:
        if not (release or one or several or words & {"anything", "something"}):
            return None
        if said[0] not in _ASKING or "about" in words:
            return None
        return Kind.BEFORE if words & _BEFORE else Kind.AFTER
    if words & _EXTREMES and release:
        return Kind.IS_NEWEST if "is" in words and words & _NEWEST else None
    if words & _EXTREMES:
        bare = words & _BARE_EXTREMES and (said[0] in _ASKING or _PRODUCT in words)
        if several or not (one or words & _DOCUMENTATION or bare):
            return None
        return Kind.OLDEST if words & _OLDEST else Kind.NEWEST
    if release:
        return Kind.IS_THERE if said[0] in _YES_NO and (held or one or several) else None
    if several and (held or counted or words & _DOCUMENTATION):
        return Kind.RELEASES
    if one:
        return Kind.RELEASES if ours or words & {"every", "each", "all"} else None
    if words & (_PRODUCTS | _DOCUMENTATION) and held:
        return Kind.RELEASES if _PRODUCT in words else Kind.PRODUCTS
    if ours and _PRODUCT in words:
        return Kind.RELEASES
    return Kind.PRODUCTS if ours and said[0] in {"what", "what's"} else None


def _asks_for_papers(words: frozenset[str], *, held: bool) -> bool:
    """Whether documents are asked for as such: not the first of them, or those after a release."""
    loose = words & (_EXTREMES - {"latest", "newest"}) and not words & (_RELEASE_ONE | {"one"})
    aside = words & ((_AFTER | {"than"}) - {"next"})
    return not loose and not aside and (held or bool(words & {"have", "has", _RELEASE}))
