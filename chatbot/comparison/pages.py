"""The pages of two releases, passage by passage; what differs is computed, never guessed."""

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from rapidfuzz import fuzz
from rapidfuzz.distance import Indel, Postfix

from chatbot.retrieval.records import records
from chatbot.retrieval.support import plain
from chatbot.turn import Record
from corpora.indexing.corpus import Corpus
from corpora.indexing.pages import StoredDocument, StoredPage
from ingestion.page import BlockKind

_NUMBERING = re.compile(r"^\s*(?:\d+(?:\.\d+)*\.?|[A-Z]\.\d+(?:\.\d+)*)\s+")
TERM_END = re.compile(r"\s[–—-]+\s|:\s")
_CODE = re.compile(
    r"(?<!`)(``?)(?!`)([^`\n]{1,80})\1(?![`_])|<code[^>]{0,60}>([^<\n]{1,80})</code>"
)
"""In Markdown, reStructuredText (where "`name`_" is a link) and HTML."""
_SAME_SECTION, _ELSEWHERE = 55.0, 85.0
"""Similarity, 0 to 100, from which two passages are versions of each other."""
_LARGEST = 4_000_000
_SAME_PAGE = 0.5
"""The share of words in the same order from which two pages are."""


@dataclass(frozen=True)
class PassagePair:
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


def file_text(corpus: Corpus, content_hash: str) -> str:
    """A file of a corpus as text, with its marks, which pages do not keep; "" if it is not kept."""
    try:
        return corpus.original(content_hash)[:_LARGEST].decode("utf-8", "ignore")
    except LookupError:
        return ""


def marked_as_code(corpus: Corpus, content_hash: str) -> set[str]:
    """What a file of a corpus marks as code within its text, as it is written there."""
    return {match[2] or match[3] for match in _CODE.finditer(file_text(corpus, content_hash))}


def passages(pages: Iterable[StoredPage]) -> list[Record]:
    """The passages of pages in order: sentences, table rows, parameters, signatures."""
    return [record for page in pages for record in records(page, together=0)]


def term_of(record: Record) -> str:
    """The term of a row or definition: the first cell, or the parameter's name."""
    if record.cells or record.kind != BlockKind.DEFINITION:
        return record.cells[0][1] if record.cells else ""
    term = TERM_END.split(record.quote, maxsplit=1)[0]
    return term.split("=")[0] if len(term) <= 80 else ""


def name_of(record: Record) -> str:
    """The name by which a passage is found again: its term, or the owner of a signature."""
    if record.kind == BlockKind.SIGNATURE and record.path:
        return plain(record.path[-1])
    term = plain(term_of(record))
    return term if any(map(str.isalpha, term)) else ""


def compared_text(record: Record, release: str) -> str:
    """The words by which a passage is compared: all but the name of its release."""
    return plain(record.quote.replace(release, "#"))


def standing_in(corpus: Corpus, record: Record) -> Record | None:
    """The passage of a release that says the same on whatever page."""
    text, name = plain(record.quote), name_of(record)
    near = passages(pages_with(corpus, corpus.terms(record.quote), 4))
    others = (r for r in near if name_of(r) == name)
    return next((r for r in others if fuzz.ratio(text, plain(r.quote)) >= _ELSEWHERE), None)


def counterpart(document: StoredDocument, there: Corpus) -> StoredDocument | None:
    """The document of another release whose path ends most alike, from its file name on."""
    own = PurePosixPath(document.file).parts
    alike = [(Postfix.similarity(own, PurePosixPath(d.file).parts), d) for d in there.documents()]
    most = max((shared for shared, _ in alike), default=0)
    best = [other for shared, other in alike if shared == most]
    return best[0] if most and len(best) == 1 else None


def section_of(path: Sequence[str], release: str) -> tuple[str, ...]:
    """A path of headings as it is compared: without title, numbers and the name of the release."""
    return tuple(plain(_NUMBERING.sub("", part.replace(release, ""))) for part in path[1:])


