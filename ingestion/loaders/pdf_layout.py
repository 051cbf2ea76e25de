"""A PDF page as lines of styled runs, and the columns in which a person reads them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby, pairwise
from statistics import median, mode
from typing import Any
from unicodedata import bidirectional, category, normalize

from ingestion.loaders.office_symbols import shown_as
from ingestion.mupdf import pymupdf
from ingestion.rows import clustered

_MONO = re.compile(
    r"mono|nimbusmon|courier|typewriter|consol|menlo|code|fixed|[a-z]tt\d*\b|[a-z]tt-", re.I
)
_BOLD = re.compile(r"bold|black|heavy|medi\b|btt|cmbx|[-,]bd", re.I)
_BULLET_GLYPHS = {"\uf0b7": "•", "\uf0a7": "▪", "\uf0d8": "▸", "\uf076": "▪"}
_CODE_QUOTES = str.maketrans({"’": "'", "‘": "'", "‛": "'", "´": "'", "“": '"', "”": '"', "−": "-"})
_OF_SIGNS = ("Wingdings", "ZapfDingbats")
_KEPT_UNPRINTABLE = "\u00ad" + "".join(_BULLET_GLYPHS)
_LEVEL = 0.99
_FLAG_SUPERSCRIPT, _FLAG_MONO, _FLAG_BOLD = 1, 8, 16
_FLAG_CLIPS = 64
"""Letters through which something else is painted; a span's `char_flags`, not its `flags`."""


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
    lefts, tops = [item.x0 for item in items], [item.y0 for item in items]
    return min(lefts), min(tops), max(item.x1 for item in items), max(item.y1 for item in items)


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
        return mode(run.size for run in self.runs for _ in run.text)

    @cached_property
    def font(self) -> str:
        """The font that most letters have."""
        return mode(run.font for run in self.runs for _ in run.text)

    @cached_property
    def mono(self) -> bool:
        """Whether the line is set in a monospaced font, but for a stray glyph inside."""
        letters = [run.mono for run in self.runs for _ in run.text]
        return letters[0] and letters[-1] and sum(letters) > 0.9 * len(letters)

    @cached_property
    def bold(self) -> bool:
        """Whether every letter is bold, a leading bullet aside."""
        return all(r.bold for r in self.runs)


def join_runs(runs: Sequence[Run]) -> str:
    """Join runs with one space where there was any."""
    return "".join((" " if r.spaced and i else "") + r.text for i, r in enumerate(runs))


_SIDEWAYS = {(0, -1): -90, (0, 1): 90, (-1, 0): 180}
"""By how many degrees a page must be turned for text of a direction to run to the right."""


def upright(page: Any) -> Any:
    """Return the page, or a copy of it turned so that most of its text runs from left to right.

    `page` is a `pymupdf.Page`; its rotation, which MuPDF's coordinates ignore, is taken off.
    """
    mupdf = pymupdf()
    page.set_rotation(0)
    letters: Counter[tuple[int, int]] = Counter()
    for block in page.get_text("dict", flags=mupdf.TEXT_MEDIABOX_CLIP)["blocks"]:
        for raw in block.get("lines", ()):
            cos, sin = raw["dir"]
            letters[round(cos), round(sin)] += sum(len(span["text"]) for span in raw["spans"])
    turn = _SIDEWAYS.get(letters.most_common(1)[0][0]) if letters else None
    if turn is None:
        return page
    width, height = page.rect.width, page.rect.height
    turned = mupdf.open()
    copy = turned.new_page(
        width=width if turn == 180 else height, height=height if turn == 180 else width
    )
    copy.show_pdf_page(copy.rect, page.parent, page.number, rotate=turn)
    return copy


def page_segments(page: Any) -> list[Line]:
    """Return what MuPDF holds for lines: a line breaks wherever a wide gap stands in it.

    Ligatures are taken apart; overprinted copies and text that is not painted are left out.
    `page` is a `pymupdf.Page`.
    """
    mupdf = pymupdf()
    flags = mupdf.TEXT_PRESERVE_WHITESPACE | mupdf.TEXT_MEDIABOX_CLIP
    blocks = page.get_text("rawdict", flags=flags)["blocks"]
    raws = [raw for block in blocks for raw in block.get("lines", ())]
    _drop_unpainted(page, raws)
    segments: dict[tuple[str, int, int], Line] = {}
    for raw in raws:
        line = _segment(raw)
        if line is not None and _lies_on(page.rect, line):
            segments.setdefault((line.text, round(line.x0 / 2), round(line.base / 2)), line)
    lines = list(segments.values())
    return _with_pieces_joined(lines) if any(_runs_leftwards([line]) for line in lines) else lines


