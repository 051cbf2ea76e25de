"""The passages of one generation in memory: found by their words, by their name, by likeness."""

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import PurePosixPath
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from chatbot.comparison.pages import TERM_END, name_of, passages, section_of
from chatbot.comparison.plain_words import (
    END,
    Words,
    joined,
    sentences_of,
    without_release,
    words_of,
)
from chatbot.retrieval.support import LONGEST_QUOTE
from chatbot.turn import Citation, Record
from corpora.database.engine import Database
from corpora.indexing.pages import StoredDocument, read_generation
from ingestion.page import CELL_DELIMITER, BlockKind, DocumentKind

_IN_BRACKETS = re.compile(r"[(\[]([^)\]]*)[)\]]")
_MOST_WORDS = 14
"""The rarest words of a passage by which others like it are looked for."""
_MOST_NAMED = 48
_MOST_POSTINGS = 30_000
_AROUND = 3
"""Passages before and behind one that are read with it, since sentences are cut anew."""

Section = tuple[str, ...]
"""The headings above a passage, and what owns it, as they are compared; without the title."""
Place = tuple[Section, str]
"""All headings, or the last of them with the name of the file, whatever its folder and format."""


@dataclass(frozen=True, slots=True, eq=False)
class Passage:
    """A sentence, a row, an entry or a listing of a release, by its `number` in the index.

    `masked` are its words without the name of its release.
    """

    number: int
    page_id: int
    quote: str
    kind: BlockKind
    name: str
    words: Words
    masked: Words
    path: tuple[str, ...]
    section: Section
    places: tuple[Place, ...]
    document: StoredDocument

    @property
    def cells(self) -> tuple[Words, ...]:
        """The words of the cells of a row."""
        return tuple(words_of(cell) for cell in self.quote.split(CELL_DELIMITER))


class Said(NamedTuple):
    """Passages in the same words: their numbers with their places, and the first at each place."""

    passages: tuple[tuple[int, tuple[Place, ...]], ...]
    at: Mapping[Place, int]


def entry_name(record: Record) -> str:
    """The name of a row, an option or a signature; a sentence of a long entry has none."""
    if record.kind == BlockKind.DEFINITION and not TERM_END.search(record.quote):
        return ""
    return name_of(record)


def record_words(record: Record) -> Words:
    """The words of a passage; of a row with the units that its header has in brackets."""
    return words_of(record.quote, is_code=record.kind == BlockKind.CODE) + _units(record)


def _units(record: Record) -> Words:
    return words_of(
        " ".join(unit for header, _ in record.cells for unit in _IN_BRACKETS.findall(header))
    )


def _without_ends(said: Words) -> Words:
    return tuple(word for word in said if word != END)