class _Compared:
    """A passage with the text that it is compared by."""

    def __init__(self, record: Record, release: str) -> None:
        self.record, self.name = record, name_of(record)
        self.section = section_of(record.path, release)
        self.text = compared_text(record, release)
        # What versions of a passage have in common, the surest first; None for "none".
        by_name = (self.section, self.name) if self.name else None
        self.keys: tuple[Hashable, ...] = (self.section, self.text), self.text, by_name


def pair_passages(
    before: Iterable[Record], after: Iterable[Record], releases: tuple[str, str]
) -> list[PassagePair]:
    """Pair the passages of a document in two releases, in the order of the newer one.

    In turn, those that are left: word for word in the same section, word for word anywhere, by
    name in the same section, and by similarity in it. Those only in the older release come last.
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
        same = origin is not None and origin.text == passage.text
        pairs.append(PassagePair(origin.record if origin else None, passage.record, same))
    kept = set(partner.values())
    return pairs + [PassagePair(passage.record, None) for passage in old if passage not in kept]


def _alike(left: Iterable[_Compared], free: Iterable[_Compared]) -> dict[_Compared, _Compared]:
    """Each unnamed passage with the most similar free one of the same section."""
    waiting: dict[Hashable, list[_Compared]] = {}
    for one in left:
        if not one.name:
            waiting.setdefault((one.section, one.record.kind), []).append(one)
    partners: dict[_Compared, _Compared] = {}
    for other in free:
        near = [] if other.name else waiting.get((other.section, other.record.kind), [])
        best = max(near, key=lambda one: fuzz.ratio(one.text, other.text), default=None)
        if best and fuzz.ratio(best.text, other.text) >= _SAME_SECTION:
            near.remove(best)
            partners[other] = best
    return partners


@dataclass(frozen=True)
class Differences:
    """The differing passages of two pages, in the newer one's order, and the equal ones."""

    changed: tuple[PassagePair, ...]
    added: tuple[Record, ...]
    removed: tuple[Record, ...]
    same: tuple[PassagePair, ...]


def differences(older: tuple[Corpus, StoredPage], newer: tuple[Corpus, StoredPage]) -> Differences:
    """Compare two pages, and the pages around them, passage by passage."""
    (old, before), (new, after) = older, newer
    around = passages(_around(old, before)), passages(_around(new, after))
    shown = {before.id, after.id}
    pairs = [
        pair
        for pair in pair_passages(*around, (old.release, new.release))
        if shown & {side.page.id for side in pair.sides}
    ]
    added = (p.after for p in pairs if p.before is None and p.after)
    removed = (p.before for p in pairs if p.after is None and p.before)
    return Differences(
        changed=tuple(p for p in pairs if p.before and p.after and not p.same),
        added=tuple(r for r in added if standing_in(old, r) is None),
        removed=tuple(r for r in removed if standing_in(new, r) is None),
        same=tuple(p for p in pairs if p.same),
    )


def _around(corpus: Corpus, page: StoredPage) -> list[StoredPage]:
    ids = (page.previous_id, page.id, page.next_id)
    return [corpus.page(i) for i in ids if i is not None]


def same_page(page: StoredPage, here: Corpus, there: Corpus) -> StoredPage | None:
    """The page of the release `there` with most words of this one of `here`, in their order."""
    document = counterpart(page.document, there)
    rare = [token for token in there.terms(page.text) if there.frequency(token)]
    rare.sort(key=here.idf, reverse=True)
    candidates = [
        *(there.pages_of(document.id) if document else ()),
        *pages_with(there, rare[:30], 30),
    ]
    own = _words(page, here)
    alike = [
        (Indel.normalized_similarity(own, _words(other, there)), other) for other in candidates
    ]
    share, best = max(alike, key=lambda pair: pair[0], default=(0.0, None))
    return best if share >= _SAME_PAGE else None


def _words(page: StoredPage, corpus: Corpus) -> list[str]:
    return plain(page.text.replace(corpus.release, "")).split()
