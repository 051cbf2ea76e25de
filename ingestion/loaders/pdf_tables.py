"""Tables on a PDF page: text in drawn grids, and text that stands in aligned columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise, product
from statistics import median

from ingestion.loaders.pdf_layout import Box, Line, around, merge, rows
from ingestion.loaders.pdf_strokes import Grid, joined
from ingestion.tables import names_figures

Join = Callable[[Sequence[Line]], str]
"""Makes the text of a paragraph from its lines."""

_COLUMN_GAP = 4.0
_ROWS_BEYOND_DOUBT = 6
"""Cells of as many lines each, side by side: these are rows, whatever their lines have room for."""
_BULLET = re.compile(r"[•◦▪▸‣●○■–*-]|\(?\w{1,3}[.)]")
_FIGURES = re.compile(r"[-+−–]?\d[\d.,\s−–-]*")

_MOST_SLOTS, _MOST_ACROSS, _MOST_DOWN = 6, 300, 1_500
"""How often a spanning cell is told: slots of a block, and letters more across and down."""

_FEWEST_WORDS = 2.5
_WITHIN = re.compile(r"\b(?:a|an|and|at|by|for|from|in|is|of|on|or|than|the|to|with)$")
"""Words of a line on average in a column of sentences, and what ends no sentence."""

_CUT_WORD = re.compile(r"\w[-\u00ad\u2010]$")

_Cell = list[Line]


@dataclass(frozen=True)
class Table(Box):
    """Cells row by row, all rows equally long; the first `header_rows` are the header.

    `ends` are, cell by cell, the width of its first word and the room that its last line leaves.
    """

    cells: tuple[tuple[str, ...], ...]
    header_rows: int
    ends: tuple[tuple[tuple[float, float], ...], ...]

    def continues(self, earlier: Table) -> bool:
        """Whether this is the next page's part of a table: as many columns on the same place."""
        return (
            len(self.cells[0]) == len(earlier.cells[0])
            and abs(self.x0 - earlier.x0) < 6
            and abs(self.x1 - earlier.x1) < 40
        )

    def with_header_of(self, earlier: Table) -> Table:
        """Repeat the earlier part's header, unless the page does, and the name above a row."""
        header = earlier.cells[: earlier.header_rows]
        ends = earlier.ends[: earlier.header_rows]
        first = 0
        if self.header_rows or self.cells[: len(header)] == header:
            first = max(self.header_rows, len(header))
            header, ends = self.cells[:first], self.ends[:first]
        rows = self.cells[first:]
        if header and rows and not rows[0][0]:
            # It belongs to what the row above is about.
            rows = ((earlier.cells[-1][0], *rows[0][1:]), *rows[1:])
        ends += self.ends[first:]
        return replace(self, cells=header + rows, header_rows=len(header), ends=ends)

    def cut_row(self, earlier: Table) -> tuple[str, ...] | None:
        """Return the first row where it is the rest of the earlier part's last one, else None.

        It has a text only where that has one, its name is not told anew, and one text goes on:
        it ends where no sentence does, or its last line had no room for the next word.
        """
        header = earlier.cells[: earlier.header_rows]
        repeated = self.cells[: len(header)] == header
        first = self.header_rows or (len(header) if repeated else 0)
        if first >= len(self.cells) or len(earlier.cells) <= earlier.header_rows:
            return None
        above, row = earlier.cells[-1], self.cells[first]
        pairs = list(zip(above, row, earlier.ends[-1], self.ends[first], strict=True))
        if any(after and not before for before, after, _, _ in pairs):
            return None
        if row[0]:
            goes_on = _is_open(above[0])
        else:
            goes_on = any(
                after
                and (
                    _is_open(before) or (" " in before and not after[0].isupper() and width > room)
                )
                for before, after, (_, room), (width, _) in pairs
            )
        return row if goes_on else None

    def in_place(self, whole: tuple[str, ...]) -> Table:
        """Put a whole row in place of its rest, the first row below the header."""
        at = self.header_rows
        return replace(self, cells=(*self.cells[:at], whole, *self.cells[at + 1 :]))

    def without_row(self) -> Table:
        """Leave out the first row below the header."""
        at = self.header_rows
        return replace(
            self,
            cells=self.cells[:at] + self.cells[at + 1 :],
            ends=self.ends[:at] + self.ends[at + 1 :],
        )


def _is_open(text: str) -> bool:
    """Whether a text ends where no sentence and no name does."""
    return bool(_WITHIN.search(text) or _CUT_WORD.search(text))


