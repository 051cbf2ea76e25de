"""A PDF page as lines of styled runs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from itertools import groupby
from typing import Any, TypeVar

_MONO = re.compile(
    r"mono|nimbusmon|courier|typewriter|consol|menlo|code|fixed|[a-z]tt\d*\b|[a-z]tt-", re.I
)
_BOLD = re.compile(r"bold|black|heavy|medi\b|btt|cmbx|[-,]bd", re.I)
_BULLET_GLYPHS = {"\uf0b7": "•", "\uf0a7": "▪", "\uf0d8": "▸", "\uf076": "▪"}
_CODE_QUOTES = str.maketrans({"’": "'", "‘": "'", "‛": "'", "´": "'", "“": '"', "”": '"', "−": "-"})
_KEPT_UNPRINTABLE = "\u00ad" + "".join(_BULLET_GLYPHS)
_LEVEL = 0.99
_FLAG_SUPERSCRIPT, _FLAG_MONO, _FLAG_BOLD = 1, 8, 16


@dataclass(frozen=True, slots=True)
class Run:
    """Letters of one style without a space between them; `spaced` if a space stands before."""

    text: str
    x0: float
    x1: float
    font: str
    size: float
    mono: bool
    bold: bool
    spaced: bool


@dataclass(frozen=True)
class Box:
    """What has a place on the page: its edges in points from the page's top left."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def middle(self) -> float:
        """The height of its middle."""
        return (self.y0 + self.y1) / 2

    def holds(self, item: Box, reach: float) -> bool:
        """Whether the middle of an item lies in it, or no farther outside than `reach`."""
        x = (item.x0 + item.x1) / 2
        return (
            self.x0 - reach <= x <= self.x1 + reach
            and self.y0 - reach <= item.middle <= self.y1 + reach
        )


def around(items: Sequence[Box]) -> tuple[float, float, float, float]:
    """Return the edges of the smallest box that holds all of some items."""
    return (
        min(item.x0 for item in items),
        min(item.y0 for item in items),
        max(item.x1 for item in items),
        max(item.y1 for item in items),
    )


@dataclass(frozen=True)
class Line(Box):
    """Runs on one baseline, left to right.

    A `turned` line does not run from left to right; it is read in tables and schematics only.
    """

    runs: tuple[Run, ...]
    base: float
    turned: bool = False

    @cached_property
    def text(self) -> str:
        """The runs with single spaces where the page has space."""
        return join_runs(self.runs)

    @cached_property
    def size(self) -> float:
        """The font size that most letters have, in points."""
        return _dominant((r.size, len(r.text)) for r in self.runs)

    @cached_property
    def font(self) -> str:
        """The font that most letters have."""
        return _dominant((r.font, len(r.text)) for r in self.runs)

    @cached_property
    def mono(self) -> bool:
        """Whether the line is set in a monospaced font, but for a stray glyph inside."""
        if not (self.runs[0].mono and self.runs[-1].mono):
            return False
        letters = sum(len(r.text) for r in self.runs)
        return sum(len(r.text) for r in self.runs if r.mono) > 0.9 * letters

    @cached_property
    def bold(self) -> bool:
        """Whether every letter is bold, a leading bullet aside."""
        return all(r.bold for r in self.runs)


def join_runs(runs: Sequence[Run]) -> str:
    """Join runs with one space where there was any."""
    return "".join((" " if r.spaced and i else "") + r.text for i, r in enumerate(runs))


ValueT = TypeVar("ValueT")


def _dominant(weighted: Iterable[tuple[ValueT, int]]) -> ValueT:
    totals: dict[ValueT, int] = {}
    for value, weight in weighted:
        totals[value] = totals.get(value, 0) + weight
    return max(totals, key=lambda value: totals[value])


_SIDEWAYS = {(0, -1): -90, (0, 1): 90, (-1, 0): 180}
"""By how many degrees a page must be turned for text of a direction to run to the right."""


def upright(page: Any) -> Any:
    """Return the page, or a copy of it turned so that most of its text runs from left to right.

    `page` is a `pymupdf.Page`; its rotation, which MuPDF's coordinates ignore, is taken off.
    """
    pymupdf: Any = import_module("pymupdf")
    page.set_rotation(0)
    letters: Counter[tuple[int, int]] = Counter()
    for block in page.get_text("dict", flags=pymupdf.TEXT_MEDIABOX_CLIP)["blocks"]:
        for raw in block.get("lines", ()):
            cos, sin = raw["dir"]
            letters[round(cos), round(sin)] += sum(len(span["text"]) for span in raw["spans"])
    turn = _SIDEWAYS.get(letters.most_common(1)[0][0]) if letters else None
    if turn is None:
        return page
    width, height = page.rect.width, page.rect.height
    turned = pymupdf.open()
    copy = turned.new_page(
        width=width if turn == 180 else height, height=height if turn == 180 else width
    )
    copy.show_pdf_page(copy.rect, page.parent, page.number, rotate=turn)
    return copy


def page_segments(page: Any) -> list[Line]:
    """Return what MuPDF holds for lines: a line breaks wherever a wide gap stands in it.

    Ligatures are taken apart; overprinted copies are left out. `page` is a `pymupdf.Page`.
    """
    pymupdf: Any = import_module("pymupdf")
    flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
    segments: dict[tuple[str, int, int], Line] = {}
    for block in page.get_text("rawdict", flags=flags)["blocks"]:
        for raw in block.get("lines", ()):
            line = _segment(raw)
            if line is not None and _lies_on(page.rect, line):
                segments.setdefault((line.text, round(line.x0 / 2), round(line.base / 2)), line)
    return list(segments.values())


