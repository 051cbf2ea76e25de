"""The order in which a person reads a page: column by column, from top to bottom."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import TypeVar

from ingestion.loaders.pdf_layout import Box, Line

BoxT = TypeVar("BoxT", bound=Box)


def flows(items: Sequence[BoxT]) -> Iterator[list[BoxT]]:
    """Yield the columns of a page in reading order, each from top to bottom.

    A column is believed only where at least two stacks of filled lines stand beside each other;
    whatever reaches across them, with the headings right above it, parts them into an upper and a
    lower half.
    """
    columns = _columns(items)
    if len(columns) < 2:
        yield sorted(items, key=lambda item: (item.y0, item.x0))
        return
    bands: list[list[BoxT]] = [[] for _ in columns]
    across: list[BoxT] = []
    for item in sorted(items, key=lambda item: (item.y0, item.x0)):
        inside = [i for i, (x0, x1) in enumerate(columns) if item.x0 < x1 and item.x1 > x0]
        if len(inside) == 1:
            if across:
                yield across
                across = []
            bands[inside[0]].append(item)
            continue
        across = [*_trailing_headings(bands), *across, item]
        yield from (band for band in bands if band)
        bands = [[] for _ in columns]
    yield from (band for band in bands if band)
    if across:
        yield across


def _trailing_headings(bands: list[list[BoxT]]) -> list[BoxT]:
    """Take from a column the headings that stand below everything in the other columns."""
    depth = [max((item.y1 for item in band), default=0.0) for band in bands]
    deepest = depth.index(max(depth))
    others = max((d for i, d in enumerate(depth) if i != deepest), default=0.0)
    band = bands[deepest]
    taken: list[BoxT] = []
    size = median(item.size for item in band if isinstance(item, Line)) if band else 0.0
    while band and band[-1].y0 > others and isinstance(band[-1], Line):
        if not (band[-1].bold or band[-1].size > size):
            break
        taken.insert(0, band.pop())
    return taken


def _columns(items: Sequence[BoxT]) -> list[tuple[float, float]]:
    lines = [item for item in items if isinstance(item, Line)]
    if len(lines) < 8:
        return []
    left, right = min(item.x0 for item in lines), max(item.x1 for item in lines)
    narrow = [item for item in lines if item.x1 - item.x0 < 0.6 * (right - left)]
    bins = [0] * (int(right - left) // 2 + 2)
    for item in narrow:
        for i in range(int(item.x0 - left) // 2, int(item.x1 - left) // 2 + 1):
            bins[i] += 1
    covered = [count > 0.06 * len(narrow) for count in bins]
    edges = [i for i, (a, b) in enumerate(pairwise([False, *covered, False])) if a != b]
    spans = [(left + 2 * a, left + 2 * b) for a, b in zip(edges[::2], edges[1::2], strict=True)]
    return spans if len(spans) > 1 and all(_is_prose(span, narrow) for span in spans) else []


def _is_prose(span: tuple[float, float], lines: Sequence[Line]) -> bool:
    inside = sorted(
        (item for item in lines if item.x0 >= span[0] - 3 and item.x1 <= span[1] + 3), key=_width
    )
    if len(inside) < 4:
        return False
    middle = inside[len(inside) // 2]
    return _width(middle) > 0.55 * (span[1] - span[0]) and len(middle.text) > 20


def _width(item: Box) -> float:
    return item.x1 - item.x0
