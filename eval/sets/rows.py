"""A file of questions as rows of cells: CSV, XLSX or JSONL."""

import json
import re
from collections.abc import Iterable, Iterator, Sized
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from corpora.catalog.spreadsheet import csv_rows
from eval.gold import GoldError
from ingestion.decoding import decode, objection
from ingestion.listing import DEFAULT_LIMITS
from ingestion.messages import message
from ingestion.page import Rejected, UnreadableFile
from ingestion.sandbox import Sandbox
from prompts.fencing import visible

LARGEST = 20_000_000
"""Bytes."""
LONGEST_CELL = 20_000
"""Characters."""
MOST_ROWS, MOST_COLUMNS = 10_000, 100
_LINE = TypeAdapter(dict[str, Any])


@dataclass(frozen=True)
class Row:
    """The cells of a line by their column, which is written as the file has it; or its fault."""

    line: int
    cells: dict[str, Any]
    fault: str = ""


def read_rows(data: bytes, name: str) -> tuple[Row, ...]:
    """The rows of a file below its header, by its suffix; raises GoldError.

    Text may be in any encoding that documents may be in. A workbook is parsed in a confined child
    process. Invisible characters are left out.
    """
    suffix = Path(name).suffix.lower()
    reading = {".csv": _csv, ".tsv": _csv, ".jsonl": _jsonl, ".xlsx": _xlsx, ".xlsm": _xlsx}
    if suffix not in reading:
        raise GoldError("{name}: give a .csv, .xlsx or .jsonl file", name=name)
    if len(data) > LARGEST:
        raise GoldError(
            "{name} is larger than {largest:,} bytes: divide it into several",
            name=name,
            largest=LARGEST,
        )
    if fault := objection(data, name):
        raise GoldError("{name}: {fault}", name=name, fault=fault)
    try:
        rows = tuple(islice(reading[suffix](data, name), MOST_ROWS + 1))
    except UnreadableFile as error:
        raise GoldError("{name}: {error}", name=name, error=error) from error
    if not rows:
        raise GoldError("{name}: there is nothing in this file below its first row", name=name)
    if len(rows) > MOST_ROWS:
        raise GoldError(
            "{name} has more than {most_rows:,} rows: divide it into several",
            name=name,
            most_rows=MOST_ROWS,
        )
    _require_few(columns_of(rows), name)
    return rows


def columns_of(rows: Iterable[Row]) -> tuple[str, ...]:
    """The columns of a file, in its order."""
    return tuple(dict.fromkeys(column for row in rows for column in row.cells))


def _csv(data: bytes, name: str) -> Iterator[Row]:
    text = decode(data)
    first = text.lstrip("\n").partition("\n")[0]
    rows = csv_rows(text, name, max(",;\t", key=first.count), GoldError)
    yield from _below_header(rows, name)


def _xlsx(data: bytes, name: str) -> Iterator[Row]:
    limits = DEFAULT_LIMITS
    sandbox = Sandbox("eval.sets.workbook:load", memory=limits.memory, seconds=limits.seconds)
    with closing(sandbox):
        read = sandbox.parse(data, name)
    if isinstance(read, Rejected):
        raise GoldError("{name}: {reason}", name=name, reason=read.reason)
    blocks = (block for page in read.pages for block in page.blocks)
    yield from _below_header(((int(b.anchor or 0), json.loads(b.text)) for b in blocks), name)


def _below_header(rows: Iterator[tuple[int, list[str]]], name: str) -> Iterator[Row]:
    header = [cell.strip() for cell in next(rows, (0, []))[1]]
    _require_few(list(filter(None, header)), name)
    for line, cells in rows:
        beyond = "".join(cells[len(header) :]).strip()
        many = message("it has more cells than the first row names columns")
        fault = many if beyond else ""
        pairs = zip(header, cells, strict=False)
        yield Row(line, {column: plain_cell(cell) for column, cell in pairs if column}, fault)


def _require_few(columns: Sized, name: str) -> None:
    if len(columns) > MOST_COLUMNS:
        raise GoldError(
            "{name} has more than {most_columns} columns: leave some out",
            name=name,
            most_columns=MOST_COLUMNS,
        )


def _jsonl(data: bytes, name: str) -> Iterator[Row]:
    # Other line ends than these may stand within a JSON string.
    for number, line in enumerate(re.split(r"\r?\n", decode(data)), 1):
        if not line.strip():
            continue
        try:
            yield Row(number, {k: plain_cell(v) for k, v in _LINE.validate_json(line).items()})
        except ValidationError:
            yield Row(number, {}, "it is no JSON object")


def plain_cell(value: Any) -> Any:
    """A cell without what is not seen, also within lists and objects."""
    if isinstance(value, list):
        return list(map(plain_cell, value))
    if isinstance(value, dict):
        return {key: plain_cell(item) for key, item in value.items()}
    return visible(value).strip()[:LONGEST_CELL] if isinstance(value, str) else value
