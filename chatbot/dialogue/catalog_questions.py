"""Is a question about what is documented here, and not about what the documents say?

Such a question holds nothing but words for what there is. One word of something else makes it a
question to the documents: "which releases are there?", but "which releases support hot standby?".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from itertools import pairwise

from rapidfuzz import fuzz, process

from chatbot.releases.product_names import Span, mask, product_spans
from chatbot.releases.release_names import release_names
from chatbot.releases.release_numbers import find_numbers
from chatbot.text.phrasing import word_set
from corpora.catalog.release import Product


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
_ASKING = _YES_NO | word_set("what what's whats which list show name tell")
_WORD = re.compile(rf"[\w'-]+|[{_PRODUCT}{_RELEASE}]")
_NAMED_RELEASE = re.compile(rf"\b(?:(?:releases?|versions?|rel|ver|v|r)[\s._-]*){_RELEASE}", re.I)
_ANOTHER = word_set("what how about and or of for in on from with the")
_AGAIN = word_set("which what list show name them one ones are they those these")
_COUNT_AGAIN = _AGAIN | word_set("how many there is that of")
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
    said, named, releases = masked(question, products)
    words = frozenset(said)
    inquiry = Inquiry(Kind.PRODUCTS, named, releases[0] if releases else "")
    kind = _kind(said) if len(releases) < 2 else None
    if kind is not None:
        return replace(inquiry, kind=kind)
    before = read_inquiry(history[-1][0], products, history[:-1]) if words and history else None
    if before is None:
        return None
    if words & _SIGNS and words <= _ANOTHER | _SIGNS:
        return replace(inquiry, kind=before.kind, products=named or before.products)
    if "many" in words and words <= _COUNT_AGAIN and before.kind in _COUNT_OF:
        return replace(before, kind=_COUNT_OF[before.kind])
    if words & {"which", "what", "them"} and words <= _AGAIN and before.kind in _LIST_OF:
        return replace(before, kind=_LIST_OF[before.kind])
    return None


def masked(
    question: str, products: Sequence[Product]
) -> tuple[list[str], tuple[Product, ...], list[str]]:
    """The words of a question with signs for products and releases, which follow as named.

    Words of courtesy at the beginning are left out, and misspelt words for what there is are
    taken for these.
    """
    spans = product_spans(question, products)
    places = _places(question, products, spans)
    text = question
    for start, end, sign in sorted(places, reverse=True):
        text = f"{text[:start]} {sign} {text[end:]}"
    text = _NAMED_RELEASE.sub(_RELEASE, text.casefold().replace("’", "'"))
    said = [_corrected(word.removesuffix("'s")) for word in _WORD.findall(text)]
    while said and said[0] in _COURTESIES:
        said.pop(0)
    named = tuple(dict.fromkeys(product for _, _, product in spans))
    releases = [question[start:end] for start, end, sign in places if sign == _RELEASE]
    return [word for word in said if word], named, releases


def _corrected(word: str) -> str:
    if word in _CLOSED or len(word) < 6:
        return word
    near = process.extractOne(word, _MISSPELT, scorer=fuzz.ratio, score_cutoff=_NEAR)
    return str(near[0]) if near else word


def _kind(said: Sequence[str]) -> Kind | None:
    """Decide by the words, all of which must be words for what there is."""
    words = frozenset(said)
    counted, release = bool(words & _COUNT), _RELEASE in words
    by_us = words & _YOU
    if not words or not words <= _CLOSED or (words & _YOU_DO - {"show"} and not by_us):
        return None
    if words & {"how", "why", "when"} and not counted:
        return None
    ours = bool(by_us and words & (_YOU_DO | {"have", "got"}))
    held = ours or bool(words & (_CATALOG | {"show", _PRODUCT}))
    one, several = bool(words & _RELEASE_ONE), bool(words & _RELEASES)
    if words & _PAPERS or (words & _DOCUMENTATION and (release or words & _POINTING)):
        if not _asks_for_papers(words, held=held):
            return None
        return Kind.DOCUMENT_COUNT if counted else Kind.DOCUMENTS
    if words & _POINTING or ((one or several) and "about" in words and not ours):
        return None
    if words & _SIDES:
        if not (release or one or several or words & {"anything", "something"}):
            return None
        if said[0] not in _ASKING or "about" in words:
            return None
        return Kind.BEFORE if words & _BEFORE else Kind.AFTER
    if words & _EXTREMES:
        return _extreme(said, words)
    if release:
        return Kind.IS_THERE if said[0] in _YES_NO and (held or one or several) else None
    if several and (held or counted or words & _DOCUMENTATION):
        return Kind.RELEASE_COUNT if counted else Kind.RELEASES
    if one:
        return Kind.RELEASES if ours or words & {"every", "each", "all"} else None
    if words & (_PRODUCTS | _DOCUMENTATION) and held:
        return Kind.RELEASES if _PRODUCT in words else Kind.PRODUCTS
    if ours and _PRODUCT in words:
        return Kind.RELEASES
    return Kind.PRODUCTS if ours and said[0] in {"what", "what's"} else None


def _extreme(said: Sequence[str], words: frozenset[str]) -> Kind | None:
    """The newest or the oldest release, or whether a release is the newest."""
    if _RELEASE in words:
        return Kind.IS_NEWEST if "is" in words and words & _NEWEST else None
    named = words & (_RELEASE_ONE | _DOCUMENTATION)
    bare = words & _BARE_EXTREMES and (said[0] in _ASKING or _PRODUCT in words)
    if not (named or bare) or words & _RELEASES:
        return None
    return Kind.OLDEST if words & _OLDEST else Kind.NEWEST


def _asks_for_papers(words: frozenset[str], *, held: bool) -> bool:
    """Whether documents are asked for as such: not the first of them, or those after a release."""
    loose = words & (_EXTREMES - {"latest", "newest"}) and not words & (_RELEASE_ONE | {"one"})
    aside = words & ((_AFTER | {"than"}) - {"next"})
    return not loose and not aside and (held or bool(words & {"have", "has", _RELEASE}))


_EVENTS = word_set("""
    add added adds appear appeared available bring brings brought came change changed come
    deprecate deprecated deprecates describe described describes document documented documents drop
    dropped drops exist existed gone had has have include included includes introduce introduced
    introduces mention mentioned mentions offer offers possible remove removed removes rename
    renamed replaced support supported supports there
