"""What the documentation of a product says of a question's words, before a release is chosen.

The words that have versions of their own are told by how they are written there.
"max payload 1.7" asks for release 1.7 where the documents have max_payload and never a number
behind it; "python 3.8" does not where they say "needs Python 3.9".
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TypeVar

from corpora.catalog.catalog import Catalog
from corpora.catalog.release import Product
from corpora.database.read_once import once
from corpora.errors import NoCorpus
from corpora.indexing.corpus import Corpus, OpenCorpora
from corpora.indexing.lexical import name_parts

_NEWEST = 4
"""Releases in which a word is looked for."""
_MOST_WORDS = 8
"""Words of a question that are looked for; whoever writes more numbers than that pastes a log."""
_LOOKED_AT = 50
"""Chunks of each, the best first."""

Told = TypeVar("Told")


def with_words(catalog: Catalog, corpora: OpenCorpora) -> tuple[Product, ...]:
    """The products of a catalog, which tell by their documents `has_versions` and `has_name`."""
    return once(_with_words, catalog, corpora)


def _with_words(catalog: Catalog, corpora: OpenCorpora) -> tuple[Product, ...]:
    return tuple(
        replace(
            product,
            has_versions=_asked_once(partial(_has_versions, corpora, product), None),
            has_name=_asked_once(partial(_has_name, corpora, product), False),
        )
        for product in catalog.products()
    )


def _asked_once(look: Callable[..., Told], unknown: Told) -> Callable[..., Told]:
    known: dict[tuple[str, ...], Told] = {}

    def told(*words: str) -> Told:
        if words not in known and len(known) < _MOST_WORDS:
            known[words] = look(*words)
        return known.get(words, unknown)

    return told


def _has_name(corpora: OpenCorpora, product: Product, name: str, release: str) -> bool:
    looked_at = [release] if release else [one.name for one in product.releases[-_NEWEST:]]
    return any(
        any(map(corpus.frequency, corpus.wholes(name)))
        for corpus in _opened(corpora, product, looked_at)
    )


def _has_versions(corpora: OpenCorpora, product: Product, word: str) -> bool | None:
    """Whether documents give versions to what a word names, or never put a number behind it.

    They do in a name with a capital within a sentence: "needs Python 3.9". None of what they do not
    have, or have with a capital alone, and where the numbers may be values: "timeout: 0.5".
    """
    if not (parts := name_parts(word.rpartition(".")[2].removesuffix("s"))):
        return None
    first, *more = map(re.escape, parts)
    rest = "".join(rf"[\W_]{{0,2}}{part}" for part in more)
    name = rf"{first}{rest}s?"
    texts = [*_texts(corpora, product, word)]
    # In German every noun has a capital.
    if not any("de" in release.languages for release in product.releases[-_NEWEST:]):
        of_name = re.compile(
            rf"(?<=[a-z,;(] )(?=[A-Z])(?i:{name}) (?:[<>~^]=? ?|\()?v?(?P<number>\d+(?:\.\d+)+)"
        )
        releases = [f"{release.name}." for release in product.releases]
        for version in chain.from_iterable(map(of_name.finditer, texts)):
            if not any(release.startswith(f"{version['number']}.") for release in releases):
                return True
    numbered = re.compile(rf"{name}[\W_]{{0,6}}(?:v|version\W)?\d+\.\d", re.I)
    if any(map(numbered.search, texts)):
        return None
    small = re.compile(rf"(?:(?<![^\W_]){first}|(?<=[a-z_])(?i:{first}))(?i:{rest}s?)(?![^\W\d_])")
    return False if any(map(small.search, texts)) else None


def _texts(corpora: OpenCorpora, product: Product, word: str) -> Iterator[str]:
    newest = (release.name for release in product.releases[-_NEWEST:])
    for corpus in _opened(corpora, product, newest):
        found = [chunk for chunk, _ in corpus.lexical(corpus.terms(word), _LOOKED_AT)]
        yield from (f"{chunk.heading}\n{chunk.text}" for chunk in corpus.chunks(found).values())


def _opened(corpora: OpenCorpora, product: Product, releases: Iterable[str]) -> Iterator[Corpus]:
    for release in releases:
        # One may have been retired a moment ago.
        with suppress(NoCorpus):
            yield corpora.corpus(product.name, release)
