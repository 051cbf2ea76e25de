"""Cited words looked for in another generation: there as they were, there in part, or gone."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from chatbot.comparison.pages import file_text
from chatbot.retrieval.records import sentences
from chatbot.retrieval.support import LONGEST_QUOTE
from chatbot.text.words import filtered
from chatbot.turn import Citation
from corpora.indexing.corpus import Corpus
from corpora.indexing.lexical import tokens
from corpora.indexing.pages import StoredPage
from ingestion.page import CELL_DELIMITER, TERM_DELIMITER, Block, BlockKind

LONG = 12
"""Words from which a run is not met by chance: it may stand anywhere, a shorter one in a section of
the same name."""
LIKE = 0.5
"""The share of words that a record has in common with the one that it takes the place of."""
_PAGES_OF_FILE = 400
_DEEP = 2
_SAME = 0.9
_CHUNKS = 12
_FEW = 5
"""A unit of fewer words, such as "Default: 8", is known again below its own heading only."""
_WORD = re.compile(r"(?<![\w.])[-+]?v?\d+(?:[.,]\d+)*%?(?!\w)|\w+|[<>]=?|!=")
_QUOTED = re.compile(r"\"[^\"\n]{1,60}\"|`[^`\n]{1,60}`")
_SAID_OF = re.compile(rf"^(\W*\w+: )|{re.escape(TERM_DELIMITER)}")
"""A label of one word, or what parts a term from what is said of it; "On ARM: " is a condition."""
_NEGATING = frozenset(["not", "no", "never", "cannot", "without"])
_SHORTENED = re.compile(r"n't\b", re.IGNORECASE)
_CODE = re.compile(r"`([^`\n]{1,80})`|<code[^>]{0,60}>([^<\n]{1,80})</code>")


@lru_cache(maxsize=4096)
def words(text: str) -> tuple[str, ...]:
    """The words and figures of a text as they are compared: without case, marks and white space."""
    return tuple(map(_folded, _WORD.findall(_plain(text))))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text).replace("’", "'")


def _folded(word: str) -> str:
    if word[-1].isdigit() or word[-1] == "%":
        word = re.sub(r",(?=\d{3}(?!\d))", "", word).lstrip("+")
        word = word.removeprefix("v") if word[1:2].isdigit() else word
    return word.lower()


def values(text: str) -> dict[str, str]:
    """The figures, names and constants of a text, by the word that they are compared by."""
    found: dict[str, str] = {}
    for word in _WORD.findall(_plain(text)):
        if _is_value(word):
            found.setdefault(_folded(word), word)
    return found


def quotes(text: str) -> list[str]:
    """What a text has between quotes or as code, without them."""
    found = _QUOTED.findall(text.replace("“", '"').replace("”", '"'))
    return [span[1:-1] for span in found]


def literals(text: str) -> dict[str, str]:
    """The same word by word, as `values` has them."""
    return {_folded(word): word for word in _WORD.findall(" ".join(quotes(text)))}


def _is_value(word: str) -> bool:
    inner = word[1:]
    is_name = "_" in word.strip("_") or (inner != inner.lower() and word.isalpha())
    return any(map(str.isdigit, word)) or is_name or word in ("True", "False", "None")


def negations(text: str) -> int:
    """How often a text says no."""
    plain = sum(word in _NEGATING for word in words(text))
    return plain + len(_SHORTENED.findall(_plain(text)))


def topic(text: str) -> Counter[str]:
    """The words that carry a text's topic, stemmed, without stop words, and parts of names."""
    return Counter(tokens(filtered(_plain(text))))


def stems(text: str) -> Counter[str]:
    """The same with each name as one word: "macOS" counts no more than "Linux"."""
    return Counter(
        of_word[0] for word in filtered(_plain(text)).split() if (of_word := tokens(word))
    )


@dataclass(frozen=True)
class Unit:
    """A sentence or a row of a page, word for word, in its block."""

    page: StoredPage
    block: Block
    text: str

    @property
    def path(self) -> tuple[str, ...]:
        """The headings above it."""
        return self.block.path


