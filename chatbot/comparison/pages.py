"""The pages of two releases, passage by passage; what differs is computed, never guessed."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import chain, pairwise, product
from pathlib import PurePosixPath

from rapidfuzz import fuzz
from rapidfuzz.distance import Postfix, Prefix

from chatbot.retrieval.provenance import plain
from chatbot.retrieval.records import records, with_units
from chatbot.turn import Record
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens
from corpora.indexing.pages import StoredDocument, StoredPage
from ingestion.page import CELL_DELIMITER, BlockKind

_NUMBERING = re.compile(r"^\s*(?:\d+(?:\.\d+)*\.?|[A-Z]\.\d+(?:\.\d+)*)\s+")
_TERM_END = re.compile(r"\s[–—-]+\s|:\s")
_MOST_COMPARED = 200_000
_CANDIDATES = 4
# Similarity, 0 to 100, from which two passages are versions of each other.
_SAME_SECTION, _OTHER_SECTION = 55.0, 85.0
# The share of neighbouring words from which two pages are, also where their headings are the same.
_ALIKE, _ALIKE_UNDER_THE_SAME, _SHARED_PLACES = 0.4, 0.12, 0.5
_GENERATED = re.compile(r"(?:id|index-?|module-)\d+", re.I)
_FOUND = 30


@dataclass(frozen=True)
class Pair:
    """A passage in both releases, or in one; `same` if in the same words but for their names."""

    before: Record | None
    after: Record | None
    same: bool = False

    @property
    def sides(self) -> tuple[Record, ...]:
        """The passages there are, the older one first."""
        return tuple(side for side in (self.before, self.after) if side is not None)


def pages_with(corpus: Corpus, terms: Iterable[str], limit: int) -> list[StoredPage]:
    """The pages of the best `limit` search chunks for some terms, best first, each once."""
    hits = corpus.lexical(list(terms), limit)
    chunks = corpus.chunks([chunk for chunk, _ in hits])
    return [corpus.page(i) for i in dict.fromkeys(chunks[chunk].page_id for chunk, _ in hits)]


def passages(pages: Iterable[StoredPage]) -> list[Record]:
    """The passages of pages in order: sentences, table rows, parameters, signatures."""
    return [record for page in pages for record in records(page, together=0)]


def term_of(record: Record) -> str:
    """What a row or a definition is called where it stands: a row's first cell, a parameter."""
    if record.cells:
        return record.cells[0][1]
    if record.kind == BlockKind.TABLE_ROW:
        return record.quote.split(CELL_DELIMITER)[0]
    term = (
        _TERM_END.split(record.quote, maxsplit=1)[0] if record.kind == BlockKind.DEFINITION else ""
    )
    return term.split("=")[0] if len(term) <= 80 else ""


def name_of(record: Record) -> str:
    """The name by which a passage is found again: its term, or the owner of a signature."""
    if record.kind == BlockKind.SIGNATURE and record.path:
        return plain(record.path[-1])
    term = plain(term_of(record))
    return term if any(map(str.isalpha, term)) else ""


def numbers_in(text: str) -> list[str]:
    """The numbers of releases that a heading may name: 17.10 and 1.4.2, but no 5."""
    return re.findall(r"(?<![\w.])v?(\d+(?:\.\d+)+\w*)", text)


def has_words(corpus: Corpus, record: Record) -> bool:
    """Whether a release has the words of a record letter for letter."""
    return any(record.quote in page.text for page in pages_with(corpus, tokens(record.quote), 8))


def standing_in(corpus: Corpus, record: Record) -> Record | None:
    """The passage of a release that says the same on whatever page."""
    text, name = plain(record.quote), name_of(record)
    terms = list(dict.fromkeys(tokens(record.quote)))[:40]
    others = (r for r in passages(pages_with(corpus, terms, 4)) if name_of(r) == name)
    same = (r for r in others if fuzz.ratio(text, plain(r.quote), score_cutoff=_OTHER_SECTION))
    return next(same, None)