def _drop_unpainted(page: Any, raws: Sequence[dict[str, Any]]) -> None:
    """Drop the text that nobody sees.

    What OCR laid over a picture stays, and so does a page's text where outlines show its letters.
    """
    letters = Counter[bool]()
    for raw in raws:
        for span in raw["spans"]:
            letters[_is_painted(span)] += len(span["chars"])
    if not letters[False] or letters[False] >= letters[True]:
        return
    pictures = [pymupdf().Rect(picture["bbox"]) for picture in page.get_image_info()]
    for raw in raws:
        raw["spans"] = [
            span
            for span in raw["spans"]
            if _is_painted(span) or any(picture.intersects(span["bbox"]) for picture in pictures)
        ]


def _is_painted(span: dict[str, Any]) -> bool:
    return span["alpha"] > 0 or bool(span["char_flags"] & _FLAG_CLIPS)


def _lies_on(paper: Any, line: Line) -> bool:
    """Whether a line stands on the page; damaged files put text anywhere."""
    edge = 0.1 * (paper.width + paper.height)
    return bool(
        paper.x0 - edge < line.x0 <= line.x1 < paper.x1 + edge
        and paper.y0 - edge < line.y0 <= line.y1 < paper.y1 + edge
    )


_Style = tuple[str, float, bool, bool]
"""Font and size; whether it is monospaced, and whether it is bold."""


def _glyphs(raw: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any], _Style, bool]]:
    """Yield the letters of a line, each with its place, its style, and whether it is raised."""
    for span in raw["spans"]:
        font, flags = span["font"], span["flags"]
        mono = bool(flags & _FLAG_MONO) or bool(_MONO.search(font))
        bold = bool(flags & _FLAG_BOLD) or bool(_BOLD.search(font))
        family = font.partition("-")[0].replace("2", " 2").removesuffix("MT")
        style = (font, round(span["size"], 1), mono, bold)
        for char in span["chars"]:
            letter = _BULLET_GLYPHS.get(char["c"], char["c"])
            if category(letter) == "Co" or family.startswith(_OF_SIGNS):
                letter = shown_as(family, letter)
            if "\ufb1d" <= letter <= "\ufefc":
                letter = normalize("NFKC", letter)
            if letter.isprintable() or letter.isspace() or letter in _KEPT_UNPRINTABLE:
                yield letter, char, style, bool(flags & _FLAG_SUPERSCRIPT)


def _segment(raw: dict[str, Any]) -> Line | None:
    runs: list[Run] = []
    spaced = False
    placed = list(_glyphs(raw))
    for key, group in groupby(placed, key=lambda glyph: (glyph[2:], glyph[0].isspace())):
        ((font, size, mono, bold), raised), is_space = key
        if is_space:
            spaced = True
            continue
        glyphs = list(group)
        text = "".join(letter for letter, *_ in glyphs)
        if mono:
            text = text.translate(_CODE_QUOTES)
        elif raised and runs and not spaced and text.lstrip("-−+").isalnum():
            text = "^" + text
        x0, x1 = (
            edge(glyph["bbox"][side] for _, glyph, *_ in glyphs)
            for edge, side in ((min, 0), (max, 2))
        )
        runs.append(Run(text, x0, x1, font, size, mono, bold, spaced))
        spaced = False
    if not runs:
        return None
    x0, y0, x1, y1 = raw["bbox"]
    base = next((char["origin"][1] for _, char, _, raised in placed if not raised), y1)
    if raw["dir"][0] < _LEVEL:
        return Line(x0, y0, x1, y1, tuple(runs), y1, turned=True)
    return Line(min(r.x0 for r in runs), y0, max(r.x1 for r in runs), y1, tuple(runs), base)


def _runs_leftwards(row: Sequence[Line]) -> bool:
    """Whether most letters of a row are of a script that is read from right to left."""
    kinds = Counter(bidirectional(sign) for line in row for sign in line.text)
    return kinds["R"] + kinds["AL"] > kinds["L"]


