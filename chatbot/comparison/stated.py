"""Forms: what a reader takes from a signature or a table becomes a sentence without a model."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from chatbot.retrieval.passages import Passage
from chatbot.retrieval.records import with_units
from chatbot.text.query_terms import STOP_WORDS, filtered
from chatbot.text.sanitizer import as_document_words
from chatbot.text.units import UNIT
from chatbot.turn import Record
from corpora.indexing.lexical import identifiers, tokens
from ingestion.page import BlockKind

ASKS_DEFAULT = re.compile(
    r"\bdefaults?\b|\bomitted\b|\bby itself\b|\bout of the box\b"
    r"|\bwithout (?:setting|configuring)\b"
    r"|\bif (?:nothing|none)\b[^,?]* (?:set|given)\b"
    r"|\bif (?:i|you|we|it|one)\b[^,?]* (?:unset|omit|leave|left|nothing)\b"
    r"|\b(?:don|do|does|is|did)(?:'?t|n't| not) (?:pass|set|give|specify|configured?)\b",
    re.I,
)
"""What a question says that asks for what holds where nothing is set."""
_VALUE = (
    r"[`(]?(?P<value>\"[^\"\n]*\"|'[^'\n]*'|‘[^’\n]*’|“[^”\n]*”|"
    rf"-?\d[\d.,]*(?<![.,])(?-i: ?{UNIT})?|"
    r"(?:true|false|none|null|yes|no|on|off|enabled|disabled)\b|(?-i:[A-Z][A-Z0-9_]+\b)|\w+(?:[._]\w+)+(?:\(\))?)"
)
_STATED = re.compile(rf"\bdefault(?:s? (?:to|is|value is|value of)(?: the)?|:) {_VALUE}", re.I)
_BRACKETED = re.compile(r"\(default: (?P<value>[^()\n]{1,40})\)", re.I)
"""How the help of a command tells a default."""
_LINE = re.compile(
    r"^(?:[-*•] )?default(?: value)?(?:: |:? (?=(?:true|false|none|null|-?\d[\d.,]*|\"[^\"]*\")$))"
    r"(?P<value>\S[^\n]{0,79})$",
    re.I | re.M,
)
"""A line of its own below the name that it is the default of."""
_HUMP = re.compile(r"[a-z][A-Z]")
_HEAD = re.compile(r"[\w-]+(?:[._-]\w+)*")
_PART = re.compile(r"[^\W_]+")
_BESIDE = 40
SPELT_ALIKE = 90
"""How alike a header and a word of the question are, 0 to 100, to be the same word."""
_HYPHENATED = re.compile(r"(?<![\w.-])[a-z]+(?:-[a-z\d]+)+(?![\w.-])", re.I)
GIVEN = re.compile(r"\b(\w+) ?=(?!=)")
"""A parameter as it is given: "timeout=5"."""


LIST_MARK = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")


@dataclass(frozen=True)
class Reading:
    """A value, the record it was read from, and what it is a value of."""

    value: str
    record: Record
    name: str
    column: str = "default"

    @property
    def sentence(self) -> str:
        """A full sentence: the thing, its value with the unit, and what the row says beside it."""
        beside = [
            f"{header.lower()} {_plain_cell(cell)}"
            for header, cell in with_units(self.record.cells)[1:]
            if header and header != self.column and 0 < len(cell.strip(" –-")) <= _BESIDE
        ]
        told = f" ({'; '.join(beside)})" if beside else ""
        column = self.column if self.column[1:2].isupper() else self.column.lower()
        value = self.value if self.record.cells else named_as_code(self.value)
        owner = "" if self.record.cells else self._owner
        told = f"The {column} of {named_as_code(self.name)}{owner} is {value}{told}."
        return as_document_words(told)

    @property
    def _owner(self) -> str:
        # Under no heading a record bears the name of its file.
        owner = named_as_code(self.record.label) if self.record.path else ""
        # A heading is no owner, a class or a function is.
        return f" of {owner}" if owner.startswith("`") and owner != named_as_code(self.name) else ""


def _plain_cell(cell: str) -> str:
    return " ".join(cell.split()).rstrip(".")


def names_in(question: str) -> list[str]:
    """The names of a question; words with a hyphen may be one, such as "install-strategy"."""
    return [*identifiers(question), *(m.lower() for m in _HYPHENATED.findall(question))]


def named_as_code(name: str) -> str:
    """A name that no sentence would be written with, such as `queue-depth`, in a code span."""
    bare = " ".join(name.split()).strip("`")
    worded = bare.isalpha() and not _HUMP.search(bare)
    return bare if " " in bare or "`" in bare or worded else f"`{bare}`"


def read_value(subject: str, scored: Sequence[Record]) -> Reading | None:
    """The value that the question asks for, where it stands in a form: a default, a table cell.

    Abstains (None) where nothing fits, or what fits does not agree: then the model has to read.
    """
    return _agreed(_defaults(subject, scored)) or _agreed(_table_cells(subject, scored))


def _agreed(found: Sequence[Reading]) -> Reading | None:
    values = {_bare(reading.value) for reading in found}
    return found[0] if len(values) == 1 else None


def _defaults(subject: str, scored: Sequence[Record]) -> list[Reading]:
    """Defaults of the parameters that the question names, of the owner it names if it names one.

    If it names none, that of what the best record is about, if it has a word of that name; they
    come best first.
    """
    if not ASKS_DEFAULT.search(subject):
        return []
    names = [*names_in(subject), *(m.lower() for m in GIVEN.findall(subject))]
    best = scored[0].label
    if not names and (spelt := _spelt_out(subject, scored)):
        names = spelt
    elif not names and set(tokens(best)) & set(tokens(subject)):
        names = identifiers(best)
    found = [
        Reading(value, record, _as_written(name.rsplit(".", 1)[-1], record))
        for name in dict.fromkeys(names)
        for record in scored
        if (value := _default_of(name, record)) is not None
    ]
    others = set(tokens(subject)).difference(*map(tokens, names))
    return [r for r in found if others & set(tokens(r.record.label))] or found


def _spelt_out(subject: str, scored: Sequence[Record]) -> list[str]:
    """Names whose words are all that a question asks the default of: "key type" for --key-type."""
    asked = set(tokens(filtered(ASKS_DEFAULT.sub(" ", subject))))
    heads = (_HEAD.match(r.reading) for r in scored if r.kind is BlockKind.DEFINITION)
    named = [*(head[0] for head in heads if head), *(r.label for r in scored)]
    return [
        n for n in dict.fromkeys(named) if asked and _words(" ".join(_PART.findall(n))) == asked
    ]


def _bare(value: str) -> str:
    return value.strip("\"'‘’“”`. ").lower()


def _as_written(name: str, record: Record) -> str:
    """A name in the letters of the record that it is the name of."""
    found = re.search(re.escape(name), f"{record.label} {record.quote}", re.I)
    return found[0] if found else name


def _default_of(name: str, record: Record) -> str | None:
    last = re.escape(name.rsplit(".", 1)[-1])
    given = rf"(?<![\w.]){last}`?(?:: [^=,()]+)? ?= ?{_VALUE}"
    own = _bare(record.label).removesuffix("()") == name.lower()
    if own and (line := _LINE.search(record.quote)):
        return line["value"].rstrip(". ")
    if record.kind == BlockKind.SIGNATURE:
        match = re.search(given, record.quote, re.I)
        return match["value"] if match else None
    if record.kind not in (BlockKind.DEFINITION, BlockKind.PARAGRAPH):
        return None
    if not re.match(rf"`?(?:\w+\.)*{last}(?!\w)", record.reading, re.I):
        return None
    given_first = re.match(rf"`?{given}", record.quote, re.I)
    match = given_first or _BRACKETED.search(record.quote) or _STATED.search(record.quote)
    return match["value"] if match else None


def _table_cells(subject: str, scored: Sequence[Record]) -> list[Reading]:
    """Cells whose row and column the question names: the row's first cell and the header."""
    asked = set(tokens(filtered(subject)))
    names = {key for r in scored if r.cells and named_as_code(key := r.cells[0][1]) != key}
    found = []
    for record in scored:
        if len(record.cells) < 2 or not _is_named(record.cells[0][1], asked):
            continue
        (_, key), *others = record.cells
        columns = [(header, cell) for header, cell in others if cell and _is_meant(header, asked)]
        # A cell that names another row says where the value stands, and not what it is.
        if len(columns) == 1 and columns[0][1] not in names:
            # The unit stands behind the values, and no more by itself.
            column, cell = columns[0]
            value = dict(with_units(record.cells)).get(column, cell)
            found.append(Reading(value, record, key, column))
    return found


