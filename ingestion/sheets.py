"""Rows of cells, of a file with commas or of a spreadsheet, become tables with their headers."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, pairwise

from ingestion.page import Block, BlockKind, UnreadableFile, collapse
from ingestion.tables import table_blocks

_MOST_COLUMNS = 1000
_NUMBER = re.compile(r"[-+]?[\d.,\s]*\d(%|E[-+]\d+)?")


def sheet_blocks(rows: Iterable[Sequence[str]], path: tuple[str, ...] = ()) -> Iterator[Block]:
    """Read rows as tables, one after each row that is empty.

    The first row of a table names its columns unless there is a number in it, with the row below
    where that tells apart neighbours of one name; what stands alone above it is a paragraph.
    Columns without text are left out. Raises UnreadableFile where there are more than 1,000
    columns with text.
    """
    for has_text, group in groupby(rows, key=lambda row: any(map(str.strip, row))):
        if has_text:
            yield from _tables(list(group), path)


def _tables(rows: list[Sequence[str]], path: tuple[str, ...]) -> Iterator[Block]:
    used = _used(rows)
    if len(used) > _MOST_COLUMNS:
        raise UnreadableFile(
            "it has {number:,} columns and the limit is {most_columns:,}; split it",
            number=len(used),
            most_columns=_MOST_COLUMNS,
        )
    wide = (n for n, row in enumerate(rows) if sum(map(bool, map(str.strip, row))) > 1)
    alone = next(wide, len(rows))
    for row in rows[:alone]:
        yield Block(BlockKind.PARAGRAPH, collapse(" ".join(row)), path)
    for table in _beside_each_other(rows[alone:]):
        header_rows = int(len(table) > 1 and _is_names(table[0]))
        if header_rows and len(table) > 2 and _is_names(table[1]):
            pairs = list(pairwise(zip(table[0], table[1], strict=True)))
            header_rows += any(
                a and a == b and below != beside for (a, below), (b, beside) in pairs
            )
        yield from table_blocks(table, header_rows=header_rows, path=path)


def _used(rows: Sequence[Sequence[str]]) -> list[int]:
    return sorted({place for row in rows for place, cell in enumerate(row) if cell.strip()})


def _beside_each_other(rows: Sequence[Sequence[str]]) -> list[list[list[str]]]:
    """Return the columns with text; those between which two or more are empty by themselves.

    That is where each has its names, since a column may also be left empty to be seen better.
    """
    used = _used(rows)
    starts = [after for before, after in pairwise(used) if after - before > 2]
    edges = pairwise([0, *starts, max(used, default=0) + 1])
    groups = [[place for place in used if first <= place < last] for first, last in edges]
    parts = [_columns(rows, group) for group in groups]
    names = [part[0] for part in parts if part]
    named = all(len(row) > 1 and all(map(str.strip, row)) and _is_names(row) for row in names)
    return parts if named else [_columns(rows, used)]


def _columns(rows: Sequence[Sequence[str]], places: Sequence[int]) -> list[list[str]]:
    return [[row[place] if place < len(row) else "" for place in places] for row in rows]


def _is_names(row: Sequence[str]) -> bool:
    return not any(_NUMBER.fullmatch(cell.strip()) for cell in row)
