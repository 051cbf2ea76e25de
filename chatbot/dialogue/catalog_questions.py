"""Is a question about what is documented here, and not about what the documents say?

Such a question holds nothing but words for what there is. One word of something else makes it a
question to the documents: "which releases are there?", but "which releases support hot standby?".
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto

from chatbot.dialogue.small_talk import COURTESIES
from chatbot.releases.product_names import product_spans
from chatbot.text.phrasing import word_set
from chatbot.text.query_terms import STOP_WORDS, words_of
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
    """A question about what there is, of `products`; `release` as it is written."""

    kind: Kind
    products: tuple[Product, ...] = ()
    release: str = ""


_LONGEST = 200
_BARE = 6
"""Words of "what is the newest one, please?", which has no noun."""
_PRODUCT, _RELEASE = "§", "#"
_SIGNS = frozenset((_PRODUCT, _RELEASE))
_ONE, _SEVERAL = word_set("release version"), word_set("releases versions")
_DOCUMENTS, _DOCUMENTATION = word_set("documents manuals files"), word_set("documentation docs")
_NEWEST, _OLDEST = word_set("newest latest recent"), word_set("oldest earliest first")
_BEFORE, _AFTER = word_set("before previous older"), word_set("after newer later")
_HERE = word_set("you there here available exist list products")
"""Words for all that there is: it is in a catalog, and not in a product."""
_THINGS = _SIGNS | _ONE | _SEVERAL | _DOCUMENTS | _DOCUMENTATION
_CATALOG = _THINGS | _NEWEST | _OLDEST | _BEFORE | _AFTER | _HERE | COURTESIES
_KNOWN = _CATALOG | STOP_WORDS | word_set("anything came cover every number ones released")
_YES_NO = word_set("is are do does have")
_ASKING = _YES_NO | word_set("what what's which list")
_POINTING = word_set("it its that this they them same")


def read_inquiry(
    question: str, products: Sequence[Product], history: Sequence[tuple[str, str]] = ()
) -> Inquiry | None:
    """Read a question about what there is, or one that goes on with such; None for others."""
    if len(question) > _LONGEST or not products:
        return None
    said, releases, named = _signed(question, products)
    words = frozenset(said)
    if not words or len(releases) > 1 or not words <= _KNOWN:
        return None
    inquiry = Inquiry(Kind.PRODUCTS, named, "".join(releases))
    if kind := _kind(said, words):
        return replace(inquiry, kind=kind)
    before = read_inquiry(history[-1][0], products, history[:-1]) if history else None
    if before and words & _SIGNS:
        return replace(inquiry, kind=before.kind, products=named or before.products)
    return before if words & {"many", "which"} and words <= STOP_WORDS - _POINTING else None


def _signed(
    question: str, products: Sequence[Product]
) -> tuple[list[str], list[str], tuple[Product, ...]]:
    """The words of a question with signs for products and releases, and those as written."""
    question = question.translate(dict.fromkeys(map(ord, _SIGNS), " "))
    spans = product_spans(question, products)
    text = question.replace("’", "'")
    for start, end, _ in reversed(spans):
        text = f"{text[:start]} {_PRODUCT} {text[end:]}"
    written = {word.casefold(): word for word in words_of(text)}
    text = f" {' '.join(words_of(text.casefold()))} "
    names = {n.casefold() for p in products for r in p.releases for n in (r.name, *r.aliases)}
    releases: list[str] = []
    for name in sorted(names - _KNOWN, key=len, reverse=True):
        if name[0].isalpha() and f" {name} " in text:
            text = text.replace(f" {name} ", f" {_RELEASE} ")
            releases.append(name)
    said: list[str] = []
    for word in text.split():
        is_release = any(map(str.isdigit, word))
        # "release 18.00" is one name, and so is "18.00 SP2".
        if (is_release or word == _RELEASE) and said and said[-1] in _ONE:
            said.pop()
        if is_release and said and said[-1] == _RELEASE:
            releases[-1] += f" {written.get(word, word)}"
        elif is_release:
            releases.append(written.get(word, word).strip("-"))
            said.append(_RELEASE)
        elif len(word) > 1 or word in _SIGNS:
            said.append(word)
    while said and said[0] in COURTESIES | {"and", "but", "so"}:
        said.pop(0)
    return _of_product(said), releases, tuple(dict.fromkeys(p for _, _, p in spans))


def _of_product(said: list[str]) -> list[str]:
    """Without what a product is called besides its name: "releases of the Acme § controller"."""
    for i, word in enumerate(said):
        if word != _PRODUCT:
            continue
        begin = i - (i > 0 and said[i - 1] not in _KNOWN)
        before = said[:begin]
        while before and before[-1] == "the":
            before.pop()
        if before[-1:] == ["of"] and before[-2:-1] and before[-2] in _ONE | _SEVERAL:
            end = i + 1 + (said[i + 1 : i + 2] != [] and said[i + 1] not in _KNOWN)
            return [*before, _PRODUCT, *said[end:]]
    return said


def _kind(said: Sequence[str], words: frozenset[str]) -> Kind | None:
    """Decide by the words, all of which are words for what there is."""
    release, noun = _RELEASE in words, words & (_ONE | _SEVERAL)
    asking, counted = said[0] in _ASKING, "many" in words or "number" in words
    here = words & (_HERE | {_PRODUCT})
    extreme, beside = words & (_NEWEST | _OLDEST), words & (_BEFORE | _AFTER)
    if words & {"how", "why", "when", "since"} and not counted:
        return None
    if words & _DOCUMENTS or (words & _DOCUMENTATION and release):
        about = release or here or words & _POINTING
        return Kind.DOCUMENTS if about and not beside and (noun or not extreme) else None
    if words & (_POINTING | {"about", "in"}):
        return None
    if beside:
        is_asked = asking and (release or noun or "anything" in words)
        return (Kind.BEFORE if words & _BEFORE else Kind.AFTER) if is_asked else None
    if extreme and release:
        return Kind.IS_NEWEST if said[0] == "is" and words & _NEWEST else None
    if extreme:
        is_asked = noun or _PRODUCT in words or (asking and len(words) <= _BARE)
        return (Kind.NEWEST if words & _NEWEST else Kind.OLDEST) if is_asked else None
    if release:
        return Kind.IS_THERE if said[0] in _YES_NO and (here or noun) else None
    if words & _SEVERAL or (noun and words & {"you", "every", "each", "all"}):
        return Kind.RELEASES if here or counted else None
    if here and words & ({"products"} | _DOCUMENTATION):
        return Kind.RELEASES if _PRODUCT in words else Kind.PRODUCTS
    return Kind.RELEASES if _PRODUCT in words and words & _HERE else None
