"""Running headers, footers, page numbers and copyright lines, found by counting."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product, takewhile

from ingestion.rows import clustered

EDGE = 0.14
"""How far furniture reaches into a page from its top and bottom, as a share of the height."""

LEADER = re.compile(r"(?:[.·…] ?){4,} *(?:\d+|[ivxlc]+)$")
"""The end of a line of a table of contents: dots up to the number of a page."""

_STEP = 0.005
"""Lines whose heights differ by less stand on one row."""

_BODY_GAP = 0.022
"""What is closer to the text than this, as a share of the height, is part of it."""

_MARGIN = 0.045
"""No text stands nearer to the paper's edge than this, however close it comes to furniture."""

_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_NUMBER = re.compile(r"\d{1,5}|\b[ivxlc]{1,7}\b")
_ALONE = re.compile(
    r"(?:page|p\.)?\s*[-–—|]?\s*\d{1,5}\s*(?:(?:/|of)\s*\d{1,5})?\s*[-–—|.]?", re.IGNORECASE
)
_LEGAL = re.compile(
    r"^(?:©|\(c\) ?(?:19|20)\d\d|copyright\b.{0,60}(?:19|20)\d\d)|\ball rights reserved\b|"
    r"^.{0,80}\b(?:confidential|proprietary)\b.{0,60}$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A line of a page; `place` is the height of its middle, 0 at the top and 1 at the bottom.

    A `large` one, larger than the text, is a title and may be counted as chapters are.
    """

    text: str
    place: float
    large: bool = False


def furniture(pages: Sequence[Sequence[PlacedLine]]) -> list[set[int]]:
    """Return for every page the indices of the lines that belong to the paper, not to the text.

    A line counts when it stands at a page's edge and returns at the same height on three tenths of
    the pages or on three pages in a row (left and right pages counted apart), in a document of two
    or three pages on all of them. It may change by a number that grows with the pages, and only by
    that: rows of a table resemble each other too. What stands on one row with such a line goes
    with it, since chapter titles change. Rows are taken from the edge inwards as long as each is
    furniture, and only if a gap parts them from the text.
    """
    seen: dict[tuple[str, int], set[int]] = defaultdict(set)
    for page, lines in enumerate(pages):
        for line in lines:
            if _at_edge(line):
                for shape, near in product(_shapes(line, page), (-1, 0, 1)):
                    seen[shape, round(line.place / _STEP) + near].add(page)

    def runs_on(line: PlacedLine, page: int) -> bool:
        height = round(line.place / _STEP)
        places = (seen.get((shape, height), set()) for shape in _shapes(line, page))
        return any(returns(page, where, len(pages)) for where in places)

    def is_furniture(row: Sequence[PlacedLine], page: int) -> bool:
        return (
            any(runs_on(line, page) for line in row)
            or all(is_legal(line.text) for line in row)
            or (len(pages) < 3 and all(_is_page_number(line.text, page + 1) for line in row))
        )

    found: list[set[int]] = []
    for page, lines in enumerate(pages):
        gone: set[int] = set()
        for rows in (_rows(lines, upper=True), _rows(lines, upper=False)):
            taken = list(takewhile(lambda row: is_furniture([lines[i] for i in row], page), rows))  # noqa: B023
            while taken and not _stands_apart(lines, taken):
                taken.pop()
            gone.update(i for row in taken for i in row)
        found.append(gone)
    return found


def is_legal(text: str) -> bool:
    """Whether a line only says whose the paper is."""
    return bool(_LEGAL.search(text))


def _shapes(line: PlacedLine, page: int) -> set[str]:
    """Return the text, and the text with each of its numbers counted from the page."""
    text = " ".join(line.text.lower().split())
    shapes = {text}
    for number in () if line.large and not _ALONE.fullmatch(text) else _NUMBER.finditer(text):
        offset = _value(number[0]) - page
        shapes.add(f"{text[: number.start()]}#{offset}{text[number.end() :]}")
    return shapes


def _value(digits: str) -> int:
    if digits.isdigit():
        return int(digits)
    values = [_ROMAN[letter] for letter in digits]
    return sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )


def _stands_apart(lines: Sequence[PlacedLine], taken: Sequence[Sequence[int]]) -> bool:
    inner = lines[taken[-1][0]].place
    if not _MARGIN < inner < 1 - _MARGIN:
        return True
    rest = set(range(len(lines))) - {i for row in taken for i in row}
    return all(abs(lines[i].place - inner) >= _BODY_GAP for i in rest)


def _rows(lines: Sequence[PlacedLine], *, upper: bool) -> list[list[int]]:
    """Return the rows at one edge from the outermost inwards."""
    edge = [i for i, line in enumerate(lines) if _at_edge(line) and (line.place < 0.5) is upper]
    edge.sort(key=lambda i: lines[i].place, reverse=not upper)
    return clustered(edge, lambda i, j: abs(lines[j].place - lines[i].place) <= _STEP)


def _at_edge(line: PlacedLine) -> bool:
    return not EDGE < line.place < 1 - EDGE


def returns(page: int, where: set[int], pages: int) -> bool:
    """Say whether what stands on some of the pages, this one among them, is of the paper."""
    if len(where) < 2:
        return False
    if pages < 4:
        return len(where) == pages
    if len(where) >= max(3, 0.3 * pages):
        return True
    return any(
        {first, first + stride, first + 2 * stride} <= where
        for stride in (1, 2)
        for first in (page, page - stride, page - 2 * stride)
    )


def _is_page_number(text: str, number: int) -> bool:
    text = " ".join(text.split())
    return bool(_ALONE.fullmatch(text)) and re.search(rf"(?<!\d){number}(?!\d)", text) is not None
