"""What strokes, bars and shaded boxes draw on a PDF page: grids, schematics and bullets."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from statistics import median
from typing import Any

from ingestion.loaders.pdf_layout import Box, Line, Run, around, rows
from ingestion.page import CELL_DELIMITER
from ingestion.rows import clustered

_SNAP = 3.0
"""Edges closer than this, in points, are one: borders are often drawn twice."""

_SHORTEST = 4.0
_LONG = 30.0
_MOST_EDGES = 1500
_MOST_SLOTS = 5000
"""What has more edges or slots than this is a map or a plot, not a table."""


@dataclass(frozen=True, slots=True)
class _Edge:
    """A straight stroke at `at`, from `start` to `end` along the other axis."""

    at: float
    start: float
    end: float


def _groups(count: int, pairs: Iterable[tuple[int, int]]) -> list[int]:
    """Return the number of the group of each of so many things, some pairs of them united."""
    group = list(range(count))
    members = [[i] for i in group]
    for pair in pairs:
        less, more = sorted((group[i] for i in pair), key=lambda number: len(members[number]))
        if less != more:
            for i in members[less]:
                group[i] = more
            members[more] += members[less]
    return group


@dataclass(frozen=True)
class Grid:
    """Columns between `xs`, rows between `ys`, in points; `region` numbers each slot's cell.

    Slots without an edge between them belong to one cell and have the same number.
    """

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    region: tuple[tuple[int, ...], ...]

    def cell_at(self, x: float, y: float) -> int | None:
        """Return the number of the cell at a point, None outside the grid."""
        column, row = bisect_right(self.xs, x) - 1, bisect_right(self.ys, y) - 1
        if 0 <= row < len(self.region) and 0 <= column < len(self.region[0]):
            return self.region[row][column]
        return None

    def slots(self, cell: int) -> list[tuple[int, int]]:
        """Return row and column of each slot that a cell takes."""
        return [(r, c) for r, row in enumerate(self.region) for c, i in enumerate(row) if i == cell]


def level_rules(drawings: Iterable[dict[str, Any]]) -> list[float]:
    """Return the heights of the level strokes and bars that are long enough to part rows."""
    return [
        (y0 + y1) / 2
        for x0, y0, x1, y1 in _strokes(drawings)
        if y1 - y0 < _SNAP and x1 - x0 >= _LONG
    ]


def page_grids(drawings: Iterable[dict[str, Any]]) -> list[Grid]:
    """Return the grids of at least two columns or two rows among MuPDF's drawings of a page."""
    level: list[_Edge] = []
    upright: list[_Edge] = []
    for x0, y0, x1, y1 in _strokes(drawings):
        if x1 - x0 >= _SHORTEST and y1 - y0 < _SNAP:
            level.append(_Edge((y0 + y1) / 2, x0, x1))
        elif y1 - y0 >= _SHORTEST and x1 - x0 < _SNAP:
            upright.append(_Edge((x0 + x1) / 2, y0, y1))
        if len(level) + len(upright) > _MOST_EDGES:
            return []
    grids = (_grid(*part) for part in _connected(_snapped(level), _snapped(upright)))
    return [
        grid
        for grid in grids
        if len(grid.xs) > 1 and len(grid.ys) > 1 and len(grid.xs) + len(grid.ys) > 4
    ]


def _strokes(drawings: Iterable[dict[str, Any]]) -> Iterator[tuple[float, float, float, float]]:
    for drawing in drawings:
        for item in drawing["items"]:
            if item[0] == "l":
                (ax, ay), (bx, by) = item[1], item[2]
                yield min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)
            elif item[0] == "re":
                x0, y0, x1, y1 = item[1]
                if min(x1 - x0, y1 - y0) < _SNAP:
                    yield x0, y0, x1, y1
                else:
                    yield from ((x0, y0, x1, y0), (x0, y1, x1, y1))
                    yield from ((x0, y0, x0, y1), (x1, y0, x1, y1))


def _snapped(edges: Sequence[_Edge]) -> list[_Edge]:
    """Snap edges to common places and join the pieces of one stroke."""
    ordered = sorted(edges, key=lambda edge: edge.at)
    return [
        _Edge(pieces[0].at, start, end)
        for pieces in clustered(ordered, lambda first, edge: edge.at - first.at <= _SNAP)
        for start, end in joined(((piece.start, piece.end) for piece in pieces), _SNAP)
    ]