@dataclass(frozen=True)
class Place:
    """A unit that takes the place of another one, with their likeness, 0 to 1."""

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
        ids = [page.id for page in self._of_file]
        searched = self.corpus.terms(f"{' '.join(self._headings)} {self.citation.quote}"[:2_000])
        chunks = [chunk for chunk, _ in self.corpus.lexical(searched, _CHUNKS)]
        if chunks:
            ids += [page_id for page_id, _ in self.corpus.places(chunks)]
        return tuple(self.corpus.pages(list(dict.fromkeys(ids))))

    @cached_property
    def _of_file(self) -> tuple[StoredPage, ...]:
        """The pages of the file, which may have moved, unless there are too many."""
        path = self.citation.file
        files = {document.file: document for document in self.corpus.documents()}
        name = path.rsplit("/", 1)[-1]
        same_name = [d for file, d in files.items() if file.rsplit("/", 1)[-1] == name]
        document = files.get(path) or (same_name[0] if len(same_name) == 1 else None)
        pages = self.corpus.pages_of(document.id) if document else ()
        return pages if len(pages) <= _PAGES_OF_FILE else ()

    @cached_property
    def _headings(self) -> tuple[str, ...]:
        """The last headings above the cited words."""
        return tuple(self.citation.section.split(" › ")[-_DEEP:])

    def same_section(self, path: Sequence[str], deep: int = 1) -> bool:
        """Whether the last `deep` headings of a path are those of the citation."""
        mine, other = self._headings[-deep:], path[-deep:]
        return bool(mine[0]) and list(map(words, mine)) == list(map(words, other))

    @cached_property
    def own_section(self) -> tuple[Block, ...]:
        """The blocks of the section that the words stood in, as the same file has it now."""
        blocks = [block for page in self._of_file for block in page.blocks]
        deep = len(self._headings)
        # A definition has its term as the last of its headings.
        section = [
            b
            for b in blocks
            if self.same_section(b.path, deep) or self.same_section(b.path[:-1], deep)
        ]
        return tuple(self._of_entry(section) or section)

    @cached_property
    def own_pages(self) -> tuple[StoredPage, ...]:
        """The pages that section is on."""
        own = frozenset(self.own_section)
        return tuple(page for page in self._of_file if not own.isdisjoint(page.blocks))

    @cached_property
    def entry(self) -> str:
        """The term of the entry of a definition list that is cited, or nothing."""
        term, is_entry, _ = self.citation.quote.partition(TERM_DELIMITER)
        return term if is_entry and len(words(term)) <= _FEW and "\n" not in term else ""

    def _of_entry(self, section: Sequence[Block]) -> list[Block]:
        """The blocks of a section that are the cited entry."""
        term = words(self.entry)
        return [
            block
            for block in section
            if term
            and term
            in (words(block.text.partition(TERM_DELIMITER)[0]), *map(words, block.path[-1:]))
        ]

    @cached_property
    def is_entry_gone(self) -> bool:
        """Whether the section is there, and nothing has an entry of that term."""
        blocks = (block for page in self.candidates for block in page.blocks)
        return bool(self.entry and self.own_section) and not self._of_entry(list(blocks))

    def holds(self) -> bool:
        """Whether the cited words stand as they were: in their own section, if that is there.

        Where the last sentence or row goes on now, or the first begins before ("When running
        legacy expirers, …"), they do not.
        """
        wanted = self.citation.quote
        if self.own_section:
            return _in(wanted, self.own_section)
        if len(words(wanted)) >= LONG:
            return any(_in(wanted, page.blocks) for page in self.candidates)
        return any(
            _in(wanted, [b for b in page.blocks if self.same_section(b.path)])
            for page in self.candidates
        )

    @cached_property
    def below(self) -> tuple[Unit, ...]:
        """The sentences and rows of the section and those below it, as the file is now."""
        above = list(map(words, self.citation.section.split(" › ")))
        return tuple(
            unit
            for page in self._of_file
            for unit in units_of(page)
            if list(map(words, unit.path[: len(above)])) == above
        )

    def like(self, unit: str) -> Place | None:
        """The unit that takes the place of a sentence or row of the citation, if any is like it.

        Where its section is there it stands in it, unless nearly the same sentence is elsewhere.
        """
        of_unit = stems(unit)
        is_short, is_long = len(of_unit) < _FEW, len(words(unit)) >= LONG
        own = frozenset(self.own_section)
        best: Place | None = None
        for page in self.candidates:
            for other in units_of(page):
                alike = likeness(of_unit, _stems_of(other.text))
                at_home = other.block in own
                nearby = at_home or self.same_section(other.path)
                if alike < LIKE or (is_short and not nearby):
                    continue
                may_move = is_long and alike >= _SAME and not self._of_entry(self.own_section)
                if own and not at_home and not may_move:
                    continue
                if best is None or alike > best.likeness:
                    best = Place(other, alike)
        return best

    def code_in(self, unit: Unit) -> frozenset[str]:
        """The words of a unit, stemmed, that its file marks as code; pages do not keep marks."""
        said = f" {' '.join(words(unit.text))} "
        file = file_text(self.corpus, unit.page.document.content_hash)
        spans = {match[1] or match[2] for match in _CODE.finditer(file)}
        there = (span for span in spans if f" {' '.join(words(span))} " in said)
        return frozenset(word for span in there for word in stems(span))

    def around(self, place: Place) -> str:
        """The text of the section in which a unit stands."""
        unit = place.unit
        beside = [block for block in unit.page.blocks if block.path == unit.path]
        own = self.own_section
        return "\n".join(block.text for block in (own if unit.block in own else beside))


@lru_cache(maxsize=2048)
def units_of(page: StoredPage) -> tuple[Unit, ...]:
    """The sentences and rows of a page, in order."""
    return tuple(
        Unit(page, block, text)
        for block in page.blocks
        if block.kind is not BlockKind.HEADING
        for text in units(block.text)
    )


def units(text: str) -> Iterator[str]:
    """The sentences and rows of cited words."""
    for line in text.split("\n"):
        yield from ([line] if CELL_DELIMITER in line else sentences(line))


@lru_cache(maxsize=65536)
def _stems_of(text: str) -> Counter[str]:
    return stems(text)


def likeness(one: Counter[str], other: Counter[str]) -> float:
    """The share of words in common; nothing where less than half of the first are there."""
    common, total = len(one.keys() & other.keys()), len(one) + len(other)
    return 2 * common / total if total and common >= LIKE * len(one) else 0.0


def _in(quote: str, blocks: Iterable[Block]) -> bool:
    """Whether the words of a quote stand in blocks: whole sentences or rows, or what is said of a
    term or behind a label of one word ("Note: …").
    """
    wanted = f" {' '.join(words(quote))} "
    text, starts, ends = " ", set[int](), set[int]()
    for unit in (unit for block in blocks for unit in units(block.text)):
        for part in filter(None, _SAID_OF.split(unit, 1)):
            starts.add(len(text) - 1)
            text += "".join(f"{word} " for word in words(part))
        ends.add(len(text))
    at = text.find(wanted)
    is_cut = len(quote) >= LONGEST_QUOTE or not words(quote)
    while at >= 0 and not is_cut and not (at in starts and at + len(wanted) in ends):
        at = text.find(wanted, at + 1)
    return at >= 0 and wanted.strip() != ""
