"""Rows of tables, signatures and names in the words of a sentence."""

import re
from collections.abc import Sequence

from chatbot.retrieval.records import with_units
from chatbot.text.query_terms import STOP_WORDS, filtered
from chatbot.text.sanitizer import as_document_words
from chatbot.turn import Record
from corpora.indexing.lexical import tokens

LIST_MARK = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_HUMP = re.compile(r"[a-z][A-Z]")


def named_as_code(name: str) -> str:
    """A name that no sentence would be written with, such as `queue-depth`, in a code span."""
    bare = " ".join(name.split()).strip("`")
    worded = bare.isalpha() and not _HUMP.search(bare)
    return bare if " " in bare or "`" in bare or worded else f"`{bare}`"


def rows_asked(subject: str, rows: Sequence[Record]) -> list[Record]:
    """The rows whose first cell a question names in all its words, else those of a value it names.

    Of several those with most of the other cells that it names; none where all rows are alike.
    """
    asked = _words(filtered(subject))

    def is_named(cell: str) -> bool:
        words = _words(cell)
        return bool(words) and words <= asked

    found = [row for row in rows if is_named(row.cells[0][1])] or list(rows)
    named = [sum(is_named(cell) for _, cell in row.cells) for row in found]
    most = max(named, default=0)
    best = [row for row, count in zip(found, named, strict=True) if 0 < count == most]
    return best if len(best) < len(rows) else []


def _words(text: str) -> set[str]:
    return {t for word in text.split() if word.lower() not in STOP_WORDS for t in tokens(word)}


def in_words(record: Record) -> str:
    """A record as a sentence of an answer: as it stands, or its cells with their headers."""
    if record.cells:
        return as_document_words(f"{row_in_words(record)}.")
    text = LIST_MARK.sub("", " ".join(record.quote.split()))
    return as_document_words(text if text[-1:] in ".!?:" else f"{text}.")


def row_in_words(row: Record) -> str:
    """A row as its page has it, in words: its name, and its other cells with their headers."""
    (_, key), *others = with_units(row.cells)
    told = ", ".join(
        f"{h.lower()} {' '.join(c.split()).rstrip('.')}" if h else c
        for h, c in others
        if c.strip(" –-")
    )
    return f"{named_as_code(key)}: {told}"