def _lies_on(paper: Any, line: Line) -> bool:
    """Whether a line stands on the page; damaged files put text anywhere."""
    edge = 0.1 * (paper.width + paper.height)
    return bool(
        paper.x0 - edge < line.x0 <= line.x1 < paper.x1 + edge
        and paper.y0 - edge < line.y0 <= line.y1 < paper.y1 + edge
    )


@dataclass(frozen=True, slots=True)
class _Style:
    font: str
    size: float
    mono: bool
    bold: bool
    raised: bool


def _style(span: dict[str, Any]) -> _Style:
    font, flags = span["font"], span["flags"]
    return _Style(
        font=font,
        size=round(span["size"], 1),
        mono=bool(flags & _FLAG_MONO) or bool(_MONO.search(font)),
        bold=bool(flags & _FLAG_BOLD) or bool(_BOLD.search(font)),
        raised=bool(flags & _FLAG_SUPERSCRIPT),
    )


def _glyphs(raw: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], _Style]]:
    for span in raw["spans"]:
        style = _style(span)
        for char in span["chars"]:
            letter = _BULLET_GLYPHS.get(char["c"], char["c"])
            if letter.isprintable() or letter.isspace() or letter in _KEPT_UNPRINTABLE:
                yield letter, char, style


def _segment(raw: dict[str, Any]) -> Line | None:
    runs: list[Run] = []
    spaced = False
    for (style, is_space), group in groupby(_glyphs(raw), key=lambda g: (g[2], g[0].isspace())):
        if is_space:
            spaced = True
            continue
        glyphs = list(group)
        text = "".join(letter for letter, _, _ in glyphs)
        if style.mono:
            text = text.translate(_CODE_QUOTES)
        elif style.raised and runs and not spaced and text.isalnum():
            text = "^" + text
        x0, x1 = glyphs[0][1]["bbox"][0], glyphs[-1][1]["bbox"][2]
        runs.append(Run(text, x0, x1, style.font, style.size, style.mono, style.bold, spaced))
        spaced = False
    if not runs:
        return None
    _, y0, _, y1 = raw["bbox"]
    base = next((g[1]["origin"][1] for g in _glyphs(raw) if not g[2].raised), y1)
    if raw["dir"][0] < _LEVEL:
        x0, _, x1, _ = raw["bbox"]
        return Line(x0, y0, x1, y1, tuple(runs), y1, turned=True)
    return Line(runs[0].x0, y0, runs[-1].x1, y1, tuple(runs), base)


def rows(lines: Iterable[Line]) -> list[list[Line]]:
    """Group lines that stand on one baseline, top to bottom, each group left to right."""
    grouped: list[list[Line]] = []
    for line in sorted(lines, key=lambda item: (item.base, item.x0)):
        if grouped and line.base - grouped[-1][0].base <= 0.35 * min(
            line.size, grouped[-1][0].size
        ):
            grouped[-1].append(line)
        else:
            grouped.append([line])
    return [sorted(row, key=lambda item: item.x0) for row in grouped]


_FEWEST_NUMBERED = 3
"""Of so many lines of a listing on, numbers that count them are none of its own."""


def without_line_numbers(lines: Sequence[Line]) -> list[Line]:
    """Drop the numbers beside the lines of a listing: smaller ones, or those that count."""
    return _without_counting(_without_small_numbers(lines))


def _without_counting(lines: Sequence[Line]) -> list[Line]:
    grouped = rows(lines)
    kept: list[Line] = []
    start = 0
    while start < len(grouped):
        first, end = _counted(grouped[start]), start + 1
        while first is not None and end < len(grouped):
            if _counted(grouped[end]) != first + end - start:
                break
            end += 1
        numbered = end - start >= _FEWEST_NUMBERED
        for line, *others in grouped[start:end]:
            code = line.runs[1:] if numbered else line.runs
            if code:
                kept.append(replace(line, runs=code, x0=code[0].x0))
            kept += others
        start = end
    return kept


def _counted(row: Sequence[Line]) -> int | None:
    """Return the number that a line of code begins with, apart from the code."""
    number, *code = row[0].runs
    apart = not code or code[0].spaced
    is_number = number.mono and len(number.text) < 6 and number.text.isdecimal()
    is_code = all(run.mono for line in row for run in line.runs)
    return int(number.text) if is_number and apart and is_code else None


def _without_small_numbers(lines: Sequence[Line]) -> list[Line]:
    beside = [
        row[0]
        for row in rows(lines)
        if len(row) > 1 and row[0].text.isdigit() and row[1].mono and row[0].size < row[1].size
    ]
    if len(beside) < 3:
        return list(lines)
    places = {(number.size, round(number.x1)) for number in beside}
    return [
        line
        for line in lines
        if not (line.text.isdigit() and (line.size, round(line.x1)) in places)
    ]


def merge(row: Sequence[Line]) -> Line:
    """Make one line of segments that stand beside each other."""
    if len(row) == 1:
        return row[0]
    runs = [run for line in row for run in (replace(line.runs[0], spaced=True), *line.runs[1:])]
    return Line(*around(row), tuple(runs), row[0].base)
