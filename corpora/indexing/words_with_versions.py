"""The words that have versions of their own, by how the documentation of a product writes them.

"max payload 1.7" asks for release 1.7 where the documents have max_payload and never a version
behind it; "python 3.8" does not where they say "Python 3.9".
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial

from corpora.catalog.catalog import Catalog
from corpora.catalog.release import Product
from corpora.errors import NoCorpus
from corpora.indexing.corpus import OpenCorpora
from corpora.indexing.lexical import name_parts

_NEWEST = 4
"""Releases in which a word is looked for."""
_LOOKED_AT = 50
"""Chunks of each, the best first."""


def with_words(catalog: Catalog, corpora: OpenCorpora) -> tuple[Product, ...]:
    """The products of a catalog, which tell by their documents what word `has_versions`."""
    return tuple(
        replace(product, has_versions=cache(partial(_has_versions, corpora, product)))
        for product in catalog.products()
    )


def _has_versions(corpora: OpenCorpora, product: Product, word: str) -> bool | None:
    """Whether documents put other numbers than releases behind a word, or its parts in a row.

    None where they do not have it, or as the name of something else alone: with a capital.
    """
    if not (parts := name_parts(word.rpartition(".")[2].removesuffix("s"))):
        return None
    first, *more = map(re.escape, parts)
    rest = "".join(rf"[\W_]{{0,2}}{part}" for part in more)
    small = re.compile(rf"(?:(?<![^\W_]){first}|(?<=[a-z_])(?i:{first}))(?i:{rest})")
    version = re.compile(rf"{first}{rest}s?[\W_]{{0,6}}(?:v|version\W)?(\d+(?:\.\d+)+)", re.I)
    texts = [*_texts(corpora, product, word)]
    numbers = {number for text in texts for number in version.findall(text)}
    releases = [f"{release.name}." for release in product.releases]
    if any(not any(name.startswith(f"{n}.") for name in releases) for n in numbers):
        return True
    return False if any(map(small.search, texts)) else None


def _texts(corpora: OpenCorpora, product: Product, word: str) -> Iterator[str]:
    for release in product.releases[-_NEWEST:]:
        try:
            corpus = corpora.corpus(product.name, release.name)
        except NoCorpus:
            # It was retired a moment ago.
            continue
        found = [chunk for chunk, _ in corpus.lexical(corpus.terms(word), _LOOKED_AT)]
        yield from (f"{chunk.heading}\n{chunk.text}" for chunk in corpus.chunks(found).values())
