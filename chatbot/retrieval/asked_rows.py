"""The rows and cells of a table that a question asks for."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.retrieval.passages import passages_of
from chatbot.retrieval.records import sentences, with_units
from chatbot.retrieval.support import names, shared, unit_of, units_in, unsupported
from chatbot.text.words import STOP_WORDS, filtered, word_set
from chatbot.turn import Record
from corpora.indexing.lexical import tokens
from corpora.indexing.pages import StoredPage

_NEGATION = re.compile(
    r"\b(?:not|no|non|never|except(?:\s+for)?|excluding|without|but|besides|other\s+than"
    r"|apart\s+from|\w+n['’]t)\b",
    re.I,
)
_ONLY = re.compile(r"\b(?:only|just|exclusively|solely)\b", re.I)
_YES = word_set("yes y true ✓ ✔ ✅ x")
_NO = word_set("no n false ✗ ✘ ❌ – -") | {""}
_GIVEN = 0.5
"""The share of a cell's words from which a sentence gives it."""


def excludes(record: Record) -> bool:
    """Whether a record says that something is not so, or only so."""
    said = record.reading.replace("cannot", "can not")
    denies = _NEGATION.search(said) or _ONLY.search(said)
    return denies is not None or any(cell.casefold() in _NO - {""} for _, cell in record.cells)


def matching_rows(subject: str, rows: Sequence[Record]) -> list[Record]:
    """The rows whose first cell a question names in all its words, else those of a value it names.

    Of several those with most of the other cells that it names; none where all rows are alike.
    """
    candidates = _named_by_key(subject, rows) or list(rows)
    named = [len(_named_cells(subject, row)) for row in candidates]
    most = max(named, default=0)
    best = [row for row, count in zip(candidates, named, strict=True) if 0 < count == most]
    return best if len(best) < len(rows) else []


def _named_by_key(subject: str, rows: Sequence[Record]) -> list[Record]:
    named = [row for row in rows if row.cells[0] in _named_cells(subject, row)]
    literal = [_words(key) for key in (row.cells[0][1] for row in named) if names(subject, key)]

    def is_less(row: Record) -> bool:
        """Whether it is named by words of another's name alone: GET /tokens beside POST /tokens."""
        key = row.cells[0][1]
        return not names(subject, key) and any(_words(key) <= words for words in literal)

    return [row for row in named if not is_less(row)]


def _named_cells(subject: str, row: Record) -> list[tuple[str, str]]:
    asked = _words(subject)
    return [(header, cell) for header, cell in row.cells if _words(cell) and _words(cell) <= asked]


@dataclass(frozen=True)
class AskedCells:
    """The cells that a question asks for: of each row those of which a sentence gives one.

    `has_column` tells that the question names the columns, too.
    """

    of_rows: tuple[tuple[str, ...], ...]
    has_column: bool

    def given_by(self, text: str) -> bool:
        """Whether a text says what stands in the cells of each row."""
        return all(any(_gives(text, cell) for cell in cells) for cells in self.of_rows)


def asked_cells(subject: str, rows: Sequence[Record], passages: str) -> AskedCells | None:
    """The cells of the rows whose first cell a question names, under the columns that it names.

    All cells of them, where no other word of the question stands in the passages, so that it asks
    for nothing else. None for any other question.
    """
    asked = _words(subject)
    named = _named_by_key(subject, rows)
    cells = [[(h, c) for h, c in with_units(r.cells)[1:] if c.strip(" –-")] for r in named]
    under = [tuple(c for h, c in row if _words(h) and _words(h) <= asked) for row in cells]
    if any(under):
        return AskedCells(tuple(filter(None, under)), has_column=True)
    rest = asked.difference(*(_words(row.cells[0][1]) for row in named))
    if not any(cells) or rest & set(tokens(passages)):
        return None
    return AskedCells(tuple(tuple(c for _, c in row) for row in cells if row), has_column=False)


