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
            for part in _beside_each_other(list(group)):
                yield from _table(part, path)


def _beside_each_other(rows: list[Sequence[str]]) -> Iterator[list[Sequence[str]]]:
    """Part rows where two columns or more are empty, and stand between tables with names."""
    used = _used(rows)
    starts = [b for a, b in pairwise(used) if b - a > 2]
    edges = pairwise([0, *starts, used[-1] + 1])
    parts = [[row[first:last] for row in rows] for first, last in edges]
    tables = [len(_used(part)) > 1 and _is_names(part[0]) and any(part[0]) for part in parts]
    yield from parts if all(tables) else [rows]


def _used(rows: Sequence[Sequence[str]]) -> list[int]:
    return sorted({place for row in rows for place, cell in enumerate(row) if cell.strip()})


def _table(rows: list[Sequence[str]], path: tuple[str, ...]) -> Iterator[Block]:
    used = _used(rows)
    if len(used) > _MOST_COLUMNS:
        raise UnreadableFile(
            f"it has {len(used):,} columns and the limit is {_MOST_COLUMNS:,}; split it"
        )
    grid = [[row[place] if place < len(row) else "" for place in used] for row in rows]
    alone = len(grid)
    if len(used) > 1:
        alone = next(n for n, row in enumerate(grid) if sum(map(bool, map(str.strip, row))) > 1)
    for row in grid[:alone]:
        yield Block(BlockKind.PARAGRAPH, collapse(" ".join(row)), path)
    table = grid[alone:]
    header_rows = int(len(table) > 1 and _is_names(table[0]))
    if header_rows and len(table) > 2 and _is_names(table[1]):
        pairs = list(pairwise(zip(table[0], table[1], strict=True)))
        header_rows += any(a and a == b and below != beside for (a, below), (b, beside) in pairs)
    yield from table_blocks(table, header_rows=header_rows, path=path)


def _is_names(row: Sequence[str]) -> bool:
    return not any(_NUMBER.fullmatch(cell.strip()) for cell in row)
