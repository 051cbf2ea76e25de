"""A table becomes lines, cells divided by a dash, the header kept with every row."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from ingestion.page import CELL_DELIMITER, Block, BlockKind, collapse

_WIDEST = 1000
"""Columns beyond this are spans gone wild, not data."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell as it stands in the source, before its spans are expanded."""

    text: str
    rowspan: int = 1
    colspan: int = 1


def expand_spans(rows: Sequence[Sequence[Cell]]) -> list[list[str]]:
    """Repeat every spanning cell's text in each place that it covers.

    Returns one list of texts a row, all of the same length; places that no cell covers are empty.
    A span that reaches past the last row is cut there.
    """
    grid: list[dict[int, str]] = [{} for _ in rows]
    for r, row in enumerate(rows):
        column = 0
        for cell in row:
            while column in grid[r]:
                column += 1
            across = range(column, min(column + max(cell.colspan, 1), _WIDEST))
            for down in range(r, min(r + max(cell.rowspan, 1), len(rows))):
                for c in across:
                    grid[down].setdefault(c, cell.text)
            column = across.stop
    width = max((max(line, default=-1) for line in grid), default=-1) + 1
    return [[line.get(c, "") for c in range(width)] for line in grid]


def header_height(rows: Sequence[Sequence[Cell]], header_rows: int) -> int:
    """Count the rows of a header of which a file tells one, of `header_rows` others.

    Names in it reach down beside the groups of columns, or it is one title above them all.
    """
    if header_rows != 1:
        return header_rows
    is_title = len(rows[0]) == 1 and rows[0][0].colspan > 1
    height = max((cell.rowspan for cell in rows[0]), default=1) + is_title
    return height if height < len(rows) else 1


def names_figures(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether the first row of a bare grid names its columns: words above figures.

    In three columns or more, since in two the first row may be a name and its value.
    """
    first, *others = rows or [()]
    names = all(text.strip() and not any(map(str.isdigit, text)) for text in first)
    below = any(any(map(str.isdigit, text)) for row in others for text in row[1:])
    return len(first) > 2 and names and len(set(first)) == len(first) and below


def table_blocks(
    rows: Sequence[Sequence[str]],
    *,
    header_rows: int,
    path: tuple[str, ...] = (),
    anchor: str | None = None,
) -> list[Block]:
    """Turn a grid of cell texts into one block a line (QAMR III-A, figure 2).

    The first `header_rows` rows become one header line, joined column by column; every row after
    it carries that header; one that says the same in all columns is the table's title and becomes a
    paragraph before it. Rows without any text are left out. Line breaks inside a cell become
    spaces, so that a row is always one line.
    """
    grid = [[_cell(text) for text in row] for row in rows]
    titles = [*takewhile(_is_title, grid[:header_rows])]
    grid, header_rows = grid[len(titles) :], header_rows - len(titles)
    columns = zip(*grid[:header_rows], strict=True)
    joined = tuple(" ".join(dict.fromkeys(filter(None, column))) for column in columns)
    header = joined if any(joined) else ()
    blocks = [
        Block(BlockKind.TABLE_ROW, CELL_DELIMITER.join(row), path, anchor, header)
        for row in grid[header_rows:]
        if any(row)
    ]
    if header:
        blocks.insert(0, Block(BlockKind.TABLE_HEADER, CELL_DELIMITER.join(header), path, anchor))
    return [*(Block(BlockKind.PARAGRAPH, row[0], path, anchor) for row in titles), *blocks]


_LISTED = {BlockKind.LIST_ITEM, BlockKind.DEFINITION, BlockKind.TABLE_ROW}
NEW_LINE = " ⏎ "
"""Where a line of code ends inside a cell: two commands on one line would be another command."""


def cell_text(blocks: Iterable[Block]) -> str:
    """Write what stands in a cell on one line: "One of: fast; slow (1. wait; 2. go)".

    The lines of code inside it stay apart: "cd /opt ⏎ make".
    """
    text, depths, before = "", [0], BlockKind.PARAGRAPH
    for block in blocks:
        listed = block.kind in _LISTED
        depth = len(block.text) - len(block.text.lstrip()) if listed else depths[-1]
        depths = depths if text else [depth]
        while depth < depths[-1] and depths[1:]:
            text += ")"
            depths.pop()
        if depth > depths[-1]:
            text += " ("
            depths.append(depth)
        elif text and text[-1] not in ".:;,!?" and (listed or before in _LISTED):
            text += "; " if before in _LISTED else ": "
        elif text:
            text += " "
        if block.kind is BlockKind.CODE:
            text += in_a_line(block.text)
        else:
            mark = "- " if block.kind is BlockKind.LIST_ITEM else ""
            text += block.text.strip().removeprefix(mark).replace(CELL_DELIMITER, ": ")
        before = block.kind
    return text + ")" * len(depths[1:])


def in_a_line(code: str) -> str:
    """A listing as it stands in a cell of a row."""
    lines = filter(None, map(str.strip, code.split("\n")))
    return collapse(NEW_LINE.join(lines)).replace(CELL_DELIMITER, " – ")


def written_again(blocks: Iterable[Block]) -> Iterator[bool]:
    """Say of each block whether it is a listing below a table that is a line of a row there."""
    rows: deque[str] = deque()
    for block in blocks:
        if block.kind in {BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW}:
            rows.append(collapse(block.text))
        elif block.kind is BlockKind.CODE and not fits_row(block.text):
            # They stand in the order of their rows.
            line = in_a_line(block.text) if rows else ""
            while rows and line not in rows[0]:
                rows.popleft()
        else:
            rows.clear()
        yield block.kind is BlockKind.CODE and bool(rows)


def fits_row(text: str) -> bool:
    """Whether a text stands in a row of a table letter for letter."""
    return _cell(text) == text


def _is_title(row: Sequence[str]) -> bool:
    """Tell a cell above all columns, which names the table, from the header."""
    return len(row) > 1 and len({*row}) == 1 and bool(row[0])


def _cell(text: str) -> str:
    """Keep a cell on one line and free of the delimiter, so that a line splits into its cells."""
    return collapse(text).replace(CELL_DELIMITER, " – ")