def _gives(text: str, cell: str) -> bool:
    """Whether a text says what stands in a cell: all its figures and names, and half its words."""
    words = tokens(filtered(cell))
    if unsupported(cell, [text], ""):
        return False
    return shared(words, text) >= _GIVEN if words else names(text, cell)


def is_titled(heading: str, subject: str) -> bool:
    """Whether a heading has all words of a question, which are several."""
    return len(filtered(subject).split()) > 1 and _words(subject) <= _words(heading)


def listed_rows(question: str, rows: Sequence[Record]) -> tuple[list[Record], bool]:
    """The rows that the condition of a question for a list admits; none where it admits all.

    A condition is a cell that the question names, else a column of yes and no, else words of the
    question that neither the header nor a heading has. Behind "not" or "except" it excludes. The
    second value says that words alone decided, which other rows may say otherwise.
    """
    about = " ".join([*rows[0].path, *(header for header, _ in rows[0].cells)]) if rows else ""
    asked, _, excluded = _NEGATION.sub("\0", question, count=1).partition("\0")
    out = (_of_value(excluded, rows) or _mentioning(excluded, rows, about)) if excluded else []
    by_value = _of_value(asked, rows)
    wanted = by_value or (_mentioning(asked, rows, about) if not out else [])
    kept = [row for row in wanted or rows if row not in out]
    return (kept, not (by_value or out)) if len(kept) < len(rows) else ([], False)


def _of_value(text: str, rows: Sequence[Record]) -> list[Record]:
    """The rows of a value, or of a column of yes and no, that a text names.

    A cell with several values is one of them, unless the text says "only".
    """
    best = matching_rows(text, rows)
    values = {pair for row in best for pair in _named_cells(text, row)}
    if best and not _ONLY.search(text):
        best = [
            row
            for row in rows
            if row in best
            or any(h == of and _words(v) <= _words(c) for h, c in row.cells[1:] for of, v in values)
        ]
    return best or _affirmed(text, rows)


def _affirmed(text: str, rows: Sequence[Record]) -> list[Record]:
    asked = _words(text)
    for place, (header, _) in enumerate(rows[0].cells if rows else ()):
        said = [row.cells[place][1].casefold() for row in rows if len(row.cells) > place]
        is_of_yes = len(said) == len(rows) and set(said) <= _YES | _NO
        if is_of_yes and _words(header) and _words(header) <= asked:
            return [row for row, cell in zip(rows, said, strict=True) if cell in _YES]
    return []


def _mentioning(text: str, rows: Sequence[Record], about: str) -> list[Record]:
    """The rows that have most of the words of a text that what they are about has not.

    A sentence of their page that names a row belongs to it. None where the text is about something
    else, or all have as many.
    """
    asked, known = _words(text), _words(about)
    condition = asked - known if asked & known else set()
    units = {unit_of(word) for word in filtered(text).split()} if condition else set()
    said = {row.page.id: _sentences(row.page, condition) for row in rows}

    def count(row: Record) -> int:
        named = (s for s in said[row.page.id] if names(s, row.cells[0][1]))
        words = " ".join([row.quote, *named])
        return len(condition & _words(words)) + len(units & units_in(words))

    counts = list(map(count, rows))
    most = max(counts, default=0)
    kept = [row for row, number in zip(rows, counts, strict=True) if 0 < number == most]
    return kept if len(kept) < len(rows) else []


def _sentences(page: StoredPage, words: set[str]) -> list[str]:
    """The sentences of a page, outside its tables, that have any of these words."""
    records = (record for passage in passages_of(page) for record in passage.records)
    written = (s for r in records if not r.cells for s in sentences(r.quote))
    return [sentence for sentence in written if words & _words(sentence)]


def _words(text: str) -> set[str]:
    return {t for w in filtered(text).split() if w.lower() not in STOP_WORDS for t in tokens(w)}