class PassageIndex:
    """The passages of a generation, which never changes; safe to share between threads.

    Takes about a kilobyte a passage. `pages` are the ids of the pages that it serves. Texts are cut
    into words once, here, since an answer is held against hundreds of passages.
    """

    def __init__(
        self,
        product: str,
        release: str,
        documents: Iterable[tuple[StoredDocument, Sequence[Record], Sequence[tuple[int, int]]]],
    ) -> None:
        self.product, self.release = product, release
        self.pages: dict[int, tuple[StoredDocument, int]] = {}
        self._of_page: dict[int, tuple[int, int]] = {}
        paths: dict[tuple[str, ...], int] = {}
        names: dict[str, int] = {"": 0}
        vocabulary: dict[str, int] = {}
        kinds = list(BlockKind)
        text, ends = bytearray(), array("q", [0])
        rows: tuple[array[int], ...] = tuple(array("i") for _ in range(4))
        postings = array("i"), array("i")
        self._by_words: dict[int, list[int]] = defaultdict(list)
        self._by_name: dict[str, list[int]] = defaultdict(list)
        self._anchors: dict[int, str | None] = {}
        self._said: list[Words] = []
        self._words: list[Words] = []
        self._masked: dict[int, Words] = {}
        self._places: list[tuple[Place, ...]] = []
        places: dict[tuple[tuple[str, ...], str], tuple[Place, ...]] = {}
        shared: dict[str, str] = {}
        for document, records, numbers in documents:
            for page_id, number in numbers:
                self.pages[page_id] = document, number
            for record in records:
                n, page_id = len(self._words), record.page.id
                is_code = record.kind == BlockKind.CODE
                quote = record.quote
                said = tuple(shared.setdefault(w, w) for w in sentences_of([quote]))
                words = words_of(quote, is_code=True) if is_code else _without_ends(said)
                words += _units(record)
                self._said.append(said)
                self._words.append(words)
                masked = without_release(words, release, product)
                if masked is not words:
                    self._masked[n] = masked
                for form in {words, masked}:
                    self._by_words[hash(form)].append(n)
                if name := entry_name(record):
                    self._by_name[name].append(n)
                text += record.quote.encode()
                ends.append(len(text))
                row = (
                    page_id,
                    kinds.index(BlockKind(record.kind)),
                    paths.setdefault(record.path, len(paths)),
                    names.setdefault(name, len(names)),
                )
                for column, value in zip(rows, row, strict=True):
                    column.append(value)
                self._anchors[paths[record.path]] = record.anchor
                place = record.path, document.file
                if place not in places:
                    places[place] = places_of(section_of(record.path, release), document.file)
                self._places.append(places[place])
                first, _ = self._of_page.get(page_id, (n, n))
                self._of_page[page_id] = first, n + 1
                for word in set(masked):
                    postings[0].append(vocabulary.setdefault(word, len(vocabulary)))
                    postings[1].append(n)
        self._text = bytes(text)
        self._ends, self._rows = ends, rows
        self._paths, self._names, self._kinds = list(paths), list(names), kinds
        self._section_of_path = [section_of(path, release) for path in paths]
        self._vocabulary = vocabulary
        of_word = np.array(postings[0], dtype=np.int32)
        order = np.argsort(of_word, kind="stable")
        self._postings = np.array(postings[1], dtype=np.int32)[order]
        self._begins = np.searchsorted(of_word[order], np.arange(len(vocabulary) + 1))
        self._read = lru_cache(1024)(self._passage)
        self._sentences = lru_cache(1024)(self._around)
        self._saying = lru_cache(1024)(self._said_in)

    def __len__(self) -> int:
        return len(self._words)

    def passage(self, number: int) -> Passage:
        """A passage by its number."""
        found: Passage = self._read(number)
        return found

    def _passage(self, number: int) -> Passage:
        page_ids, kinds, paths, names = self._rows
        page_id, path, words = page_ids[number], paths[number], self._words[number]
        return Passage(
            number=number,
            page_id=page_id,
            quote=self._text[self._ends[number] : self._ends[number + 1]].decode(),
            kind=self._kinds[kinds[number]],
            name=self._names[names[number]],
            words=words,
            masked=self._masked.get(number, words),
            path=self._paths[path],
            section=self._section_of_path[path],
            places=self._places[number],
            document=self.pages[page_id][0],
        )

    def of_page(self, page_id: int) -> list[Passage]:
        """The passages of a page in their order; none of a page that does not serve."""
        return [self.passage(n) for n in range(*self._of_page.get(page_id, (0, 0)))]

    def saying(self, words: Words, masked: Words) -> Said:
        """The passages in just these words, or in these but for the name of their release."""
        found: Said = self._saying(words, masked)
        return found

    def _said_in(self, words: Words, masked: Words) -> Said:
        numbers = dict.fromkeys(
            n for said in (words, masked) for n in self._by_words.get(hash(said), ())
        )
        found = tuple(
            (n, self._places[n])
            for n in numbers
            if self._words[n] == words or self._masked.get(n, self._words[n]) == masked
        )
        at: dict[Place, int] = {}
        for n, places in found:
            for place in places:
                at.setdefault(place, n)
        return Said(found, at)

    def says(self, words: Words, masked: Words) -> bool:
        """Whether any passage is in these words; told by their hashes alone."""
        return hash(words) in self._by_words or hash(masked) in self._by_words

    def named(self, name: str) -> list[Passage]:
        """The entries of this name, at most some dozens."""
        return [self.passage(n) for n in self._by_name.get(name, ())[:_MOST_NAMED]]

    def like(self, words: Words, most: int) -> list[Passage]:
        """The passages that have most of the rare words, best first."""
        known = [self._vocabulary[word] for word in set(words) if word in self._vocabulary]
        counts = {word: int(self._begins[word + 1] - self._begins[word]) for word in known}
        scores: npt.NDArray[np.float32] | None = None
        left = _MOST_POSTINGS
        total = max(len(self), 1)
        for word in sorted(known, key=counts.__getitem__)[:_MOST_WORDS]:
            left -= counts[word]
            if left < 0 and scores is not None:
                break
            if scores is None:
                scores = np.zeros(total, dtype=np.float32)
            found = self._postings[self._begins[word] : self._begins[word + 1]]
            scores[found] += np.log(1 + total / counts[word])
        if scores is None:
            return []
        best = np.argpartition(-scores, min(most, total) - 1)[:most]
        ordered = best[np.argsort(-scores[best], kind="stable")]
        return [self.passage(int(n)) for n in ordered if scores[n] > 0]

    def around(self, passage: Passage) -> tuple[str, ...]:
        """The sentences of a passage and of those beside it on its page, as they are joined.

        A second time without the name of this release, where they have it.
        """
        found: tuple[str, ...] = self._sentences(passage.number)
        return found

    def _around(self, n: int) -> tuple[str, ...]:
        first, behind = self._of_page[self._rows[0][n]]
        near = self._said[max(first, n - _AROUND) : min(behind, n + _AROUND + 1)]
        # Each begins and ends with an END.
        words = END, *chain.from_iterable(part[1:] for part in near)
        masked = without_release(words, self.release, self.product)
        return tuple(map(joined, (words,) if masked is words else (words, masked)))

    def cite(self, passage: Passage) -> Citation:
        """The citation of a passage of this release."""
        document, number = self.pages[passage.page_id]
        path = self._rows[2][passage.number]
        return Citation(
            document=document.title,
            file=document.file,
            release=self.release,
            page=number,
            section=" › ".join(self._paths[path]),
            anchor=self._anchors[path],
            quote=passage.quote[:LONGEST_QUOTE],
            page_id=passage.page_id,
        )


def read_index(database: Database, product: str, release: str, generation: int) -> PassageIndex:
    """The index of a generation, read from the database document by document."""
    return PassageIndex(
        product,
        release,
        (
            (document, passages(pages), [(page.id, page.number) for page in pages])
            for document, pages in read_generation(database, generation)
        ),
    )


def is_notes(passage: Passage) -> bool:
    """Whether a passage tells of changes, and documents nothing itself."""
    return passage.document.kind is DocumentKind.RELEASE_NOTES


def places_of(section: Section, file: str) -> tuple[Place, ...]:
    """The places of a passage; two passages that have one in common stand in one place."""
    below = section[-1:], PurePosixPath(file).stem
    return ((section, ""), below) if section else (below,)
