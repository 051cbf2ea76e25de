"""The lexical index of one generation of one release: BM25 over search chunks, in one file.

Tokens are made here and not by the database, so that names, flags and versions are found both
whole and by their parts.
"""

from __future__ import annotations

import re
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from math import log
from pathlib import Path
from threading import Lock, local
from typing import Any

from snowballstemmer import algorithms, stemmer

from corpora.catalog.languages import ENGLISH, LANGUAGES
from corpora.errors import BrokenIndex
from corpora.indexing.compounds import COMPOUNDING, Compounds

FORMAT = 2
"""Raised whenever `tokens` or the tables change; an index of another format is built again."""

FIELD_WEIGHTS = (2.0, 2.0, 1.0)
"""What an occurrence in the heading, the name and the body counts."""

LONGEST = 80
"""Longer tokens (of a link, of encoded data) are left out; their parts stand for them."""

UNSPACED = r"\u0e00-\u0eff\u1100-\u11ff\u2e80-\u2fdf\u3005-\ud7ff\uf900-\ufaff\uff66-\uffdc"
UNSPACED += "\U00020000-\U0003ffff"
"""The letters of scripts that set no blanks between words: Thai, kana, Han, Hangul."""

_MOST_FREQUENCIES = 100_000
_HALF_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_LETTER = rf"[^\W{UNSPACED}]"
_TERM = re.compile(
    rf"(?:(?<!-)(?<!{_LETTER})--?(?=[^\W\d]))?{_LETTER}+(?:[.\-/]{_LETTER}+)*(?:\(\))?"
    rf"|(?:(?=\w)[{UNSPACED}])+"
)
UNSPACED_RUN = re.compile(rf"(?:(?=\w)[{UNSPACED}])+")
_WORD = re.compile(r"[^\W\d_]+")
_COMPOUND = re.compile(r"[-/]")
_DOT = re.compile(r"(?<!\d)\.|\.(?!\d)")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+(?:\.\d+)*")
_HUMP = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]{2}")
_NAME = re.compile(rf"_|\w\.\w|[^\W\d_]\d|{_HUMP.pattern}")
_NO_NAME = re.compile(r"(?:v|ver|version|r|rel|release)?\d[^_]*|(?:\w\.)+\w|_+", re.IGNORECASE)
_SEARCHABLE = re.compile(r"[\w.\-/]+")


class _Stemmers(local):
    """Stemmers for each thread, by language: one keeps the word it works on in itself."""

    def __init__(self) -> None:
        self._of: dict[str, Callable[[str], str]] = {}

    def stem(self, word: str, language: str) -> str:
        """The stem of a word; English where there is no stemmer, for words in Latin letters."""
        if language not in self._of:
            name = LANGUAGES[language].lower()
            known = stemmer(name if name in algorithms() else "english")
            self._of[language] = lru_cache(10_000)(known.stemWord)
        return self._of[language](word)


_stemmers = _Stemmers()


@dataclass(frozen=True, slots=True)
class LexicalRow:
    """What is indexed of a search chunk: its headings, names of its page, and its text."""

    chunk_id: int
    heading: str
    name: str
    body: str
    language: str = ENGLISH

    @property
    def texts(self) -> tuple[str, str, str]:
        """The texts of its three fields."""
        return self.heading, self.name, self.body


def tokens(text: str, language: str = ENGLISH) -> list[str]:
    """Return the tokens of a text in order, lower-cased, words stemmed as in its language.

    A compound term (`Query.update()`, `--max-rate`, `pool_size`) gives itself whole, what follows
    each of its dots, and its parts. A version (`1.10.1`) stays whole. Text without blanks between
    words (Han, kana) is cut from what stands beside it and gives each two letters in a row.
    """
    found = _TERM.findall(half_width(text))
    return list(chain.from_iterable(_tokens_of(term, language) for term in found))


def identifiers(text: str) -> list[str]:
    """Return the names of things in a text, lower-cased and whole, each once, in order.

    A name holds "_" or an inner ".", a camelCase hump or letters followed by digits, begins with
    "-" or ends with "()". Numbers, versions and abbreviations are none. Each is among the text's
    `tokens`.
    """
    names = chain.from_iterable(map(_names_in, _TERM.findall(half_width(text))))
    return list(dict.fromkeys(name.lower() for name in names))


def name_parts(name: str) -> list[str]:
    """Return the words and numbers that a name is made of, lower-cased: max, payload."""
    return [part.lower() for part in _PART.findall(name)]


def half_width(text: str) -> str:
    """Return a text with ASCII letters, digits and signs for full-width ones, letter for letter."""
    return text if text.isascii() else text.translate(_HALF_WIDTH)


