"""What differs from release to release on a topic: the pages of all of them side by side."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise

from chatbot.comparison.pages import (
    counterpart,
    name_of,
    numbers_in,
    pages_with,
    pair_passages,
    passages,
    standing_in,
)
from chatbot.comparison.topic import ABOUT, Topic
from chatbot.retrieval.provenance import plain
from chatbot.turn import Record, RetrievedChunk
from corpora.catalog.release import sort_key
from corpora.indexing.corpus import Corpus
from corpora.indexing.pages import StoredDocument, StoredPage
from ingestion.page import BlockKind, DocumentKind

_DOCUMENTS = 3
"""Documents of a release that are compared on a topic."""
_PAGES = 400
"""Pages of a release up to which all of them are compared where no topic is named."""
_TOLD_OF = (DocumentKind.REFERENCE, DocumentKind.GUIDE)
"""Release notes tell of changes but do not change themselves; source listings tell of none."""

_LOOKED_UP = 40
"""Things that are looked up on other pages too, those with a name first."""
Evidence = tuple[Corpus, Sequence[RetrievedChunk], Sequence[Record]]
"""A release, what the chain retrieved from it, and the records that it ranks best."""


@dataclass(frozen=True, eq=False)
class Row:
    """What one thing is in several releases, the oldest first; None where it is not.

    `differs` unless it is in all of them, in the same words but for their names.
    """

    sides: tuple[Record | None, ...]
    differs: bool

    @property
    def records(self) -> tuple[Record, ...]:
        """What there is of it."""
        return tuple(side for side in self.sides if side is not None)

    @property
    def name(self) -> str:
        """What the thing is called; empty for a sentence."""
        return next(filter(None, map(name_of, self.records)), "")

    def holds(self, record: Record) -> bool:
        """Whether the words of a record are its own."""
        own = (r for r in self.records if r.page.id == record.page.id)
        return any(r.quote in record.quote for r in own)


def find_rows(topic: Topic, evidence: Sequence[Evidence]) -> list[Row]:
    """Put side by side what the releases say on a topic, or all that they say without one."""
    corpora = [corpus for corpus, *_ in evidence]
    rows = [row for group in _groups(topic, evidence) for row in _rows(group, corpora)]
    if topic.words:
        best = [records[0] for _, _, records in evidence if records]
        rows = _on(topic, [r for r in rows if r.differs], best) or _on(topic, rows, best)
    rows = [row for row in rows if topic.words or row.differs]
    named_first = sorted(range(len(rows)), key=lambda i: not rows[i].name)
    for i in named_first[:_LOOKED_UP]:
        rows[i] = _found_elsewhere(rows[i], corpora)
    told: dict[tuple[str, ...], Row] = {}
    for row in rows:
        told.setdefault(tuple(plain(s.quote) if s else "" for s in row.sides), row)
    return list(told.values())


def _on(topic: Topic, rows: Sequence[Row], best: Sequence[Record]) -> list[Row]:
    """The entry that the topic names; else what the best records say, and what holds most of it."""
    shares = {row: share for row in rows if (share := topic.share_of(row.records)) >= ABOUT}
    if named := [row for row in shares if row.name and topic.names(row.name)]:
        return named
    most = max(shares.values(), default=0.0)
    closest = [row for row, share in shares.items() if share >= most]
    closest.sort(key=lambda row: -max(topic.share(r.reading) for r in row.records))
    found = (row for row in rows if sum(map(row.holds, best)) > 1)
    return list(dict.fromkeys((*found, *closest)))


def _groups(topic: Topic, evidence: Sequence[Evidence]) -> Iterator[list[StoredDocument | None]]:
    """The documents on a topic, each beside its counterparts in the other releases."""
    corpora = [corpus for corpus, *_ in evidence]
    seen: set[tuple[int, int]] = set()
    for n, (corpus, retrieved, best) in enumerate(evidence):
        pages = (*(r.page for r in best[:1]), *(chunk.page for chunk in retrieved))
        for document in _documents_on(topic, corpus, pages):
            if (n, document.id) in seen:
                continue
            group: list[StoredDocument | None] = [None] * len(corpora)
            group[n] = document
            steps = chain(((m, m - 1) for m in range(n, 0, -1)), pairwise(range(n, len(corpora))))
            for here, there in steps:
                known = group[here]
                group[there] = known and counterpart(known, corpora[here], corpora[there])
            seen |= {(m, other.id) for m, other in enumerate(group) if other}
            yield group


def _documents_on(
    topic: Topic, corpus: Corpus, found: Sequence[StoredPage]
) -> list[StoredDocument]:
    if not topic.words:
        documents = [d for d in corpus.documents() if d.kind in _TOLD_OF]
        few = sum(len(corpus.pages_of(d.id)) for d in documents) <= _PAGES
        return documents if few else []
    pages = (*found[:1], *pages_with(corpus, topic.words, 40), *found)
    told = {p.document.id: p.document for p in pages if p.document.kind in _TOLD_OF}
    return list(told.values())[:_DOCUMENTS]


def _rows(group: Sequence[StoredDocument | None], corpora: Sequence[Corpus]) -> list[Row]:
    """The passages of a document beside each other, followed from one release to the next."""
    read = [
        passages(corpus.pages_of(document.id)) if document else []
        for document, corpus in zip(group, corpora, strict=True)
    ]
    sides = [{0: record} for record in read[0]]
    changed = [len(read) > 1] * len(sides)
    for n, (before, after) in enumerate(pairwise(read), 1):
        at = {own[n - 1].place: i for i, own in enumerate(sides) if n - 1 in own}
        releases = corpora[n - 1].release, corpora[n].release
        for pair in pair_passages(before, after, releases):
            if pair.after is None:
                continue
            if pair.before is None:
                sides.append({n: pair.after})
                changed.append(True)
            else:
                i = at[pair.before.place]
                sides[i][n] = pair.after
                changed[i] = not pair.same or (changed[i] and n > 1)
    whole = [tuple(map(own.get, range(len(read)))) for own in sides]
    return [Row(row, differs or None in row) for row, differs in zip(whole, changed, strict=True)]


def _found_elsewhere(row: Row, corpora: Sequence[Corpus]) -> Row:
    """The row, filled where another page of a release says the same."""
    if row.records and None in row.sides:
        pairs = zip(row.sides, corpora, strict=True)
        sides = tuple(side or standing_in(c, row.records[-1]) for side, c in pairs)
        texts = {plain(side.quote) if side else "" for side in sides}
        return Row(sides, len(texts) > 1)
    return row


def find_notes(topic: Topic, corpora: Sequence[Corpus]) -> list[tuple[str, Record]]:
    """What the release notes tell on a topic, or of all, from the oldest release to the newest.

    A section that is headed by another release tells nothing of these.
    """
    after, last = sort_key(corpora[0].release), sort_key(corpora[-1].release)
    found: dict[str, tuple[str, Record]] = {}
    for corpus in corpora[1:]:
        documents = [d for d in corpus.documents() if d.kind is DocumentKind.RELEASE_NOTES]
        for page in chain.from_iterable(corpus.pages_of(d.id) for d in documents):
            for record in _items(page):
                headed = numbers_in(" ".join((page.document.title, *record.path)))
                own = not headed or any(after < sort_key(number) <= last for number in headed)
                if own and (not topic.words or topic.share_of([record]) >= ABOUT):
                    found.setdefault(plain(record.quote), (corpus.release, record))
    return list(found.values())


def _items(page: StoredPage) -> Iterator[Record]:
    """The items, rows and sentences below a page's first heading; an item is not cut up."""
    whole = [block.text for block in page.blocks if block.kind is BlockKind.LIST_ITEM]
    for record in passages([page]):
        if record.kind == BlockKind.CODE or len(record.path) < 2:
            continue
        if record.kind == BlockKind.LIST_ITEM:
            text = next((item for item in whole if record.quote in item), record.quote)
            record = replace(record, quote=text, reading=text)
        yield record