def joined(spans: Iterable[tuple[float, float]], gap: float) -> list[tuple[float, float]]:
    """Unite stretches that overlap, or that are no more than a gap apart."""
    united: list[tuple[float, float]] = []
    for start, end in sorted(spans):
        if united and start <= united[-1][1] + gap:
            united[-1] = (united[-1][0], max(united[-1][1], end))
        else:
            united.append((start, end))
    return united


def _connected(
    level: Sequence[_Edge], upright: Sequence[_Edge]
) -> Iterator[tuple[list[_Edge], list[_Edge]]]:
    """Yield the groups of edges that touch each other."""
    edges = [*level, *upright]
    touching = (
        (i, j)
        for (i, h), (j, v) in product(enumerate(level), enumerate(upright, len(level)))
        if h.start - _SNAP <= v.at <= h.end + _SNAP and v.start - _SNAP <= h.at <= v.end + _SNAP
    )
    groups: dict[int, tuple[list[_Edge], list[_Edge]]] = {}
    for i, number in enumerate(_groups(len(edges), touching)):
        groups.setdefault(number, ([], []))[i >= len(level)].append(edges[i])
    yield from groups.values()


def _grid(level: Sequence[_Edge], upright: Sequence[_Edge]) -> Grid:
    xs = _bounds([v.at for v in upright], level)
    ys = _bounds([h.at for h in level], upright)
    width, height = max(0, len(xs) - 1), max(0, len(ys) - 1)
    if width * height > _MOST_SLOTS:
        return Grid((), (), ())
    open_to: list[tuple[int, int]] = []
    for row, column in product(range(height), range(width)):
        x, y = (xs[column] + xs[column + 1]) / 2, (ys[row] + ys[row + 1]) / 2
        here = row * width + column
        if column + 1 < width and not _crossed(upright, xs[column + 1], y):
            open_to.append((here, here + 1))
        if row + 1 < height and not _crossed(level, ys[row + 1], x):
            open_to.append((here, here + width))
    cells = _groups(width * height, open_to)
    region = tuple(tuple(cells[row * width :][:width]) for row in range(height))
    return Grid(tuple(xs), tuple(ys), region)


def _bounds(places: Sequence[float], across: Sequence[_Edge]) -> list[float]:
    """Return where a grid is divided, its open ends closed where the crossing edges end."""
    bounds = sorted(set(places))
    if across:
        first, last = min(e.start for e in across), max(e.end for e in across)
        if not bounds or first < bounds[0] - 2 * _SNAP:
            bounds.insert(0, first)
        if last > bounds[-1] + 2 * _SNAP:
            bounds.append(last)
    return bounds


def _crossed(edges: Sequence[_Edge], at: float, middle: float) -> bool:
    return any(e.at == at and e.start <= middle <= e.end for e in edges)


_MIN_STROKES = 4
_MOST_STROKES = 2000
_MIN_SIDE = 50.0
_REACH = 8.0


@dataclass(frozen=True)
class Drawing(Box):
    """A schematic as lines of labels, top to bottom; `strokes` is where it is drawn, if known."""

    lines: tuple[str, ...]
    strokes: tuple[float, float, float, float] | None = None