def build_index(path: Path, rows: Iterable[LexicalRow]) -> None:
    """Write a new index file, in one transaction; raise FileExistsError if the file is there."""
    if path.exists():
        raise FileExistsError(f"The file {path} exists; a lexical index needs a new one.")
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("BEGIN")
        database.execute(
            "CREATE VIRTUAL TABLE chunks USING fts5("
            "heading, name, body, content='', tokenize=\"ascii tokenchars '_.-/'\")"
        )
        database.execute("CREATE VIRTUAL TABLE vocabulary USING fts5vocab(chunks, row)")
        database.executemany(
            "INSERT INTO chunks(rowid, heading, name, body) VALUES (?, ?, ?, ?)",
            (
                (row.chunk_id, *(" ".join(tokens(text, row.language)) for text in row.texts))
                for row in rows
            ),
        )
        database.execute("INSERT INTO chunks(chunks) VALUES ('optimize')")
        database.execute(f"PRAGMA user_version = {FORMAT}")
        database.execute("COMMIT")


class LexicalIndex(ABC):
    """An index opened for reading, from any thread; `size` is the number of chunks.

    `languages` are those of what is indexed, the most frequent one first.
    """

    size: int

    def __init__(self, languages: Sequence[str]) -> None:
        self.languages = tuple(languages) or (ENGLISH,)
        self._frequencies: dict[str, int] = {}
        self._vocabulary: list[str] = []
        self._compounds: Compounds | None = None

    @abstractmethod
    def _ranked(self, terms: Sequence[str], limit: int) -> list[tuple[int, float]]:
        """Return chunks that hold one of these terms, each of which some hold, best first."""

    @abstractmethod
    def _count(self, token: str) -> int:
        """Return the number of chunks that hold a token."""

    @abstractmethod
    def _held(self, least: int) -> list[str]:
        """Return the tokens that at least so many chunks hold."""

    @abstractmethod
    def close(self) -> None:
        """Release what is open once nobody searches it; the index cannot be used afterwards."""

    def terms(self, text: str) -> list[str]:
        """Return the tokens of a text as in each of the index's languages, without repetitions."""
        every = (tokens(text, language) for language in self.languages)
        return list(dict.fromkeys(chain.from_iterable(every)))

    def wholes(self, name: str) -> list[str]:
        """Return the token that is a word or name as a whole, as in each of the languages."""
        every = (tokens(name, language)[:1] for language in self.languages)
        return list(dict.fromkeys(chain.from_iterable(every)))

    def compounds(self, terms: Iterable[str]) -> list[str]:
        """Return the words that have one of these terms as a part, or are part of one.

        Those of languages that write compounds as one word; none where the index has no such.
        """
        if COMPOUNDING.isdisjoint(self.languages):
            return []
        if self._compounds is None:
            self._compounds = Compounds(t for t in self._held(1) if _WORD.fullmatch(t))
        words = (term for term in terms if _WORD.fullmatch(term))
        return list(dict.fromkeys(chain.from_iterable(map(self._compounds.of, words))))

    def search(self, terms: Sequence[str], limit: int) -> list[tuple[int, float]]:
        """Return at most `limit` pairs of chunk id and BM25 score, the best first.

        `terms` are `tokens`; a chunk needs one of them. An occurrence in a heading or a name
        counts twice; scores are positive, and equal ones come in order of id.
        """
        known = [t for t in dict.fromkeys(terms) if _SEARCHABLE.fullmatch(t)]
        # A term that most chunks hold has no weight, but all of them would be read for it.
        telling = [t for t in known if 0 < self._frequency(t) <= self.size / 2]
        asked = telling or [t for t in known if self._frequency(t)]
        return self._ranked(asked, limit) if asked else []

    def frequency(self, term: str) -> int:
        """Return the number of chunks that hold a token, or a word or name as people write it."""
        return max((self._frequency(t) for t in {term, *self.wholes(term)}), default=0)

    def idf(self, term: str) -> float:
        """Return the inverse document frequency of a term, as in BM25, and never negative."""
        holding = self.frequency(term)
        return log(1 + (self.size - holding + 0.5) / (holding + 0.5))

    def similar(self, word: str, limit: int = 3) -> tuple[str, ...]:
        """Return the index's words that a typing error may have turned into `word`, best first.

        One edit away (a swap of neighbours counts as one), two from six letters on; the nearest
        first, the more frequent first among equals.
        """
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        stems = {_stemmers.stem(word.lower(), language) for language in self.languages}
        stems = {stem for stem in stems if _WORD.fullmatch(stem) and len(stem) > 3}
        if stems and not self._vocabulary:
            self._vocabulary = [t for t in self._held(2) if _WORD.fullmatch(t)]
        near = [
            found
            for stem in stems
            for found in process.extract(
                stem,
                self._vocabulary,
                scorer=OSA.distance,
                score_cutoff=1 if len(stem) < 6 else 2,
                limit=20,
            )
        ]
        ranked = sorted(near, key=lambda found: (found[1], -self._frequency(found[0]), found[0]))
        best = (found for found, distance, _ in ranked if distance == ranked[0][1])
        return tuple(dict.fromkeys(best))[:limit]

    def _frequency(self, token: str) -> int:
        if (found := self._frequencies.get(token)) is None:
            found = self._count(token)
            # Of words that no document has there is no end.
            if len(self._frequencies) >= _MOST_FREQUENCIES:
                self._frequencies.clear()
            self._frequencies[token] = found
        return found