def counterpart(document: StoredDocument, here: Corpus, there: Corpus) -> StoredDocument | None:
    """The document of the same file name in another release with most of its headings."""
    name = PurePosixPath(document.file).name
    named = [d for d in there.documents() if PurePosixPath(d.file).name == name]
    if len(named) == 1:
        return named[0]
    own = _places(here.pages_of(document.id), here.release)
    near = nlargest(_CANDIDATES, named, key=lambda d: fuzz.ratio(d.file, document.file))
    shared = [(_shared(own, _places(there.pages_of(d.id), there.release)), d) for d in near]
    most, found = max(shared, key=lambda pair: pair[0], default=(0.0, None))
    return found if most else None


def _heading(heading: str, release: str) -> str:
    """A heading as it is compared: "4.2 Timers of 1.0" and "6.1 Timers of 2.0" are the same."""
    return plain(_NUMBERING.sub("", heading.replace(release, "")))


class _Compared:
    """A passage with what it is compared by, without the name of its release."""

    def __init__(self, record: Record, release: str) -> None:
        text = plain(record.quote.replace(release, "#"))
        self.record = record
        self.section = tuple(_heading(heading, release) for heading in record.path[1:])
        self.text = text.replace("new in version", "added in version")
        self.name = name_of(record)
        # What versions of a passage have in common, the surest first; None for "none".
        by_name = (self.section, self.name) if self.name else None
        self.keys: tuple[Hashable, ...] = (self.section, self.text), self.text, by_name


def pair_passages(
    before: Iterable[Record], after: Iterable[Record], releases: tuple[str, str]
) -> list[Pair]:
    """Pair the passages of a document in two releases, in the order of the newer one.

    In turn, those that are left: word for word in the same section, word for word anywhere, by
    name in the same section, and by similarity. Those only in the older release come last.
    """
    old = [_Compared(record, releases[0]) for record in before]
    new = [_Compared(record, releases[1]) for record in after]
    partner: dict[_Compared, _Compared] = {}
    left = old
    for n in range(3):
        waiting: dict[Hashable, list[_Compared]] = {}
        for passage in left:
            waiting.setdefault(passage.keys[n], []).append(passage)
        for passage in new:
            key = passage.keys[n]
            if key is not None and passage not in partner and waiting.get(key):
                partner[passage] = waiting[key].pop(0)
        left = [passage for rest in waiting.values() for passage in rest]
    partner |= _alike(left, [passage for passage in new if passage not in partner])
    pairs = []
    for passage in new:
        origin = partner.get(passage)
        before_it, same = (origin.record, origin.text == passage.text) if origin else (None, False)
        pairs.append(Pair(before_it, passage.record, same))
    kept = set(partner.values())
    return pairs + [Pair(passage.record, None) for passage in old if passage not in kept]


def _alike(left: Sequence[_Compared], free: Sequence[_Compared]) -> dict[_Compared, _Compared]:
    apart = len(left) * len(free) > _MOST_COMPARED
    scored = []
    for one, other in product(left, free):
        beside = one.section == other.section
        if one.record.kind != other.record.kind or (apart and not beside):
            continue
        if beside and one.name and other.name:
            continue
        least = _SAME_SECTION if beside else _OTHER_SECTION
        if score := fuzz.ratio(one.text, other.text, score_cutoff=least):
            scored.append((score, one, other))
    found: dict[_Compared, _Compared] = {}
    for _, one, other in sorted(scored, key=lambda pair: -pair[0]):
        if other not in found and one not in found.values():
            found[other] = one
    return found


def changed_cells(rows: Sequence[Record]) -> list[tuple[str, list[str]]]:
    """The cells in which versions of a table row differ, by header, units with their numbers."""
    if not all(row.cells for row in rows):
        return []
    cells = [dict(with_units(row.cells)) for row in rows]
    values = (
        (header, [own.get(header, "") for own in cells])
        for header in dict.fromkeys(chain.from_iterable(cells))
    )
    return [(header, told) for header, told in values if len(set(map(plain, told))) > 1]


