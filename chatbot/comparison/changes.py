"""What changed on a topic from one release to the next."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from chatbot.comparison.page_differences import (
    ELSEWHERE,
    Pair,
    counterpart,
    name_of,
    pair_passages,
    passages,
)
from chatbot.comparison.presence import end_of
from chatbot.comparison.topic import Topic, documents_on, is_of_another_release
from chatbot.retrieval.provenance import plain
from chatbot.retrieval.records import records
from chatbot.turn import Record, RetrievedChunk
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens
from corpora.indexing.pages import StoredDocument, StoredPage
from ingestion.page import BlockKind, DocumentKind

_DOCUMENTS = 3
_LOOKED_UP = 24
_NOTES = 4
_GENERAL_NOTES = 60
_PAGES = 400
"""Pages of a release up to which all of them are compared where no topic is named."""


@dataclass(frozen=True)
class Changes:
    """What differs between two releases, as far as it is about the topic.

    `gone` are passages that only the older release has, with the words in which the newer one
    says that they are gone, or None where it just does not have them. `notes` is what the newer
    release's notes say; `same` what both have word for word, where nothing differs.
    """

    older: str
    newer: str
    changed: tuple[Pair, ...] = ()
    added: tuple[Record, ...] = ()
    gone: tuple[tuple[Record, Record | None], ...] = ()
    same: tuple[Pair, ...] = ()
    notes: tuple[Record, ...] = ()

    @property
    def found(self) -> bool:
        """Whether there is anything to say."""
        return bool(self.changed or self.added or self.gone or self.same or self.notes)


def find_changes(
    topic: Topic,
    older: tuple[Corpus, Sequence[RetrievedChunk]],
    newer: tuple[Corpus, Sequence[RetrievedChunk]],
    *,
    only: str | None,
) -> Changes:
    """Compare the documents that the topic is in, passage by passage.

    Each release comes with what the chain retrieved from it. `only` is "added" or "removed"
    where nothing else is asked for. Without a topic there are the release notes, and what differs
    on any page where there are not too many.
    """
    (old, old_evidence), (new, new_evidence) = older, newer
    if not topic.words:
        return _in_general(topic, old, new)
    pairs: list[Pair] = []
    for before, after in _document_pairs(topic, old, old_evidence, new, new_evidence):
        pairs += pair_passages(
            passages(old, before), passages(new, after), (old.release, new.release)
        )
    pairs = _once(pairs, [c.page.id for c in (*new_evidence, *old_evidence)])
    about = [p for p in _on(topic, pairs) if not _points_elsewhere(p)]
    about.sort(key=lambda pair: pair.sides[0].kind == BlockKind.CODE)
    changed = [p for p in about if p.before and p.after and not p.same]
    added = [p.after for p in about if p.before is None and p.after]
    gone = [p.before for p in about if p.after is None and p.before]
    if only is not None:
        changed = []
        added, gone = (added, []) if only == "added" else ([], gone)
        added, gone = _entries(added), _entries(gone)
    added = [r for r in added[:_LOOKED_UP] if not stands_in(old, r)]
    gone = [r for r in gone[:_LOOKED_UP] if not stands_in(new, r)]
    differs = bool(changed or added or gone)
    same = sorted((p for p in about if p.same), key=lambda p: -topic.share(p.sides))
    # Notes tell of all sorts of changes: they add nothing to what alone is asked for and found.
    notes = [] if only and differs else _notes(topic, new, _NOTES)
    return Changes(
        old.release,
        new.release,
        changed=tuple(changed),
        added=tuple(added),
        gone=tuple((r, end_of(name_of(r), new)) for r in gone),
        same=() if differs or only else tuple(same),
        notes=tuple(r for r in notes if not _repeats(r, changed)),
    )


def _in_general(topic: Topic, old: Corpus, new: Corpus) -> Changes:
    """The notes of the newer release, and the differences that they do not tell."""
    notes = _notes(topic, new, _GENERAL_NOTES)
    pairs: list[Pair] = []
    told = (DocumentKind.REFERENCE, DocumentKind.GUIDE)
    documents = [d for d in new.documents() if d.kind in told]
    if sum(len(new.pages_of(d.id)) for d in documents) <= _PAGES:
        for document in documents:
            if before := counterpart(document, new, old):
                pairs += pair_passages(
                    passages(old, before), passages(new, document), (old.release, new.release)
                )
    pairs = _once(pairs, [])
    changed = [p for p in pairs if p.before and p.after and not p.same and _is_telling(p)]
    added = _entries([p.after for p in pairs if p.before is None and p.after])
    gone = _entries([p.before for p in pairs if p.after is None and p.before])
    return Changes(
        old.release,
        new.release,
        changed=tuple(p for p in changed if not any(_repeats(n, [p]) for n in notes)),
        added=tuple(r for r in added[:_LOOKED_UP] if not stands_in(old, r)),
        gone=tuple((r, None) for r in gone[:_LOOKED_UP] if not stands_in(new, r)),
        notes=tuple(notes),
    )


def _is_telling(pair: Pair) -> bool:
    """Whether a named thing differs, or a figure, or few of a sentence's words."""
    before, now = pair.sides
    if name_of(now):
        return True
    old, new = plain(before.quote).split(), plain(now.quote).split()
    return len(set(old) ^ set(new)) <= max(4, len(new) // 3)


def _document_pairs(
    topic: Topic,
    old: Corpus,
    old_evidence: Sequence[RetrievedChunk],
    new: Corpus,
    new_evidence: Sequence[RetrievedChunk],
) -> list[tuple[StoredDocument, StoredDocument]]:
    """The documents about the topic, each with its counterpart."""
    found: dict[tuple[int, int], tuple[StoredDocument, StoredDocument]] = {}
    for document in documents_on(topic, new, new_evidence, limit=_DOCUMENTS):
        if before := counterpart(document, new, old):
            found[before.id, document.id] = (before, document)
    for document in documents_on(topic, old, old_evidence, limit=_DOCUMENTS):
        if after := counterpart(document, old, new):
            found[document.id, after.id] = (document, after)
    return list(found.values())


def _on(topic: Topic, pairs: Sequence[Pair]) -> list[Pair]:
    """The pairs about the topic; where it is the name of an entry, no other entries.

    Where they are all the same, and sentences, what differs in their sections is told instead.
    """
    about = topic.closest(pairs)
    if any(topic.is_name(name_of(r)) for pair in about for r in pair.sides):
        return [p for p in about if all(_unnamed_or(topic, r) for r in p.sides)]
    if about and all(pair.same and not name_of(pair.sides[0]) for pair in about):
        sections = {r.path for pair in about for r in pair.sides if len(r.path) > 1}
        differing = [p for p in pairs if not p.same and any(r.path in sections for r in p.sides)]
        return differing or about
    return about


def _unnamed_or(topic: Topic, record: Record) -> bool:
    name = name_of(record)
    return not name or topic.is_name(name)


def _points_elsewhere(pair: Pair) -> bool:
    return all(re.match(r"\W*see (?:also|the section)\b", r.quote, re.I) for r in pair.sides)


def _repeats(note: Record, changed: Sequence[Pair]) -> bool:
    """Whether a row of the release notes says again what a pair shows."""
    names = {name_of(r) for pair in changed for r in pair.sides} - {""}
    return any(plain(cell) in names for _, cell in note.cells)


def _once(pairs: Sequence[Pair], pages: Sequence[int]) -> list[Pair]:
    """Every pair of wordings once, from the first of `pages` that it stands on.

    Documentation repeats itself, as for inherited members; and what has a counterpart in one
    document is not missing from another.
    """
    paired = {plain(r.quote) for p in pairs if p.before and p.after for r in p.sides}
    place = {page: i for i, page in reversed(list(enumerate(pages)))}
    found: dict[tuple[str, ...], tuple[int, Pair]] = {}
    for pair in pairs:
        lone = pair.before is None or pair.after is None
        wording = tuple(plain(side.quote) if side else "" for side in (pair.before, pair.after))
        if lone and paired & set(wording):
            continue
        rank = min(place.get(side.page.id, len(pages)) for side in pair.sides)
        if wording not in found or rank < found[wording][0]:
            found[wording] = (rank, pair)
    return [pair for _, pair in found.values()]


def _entries(passages: list[Record]) -> list[Record]:
    """Rows, parameters and the like where there are any: what can be counted as added."""
    return [r for r in passages if name_of(r)] or passages


def stands_in(corpus: Corpus, record: Record) -> bool:
    """Whether another page of a release says the same."""
    from rapidfuzz import fuzz

    text = plain(record.quote)
    hits = corpus.lexical(list(dict.fromkeys(tokens(record.quote)))[:40], 4)
    chunks = corpus.chunks([chunk for chunk, _ in hits])
    pages = dict.fromkeys(chunks[chunk].page_id for chunk, _ in hits)
    others = (r for page in pages for r in records(corpus.page(page), together=0))
    return any(fuzz.ratio(text, plain(r.quote), score_cutoff=ELSEWHERE) for r in others)


def _items(page: StoredPage) -> list[Record]:
    """The items, rows and sentences below a page's first heading; an item is not cut up."""
    whole = [block.text for block in page.blocks if block.kind is BlockKind.LIST_ITEM]
    found: dict[str, Record] = {}
    for record in records(page, together=0):
        if record.kind == BlockKind.CODE or len(record.path) < 2:
            continue
        if record.kind == BlockKind.LIST_ITEM:
            text = next((item for item in whole if record.quote in item), record.quote)
            record = replace(record, quote=text, reading=text)
        found.setdefault(record.quote, record)
    return list(found.values())


def _notes(topic: Topic, corpus: Corpus, limit: int) -> list[Record]:
    """What the release's own notes say about the topic, or about anything."""
    if topic.words:
        hits = corpus.lexical(list(topic.words), 60)
        chunks = corpus.chunks([chunk for chunk, _ in hits])
        pages = [corpus.page(p) for p in dict.fromkeys(c.page_id for c in chunks.values())]
    else:
        notes = [d for d in corpus.documents() if d.kind is DocumentKind.RELEASE_NOTES]
        pages = [page for document in notes for page in corpus.pages_of(document.id)[:3]]
    own = [
        record
        for page in pages
        if page.document.kind is DocumentKind.RELEASE_NOTES
        for record in _items(page)
        if not is_of_another_release(record, corpus.release)
    ]
    if not topic.words:
        return own[:limit]
    about = topic.closest([Pair(None, record) for record in own])
    about.sort(key=lambda pair: -topic.share(pair.sides))
    return [pair.after for pair in about[:limit] if pair.after]
