"""Grids that strokes, bars and shaded boxes draw on a PDF page."""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

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


class _Groups:
    """Numbers from 0 on that are united step by step."""

    def __init__(self, count: int) -> None:
        self._up = list(range(count))

    def leader(self, i: int) -> int:
        """Return the number that stands for the group of `i`."""
        while self._up[i] != i:
            self._up[i] = self._up[self._up[i]]
            i = self._up[i]
        return i

    def unite(self, i: int, j: int) -> None:
        """Make one group of two."""
        self._up[self.leader(j)] = self.leader(i)


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

    def slots(self, cell: int) -> int:
        """Return how many slots a cell takes."""
        return sum(row.count(cell) for row in self.region)

    def is_rectangle(self, cell: int) -> bool:
        """Whether a cell's slots fill a rectangle, as they do in a table."""
        height = sum(cell in row for row in self.region)
        width = len({i for row in self.region for i, number in enumerate(row) if number == cell})
        return self.slots(cell) == height * width


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
    snapped: dict[float, list[_Edge]] = {}
    for edge in sorted(edges, key=lambda e: e.at):
        place = next(reversed(snapped), None)
        if place is None or edge.at - place > _SNAP:
            place = edge.at
        snapped.setdefault(place, []).append(edge)
    return [
        _Edge(place, start, end)
        for place, pieces in snapped.items()
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
    edges = _Groups(len(level) + len(upright))
    for (i, h), (j, v) in product(enumerate(level), enumerate(upright, len(level))):
        if h.start - _SNAP <= v.at <= h.end + _SNAP and v.start - _SNAP <= h.at <= v.end + _SNAP:
            edges.unite(i, j)
    groups: dict[int, tuple[list[_Edge], list[_Edge]]] = {}
    for i, edge in enumerate([*level, *upright]):
        groups.setdefault(edges.leader(i), ([], []))[i >= len(level)].append(edge)
    yield from groups.values()


def _grid(level: Sequence[_Edge], upright: Sequence[_Edge]) -> Grid:
    xs = _bounds([v.at for v in upright], level)
    ys = _bounds([h.at for h in level], upright)
    width, height = max(0, len(xs) - 1), max(0, len(ys) - 1)
    if width * height > _MOST_SLOTS:
        return Grid((), (), ())
    slots = _Groups(width * height)
    for row, column in product(range(height), range(width)):
        x, y = (xs[column] + xs[column + 1]) / 2, (ys[row] + ys[row + 1]) / 2
        here = row * width + column
        if column + 1 < width and not _crossed(upright, xs[column + 1], y):
            slots.unite(here, here + 1)
        if row + 1 < height and not _crossed(level, ys[row + 1], x):
            slots.unite(here, here + width)
    region = tuple(
        tuple(slots.leader(row * width + column) for column in range(width))
        for row in range(height)
    )
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
