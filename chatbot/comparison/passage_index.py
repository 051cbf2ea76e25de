"""The passages of one generation in memory: found by their words, by their name, by likeness."""

import re
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import PurePosixPath

import numpy as np
import numpy.typing as npt

from chatbot.comparison.pages import name_of, passages
from chatbot.comparison.plain_words import END, Words, sentences_of, without_release, words_of
from chatbot.retrieval.support import LONGEST_QUOTE, plain
from chatbot.turn import Citation, Record
from corpora.database.engine import Database
from corpora.indexing.pages import StoredDocument, read_generation
from ingestion.page import CELL_DELIMITER, BlockKind, DocumentKind

_NUMBERING = re.compile(r"^\s*(?:\d+(?:\.\d+)*\.?|[A-Z]\.\d+(?:\.\d+)*)\s+")
_IN_BRACKETS = re.compile(r"[(\[]([^)\]]*)[)\]]")
_TERM = re.compile(r"\s[–—-]+\s|:\s")
_MOST_WORDS = 14
"""The rarest words of a passage by which others like it are looked for."""
_MOST_NAMED = 48
_MOST_POSTINGS = 30_000
_AROUND = 3
"""Passages before and behind one that are read with it, since sentences are cut anew."""

Section = tuple[str, ...]
"""The headings above a passage, and what owns it, as they are compared; without the title."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence, a row, an entry or a listing of a release, by its `number` in the index."""

    number: int
    page_id: int
    quote: str
    kind: BlockKind
    name: str
    words: Words
    path: tuple[str, ...]
    section: Section
    document: StoredDocument

    @property
    def cells(self) -> tuple[Words, ...]:
        """The words of the cells of a row."""
        return tuple(words_of(cell) for cell in self.quote.split(CELL_DELIMITER))


def section_of(path: Sequence[str], release: str) -> Section:
    """A path of headings as it is compared: without title, numbers and the name of the release."""
    return tuple(plain(_NUMBERING.sub("", part.replace(release, ""))) for part in path[1:])


def entry_name(record: Record) -> str:
    """The name of a row, an option or a signature; a sentence of a long entry has none."""
    if record.kind == BlockKind.DEFINITION and not _TERM.search(record.quote):
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
        rows: list[tuple[int, int, int, int]] = []
        postings = array("i"), array("i")
        self._by_words: dict[int, list[int]] = defaultdict(list)
        self._by_name: dict[str, list[int]] = defaultdict(list)
        self._anchors: dict[int, str | None] = {}
        self._units: dict[int, Words] = {}
        self._said: list[Words] = []
        shared: dict[str, str] = {}
        for document, records, numbers in documents:
            for page_id, number in numbers:
                self.pages[page_id] = document, number
            for record in records:
                n, page_id = len(rows), record.page.id
                is_code = record.kind == BlockKind.CODE
                quote = record.quote
                said = words_of(quote, is_code=True) if is_code else sentences_of([quote])
                self._said.append(tuple(shared.setdefault(word, word) for word in said))
                words = said if is_code else _without_ends(said)
                if units := _units(record):
                    self._units[n] = units
                    words += units
                masked = without_release(words, release, product)
                for form in {words, masked}:
                    self._by_words[hash(form)].append(n)
                if name := entry_name(record):
                    self._by_name[name].append(n)
                text += record.quote.encode()
                ends.append(len(text))
                rows.append(
                    (
                        page_id,
                        kinds.index(BlockKind(record.kind)),
                        paths.setdefault(record.path, len(paths)),
                        names.setdefault(name, len(names)),
                    )
                )
                self._anchors[paths[record.path]] = record.anchor
                first, _ = self._of_page.get(page_id, (n, n))
                self._of_page[page_id] = first, n + 1
                for word in set(masked):
                    postings[0].append(vocabulary.setdefault(word, len(vocabulary)))
                    postings[1].append(n)
        self._text = bytes(text)
        self._ends = np.array(ends, dtype=np.int64)
        self._rows = np.array(rows, dtype=np.int32).reshape(-1, 4)
        self._paths, self._names, self._kinds = list(paths), list(names), kinds
        self._section_of_path = [section_of(path, release) for path in paths]
        self._vocabulary = vocabulary
        of_word = np.array(postings[0], dtype=np.int32)
        order = np.argsort(of_word, kind="stable")
        self._postings = np.array(postings[1], dtype=np.int32)[order]
        self._begins = np.searchsorted(of_word[order], np.arange(len(vocabulary) + 1))
        self._read = lru_cache(1024)(self._passage)
        self._sentences = lru_cache(1024)(self._around)

    def __len__(self) -> int:
        return len(self._rows)

    def passage(self, number: int) -> Passage:
        """A passage by its number."""
        found: Passage = self._read(number)
        return found

    def _passage(self, number: int) -> Passage:
        page_id, kind, path, name = (int(value) for value in self._rows[number])
        said = self._said[number]
        own = said if self._kinds[kind] is BlockKind.CODE else _without_ends(said)
        return Passage(
            number=number,
            page_id=page_id,
            quote=self._text[self._ends[number] : self._ends[number + 1]].decode(),
            kind=self._kinds[kind],
            name=self._names[name],
            words=own + self._units.get(number, ()),
            path=self._paths[path],
            section=self._section_of_path[path],
            document=self.pages[page_id][0],
        )

    def of_page(self, page_id: int) -> list[Passage]:
        """The passages of a page in their order; none of a page that does not serve."""
        return [self.passage(n) for n in range(*self._of_page.get(page_id, (0, 0)))]

    def saying(self, words: Words, masked: Words) -> Iterator[Passage]:
        """The passages in just these words, or in these but for the name of their release."""
        found = dict.fromkeys(
            n for said in (words, masked) for n in self._by_words.get(hash(said), ())
        )
        read = map(self.passage, found)
        return (p for p in read if p.words == words or self.masked(p) == masked)

    def says(self, words: Words, masked: Words) -> bool:
        """Whether any passage is in these words; told by their hashes alone."""
        return hash(words) in self._by_words or hash(masked) in self._by_words

    def masked(self, passage: Passage) -> Words:
        """The words of a passage without the name of this release."""
        return without_release(passage.words, self.release, self.product)

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

    def around(self, passage: Passage) -> Words:
        """The sentences of a passage and of those beside it on its page."""
        found: Words = self._sentences(passage.number)
        return found

    def _around(self, n: int) -> Words:
        first, behind = self._of_page[self.passage(n).page_id]
        near = map(self.passage, range(max(first, n - _AROUND), min(behind, n + _AROUND + 1)))
        # Each begins and ends with an END.
        parts = (
            sentences_of([p.quote]) if p.kind is BlockKind.CODE else self._said[p.number]
            for p in near
        )
        return END, *chain.from_iterable(part[1:] for part in parts)

    def cite(self, passage: Passage) -> Citation:
        """The citation of a passage of this release."""
        document, number = self.pages[passage.page_id]
        path = int(self._rows[passage.number][2])
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


def same_file(one: str, other: str) -> bool:
    """Whether two files have the same name, whatever their folder and format."""
    return PurePosixPath(one).stem == PurePosixPath(other).stem
