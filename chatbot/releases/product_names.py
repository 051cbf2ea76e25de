"""Products named in a question, in any spelling close to theirs."""

import re
from collections.abc import Sequence
from functools import lru_cache, partial

from rapidfuzz.distance import DamerauLevenshtein

from chatbot.text import asked_words as asked
from chatbot.text.asked_words import VERSION, phrases
from corpora.catalog.release import Product, is_among
from corpora.indexing.lexical import UNSPACED, half_width

OWN, OTHER = "\ue000", "\ue001"
"""Stand in a masked question for each letter of the product's name, and of other products'."""

BEGINS, ENDS = rf"(?<![^\W_{UNSPACED}])", rf"(?![^\W\d_{UNSPACED}])"
"""No letter of the same word stands before a name, or behind it."""

_SIGNS = str.maketrans(dict.fromkeys("，（、。：「『【《", ";"))
"""Signs that no blank stands beside, where one would stand in English."""
_PHRASES = {
    (EVERY := "\ue010"): asked.EVERY_RELEASE,
    (OLDEST := "\ue011"): asked.OLDEST_RELEASE,
    (AFTER := "\ue012"): asked.AFTER,
    (NEXT := "\ue013"): asked.NEXT_RELEASE,
    (BEFORE := "\ue014"): asked.BEFORE,
    (PREVIOUS := "\ue015"): asked.PREVIOUS_RELEASE,
    (SINCE := "\ue016"): asked.SINCE,
}
"""Stand in a question for each letter of such a phrase in another language than English."""
NEWEST = (
    r"(?:(?:la\w*st|newest|(?<!\ba\s)current|most\s+recent|neueste\w?|aktuelle\w?|letzte\w?|derni[èe]re"
    r"|[úu]ltim[ao]|atual|последн\w+|최신)(?!\w)|最新)"
)
"""The words for the newest one, in Latin, Cyrillic and other letters."""
_OTHER_SCRIPTS = re.compile(
    rf"(最新|최신|последн\w+|旧(?:{VERSION}|版)|{VERSION})"
    rf"|(?P<tie>(?<=最新)版?[的の]?(?=\s*\d)|[的の](?=最新))|[{UNSPACED}\u0400-\u0dff]"
)
_COUNTED = re.compile(
    r"(?<![\d.])(\d+ ?)[秒分小時时天日年月个個次回倍件条條台초번개회분시]"
    r"|(?<=\d)( ?)(?:毫?秒|小[时時]|時間|倍|초)"
)
"""A number with a unit or a classifier; what can also mean "when 2.1" needs a whole number."""

_DECIMAL_COMMA = re.compile(r"(?<![\w.,])(\d{1,3}),(?=\d{1,2}(?![\w.,]))")
_WORD = re.compile(r"(?<![/\w])[^\W_]{4,}")
Span = tuple[int, int, Product]


def find_product(name: str, products: Sequence[Product]) -> Product | None:
    """Return the product with this name or alias, in any case."""
    return next((p for p in products if is_among(name, p.name, *p.aliases)), None)


def product_spans(text: str, products: Sequence[Product]) -> list[Span]:
    """Return where a text names products, the longest names first where two overlap.

    Misspelt ones count only where none is named rightly.
    """
    text = half_width(text)
    written = [
        (*match.span(), product)
        for product in products
        for match in _pattern(product.name, product.aliases).finditer(text)
    ]
    written.sort(key=lambda span: span[0] - span[1])
    spans: list[Span] = []
    for start, end, product in written or _misspelt(text, products):
        if all(end <= other[0] or other[1] <= start for other in spans):
            spans.append((start, end, product))
    return sorted(spans, key=lambda span: span[0])


def mask(text: str, product: Product, spans: Sequence[Span]) -> str:
    """Put OWN and OTHER for products' names, letter for letter, and half-width signs."""
    letters = list(half_width(text.translate(_SIGNS)))
    for start, end, named in spans:
        letters[start:end] = (OWN if named.name == product.name else OTHER) * (end - start)
    return "".join(letters)


def set_apart(text: str) -> str:
    """The text with a sign for each letter that is neither Latin nor Greek, letter for letter.

    So numbers among Han stand by themselves, as no word around them is known. A unit behind a
    number becomes "%", a decimal comma a point. The words for a release, and for
    the latest and the previous one, stay; other phrases of other languages become signs.
    """
    for sign, of in _PHRASES.items():
        text = phrases(of).sub(partial(_signs, sign), text)
    return _OTHER_SCRIPTS.sub(
        lambda found: found[1] or (";" if found["tie"] is None else " " * len(found["tie"])),
        _COUNTED.sub(_percent, _DECIMAL_COMMA.sub(r"\1.", text)),
    )


def _signs(sign: str, phrase: re.Match[str]) -> str:
    return sign * len(phrase[0])


def _percent(counted: re.Match[str]) -> str:
    head = counted[1] or counted[2] or ""
    return head + "%".ljust(len(counted[0]) - len(head), ";")


@lru_cache(maxsize=1024)
def _pattern(name: str, aliases: tuple[str, ...]) -> re.Pattern[str]:
    letters = ([re.escape(c) for c in known if c not in " ._-"] for known in (name, *aliases))
    written = sorted(filter(None, map(r"[\s._-]{0,2}".join, letters)), key=len, reverse=True)
    options = "|".join(written) or r"(?!)"
    return re.compile(rf"{BEGINS}(?:{options}){ENDS}(?!(?<=\d)\d)", re.I)


def _misspelt(text: str, products: Sequence[Product]) -> list[Span]:
    return [
        (*word.span(), product)
        for word in _WORD.finditer(text)
        for product in products
        for name in (product.name, *product.aliases)
        if len(name) >= 5 and is_slip(word[0].casefold(), name.casefold())
    ]


def is_slip(word: str, name: str) -> bool:
    """Whether a word is a name with a typing error in it, or the name; both in small letters."""
    allowed = 1 + (len(name) > 6)
    near = DamerauLevenshtein.distance(word, name, score_cutoff=allowed) <= allowed
    return word[0] == name[0] and near
