"""Readers: values that stand in a fixed form are read by rule, before any model is asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from chatbot.records import records as page_records
from chatbot.turn import Record
from chatbot.words import STOP_WORDS, filtered
from corpora.lexical import identifiers, tokens
from ingestion.page import BlockKind

_ASKS_DEFAULT = re.compile(r"\bdefaults?\b|\bomitted\b|\bby itself\b", re.I)
_UNIT = (
    r"(?: ?(?:%|[kMGT]?(?:bit|B)(?:/s|ps)?\b|m?s\b|min\b|(?:milli)?seconds?|minutes?|hours?|"
    r"days?))?"
)
_VALUE = (
    r"[`(]?(?P<value>\"[^\"\n]*\"|'[^'\n]*'|‘[^’\n]*’|“[^”\n]*”|"
    rf"-?\d[\d.,]*(?<![.,]){_UNIT}|True\b|False\b|None\b|null\b|yes\b|no\b|on\b|off\b|enabled\b|"
    r"disabled\b|(?-i:[A-Z][A-Z0-9_]+\b)|\w+(?:[._]\w+)+(?:\(\))?)"
)
_STATED = re.compile(rf"\bdefault(?:s? (?:to|is|value is|value of)(?: the)?|:) {_VALUE}", re.I)
_ASKS_WHICH = re.compile(r"\b(which|what|who)\b", re.I)
_NEGATION = re.compile(r"\b(cannot|not|without|no|unsupported|lacks?|\w+n['’]t)\b", re.I)
_GIVEN = re.compile(r"\b(\w+) ?=(?!=)")


@dataclass(frozen=True)
class Reading:
    """A value and the record it was read from."""

    value: str
    record: Record


def read_value(subject: str, records: Sequence[Record]) -> Reading | None:
    """The value that the question asks for, where it stands in a form: a default, a table cell.

    Abstains (None) where nothing fits, or what fits does not agree: then the model has to read.
    """
    return (
        _agreed(_defaults(subject, records))
        or _agreed(_table_cells(subject, records))
        or _row_by_verdict(subject, records)
    )


def _agreed(found: Sequence[Reading]) -> Reading | None:
    values = {reading.value.strip("\"'‘’“”`").lower() for reading in found}
    return found[0] if len(values) == 1 else None


def _defaults(subject: str, records: Sequence[Record]) -> list[Reading]:
    """Defaults of the parameters that the question names, of the owner it names if it names one."""
    if not _ASKS_DEFAULT.search(subject):
        return []
    names = [*identifiers(subject), *(m.lower() for m in _GIVEN.findall(subject))]
    found = [
        Reading(value, record)
        for name in dict.fromkeys(names)
        for record in records
        if (value := _default_of(name, record)) is not None
    ]
    asked = set(tokens(subject))
    owned = [r for r in found if asked & set(tokens(r.record.label)) - set(_tokens_of(names))]
    return owned or found


def _tokens_of(names: Sequence[str]) -> list[str]:
    return [token for name in names for token in tokens(name)]


def _default_of(name: str, record: Record) -> str | None:
    last = re.escape(name.rsplit(".", 1)[-1])
    given = rf"(?<![\w.]){last}`?(?:: [^=,()]+)? ?= ?{_VALUE}"
    if record.kind == BlockKind.SIGNATURE:
        match = re.search(given, record.quote, re.I)
        return match["value"] if match else None
    if record.kind not in (BlockKind.DEFINITION, BlockKind.PARAGRAPH):
        return None
    if not re.match(rf"`?(?:\w+\.)*{last}(?!\w)", record.reading, re.I):
        return None
    if match := re.match(rf"`?{given}", record.quote, re.I):
        return match["value"]
    match = _STATED.search(record.quote)
    return match["value"] if match else None


def _table_cells(subject: str, records: Sequence[Record]) -> list[Reading]:
    """Cells whose row and column the question names: the row's first cell and the header."""
    asked = set(tokens(filtered(subject)))
    found = []
    for record in records:
        if len(record.cells) < 2:
            continue
        (_, key), *others = record.cells
        columns = [(h, c) for h, c in others if c and (own := _words(h)) and own <= asked]
        if _words(key) and _words(key) <= asked and len(columns) == 1:
            found.append(Reading(columns[0][1] + _unit(record, columns[0][0]), record))
    return found


def _row_by_verdict(subject: str, records: Sequence[Record]) -> Reading | None:
    """The one row of a table with "yes", or "no", in the column that the question names."""
    if not _ASKS_WHICH.search(subject):
        return None
    verdict = "no" if _NEGATION.search(subject) else "yes"
    asked = set(tokens(filtered(subject)))
    for row in records:
        columns = [h for h, c in row.cells[1:] if _is_verdict(c) and _words(h) & asked]
        if len(columns) != 1:
            continue
        table = [r for r in page_records(row.page) if [h for h, _ in r.cells] == _headers(row)]
        fitting = [r for r in table if dict(r.cells)[columns[0]].lower().startswith(verdict)]
        return Reading(fitting[0].cells[0][1], fitting[0]) if len(fitting) == 1 else None
    return None


def _headers(row: Record) -> list[str]:
    return [header for header, _ in row.cells]


def _is_verdict(cell: str) -> bool:
    return re.match(r"(yes|no)\b", cell, re.I) is not None


def _words(text: str) -> set[str]:
    return {t for word in text.split() if word.lower() not in STOP_WORDS for t in tokens(word)}


def _unit(record: Record, column: str) -> str:
    """The row's unit, where it has a column of its own and the value is a number without one."""
    cells = {header.lower(): cell for header, cell in record.cells}
    value = cells.get(column.lower(), "")
    unit = cells.get("unit", "") or cells.get("units", "")
    return f" {unit}" if unit.strip(" –-") and re.fullmatch(r"-?[\d.,]+", value) else ""