def _with_pieces_joined(lines: Sequence[Line]) -> list[Line]:
    """Join what MuPDF takes apart in a line that is read from right to left, as at a number."""
    joined: list[Line] = []
    for row in rows(lines):
        leftwards = _runs_leftwards(row)
        for i, line in enumerate(row):
            if i and leftwards and joined[-1].x0 - line.x1 < line.size and not line.turned:
                joined[-1] = merge([joined[-1], line])
            else:
                joined.append(line)
    return joined


def rows(lines: Iterable[Line]) -> list[list[Line]]:
    """Group lines that stand on one baseline, top to bottom, each group as its script is read."""

    def on_one_baseline(first: Line, line: Line) -> bool:
        return line.base - first.base <= 0.35 * min(line.size, first.size)

    ordered = sorted(lines, key=lambda line: (line.base, line.x0))
    return [
        sorted(row, key=lambda line: line.x0, reverse=_runs_leftwards(row))
        for row in clustered(ordered, on_one_baseline)
    ]


_FEWEST_NUMBERED = 3
"""Of so many lines of a listing on, numbers that count them are none of its own."""


def without_line_numbers(lines: Sequence[Line]) -> list[Line]:
    """Drop the numbers beside a listing that count its lines."""
    kept: list[Line] = []
    for start, group in groupby(enumerate(rows(lines)), key=_count_begins):
        block = [row for _, row in group]
        code_of = [[run for line in row for run in line.runs][1:] for row in block]
        starts = {round(code[0].x0) for code in code_of if code}
        # A number in the face of the text may be a table's, beside code that begins at one place.
        is_listing = len(starts) > 1 or (bool(starts) and all(map(_is_small, block)))
        is_counted = start is not None and len(block) >= _FEWEST_NUMBERED and is_listing
        for line, *others in block:
            code = line.runs[1:] if is_counted else line.runs
            if code:
                kept.append(replace(line, runs=code, x0=code[0].x0))
            kept += others
    return kept


def _count_begins(placed: tuple[int, Sequence[Line]]) -> int | None:
    """Return where the count began that numbers a row and the code in it, None without one."""
    place, row = placed
    number, *code = [run for line in row for run in line.runs]
    is_apart = not code or len(row[0].runs) == 1 or code[0].spaced
    is_number = is_apart and len(number.text) < 6 and number.text.isdecimal()
    return int(number.text) - place if is_number and all(run.mono for run in code) else None


def _is_small(row: Sequence[Line]) -> bool:
    """Say whether the number of a row is set as code, or smaller than it."""
    number, *code = [run for line in row for run in line.runs]
    return not code or number.mono or number.size < code[0].size


def merge(row: Sequence[Line]) -> Line:
    """Make one line of segments that stand beside each other."""
    if len(row) == 1:
        return row[0]
    runs = [run for line in row for run in (replace(line.runs[0], spaced=True), *line.runs[1:])]
    return Line(*around(row), tuple(runs), row[0].base)


def flows(items: Sequence[Box]) -> Iterator[list[Box]]:
    """Yield the columns of a page in reading order, each from top to bottom.

    A column is believed only where at least two stacks of filled lines stand beside each other;
    whatever reaches across them, with the headings right above it, parts them into an upper and a
    lower half.
    """
    columns = _columns(items)
    if len(columns) < 2:
        yield sorted(items, key=lambda item: (item.y0, item.x0))
        return
    bands: list[list[Box]] = [[] for _ in columns]
    across: list[Box] = []
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


def _trailing_headings(bands: list[list[Box]]) -> list[Box]:
    """Take from a column the headings that stand below everything in the other columns."""
    depth = [max((item.y1 for item in band), default=0.0) for band in bands]
    deepest = depth.index(max(depth))
    others = max((d for i, d in enumerate(depth) if i != deepest), default=0.0)
    band = bands[deepest]
    taken: list[Box] = []
    size = median(item.size for item in band if isinstance(item, Line)) if band else 0.0
    while band and band[-1].y0 > others and isinstance(band[-1], Line):
        if not (band[-1].bold or band[-1].size > size):
            break
        taken.insert(0, band.pop())
    return taken


def _columns(items: Sequence[Box]) -> list[tuple[float, float]]:
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
