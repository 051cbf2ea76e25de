"""Which documents and passages of two releases a comparison is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from chatbot.comparison.page_differences import Pair
from chatbot.retrieval.provenance import plain
from chatbot.text.query_terms import search_terms
from chatbot.turn import Record, RetrievedChunk
from corpora.catalog.release import releases_named
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens
from corpora.indexing.pages import StoredDocument
from ingestion.page import DocumentKind

_OWN_WORD = 0.8
"""Search terms below this weight are expansions, which would make a passage look more to the point
than it is."""
LEAST = 0.55
"""The share of the topic's words that a passage must hold to be about it."""
NEAR_BEST = 0.7
"""And of the best passage's share."""


@dataclass(frozen=True)
class Topic:
    """What a comparison is about: its words, weighed by rarity, adding up to 1."""

    words: Mapping[str, float]
    text: str = ""

    def is_name(self, name: str) -> bool:
        """Whether the topic says the name of an entry, perhaps with the kind of thing it is."""
        if not name:
            return False
        return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", plain(self.text)) is not None

    def share(self, records: Iterable[Record]) -> float:
        """The share of the topic that some passages hold with their headings, 0 to 1."""
        held: set[str] = set()
        for record in records:
            held.update(tokens(" ".join((record.reading, record.page.document.title))))
            held.update(tokens(" ".join(record.path)))
        return sum(weight for word, weight in self.words.items() if word in held)

    def closest(self, pairs: Sequence[Pair]) -> list[Pair]:
        """The pairs that are about the topic, in the order given; none where none is."""
        shares = [self.share(pair.sides) for pair in pairs]
        least = max(LEAST, NEAR_BEST * max(shares, default=0.0))
        return [pair for pair, share in zip(pairs, shares, strict=True) if share >= least]


def topic_of(text: str, corpora: Sequence[Corpus]) -> Topic:
    """Weigh the words of a text by how rare they are; words of no release say nothing."""
    weighed: dict[str, float] = {}
    for corpus in corpora:
        for term, weight in search_terms(text, "", corpus.product, corpus).items():
            if weight >= _OWN_WORD and corpus.frequency(term):
                weighed[term] = max(weighed.get(term, 0.0), weight * corpus.idf(term))
    total = sum(weighed.values())
    return Topic({term: weight / total for term, weight in weighed.items()} if total else {}, text)


def documents_on(
    topic: Topic, corpus: Corpus, evidence: Sequence[RetrievedChunk], *, limit: int
) -> list[StoredDocument]:
    """The documents of a release that a topic is about, best first.

    Those with the best BM25 passages, and those that the chain found. Release notes tell of
    changes but do not change themselves, so they are left out; so are source listings.
    """
    scores: dict[int, float] = {}
    documents: dict[int, StoredDocument] = {}
    hits = corpus.lexical(list(topic.words), 40)
    chunks = corpus.chunks([chunk for chunk, _ in hits])
    best = hits[0][1] if hits else 1.0
    found = [(corpus.page(chunks[chunk].page_id), score / best) for chunk, score in hits]
    found += [(chunk.page, chunk.score) for chunk in evidence]
    for page, score in found:
        if page.document.kind in (DocumentKind.REFERENCE, DocumentKind.GUIDE):
            documents[page.document.id] = page.document
            scores[page.document.id] = max(scores.get(page.document.id, 0.0), score)
    ranked = sorted(documents, key=lambda d: -scores[d])
    return [documents[d] for d in ranked[:limit]]


def is_of_another_release(record: Record, release: str) -> bool:
    """Whether a passage stands in release notes, and in those of another release."""
    if record.page.document.kind is not DocumentKind.RELEASE_NOTES:
        return False
    title = " ".join((record.page.document.title, *record.path))
    named = releases_named(title, release)
    return named.other and not named.own
