"""What differs from release to release on a topic: the pages of all of them side by side."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from chatbot.comparison.pages import (
    counterpart,
    name_of,
    pages_with,
    pair_passages,
    passages,
    said,
    standing_in,
)
from chatbot.comparison.topic import ABOUT, Topic
from chatbot.retrieval.support import names, plain
from chatbot.turn import Record
from corpora.catalog.release import releases_named
from corpora.indexing.corpus import Corpus
from corpora.indexing.pages import StoredDocument
from ingestion.page import BlockKind, DocumentKind

SHOWN = 40
"""Lines of a table, or notes, that are written out."""
_PAGES = 400
"""Pages of a release up to which all of them are compared where no topic is named."""
_TOLD_OF = (DocumentKind.REFERENCE, DocumentKind.GUIDE)
"""Release notes tell of changes but do not change themselves; source listings tell of none."""


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


def find_rows(topic: Topic, corpora: Sequence[Corpus]) -> list[Row]:
    """Put side by side what the releases say on a topic, or all that differs without one.

    What would be shown as missing is looked for on the other pages of a release, too.
    """
    rows = [row for group in _groups(topic, corpora) for row in _rows(group, corpora)]
    differing = [row for row in rows if row.differs]
    rows = _on(topic, differing) or _on(topic, rows) if topic.text else differing
    for i, row in enumerate(rows[:SHOWN]):
        pairs = zip(row.sides, corpora, strict=True)
        rows[i] = _row([side or standing_in(c, row.records[-1]) for side, c in pairs], corpora)
    told: dict[tuple[str, ...], Row] = {}
    for row in rows:
        told.setdefault(tuple(plain(s.quote) if s else "" for s in row.sides), row)
    return list(told.values())


def _on(topic: Topic, rows: Sequence[Row]) -> list[Row]:
    """The entries that the topic names; else what holds most of it."""
    shares = {row: share for row in rows if (share := topic.share_of(row.records)) >= ABOUT}
    most = max(shares.values(), default=0.0)
    named = [row for row in shares if row.name and names(topic.text, row.name)]
    return named or [row for row, share in shares.items() if share >= most]


def _groups(topic: Topic, corpora: Sequence[Corpus]) -> Iterator[list[StoredDocument | None]]:
    """The documents on a topic, each beside its counterparts in the other releases."""
    seen: set[tuple[str, int]] = set()
    for corpus in corpora:
        for document in _documents_on(topic, corpus):
            if (corpus.release, document.id) not in seen:
                group = [document if c is corpus else counterpart(document, c) for c in corpora]
                found = zip(corpora, group, strict=True)
                seen |= {(c.release, other.id) for c, other in found if other}
                yield group


def _documents_on(topic: Topic, corpus: Corpus) -> list[StoredDocument]:
    if topic.text:
        near = (page.document for page in pages_with(corpus, topic.words, 10))
        return list({d.id: d for d in near if d.kind in _TOLD_OF}.values())
    documents = [d for d in corpus.documents() if d.kind in _TOLD_OF]
    few = sum(len(corpus.pages_of(d.id)) for d in documents) <= _PAGES
    return documents if few else []


def _rows(group: Sequence[StoredDocument | None], corpora: Sequence[Corpus]) -> Iterator[Row]:
    """The passages of a document beside each other, followed from one release to the next."""
    read = [
        passages(corpus.pages_of(document.id)) if document else []
        for document, corpus in zip(group, corpora, strict=True)
    ]
    sides = [{0: record} for record in read[0]]
    for n, (before, after) in enumerate(pairwise(read), 1):
        at = {own[n - 1].place: own for own in sides if n - 1 in own}
        for pair in pair_passages(before, after, (corpora[n - 1].release, corpora[n].release)):
            if pair.after and pair.before:
                at[pair.before.place][n] = pair.after
            elif pair.after:
                sides.append({n: pair.after})
    return (_row([own.get(n) for n in range(len(read))], corpora) for own in sides)


def _row(sides: Sequence[Record | None], corpora: Sequence[Corpus]) -> Row:
    pairs = zip(sides, corpora, strict=True)
    texts = {said(side, corpus.release) if side else "" for side, corpus in pairs}
    return Row(tuple(sides), len(texts) > 1)


def find_notes(topic: Topic, corpora: Sequence[Corpus]) -> list[tuple[str, Record]]:
    """What the release notes tell on a topic, or of all, from the oldest release to the newest.

    A section that is headed by another release tells nothing of its own.
    """
    found: dict[str, tuple[str, Record]] = {}
    for corpus in corpora[1:]:
        notes = (d for d in corpus.documents() if d.kind is DocumentKind.RELEASE_NOTES)
        pages = chain.from_iterable(corpus.pages_of(d.id) for d in notes)
        for record in passages(pages):
            headed = releases_named(" ".join(record.path), corpus.release)
            inside = len(record.path) > 1 and record.kind != BlockKind.CODE
            about = not topic.text or topic.share_of([record]) >= ABOUT
            if inside and about and (headed.own or not headed.other):
                found.setdefault(plain(record.quote), (corpus.release, record))
    return list(found.values())
