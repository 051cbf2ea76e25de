"""The same page in another release: by document, anchors and headings, else by its words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise

from chatbot.comparison.page_differences import counterpart, without_numbering
from chatbot.retrieval.provenance import plain
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens
from corpora.indexing.pages import StoredPage

ALIKE = 0.4
"""The share of neighbouring words in common from which two pages are versions of each other."""
UNDER_THE_SAME = 0.12
"""The same for pages with the same anchors or headings."""
_SHARED = 0.5
_GENERATED = re.compile(r"(?:id|index-?|module-)\d+", re.I)
_TELLING = 24
_FOUND = 30


@dataclass(frozen=True)
class _Traits:
    """What a page is known by: its anchors and headings, its pairs of neighbouring words."""

    places: Mapping[object, int]
    words: Mapping[object, int]


def same_page(page: StoredPage, here: Corpus, there: Corpus) -> StoredPage | None:
    """The page of the release `there` that is this page of `here`; None if it has none.

    It is looked for in the document of the same name first, then among the pages of the release
    with the same words. A page counts that has the same anchors or headings and some of the
    words, or else enough of the words.
    """
    document = counterpart(page.document, here, there)
    own = _traits(page, here.release)
    near = there.pages_of(document.id) if document else ()
    return _most_alike(own, near, there.release) or _most_alike(
        own, _with_its_words(page, here, there), there.release
    )


def _most_alike(own: _Traits, pages: Iterable[StoredPage], release: str) -> StoredPage | None:
    best, found = 0.0, None
    for page in pages:
        other = _traits(page, release)
        under, words = _shared(own.places, other.places), _shared(own.words, other.words)
        least = UNDER_THE_SAME if under >= _SHARED else ALIKE
        if words >= least and under + words > best:
            best, found = under + words, page
    return found


def _traits(page: StoredPage, release: str) -> _Traits:
    places: dict[object, int] = {
        ("heading", plain(without_numbering(heading.replace(release, "")))): 1
        for block in page.blocks
        for heading in block.path
        if heading != page.document.title
    }
    places |= {("anchor", a): 1 for a in page.page.anchors if not _GENERATED.fullmatch(a)}
    words = plain(page.text.replace(release, "")).split()
    return _Traits(places, Counter(pairwise(words)))


def _shared(one: Mapping[object, int], other: Mapping[object, int]) -> float:
    """What both have in common, 0 to 1 (Dice); 0 where neither has anything."""
    total = sum(one.values()) + sum(other.values())
    common = sum(min(count, other[trait]) for trait, count in one.items() if trait in other)
    return 2 * common / total if total else 0.0


def _with_its_words(page: StoredPage, here: Corpus, there: Corpus) -> Iterable[StoredPage]:
    """The pages of a release that hold most of the page's rarest words."""
    words = [token for token in dict.fromkeys(tokens(page.text)) if there.frequency(token)]
    words.sort(key=here.idf, reverse=True)
    hits = there.lexical(words[:_TELLING], _FOUND)
    chunks = there.chunks([chunk for chunk, _ in hits])
    return [there.page(i) for i in dict.fromkeys(chunks[chunk].page_id for chunk, _ in hits)]