def page_drawings(
    page: Any, strokes: Sequence[dict[str, Any]], segments: Sequence[Line], *, whole: bool
) -> list[tuple[Drawing, list[Line]]]:
    """Return the schematics of a page, each with the segments that it takes.

    A cluster of strokes is a schematic when the text in it is short labels and not sentences or
    code. Where none is and `whole` allows it, a page of nothing but scattered labels is one.
    """
    places = [stroke["rect"] for stroke in strokes if not _is_mark(stroke["rect"])]
    if not _MIN_STROKES <= len(places) <= _MOST_STROKES:
        return []
    found: list[tuple[Drawing, list[Line]]] = []
    for x0, y0, x1, y1 in page.cluster_drawings(x_tolerance=12, y_tolerance=12):
        within = sum(x0 <= place[0] <= x1 and y0 <= place[1] <= y1 for place in places)
        if within < _MIN_STROKES or min(x1 - x0, y1 - y0) < _MIN_SIDE:
            continue
        inside = [s for s in segments if Box(x0, y0, x1, y1).holds(s, _REACH)]
        if _is_labels(inside):
            drawing = replace(_drawing(inside), strokes=(x0, y0, x1, y1))
            found.append((drawing, inside))
    if whole and not found and len(places) >= 2 * _MIN_STROKES and len(segments) >= 8:
        size = median(s.size for s in segments)
        labels = [s for s in segments if s.size < 1.4 * size]
        beside = sum(len(row) > 1 for row in rows(labels))
        has_text = any(s.mono or len(s.text.split()) >= _SENTENCE for s in segments)
        if not has_text and _is_labels(segments) and beside > 0.3 * len(rows(labels)):
            found.append((_drawing(labels), labels))
    return found


_SENTENCE = 8
"""Words: no label has so many."""


def _is_labels(segments: Sequence[Line]) -> bool:
    labels = [s for s in segments if not s.mono]
    if len(labels) < max(3, 0.5 * len(segments)):
        return False
    words = [len(s.text.split()) for s in labels]
    beside = any(len(row) > 1 for row in rows(labels))
    return beside and median(words) <= 3 and sum(w >= _SENTENCE for w in words) <= 0.05 * len(words)


def _drawing(segments: Sequence[Line]) -> Drawing:
    labels = tuple(CELL_DELIMITER.join(s.text for s in row) for row in rows(segments))
    return Drawing(*around(segments), labels)


def with_marks(lines: Sequence[Line], strokes: Sequence[dict[str, Any]]) -> list[Line]:
    """Put a bullet before each line that has one drawn beside it: browsers draw theirs."""
    marks = [drawing["rect"] for drawing in strokes if _is_mark(drawing["rect"])]
    return [_marked(line, marks) for line in lines]


def _is_mark(rect: tuple[float, float, float, float]) -> bool:
    width, height = rect[2] - rect[0], rect[3] - rect[1]
    return 1.5 < width < 7 and 1.5 < height < 7 and abs(width - height) < 1.5


def _marked(line: Line, marks: Sequence[tuple[float, float, float, float]]) -> Line:
    for x0, y0, x1, y1 in marks:
        if 0 < line.x0 - x1 < 2 * line.size and line.y0 < (y0 + y1) / 2 < line.y1:
            first = line.runs[0]
            mark = Run("•", x0, x1, first.font, first.size, False, False, False)
            return replace(line, runs=(mark, replace(first, spaced=True), *line.runs[1:]), x0=x0)
    return line


def without_struck(
    lines: Sequence[Line], strokes: Sequence[dict[str, Any]]
) -> tuple[list[Line], list[dict[str, Any]]]:
    """Leave out the words that a level stroke is drawn through, and the stroke."""
    kept: list[Line] = []
    through: list[Box] = []
    bars = [Box(*stroke["rect"]) for stroke in strokes if _is_bar(stroke["rect"])]
    if len(bars) > _MOST_STROKES:
        return list(lines), list(strokes)
    for line in lines:
        # A rule or an axis that text stands on is longer than the text.
        own = [bar for bar in bars if line.x0 - 2 < bar.x0 and bar.x1 < line.x1 + 2]
        near = [bar for bar in own if _LOW < (line.base - bar.middle) / line.size < _HIGH]
        runs = tuple(run for run in line.runs if not any(_covers(bar, run) for bar in near))
        if runs == line.runs:
            kept.append(line)
            continue
        through += near
        if runs:
            kept.append(replace(line, runs=runs, x0=runs[0].x0, x1=runs[-1].x1))
    return kept, [stroke for stroke in strokes if Box(*stroke["rect"]) not in through]


_LOW, _HIGH = 0.15, 0.45
"""How high above the line that text stands on a stroke goes through it, in sizes of its letters."""


def _is_bar(rect: tuple[float, float, float, float]) -> bool:
    return rect[3] - rect[1] < 2 and rect[2] - rect[0] > 3


def _covers(bar: Box, run: Run) -> bool:
    return bar.x0 <= run.x0 + 1 and run.x1 - 1 <= bar.x1
