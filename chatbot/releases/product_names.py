"""Products named in a question, in any spelling close to theirs."""

import re
from collections.abc import Sequence
from functools import lru_cache

from rapidfuzz.distance import DamerauLevenshtein

from chatbot.releases.release_words import OTHER, OWN
from corpora.catalog.release import Product

_PART = re.compile(r"\d+|[^\W\d_]+|[^\w\s]")
_WORD = re.compile(r"[^\W_]{4,}")

_SPELLINGS = {
    "release": "rel",
    "releases": "rel",
    "version": "ver",
    "versions": "ver",
    "latest": "last",
    "newest": "last",
    "previous": "prior",
}
"""Words for a release, each with one that says the same in fewer letters."""

_LONGER = r"(?:{})[^\W\d_]{{2,12}}(?=[\s_-]v?\d)"
"""A word that begins with the name, before a number: "lampkit-2.0.1"."""

Span = tuple[int, int, Product]


def find_product(name: str, products: Sequence[Product]) -> Product | None:
    """Return the product with this name or alias, in any case."""
    wanted = name.strip().casefold()
    for product in products:
        if wanted in (known.casefold() for known in (product.name, *product.aliases)):
            return product
    return None


def product_spans(text: str, products: Sequence[Product]) -> list[Span]:
    """Return where a text names products; misspelt ones only where none is named rightly.

    Where two overlap, a name goes before a longer word that begins with one, then the longest.
    """
    found = [
        (match, product)
        for product in products
        for match in _pattern(product.name, product.aliases).finditer(text)
    ]
    found.sort(key=lambda named: (named[0]["longer"] is not None, -len(named[0][0])))
    written = [(*match.span(), product) for match, product in found]
    spans: list[Span] = []
    for start, end, product in written or _misspelt(text, products):
        if all(end <= other[0] or other[1] <= start for other in spans):
            spans.append((start, end, product))
    return sorted(spans, key=lambda span: span[0])


def mask(text: str, product: Product, spans: Sequence[Span]) -> str:
    """Put OWN and OTHER for products' names, letter for letter, and mend words for a release."""
    letters = list(text)
    for word in _WORD.finditer(text):
        letters[slice(*word.span())] = _spelt(word[0])
    for start, end, named in spans:
        letters[start:end] = (OWN if named.name == product.name else OTHER) * (end - start)
    return "".join(letters)


@lru_cache(maxsize=1024)
def _pattern(name: str, aliases: tuple[str, ...]) -> re.Pattern[str]:
    written = (r"[\s._-]*".join(map(_loosely, _PART.findall(known))) for known in (name, *aliases))
    options = "|".join(sorted(filter(None, written), key=len, reverse=True)) or r"(?!)"
    longer = "|".join(re.escape(n) for n in (name, *aliases) if len(n) > 3) or r"(?!)"
    return re.compile(
        rf"(?<![^\W_])(?:(?:{options})(?![^\W\d_])(?!(?<=\d)\d)"
        rf"|(?P<longer>{_LONGER.format(longer)}))",
        re.I,
    )


def _loosely(part: str) -> str:
    """Match a part of a name, a longer word also where it is cut in two: "py.test"."""
    if len(part) < 5 or not part.isalpha():
        return re.escape(part)
    return f"{part[:2]}{''.join(rf'[ ._-]?{letter}' for letter in part[2:-1])}{part[-1]}"


def _spelt(word: str) -> str:
    """Write a misspelt word for a release rightly, or as a shorter one, in the same length."""
    small = word.casefold()
    if small in _SPELLINGS:
        return word
    for known, short in _SPELLINGS.items():
        if _close(small, known, 1):
            return known if len(known) == len(word) else short.ljust(len(word))
    return word


def _misspelt(text: str, products: Sequence[Product]) -> list[Span]:
    found: list[Span] = []
    for match in _WORD.finditer(text):
        word = match[0].casefold()
        for product in products:
            known = [name.casefold() for name in (product.name, *product.aliases)]
            if any(
                _close(word, name, 1 if len(name) < 7 else 2) for name in known if len(name) >= 5
            ):
                found.append((*match.span(), product))
    return found


def _close(word: str, name: str, allowed: int) -> bool:
    if word[0] != name[0] or abs(len(word) - len(name)) > allowed:
        return False
    return DamerauLevenshtein.distance(word, name, score_cutoff=allowed) <= allowed
