"""What changed on a topic from one release to the next."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from chatbot.comparison.pages import (
    Differences,
    Pair,
    counterpart,
    differing,
    is_of_another_release,
    name_of,
    pages_with,
    pair_passages,
    passages,
)
from chatbot.comparison.presence import end_of
from chatbot.retrieval.provenance import plain
from chatbot.text.query_terms import search_terms
from chatbot.turn import Record, RetrievedChunk
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens
from corpora.indexing.pages import StoredDocument, StoredPage
from ingestion.page import BlockKind, DocumentKind

_LEAST = 0.55
"""The share of the topic's words that a passage must hold to be about it."""
_OWN_WORD = 0.8
"""Search terms below this weight are expansions, which no passage need hold."""
_DOCUMENTS = 3
_LOOKED_UP = 24
_NOTES = 4
_GENERAL_NOTES = 60
_PAGES = 400
"""Pages of a release up to which all of them are compared where no topic is named."""
_TOLD_OF = (DocumentKind.REFERENCE, DocumentKind.GUIDE)
"""Release notes tell of changes but do not change themselves; source listings tell of none."""

Evidence = tuple[Corpus, Sequence[RetrievedChunk]]
"""A release, and what the chain retrieved from it."""


@dataclass(frozen=True)
class Topic:
    """What a comparison is about: its words, weighed by rarity, adding up to 1."""

    words: Mapping[str, float]
    text: str

    def names(self, name: str) -> bool:
        """Whether the topic says the name of an entry."""
        return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", plain(self.text)) is not None

    def share(self, records: Iterable[Record]) -> float:
        """The share of the topic that some passages hold with their headings, 0 to 1."""
        texts = (" ".join((r.reading, r.page.document.title, *r.path)) for r in records)
        held = {token for text in texts for token in tokens(text)}
        return sum(weight for word, weight in self.words.items() if word in held)

    def closest(self, pairs: Sequence[Pair]) -> list[Pair]:
        """The pairs that are about the topic, in the order given; none where none is."""
        return [pair for pair in pairs if self.share(pair.sides) >= _LEAST]


def topic_of(text: str, corpora: Sequence[Corpus]) -> Topic:
    """Weigh the words of a text by how rare they are; words of no release say nothing."""
    weighed: dict[str, float] = {}
    for corpus in corpora:
        for term, weight in search_terms(text, "", corpus.product).items():
            if weight >= _OWN_WORD and corpus.frequency(term):
                weighed[term] = max(weighed.get(term, 0.0), weight * corpus.idf(term))
    total = sum(weighed.values())
    return Topic({term: weight / total for term, weight in weighed.items() if total}, text)


def find_changes(
    topic: Topic, older: Evidence, newer: Evidence, *, only: str | None
) -> Differences:
    """Compare the documents on a topic, or all; `only` may be "added" or "removed"."""
    old, new = older[0], newer[0]
    if topic.words:
        of_old, of_new = _documents_on(topic, *older), _documents_on(topic, *newer)
        pairs = _on(topic, _pairs(old, new, of_old, of_new))
        pairs.sort(key=lambda pair: pair.sides[0].kind == BlockKind.CODE)
    else:
        only = None
        documents = [d for d in new.documents() if d.kind in _TOLD_OF]
        few = sum(len(new.pages_of(d.id)) for d in documents) <= _PAGES
        pairs = [p for p in _pairs(old, new, (), documents if few else ()) if not p.same]
    found = differing(pairs, old, new, most=_LOOKED_UP)
    # A row of the notes may say again what a pair shows.
    told = {name_of(r) for pair in found.changed for r in pair.sides} - {""}
    notes = [n for n in _notes(topic, new) if told.isdisjoint(plain(cell) for _, cell in n.cells)]
    if only:
        added, removed = (found.added, ()) if only == "added" else ((), found.removed)
        found = replace(found, changed=(), added=added, removed=removed)
        # Notes tell of all sorts of changes: they add nothing to what alone is asked for and found.
        notes = [] if found.found else notes
    ends = ((name_of(r), end_of(name_of(r), new)) for r in found.removed if topic.words)
    same = sorted(found.same, key=lambda pair: -topic.share(pair.sides))
    return replace(
        found,
        same=() if found.found or only else tuple(same),
        ends={name: end for name, end in ends if end},
        notes=tuple(notes),
    )


def _pairs(
    old: Corpus, new: Corpus, of_old: Iterable[StoredDocument], of_new: Iterable[StoredDocument]
) -> list[Pair]:
    before = ((counterpart(document, new, old), document) for document in of_new)
    after = ((document, counterpart(document, old, new)) for document in of_old)
    both = {(a.id, b.id): (a, b) for a, b in chain(before, after) if a and b}
    releases = old.release, new.release
    return _once(
        pair
        for before, after in both.values()
        for pair in pair_passages(
            passages(old.pages_of(before.id)), passages(new.pages_of(after.id)), releases
        )
    )


def _once(pairs: Iterable[Pair]) -> list[Pair]:
    """Every pair of wordings once; what has a counterpart anywhere is not missing."""
    pairs = list(pairs)
    paired = {plain(r.quote) for p in pairs if len(p.sides) == 2 for r in p.sides}
    found: dict[tuple[str, ...], Pair] = {}
    for pair in pairs:
        wording = tuple(plain(side.quote) if side else "" for side in (pair.before, pair.after))
        if len(pair.sides) == 2 or not paired & set(wording):
            found.setdefault(wording, pair)
    return list(found.values())


def _documents_on(
    topic: Topic, corpus: Corpus, evidence: Sequence[RetrievedChunk]
) -> list[StoredDocument]:
    pages = (*pages_with(corpus, topic.words, 40), *(chunk.page for chunk in evidence))
    documents = {p.document.id: p.document for p in pages if p.document.kind in _TOLD_OF}
    return list(documents.values())[:_DOCUMENTS]


def _on(topic: Topic, pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs about the topic; where it is the name of an entry, no other entries."""
    about = topic.closest(pairs)
    names = {name_of(r) for pair in about for r in pair.sides} - {""}
    others = {name for name in names if not topic.names(name)}
    if others == names:
        return about
    return [p for p in about if not any(name_of(r) in others for r in p.sides)]


def _notes(topic: Topic, corpus: Corpus) -> list[Record]:
    documents = [d for d in corpus.documents() if d.kind is DocumentKind.RELEASE_NOTES]
    pages = [page for document in documents for page in corpus.pages_of(document.id)[:3]]
    if topic.words:
        found = pages_with(corpus, topic.words, 60)
        pages = sorted((p for p in found if p.document in documents), key=lambda page: page.id)
    items = (record for page in pages for record in _items(page))
    own = [Pair(None, r) for r in items if not is_of_another_release(r, corpus.release)]
    about = topic.closest(own) if topic.words else own[:_GENERAL_NOTES]
    about.sort(key=lambda pair: -topic.share(pair.sides))
    return [note for pair in about[: _NOTES if topic.words else None] for note in pair.sides]


def _items(page: StoredPage) -> list[Record]:
    """The items, rows and sentences below a page's first heading; an item is not cut up."""
    whole = [block.text for block in page.blocks if block.kind is BlockKind.LIST_ITEM]
    found: dict[str, Record] = {}
    for record in passages([page]):
        if record.kind == BlockKind.CODE or len(record.path) < 2:
            continue
        if record.kind == BlockKind.LIST_ITEM:
            text = next((item for item in whole if record.quote in item), record.quote)
            record = replace(record, quote=text, reading=text)
        found.setdefault(record.quote, record)
    return list(found.values())