class LexicalFile(LexicalIndex):
    """An FTS5 table in a file of its own; several processes may have it open."""

    def __init__(self, database: sqlite3.Connection, languages: Sequence[str]) -> None:
        super().__init__(languages)
        self._database = database
        self._lock = Lock()
        self.size = self._rows("SELECT count(*) FROM chunks_docsize")[0][0]

    @classmethod
    def open(cls, path: Path, languages: Sequence[str] = (ENGLISH,)) -> LexicalFile:
        """Open what `build_index` wrote of texts in some languages; raises BrokenIndex."""
        uri = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
        try:
            with ExitStack() as undo:
                database = sqlite3.connect(uri, uri=True, check_same_thread=False)
                undo.callback(database.close)
                (found,) = database.execute("PRAGMA user_version").fetchone()
                if found != FORMAT:
                    raise BrokenIndex(f"The lexical index {path} has format {found}, not {FORMAT}.")
                index = cls(database, languages)
                undo.pop_all()
                return index
        except sqlite3.Error as error:
            raise BrokenIndex(f"The lexical index {path} is broken: {error}") from error

    def close(self) -> None:
        """Release the file."""
        # A connection that is closed while another thread reads from it ends the process.
        with self._lock:
            self._database.close()

    def _ranked(self, terms: Sequence[str], limit: int) -> list[tuple[int, float]]:
        query = " OR ".join(f'"{term}"' for term in terms)
        return [
            (chunk_id, -score)
            for chunk_id, score in self._rows(
                "SELECT rowid, bm25(chunks, ?, ?, ?) AS score FROM chunks WHERE chunks MATCH ?"
                " ORDER BY score, rowid LIMIT ?",
                (*FIELD_WEIGHTS, query, limit),
            )
        ]

    def _count(self, token: str) -> int:
        found = self._rows("SELECT doc FROM vocabulary WHERE term = ?", (token,))
        return found[0][0] if found else 0

    def _held(self, least: int) -> list[str]:
        held = self._rows("SELECT term FROM vocabulary WHERE doc >= ?", (least,))
        return [term for (term,) in held]

    def _rows(self, sql: str, values: Sequence[object] = ()) -> list[Any]:
        with self._lock:
            return self._database.execute(sql, values).fetchall()


def _tokens_of(term: str, language: str) -> Sequence[str]:
    if UNSPACED_RUN.match(term):
        return [a + b for a, b in pairwise(term)] or [term]
    return _tokens_of_term(term, language)


@lru_cache(maxsize=200_000)
def _tokens_of_term(term: str, language: str) -> tuple[str, ...]:
    if _WORD.fullmatch(term) and not _HUMP.search(term):
        return (_stemmers.stem(term.lower(), language),)
    whole = term.removesuffix("()")
    found = [whole, whole.lstrip("-")]
    if _WORD.fullmatch(whole):
        found.append(_stemmers.stem(whole.lower(), language))
    for compound in _COMPOUND.split(whole):
        names = _DOT.split(compound)
        found += [".".join(names[i:]) for i in range(len(names))]
        parts = (part for part in name_parts(compound) if len(part) > 1)
        found += [_stemmers.stem(part, language) for part in parts]
    return tuple(dict.fromkeys(t.lower() for t in found if 0 < len(t) <= LONGEST))


def _names_in(term: str) -> Iterator[str]:
    if term.startswith("--") or term.endswith("()"):
        yield term.removesuffix("()")
    else:
        for compound in _COMPOUND.split(term):
            if _NAME.search(compound) and not _NO_NAME.fullmatch(compound):
                yield compound