def drawn_tables(
    grids: Sequence[Grid], segments: Sequence[Line], join: Join
) -> list[tuple[Table, list[Line]]]:
    """Return the tables that stand in drawn grids, each with the segments that it takes.

    A cell that spans several rows or columns is repeated in each of them, unless that would tell
    it over and over (`_told_once`). A table inside a cell is told in that cell.
    """
    found: list[tuple[Table, list[Line]]] = []
    for grid in sorted(grids, key=lambda grid: grid.xs[-1] - grid.xs[0]):
        (x0, *_, x1), (y0, *_, y1) = grid.xs, grid.ys
        box = Box(x0, y0, x1, y1)
        taken = [s for s in segments if box.holds(s, 1)]
        texts = _fill(grid, taken)
        if not _is_table(grid, texts):
            continue
        inside = [item for item in found if box.holds(item[0], 0)]
        if inside:
            found = [item for item in found if item not in inside]
            paired = {id(line): line_of for _, lines in inside for line, line_of in _told(lines)}
            texts = _fill(grid, [paired.get(id(segment), segment) for segment in taken])
        once = _told_once(grid, texts)
        filled = (
            [texts.get(i, []) if once.get(i, (r, c)) == (r, c) else [] for c, i in enumerate(row)]
            for r, row in enumerate(grid.region)
        )
        cells = [part for row in filled for part in _split(row)]
        table = _table(cells, taken, join, grid.xs)
        if table is not None:
            found.append((replace(table, x0=x0, y0=y0, x1=x1, y1=y1), taken))
    return found


def _told_once(grid: Grid, texts: dict[int, _Cell]) -> dict[int, tuple[int, int]]:
    """The first slot of each cell that is told there alone.

    In a table of a page a value or a header holds for some columns, or a name for some rows. A
    sentence over many columns, or a block of both, is a note in a drawing of bars and boxes.
    """
    once = {}
    for number, lines in texts.items():
        slots = grid.slots(number)
        length = sum(len(line.text) for line in lines)
        columns, tall = len({c for _, c in slots}), len({r for r, _ in slots})
        is_block = columns > 1 and tall > 1 and len(slots) > _MOST_SLOTS
        if is_block or length * (columns - 1) > _MOST_ACROSS or length * (tall - 1) > _MOST_DOWN:
            once[number] = slots[0]
    return once


def _told(lines: Sequence[Line]) -> Iterator[tuple[Line, Line]]:
    """Pair the lines of a table inside a cell with the same in one text: "Watts: 40; Heat: 80"."""
    grouped = rows(lines)
    for row in grouped:
        for line in row:
            mark = ":" if line is not row[-1] else ";" if row is not grouped[-1] else ""
            *runs, last = line.runs
            yield line, replace(line, runs=(*runs, replace(last, text=f"{last.text}{mark}")))


def _is_table(grid: Grid, texts: dict[int, _Cell]) -> bool:
    """Whether a grid is one of cells, and not a framed text or a schematic of boxes."""
    # Boxes that arrows join are one row, however often the arrows part it.
    told = {frozenset(cell for cell in row if cell in texts) for row in grid.region}
    several = sum(len(row) > 1 for row in told)
    slots = [grid.slots(cell) for cell in texts]
    spanning = any(len(cell) > 1 for cell in slots)
    rectangles = (list(product(*map(set, zip(*cell, strict=True)))) for cell in slots)
    return several > (1 if spanning else 0) and all(
        len(cell) == len(whole) for cell, whole in zip(slots, rectangles, strict=True)
    )


def _fill(grid: Grid, segments: Sequence[Line]) -> dict[int, _Cell]:
    """Return each cell's lines; a segment that reaches over several cells is divided."""
    cells: dict[int, _Cell] = {}
    for segment in segments:
        y = segment.middle
        parts = groupby(segment.runs, key=lambda run: grid.cell_at((run.x0 + run.x1) / 2, y))
        for cell, group in parts:
            runs = tuple(group)
            if cell is not None:
                part = replace(segment, runs=runs, x0=runs[0].x0, x1=runs[-1].x1)
                cells.setdefault(cell, []).append(part)
    return {number: [merge(row) for row in rows(cell)] for number, cell in cells.items()}


