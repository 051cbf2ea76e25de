"""Running headers, footers, page numbers and copyright lines, found by counting."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_EDGE = 0.14
"""How far furniture reaches into a page from its top and bottom, as a share of the height."""

_STEP = 0.005
"""Lines whose heights differ by less stand on one row."""

_NUMBER = re.compile(
    r"(?:page|p\.)?\s*[-–—|]?\s*(?:\d{1,5}|[ivxlc]{1,7})\s*(?:(?:/|of)\s*\d{1,5})?\s*[-–—|.]?",
    re.IGNORECASE,
)
_LEGAL = re.compile(
    r"^(?:©|\(c\) ?(?:19|20)\d\d|copyright\b.{0,60}(?:19|20)\d\d)|\ball rights reserved\b|"
    r"^.{0,80}\b(?:confidential|proprietary)\b.{0,60}$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A line of a page; `place` is the height of its middle, 0 at the top and 1 at the bottom."""

    text: str
    place: float


def furniture(pages: Sequence[Sequence[PlacedLine]]) -> list[set[int]]:
    """Return for every page the indices of the lines that belong to the paper, not to the text.

    A line counts when it stands at a page's edge and returns at the same height, its digits left
    out, on three tenths of the pages or on three pages in a row (left and right pages counted
    apart); in a document of two or three pages, on all of them. What stands on one row with such a
    line goes with it: chapter titles change from page to page. Lines are taken from the edge
    inwards and only as long as each is furniture.
    """
    seen: dict[tuple[str, int], set[int]] = defaultdict(set)
    for number, lines in enumerate(pages):
        for line in lines:
            if _at_edge(line):
                seen[_key(line)].add(number)
    return [
        {i for row in _peel(lines, number, len(pages), seen) for i in row}
        for number, lines in enumerate(pages)
    ]


def _peel(
    lines: Sequence[PlacedLine], number: int, pages: int, seen: dict[tuple[str, int], set[int]]
) -> Iterator[list[int]]:
    def runs_on(line: PlacedLine) -> bool:
        height = round(line.place / _STEP)
        where = set().union(*(seen[_shape(line.text), height + d] for d in (-1, 0, 1)))
        return _returns(number, where, pages)

    for side in (_rows(lines, upper=True), _rows(lines, upper=False)):
        for row in side:
            running = any(runs_on(lines[i]) for i in row)
            legal = all(_LEGAL.search(lines[i].text) for i in row)
            numbered = pages < 3 and all(_is_page_number(lines[i], number + 1) for i in row)
            if not (running or legal or numbered):
                break
            yield row


def _rows(lines: Sequence[PlacedLine], *, upper: bool) -> Iterator[list[int]]:
    """Yield the rows at one edge from the outermost inwards."""
    edge = [i for i, line in enumerate(lines) if _at_edge(line) and (line.place < 0.5) is upper]
    row: list[int] = []
    for i in sorted(edge, key=lambda i: lines[i].place, reverse=not upper):
        if row and abs(lines[i].place - lines[row[0]].place) > _STEP:
            yield row
            row = []
        row.append(i)
    if row:
        yield row


def _at_edge(line: PlacedLine) -> bool:
    return not _EDGE < line.place < 1 - _EDGE


def _shape(text: str) -> str:
    """Return a line without what differs from page to page."""
    text = " ".join(text.split())
    return "#" if _NUMBER.fullmatch(text) else re.sub(r"\d+", "#", text).lower()


def _key(line: PlacedLine) -> tuple[str, int]:
    return _shape(line.text), round(line.place / _STEP)


def _returns(number: int, where: set[int], pages: int) -> bool:
    if len(where) < 2:
        return False
    if pages < 4:
        return len(where) == pages
    if len(where) >= max(3, 0.3 * pages):
        return True
    return any(
        {first, first + stride, first + 2 * stride} <= where
        for stride in (1, 2)
        for first in (number, number - stride, number - 2 * stride)
    )


def _is_page_number(line: PlacedLine, number: int) -> bool:
    text = " ".join(line.text.split())
    return bool(_NUMBER.fullmatch(text)) and re.search(rf"(?<!\d){number}(?!\d)", text) is not None