""")
_BETWEEN = word_set("of the these those your our")
"""Between "which" and "releases"."""
_SINCE_WHEN = {("since", "when"), ("until", "when"), ("till", "when"), ("from", "when")}


def asks_by_release(question: str, products: Sequence[Product]) -> bool:
    """Whether it is asked in which of a product's releases a thing is, came, changed or went.

    "Which releases of Python are supported?" is a question to the documents: the releases are
    somebody else's.
    """
    said, _, releases = masked(question, products)
    words = [word for word in said if word != _PRODUCT]
    about = set(words) - _CLOSED - _EVENTS
    if releases or not _EVENTS & set(words) or not (about or _POINTING & set(words)):
        return False
    if words[0] == "when" and {"was", "were", "did"} & set(words):
        return True
    pairs = list(pairwise(word for word in words if word not in _BETWEEN))
    if _SINCE_WHEN.intersection(pairs):
        return True
    if ("how", "long") in pairs:
        # "How long has it been there?", and not "how long is it, if I change nothing?".
        return "been" in words
    nouns = _RELEASES | _RELEASE_ONE
    noun = next((n for a, n in pairs if n in nouns and a in {"which", "what", "first", "last"}), "")
    after = said[said.index(noun) + 1 :] if noun else []
    return bool(noun) and (after[:1] != ["of"] or after[1:2] == [_PRODUCT])


def _places(
    question: str, products: Sequence[Product], spans: Sequence[Span]
) -> list[tuple[int, int, str]]:
    read = [find_numbers(mask(question, p, spans), release_names(p)) for p in products]
    # Those of the product of which most are releases; where none is, any.
    numbers = max(
        read,
        key=lambda found: (sum(bool(n.reading.covers) for n in found), bool(found)),
        default=[],
    )
    names = {
        name
        for product in products
        for release in product.releases
        for name in (release.name, *release.aliases)
        if name[0].isalpha() and name.casefold() not in _CLOSED
    }
    places = [(start, end, _PRODUCT) for start, end, _ in spans]
    places += [(number.start, number.end, _RELEASE) for number in numbers]
    for name in sorted(names, key=len, reverse=True):
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", question, re.IGNORECASE):
            if not any(start < match.end() and match.start() < end for start, end, _ in places):
                places.append((*match.span(), _RELEASE))
    return sorted(places)
