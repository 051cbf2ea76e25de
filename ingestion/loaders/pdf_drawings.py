"""Schematics on a PDF page: labels among strokes, read line by line."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

from ingestion.loaders.pdf_layout import Box, Line, Run, around, rows
from ingestion.page import CELL_DELIMITER

_MIN_STROKES = 4
_MOST_STROKES = 2000
_MIN_SIDE = 50.0
_REACH = 8.0


@dataclass(frozen=True)
class Drawing(Box):
    """A schematic as lines of labels, top to bottom."""

    lines: tuple[str, ...]


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
            found.append((_drawing(inside), inside))
    if whole and not found and len(places) >= 2 * _MIN_STROKES and len(segments) >= 8:
        size = median(s.size for s in segments)
        labels = [s for s in segments if s.size < 1.4 * size]
        beside = sum(len(row) > 1 for row in rows(labels))
        if _is_labels(segments) and beside > 0.3 * len(rows(labels)):
            found.append((_drawing(labels), labels))
    return found


def _is_labels(segments: Sequence[Line]) -> bool:
    labels = [s for s in segments if not s.mono]
    if len(labels) < max(3, 0.5 * len(segments)):
        return False
    words = [len(s.text.split()) for s in labels]
    beside = any(len(row) > 1 for row in rows(labels))
    return beside and median(words) <= 3 and sum(w >= 8 for w in words) <= 0.05 * len(words)


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