def named_rows(subject: str, records: Sequence[Record]) -> list[Record]:
    """The rows of tables whose first cell a question names, and most others of their cells."""
    asked = set(tokens(filtered(subject)))
    named = [r for r in records if r.cells and _is_named(r.cells[0][1], asked)]
    counts = [sum(_is_named(cell, asked) for _, cell in r.cells) for r in named]
    return [r for r, count in zip(named, counts, strict=True) if count == max(counts)]


def _is_meant(header: str, asked: set[str]) -> bool:
    """Whether a question names a header, be it in another spelling ("colour" for "Color")."""
    words = _words(header)
    return bool(words) and all(
        any(word == a or fuzz.ratio(word, a) >= SPELT_ALIKE for a in asked) for word in words
    )


def _is_named(text: str, asked: set[str]) -> bool:
    """Whether a question with these tokens has all the words of a cell or a header."""
    words = _words(text)
    return bool(words) and words <= asked


def _words(text: str) -> set[str]:
    return {t for word in text.split() if word.lower() not in STOP_WORDS for t in tokens(word)}


def read_rows(subject: str, table: Sequence[Passage]) -> tuple[tuple[Record, ...], str]:
    """The rows of a table that a question asks for, and a full sentence that names them.

    Those with a cell or a name that it names, all of them where it names none. A table may reach
    over several pages.
    """
    rows = tuple(r for part in table for r in part.records if r.cells)
    asked = set(tokens(subject))
    named = tuple(r for r in rows if _is_named(r.cells[0][1], asked))
    column, fitting = _by_column(asked, rows)
    if named:
        return named, row_sentence(*named)
    heading = table[0].heading
    named_once = dict.fromkeys(named_as_code(r.cells[0][1]) for r in fitting or rows)
    keys = ", ".join(named_once)
    if fitting:
        value = dict(fitting[0].cells)[column]
        told = f"{len(fitting)} of the entries under “{heading}” have {column.lower()} {value}"
    else:
        each = len(named_once) == len(rows)
        told = f"“{heading}” has {len(rows)} {'entries' if each else 'rows, on these'}"
    return fitting or rows, as_document_words(f"{told}: {keys}.")