def _split(row: list[_Cell]) -> list[list[_Cell]]:
    """Take apart a drawn row that holds several rows without a rule between them."""
    filled = [cell for cell in row if cell]
    count = len(filled[0]) if filled else 0
    if count < 2 or len(filled) < 2 or any(len(cell) != count for cell in filled):
        return [row]
    aligned = all(
        abs(cell[i].base - filled[0][i].base) < 3
        and (count >= _ROWS_BEYOND_DOUBT or not _wraps(cell, i))
        for cell in filled
        for i in range(count)
    )
    return [[cell[i : i + 1] for cell in row] for i in range(count)] if aligned else [row]


def _wraps(cell: _Cell, i: int) -> bool:
    """Whether line `i` had no room for the first word of the next one."""
    if i + 1 >= len(cell):
        return False
    first = cell[i + 1].runs[0]
    room = max(line.x1 for line in cell) - cell[i].x1
    return first.x1 - first.x0 >= room - 1 and len(cell[i].text) > 12


def _repeats_figures(above: Sequence[_Cell], row: Sequence[_Cell]) -> bool:
    """Whether a row has figures below figures: these are values, and no text that goes on."""
    pairs = zip(above, row, strict=True)
    return any(one and two and all(map(_is_figures, (*one, *two))) for one, two in pairs)


def _is_figures(line: Line) -> bool:
    return bool(_FIGURES.fullmatch(line.text))


def _table(
    cells: list[list[_Cell]], taken: Sequence[Line], join: Join, edges: Sequence[float]
) -> Table | None:
    used = [i for i in range(max(map(len, cells), default=0)) if any(row[i] for row in cells)]
    cells = [[row[i] for i in used] for row in cells if any(row)]
    if len(cells) < 2 or len(used) < 2:
        return None
    texts = tuple(tuple(join(cell) for cell in row) for row in cells)
    header_rows = _header_rows(cells) or int(names_figures(texts))
    rights = [edges[i + 1] for i in used]
    insets = [min(row[c][0].x0 - edges[i] for row in cells if row[c]) for c, i in enumerate(used)]
    ends = tuple(
        tuple(
            _end(cell, right - inset)
            for cell, right, inset in zip(row, rights, insets, strict=True)
        )
        for row in cells
    )
    return Table(*around(taken), texts, header_rows, ends)


def _end(cell: _Cell, right: float) -> tuple[float, float]:
    """Return the width of a cell's first word, and the room that its last line leaves."""
    if not cell:
        return 0.0, 0.0
    first = cell[0].runs[0]
    return first.x1 - first.x0, right - cell[-1].x1


def _header_rows(cells: list[list[_Cell]]) -> int:
    """Count the leading rows that are bold, or set in a font that the rest does not use."""

    def fonts(row: list[_Cell]) -> set[str]:
        return {line.font for cell in row for line in cell}

    def is_bold(row: list[_Cell]) -> bool:
        return all(line.bold for cell in row for line in cell)

    bold = next((i for i, row in enumerate(cells) if not is_bold(row)), 0)
    if 0 < bold <= 3:
        return bold
    first, rest = fonts(cells[0]), set[str]().union(*map(fonts, cells[1:]))
    return 1 if all(cells[0]) and len(first) == 1 and not first & rest else 0


def aligned_tables(
    flow: Sequence[Line], join: Join, rules: Sequence[float]
) -> list[tuple[Table, list[Line]]]:
    """Return runs of rows whose segments stand in the same columns, where no grid is drawn.

    `rules` are the heights of level strokes on the page. Three rows make a table, two where rules
    part them. Code is left alone.
    """
    originals = rows(flow)
    grouped = [_glue_bullet(row) for row in originals]
    found: list[tuple[Table, list[Line]]] = []
    i = 0
    while i < len(grouped):
        end = _extent(grouped, i)
        top, bottom = grouped[i][0].y0, grouped[end - 1][0].y1
        near = [y for y in rules if top - 12 <= y <= bottom + 12]
        table = _aligned(grouped[i:end], join, near)
        if table is None:
            i += 1
        else:
            found.append((table, [s for row in originals[i:end] for s in row]))
            i = end
    return found


