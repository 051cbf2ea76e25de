"""Cited words looked for in another generation: there as they were, there in part, or gone."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from chatbot.retrieval.records import sentences
from chatbot.text.words import filtered
from chatbot.turn import Citation
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens
from corpora.indexing.pages import StoredPage
from ingestion.page import CELL_DELIMITER, BlockKind

LONG = 8
"""Words from which a run is not met by chance: it may stand anywhere, a shorter one in a section of
the same name."""
LIKE = 0.5
"""The share of words that a record has in common with the one that it takes the place of."""
_PAGES_OF_FILE = 60
_CHUNKS = 12
_NEARBY = 0.15
_FEW = 5
"""A unit of fewer words, such as "Default: 8", is known again below its own heading only."""
_WORD = re.compile(r"(?<![\w.])[-+]?v?\d+(?:[.,]\d+)*%?(?!\w)|\w+|[<>]=?|!=")
_NEGATING = frozenset("not no never cannot without don doesn isn won".split())


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[str, ...]:
    """The words and figures of a text as they are compared: without case, marks and white space."""
    return tuple(map(_folded, _WORD.findall(unicodedata.normalize("NFKC", text))))


def _folded(word: str) -> str:
    if word[-1].isdigit() or word[-1] == "%":
        word = re.sub(r",(?=\d{3}(?!\d))", "", word).lstrip("+")
        return word.removeprefix("v") if word[1:2].isdigit() else word
    return word.lower()


def values(text: str) -> dict[str, str]:
    """The figures, names and constants of a text, by the word that they are compared by."""
    found: dict[str, str] = {}
    for word in _WORD.findall(unicodedata.normalize("NFKC", text)):
        if _is_value(word):
            found.setdefault(_folded(word), word)
    return found


def _is_value(word: str) -> bool:
    inner = word[1:]
    is_name = "_" in word.strip("_") or (inner != inner.lower() and word.isalpha())
    return any(map(str.isdigit, word)) or is_name or word in ("True", "False", "None")


def negations(text: str) -> int:
    """How often a text says no."""
    return sum(word in _NEGATING for word in words(text))


def topic(text: str) -> Counter[str]:
    """The words that carry a text's topic, stemmed, without stop words."""
    return Counter(tokens(filtered(text)))


@dataclass(frozen=True)
class Unit:
    """A sentence or a row of a page, word for word, below these headings."""

    page: StoredPage
    text: str
    path: tuple[str, ...]
    anchor: str | None


@dataclass(frozen=True)
class Place:
    """A unit that takes the place of another one, with their likeness: 0 to 1, more nearby."""

    unit: Unit
    likeness: float


@dataclass(frozen=True)
class Pages:
    """The pages of a generation in which the words of one citation may stand."""

    corpus: Corpus
    citation: Citation

    @cached_property
    def candidates(self) -> tuple[StoredPage, ...]:
        """The pages of the same file, and those that share most words with the citation."""
        ids = [page.id for page in self._of_file()]
        searched = tokens(f"{self._section} {self.citation.quote}"[:2_000])
        chunks = [chunk for chunk, _ in self.corpus.lexical(searched, _CHUNKS)]
        if chunks:
            ids += [page_id for page_id, _ in self.corpus.places(chunks)]
        return tuple(self.corpus.pages(list(dict.fromkeys(ids))))

    def _of_file(self) -> tuple[StoredPage, ...]:
        path = self.citation.file
        files = {document.file: document for document in self.corpus.documents()}
        name = path.rsplit("/", 1)[-1]
        same_name = [d for file, d in files.items() if file.rsplit("/", 1)[-1] == name]
        document = files.get(path) or (same_name[0] if len(same_name) == 1 else None)
        if document is None:
            return ()
        pages = self.corpus.pages_of(document.id)
        return pages if len(pages) <= _PAGES_OF_FILE else ()

    @property
    def _section(self) -> str:
        return self.citation.section.rsplit(" › ", 1)[-1]

    def same_section(self, path: Sequence[str]) -> bool:
        """Whether a path of headings ends as the one of the citation does."""
        return bool(path) and words(path[-1]) == words(self._section)

    def holding(self) -> StoredPage | None:
        """The page on which the cited words stand as they were, if there is one."""
        wanted = words(self.citation.quote)
        return next((page for page in self.candidates if self._holds(page, wanted)), None)

    def _holds(self, page: StoredPage, wanted: tuple[str, ...]) -> bool:
        run = _run(wanted)
        if len(wanted) >= LONG:
            return run in _run(words(page.text))
        section = "\n".join(block.text for block in page.blocks if self.same_section(block.path))
        return bool(wanted) and run in _run(words(section))

    def like(self, unit: str) -> Place | None:
        """The unit that takes the place of a sentence or row of the citation, if any is like it."""
        of_unit = topic(unit)
        is_short = of_unit.total() < _FEW
        best: Place | None = None
        for page in self.candidates:
            for other in units_of(page):
                nearby = self.same_section(other.path)
                likeness = _dice(of_unit, _topic_of(other.text))
                if likeness < LIKE or (is_short and not nearby):
                    continue
                likeness += _NEARBY * nearby
                if best is None or likeness > best.likeness:
                    best = Place(other, likeness)
        return best


@lru_cache(maxsize=512)
def units_of(page: StoredPage) -> tuple[Unit, ...]:
    """The sentences and rows of a page, in order."""
    return tuple(
        Unit(page, text, block.path, block.anchor or page.anchor)
        for block in page.blocks
        if block.kind is not BlockKind.HEADING
        for text in units(block.text)
    )


def units(text: str) -> Iterator[str]:
    """The sentences and rows of cited words."""
    for line in text.split("\n"):
        yield from ([line] if CELL_DELIMITER in line else sentences(line))


@lru_cache(maxsize=8192)
def _topic_of(text: str) -> Counter[str]:
    return topic(text)


def _dice(one: Counter[str], other: Counter[str]) -> float:
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 0.0


def _run(wanted: Sequence[str]) -> str:
    return f" {' '.join(wanted)} "