def excerpts(texts: Sequence[str], *, longest: int = 160, around: int = 6) -> list[str]:
    """Versions of a long text without what all share at both ends, but for `around` words."""
    if max(map(len, texts)) <= longest:
        return list(texts)
    words = [text.split() for text in texts]
    head = min(Prefix.similarity(words[0], other) for other in words)
    tail = min(Postfix.similarity(words[0][head:], other[head:]) for other in words)
    cut, kept = max(head - around, 0), max(tail - around, 0)
    shown = (" ".join(own[cut : len(own) - kept]) for own in words)
    return [f"{'… ' if cut else ''}{part}{' …' if kept else ''}" for part in shown]


@dataclass(frozen=True)
class Differences:
    """What differs between two pages, in the newer one's order, and the passages that do not."""

    changed: tuple[Pair, ...]
    added: tuple[Record, ...]
    removed: tuple[Record, ...]
    same: tuple[Pair, ...]


def differences(older: tuple[Corpus, StoredPage], newer: tuple[Corpus, StoredPage]) -> Differences:
    """Compare two pages, and the pages around them, passage by passage."""
    (old, before), (new, after) = older, newer
    found = pair_passages(
        passages(_around(old, before)), passages(_around(new, after)), (old.release, new.release)
    )
    shown = {before.id, after.id}
    pairs = [p for p in found if shown & {side.page.id for side in p.sides}]
    added = (p.after for p in pairs if p.before is None and p.after)
    removed = (p.before for p in pairs if p.after is None and p.before)
    return Differences(
        changed=tuple(p for p in pairs if len(p.sides) == 2 and not p.same),
        added=tuple(r for r in added if standing_in(old, r) is None),
        removed=tuple(r for r in removed if standing_in(new, r) is None),
        same=tuple(p for p in pairs if p.same),
    )


def _around(corpus: Corpus, page: StoredPage) -> Iterator[StoredPage]:
    ids = (page.previous_id, page.id, page.next_id)
    return (corpus.page(i) for i in ids if i is not None)


def same_page(page: StoredPage, here: Corpus, there: Corpus) -> StoredPage | None:
    """The page of the release `there` that is this page of `here`; None if it has none."""
    document = counterpart(page.document, here, there)
    near = there.pages_of(document.id) if document else ()
    if (found := _most_alike(page, near, here, there)) is not None:
        return found
    words = [token for token in dict.fromkeys(tokens(page.text)) if there.frequency(token)]
    words.sort(key=here.idf, reverse=True)
    return _most_alike(page, pages_with(there, words[:_FOUND], _FOUND), here, there)


def _most_alike(
    page: StoredPage, others: Iterable[StoredPage], here: Corpus, there: Corpus
) -> StoredPage | None:
    places, words = _places([page], here.release), _word_pairs(page, here.release)
    best, found = 0.0, None
    for other in others:
        under = _shared(places, _places([other], there.release))
        alike = _shared(words, _word_pairs(other, there.release))
        least = _ALIKE_UNDER_THE_SAME if under >= _SHARED_PLACES else _ALIKE
        if alike >= least and under + alike > best:
            best, found = under + alike, other
    return found


def _places(pages: Iterable[StoredPage], release: str) -> Counter[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for page in pages:
        headings = {h for block in page.blocks for h in block.path if h != page.document.title}
        found |= {("heading", _heading(h, release)) for h in headings}
        found |= {("anchor", a) for a in page.anchors if not _GENERATED.fullmatch(a)}
    return Counter(found)


def _word_pairs(page: StoredPage, release: str) -> Counter[tuple[str, str]]:
    return Counter(pairwise(plain(page.text.replace(release, "")).split()))


def _shared(one: Counter[tuple[str, str]], other: Counter[tuple[str, str]]) -> float:
    """What both have in common, 0 to 1 (Dice)."""
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0