def beside_each_other(flow: Sequence[Box]) -> Iterator[list[Box]]:
    """Part a flow where short columns of sentences stand beside each other, each read by itself.

    They have no more lines than a table's cells, but each goes on in the line below.
    """
    kept: list[Box] = [item for item in flow if not isinstance(item, Line)]
    grouped = rows(item for item in flow if isinstance(item, Line))
    i = 0
    while i < len(grouped):
        end = _extent(grouped, i)
        spans = _spans(s for row in grouped[i:end] for s in row)
        stacks = [
            [s for row in grouped[i:end] for s in row if x0 - 1 <= s.x0 <= x1] for x0, x1 in spans
        ]
        if len(stacks) > 1 and all(map(_goes_on, stacks)):
            top = grouped[i][0].y0
            yield [item for item in kept if item.y0 < top]
            yield from (list[Box](stack) for stack in stacks)
            kept = [item for item in kept if item.y0 >= top]
        else:
            kept += [s for row in grouped[i:end] for s in row]
        i = end
    yield kept


def _goes_on(stack: Sequence[Line]) -> bool:
    """Whether most lines of a column go on with the sentence of the line above, close below it."""
    pairs = list(pairwise(stack))
    going = sum(
        line.text[:1].islower() or _WITHIN.search(above.text) is not None for above, line in pairs
    )
    is_dense = all(line.base - above.base < 2 * above.size for above, line in pairs)
    words = sum(len(line.text.split()) for line in stack)
    is_text = not any(s.mono for s in stack) and words >= _FEWEST_WORDS * len(stack)
    return len(pairs) > 1 and is_dense and is_text and going > len(pairs) / 2


def _glue_bullet(row: list[Line]) -> list[Line]:
    if len(row) > 1 and _BULLET.fullmatch(row[0].text):
        return [merge(row[:2]), *row[2:]]
    return row


def _extent(grouped: Sequence[list[Line]], start: int) -> int:
    """Return the row after the last one that keeps the first row's columns apart."""
    columns = _spans(grouped[start])
    end = start + 1
    if len(columns) < 2 or all(s.mono for s in grouped[start]):
        return end
    for row in grouped[start + 1 :]:
        last = grouped[end - 1][0]
        together = joined([*columns, *((s.x0, s.x1) for s in row)], _COLUMN_GAP)
        if len(together) < len(columns) or row[0].base - last.base > 2.6 * last.size:
            break
        columns = together
        end += 1
    pitch = _pitch(grouped[start:end])
    while end > start + 1 and len(grouped[end - 1]) == 1:
        step = grouped[end - 1][0].base - grouped[end - 2][0].base
        if grouped[end - 1][0].x0 >= columns[1][0] or step < 0.85 * pitch:
            break
        end -= 1
    return end


def _pitch(grouped: Sequence[list[Line]]) -> float:
    """Return the usual distance between rows that have several cells."""
    bases = [row[0].base for row in grouped if len(row) > 1]
    return median([b - a for a, b in pairwise(bases)] or [0.0])


def _spans(segments: Iterable[Line]) -> list[tuple[float, float]]:
    return joined(((s.x0, s.x1) for s in segments), _COLUMN_GAP)


def _aligned(grouped: Sequence[list[Line]], join: Join, rules: Sequence[float]) -> Table | None:
    least = 2 if len(rules) > 1 else 3
    if sum(len(row) > 1 for row in grouped) < least:
        return None
    taken = [s for row in grouped for s in row]
    columns = _spans(taken)
    pitch = _pitch(grouped)
    inner = [y for y in rules if grouped[0][0].y1 < y < grouped[-1][0].y0]
    cells: list[list[_Cell]] = []
    before = grouped[0]
    for row in grouped:
        filled: list[_Cell] = [[s for s in row if x0 - 1 <= s.x0 <= x1] for x0, x1 in columns]
        step = row[0].base - before[0].base
        parted = any(before[0].base <= y <= row[0].base for y in inner)
        wrapped = (
            len(inner) > 1 or step < 0.85 * pitch or (not filled[0] and step < 1.5 * row[0].size)
        )
        if cells and _repeats_figures(cells[-1], filled):
            wrapped = False
        if cells and wrapped and not parted and sum(map(bool, filled)) < len(columns):
            for cell, more in zip(cells[-1], filled, strict=True):
                cell.extend(more)
        else:
            cells.append(filled)
        before = row
    if sum(sum(1 for cell in row if cell) > 1 for row in cells) < least:
        return None
    table = _table(
        [[[merge(part) for part in rows(cell)] for cell in row] for row in cells],
        taken,
        join,
        [*(x0 for x0, _ in columns), columns[-1][1]],
    )
    if table is not None and len(inner) == 1 and inner[0] < grouped[1][0].base:
        # The only rule inside stands below the first row: that is the header.
        return replace(table, header_rows=max(table.header_rows, 1))
    return table
