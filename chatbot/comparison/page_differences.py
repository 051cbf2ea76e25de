"""What differs between the pages of two releases, passage by passage; computed, never guessed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from chatbot.retrieval.provenance import plain
from chatbot.retrieval.records import records, with_units
from chatbot.turn import Record
from corpora.indexing.corpus import Corpus
from corpora.indexing.pages import StoredDocument
from ingestion.page import CELL_DELIMITER, BlockKind

_NUMBERING = re.compile(r"^\s*(?:\d+(?:\.\d+)*\.?|[A-Z]\.\d+(?:\.\d+)*)\s+")
_TERM_END = re.compile(r"\s[–—-]+\s|:\s")
_MOST_COMPARED = 200_000
_CANDIDATES = 4
SAME_SECTION = 55.0
"""Similarity, 0 to 100, from which two passages of one section are versions of each other."""
ELSEWHERE = 85.0
"""The same for passages of different sections."""


@dataclass(frozen=True)
class Pair:
    """A passage in the older and in the newer release; None where it has no counterpart.

    `same` says whether both are in the same words, but for the names of the releases.
    """

    before: Record | None
    after: Record | None
    same: bool = False

    @property
    def sides(self) -> tuple[Record, ...]:
        """The passages there are, the older one first."""
        return tuple(side for side in (self.before, self.after) if side is not None)


def passages(corpus: Corpus, document: StoredDocument) -> list[Record]:
    """The passages of a document in order: sentences, table rows, parameters, signatures."""
    pages = corpus.pages_of(document.id)
    return [record for page in pages for record in records(page, together=0)]


def counterpart(document: StoredDocument, here: Corpus, there: Corpus) -> StoredDocument | None:
    """The same document in another release: the one with most of its anchors and headings.

    Documents of the same path or file name are looked at; None where none of them shares any.
    """
    from rapidfuzz import fuzz

    name = PurePosixPath(document.file).name
    named = [d for d in there.documents() if PurePosixPath(d.file).name == name]
    named.sort(key=lambda d: -fuzz.ratio(d.file, document.file))
    if len(named) == 1:
        return named[0]
    own = _headings(here, document)
    shared = [(len(own & _headings(there, other)), other) for other in named[:_CANDIDATES]]
    best = max(shared, key=lambda pair: pair[0], default=(0, None))
    return best[1] if best[0] else None


def _headings(corpus: Corpus, document: StoredDocument) -> set[str]:
    blocks = [block for page in corpus.pages_of(document.id) for block in page.blocks]
    return {plain(without_numbering(b.path[-1])) for b in blocks if b.path}


def without_numbering(heading: str) -> str:
    """A heading without the number in front of it: "4.2 Timers" and "6.1 Timers" are the same."""
    return _NUMBERING.sub("", heading)


def pair_passages(
    old: Sequence[Record], new: Sequence[Record], releases: tuple[str, str]
) -> list[Pair]:
    """Pair the passages of a document in two releases, in the order of the newer one.

    In turn, those that are left: word for word in the same section, word for word anywhere, by
    name (a row's first cell, a parameter) in the same section, also under another title, and by
    similarity. Headings are compared without their numbers and the releases' names. Passages that
    are only in the older release come last.
    """
    sections = [_section(r, releases[0]) for r in old], [_section(r, releases[1]) for r in new]
    texts = [_wording(r, releases[0]) for r in old], [_wording(r, releases[1]) for r in new]
    names = [name_of(r) for r in old], [name_of(r) for r in new]
    partner: dict[int, int] = {}

    def match(key: Callable[[int, int], object]) -> None:
        """Pair those that are left and have equal keys; key(side, index) is None for "none"."""
        taken = set(partner.values())
        waiting: dict[object, list[int]] = {}
        for j in range(len(new)):
            if j not in taken and (k := key(1, j)) is not None:
                waiting.setdefault(k, []).append(j)
        for i in range(len(old)):
            if i not in partner and (k := key(0, i)) is not None and waiting.get(k):
                partner[i] = waiting[k].pop(0)

    match(lambda side, i: (sections[side][i], texts[side][i]))
    match(lambda side, i: texts[side][i])
    match(lambda side, i: (sections[side][i], names[side][i]) if names[side][i] else None)
    match(lambda side, i: (sections[side][i][1:], names[side][i]) if names[side][i] else None)
    left = [i for i in range(len(old)) if i not in partner]
    free = [j for j in range(len(new)) if j not in set(partner.values())]
    for i, j in _alike(left, free, old, new, sections, names, texts):
        partner[i] = j
    came_from = {j: i for i, j in partner.items()}
    pairs = [
        Pair(old[came_from[j]], r, same=texts[0][came_from[j]] == texts[1][j])
        if j in came_from
        else Pair(None, r)
        for j, r in enumerate(new)
    ]
    return pairs + [Pair(r, None) for i, r in enumerate(old) if i not in partner]


def _alike(
    left: Sequence[int],
    free: Sequence[int],
    old: Sequence[Record],
    new: Sequence[Record],
    sections: tuple[Sequence[tuple[str, ...]], Sequence[tuple[str, ...]]],
    names: tuple[Sequence[str], Sequence[str]],
    texts: tuple[Sequence[str], Sequence[str]],
) -> Iterable[tuple[int, int]]:
    """Pairs of the most similar passages of one kind, the most similar first."""
    from rapidfuzz import fuzz

    apart = len(left) * len(free) > _MOST_COMPARED
    scored = []
    for i in left:
        for j in free:
            one, other = sections[0][i], sections[1][j]
            together = one == other or (len(one) > 1 and one[1:] == other[1:])
            if old[i].kind != new[j].kind or (apart and not together):
                continue
            if together and names[0][i] and names[1][j]:
                continue
            least = SAME_SECTION if together else ELSEWHERE
            score = fuzz.ratio(texts[0][i], texts[1][j], score_cutoff=least)
            if score:
                scored.append((-score, i, j))
    used_old: set[int] = set()
    used_new: set[int] = set()
    for _, i, j in sorted(scored):
        if i not in used_old and j not in used_new:
            used_old.add(i)
            used_new.add(j)
            yield i, j


def name_of(record: Record) -> str:
    """What a passage is called where it stands: a row's first cell, a parameter, an owner."""
    if record.kind == BlockKind.TABLE_ROW:
        name = record.cells[0][1] if record.cells else record.quote.split(CELL_DELIMITER)[0]
        return "" if re.fullmatch(r"[\d.\s]*", name) else plain(name)
    if record.kind == BlockKind.DEFINITION:
        term = _TERM_END.split(record.quote, maxsplit=1)[0]
        return plain(term.split("=")[0]) if len(term) <= 80 else ""
    return plain(record.path[-1]) if record.kind == BlockKind.SIGNATURE and record.path else ""


def _wording(record: Record, release: str) -> str:
    """The text without what is no change of it: its own release, Sphinx's words for "new in"."""
    text = plain(record.quote.replace(release, "#"))
    return text.replace("new in version", "added in version")


def _section(record: Record, release: str) -> tuple[str, ...]:
    return tuple(plain(without_numbering(heading.replace(release, ""))) for heading in record.path)


def changed_cells(pair: Pair) -> list[tuple[str, str, str]]:
    """The cells of a table row that differ: (header, before, after), units with their numbers."""
    if pair.before is None or pair.after is None:
        return []
    old, new = (dict(with_units(side.cells)) for side in (pair.before, pair.after))
    headers = [h for h in {**old, **new} if plain(old.get(h, "")) != plain(new.get(h, ""))]
    return [(header, old.get(header, ""), new.get(header, "")) for header in headers]


def excerpts(before: str, after: str, *, around: int = 6) -> tuple[str, str]:
    """Two versions of a text without what they share at both ends, but for `around` words."""
    old, new = before.split(), after.split()
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    cut, kept = max(head - around, 0), max(tail - around, 0)

    def part(words: Sequence[str]) -> str:
        shown = " ".join(words[cut : len(words) - kept])
        return f"{'… ' if cut else ''}{shown}{' …' if kept else ''}"

    return part(old), part(new)


def _shared(old: Sequence[str], new: Sequence[str]) -> int:
    count = 0
    for one, other in zip(old, new, strict=False):
        if one != other:
            break
        count += 1
    return count