def _by_column(asked: set[str], rows: Sequence[Record]) -> tuple[str, tuple[Record, ...]]:
    """The rows with a value that the question names, in a column where not all have it."""
    for at, (column, _) in enumerate(rows[0].cells[1:] if rows else (), 1):
        fitting = tuple(r for r in rows if len(r.cells) > at and _is_named(r.cells[at][1], asked))
        if 0 < len(fitting) < len(rows) and len({r.cells[at][1].lower() for r in fitting}) == 1:
            return column, fitting
    return "", ()


def row_sentence(*rows: Record) -> str:
    """Rows in words: the name of each, and its cells with their headers."""
    return as_document_words(f"{'; '.join(map(row_in_words, rows))}.")


def in_words(record: Record) -> str:
    """A record as a sentence of an answer: as it stands, or its cells with their headers."""
    if record.cells:
        return row_sentence(record)
    text = LIST_MARK.sub("", " ".join(record.quote.split()))
    return as_document_words(text if text[-1:] in ".!?:" else f"{text}.")


def row_in_words(row: Record) -> str:
    """A row as its page has it, in words: its name, and its other cells with their headers."""
    (_, key), *others = with_units(row.cells)
    told = ", ".join(
        f"{h.lower()} {_plain_cell(c)}" if h else c for h, c in others if c.strip(" –-")
    )
    return f"{named_as_code(key)}: {told}"


def asks_for_rows(subject: str, table: Passage) -> bool:
    """Whether a question names a column of a table and none of its rows."""
    rows = [r for r in table.records if r.cells]
    asked = set(tokens(subject))
    columns = [_words(header) for header, _ in (rows[0].cells[1:] if rows else ())]
    return (
        not any(_is_named(r.cells[0][1], asked) for r in rows)
        and any(column & asked for column in columns)
        and bool(_words(rows[0].cells[0][0]) & asked)
    )
