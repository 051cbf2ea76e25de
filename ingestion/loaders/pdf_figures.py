"""The figures of a PDF: pictures and schematics by their place on the page, at the text above."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from ingestion.boilerplate import returns
from ingestion.loaders.pdf_blocks import squeeze
from ingestion.loaders.pdf_layout import Box, Line
from ingestion.loaders.pdf_strokes import Drawing
from ingestion.page import Block, BlockKind, Figure, collapse

_SMALLEST = 36.0
"""Points: half an inch, 48 pixels of a screen. What is smaller, in width or height, is an icon."""
_MARGIN = 4.0
_NEAR = 2.5
"""Of its size a caption stands below its figure, at most."""
_LONGEST_CAPTION = 240
_TOLD = 40
"""Letters by which a line is found in a block."""
_MOST = 40
"""Figures of a page: what has more is drawn from pieces."""
_PAPER = 0.8
"""Of the page, from which on a picture is a scan or what the page is printed on."""

_Key = tuple[int, int, int]


def pictures_on(page: Any) -> dict[_Key, list[Box]]:
    """Return the places of the pictures on a `pymupdf.Page`, by what they are."""
    found: dict[_Key, list[Box]] = {}
    paper = abs(page.rect.width * page.rect.height)
    for picture in page.get_image_info():
        box = Box(*picture["bbox"])
        width, height = box.x1 - box.x0, box.y1 - box.y0
        if min(width, height) >= _SMALLEST and width * height < _PAPER * paper:
            key = picture["width"], picture["height"], picture["size"]
            found.setdefault(key, []).append(box)
    return found


def repeated(pictures: Sequence[Iterable[_Key]]) -> frozenset[_Key]:
    """Return what returns over the pages as their running lines do: furniture, such as a logo."""
    places: dict[_Key, set[int]] = {}
    for page, on_page in enumerate(pictures):
        for key in on_page:
            places.setdefault(key, set()).add(page)
    count = len(pictures)
    return frozenset(
        key for key, where in places.items() if any(returns(page, where, count) for page in where)
    )


def with_figures(
    number: int,
    blocks: Sequence[Block],
    boxes: Sequence[Box],
    drawings: Sequence[Drawing],
    lines: Sequence[Line],
) -> tuple[Block, ...]:
    """Let the blocks of a page have its figures.

    A picture stands at the text above it, or at the first block; a schematic at its first label.
    The text right below, where it is short, is the caption. `lines` are all of the page.
    """
    at: dict[int, tuple[Figure, ...]] = {}
    if not blocks:
        return ()
    wholes = [_whole(drawing) for drawing in drawings]
    pictures = [box for box in _joined(boxes) if not any(_is_of(one, box) for one in wholes)]
    for box in pictures[:_MOST]:
        above = [one for one in lines if one.y1 <= box.y0 + _MARGIN and _overlaps(one, box)]
        nearest = sorted(above, key=lambda one: -one.y1)[:4]
        place = next((i for one in nearest if (i := _block_of(one, blocks)) is not None), 0)
        at[place] = (*at.get(place, ()), _figure(number, box, blocks, lines))
    for drawing in drawings:
        place = next((i for i, b in enumerate(blocks) if _is_label(b, drawing)), 0)
        labels = ", ".join(drawing.lines)[:_LONGEST_CAPTION]
        figure = replace(_figure(number, _whole(drawing), blocks, lines), description=labels)
        at[place] = (*at.get(place, ()), figure)
    return tuple(replace(block, figures=at.get(i, ())) for i, block in enumerate(blocks))


def _figure(number: int, box: Box, blocks: Sequence[Block], lines: Sequence[Line]) -> Figure:
    x, y = max(box.x0 - _MARGIN, 0), max(box.y0 - _MARGIN, 0)
    width, height = box.x1 + _MARGIN - x, box.y1 + _MARGIN - y
    caption = _caption(box, blocks, lines)
    return Figure(f"page={number}&xywh={x:.1f},{y:.1f},{width:.1f},{height:.1f}", caption, caption)


def _caption(box: Box, blocks: Sequence[Block], lines: Sequence[Line]) -> str:
    below = [
        one
        for one in lines
        if -_MARGIN <= one.y0 - box.y1 <= _NEAR * one.size and _overlaps(one, box)
    ]
    first = min(below, key=lambda one: one.y0, default=None)
    at = None if first is None else _block_of(first, blocks)
    if first is None or at is None or blocks[at].kind is not BlockKind.PARAGRAPH:
        return ""
    text = collapse(blocks[at].text)
    return text if len(text) <= _LONGEST_CAPTION else ""


def _block_of(line: Line, blocks: Sequence[Block]) -> int | None:
    """Return the block that a line is read in, None where it is left out."""
    told = squeeze(line.text)[:_TOLD]
    return next((i for i, block in enumerate(blocks) if told and told in squeeze(block.text)), None)


def _is_label(block: Block, drawing: Drawing) -> bool:
    return block.kind is BlockKind.DRAWING and block.text == drawing.lines[0]


def _whole(drawing: Drawing) -> Box:
    """Return the place of a schematic with its strokes."""
    return _union(drawing, Box(*drawing.strokes)) if drawing.strokes else drawing


def _joined(boxes: Sequence[Box]) -> Iterator[Box]:
    """Yield pictures with those that touch them as one: programs cut pictures into strips."""
    left = sorted(boxes, key=lambda box: (box.y0, box.x0))
    while left:
        whole, left = left[0], left[1:]
        while touching := [box for box in left if _touches(whole, box)]:
            for box in touching:
                whole = _union(whole, box)
            left = [box for box in left if box not in touching]
        yield whole


def _touches(one: Box, other: Box) -> bool:
    gap = 1.0
    beside = one.x0 - gap <= other.x1 and other.x0 <= one.x1 + gap
    return beside and one.y0 - gap <= other.y1 and other.y0 <= one.y1 + gap


def _is_of(drawing: Box, picture: Box) -> bool:
    """Whether a schematic takes up most of a picture: the two are one figure."""
    width = min(drawing.x1, picture.x1) - max(drawing.x0, picture.x0)
    height = min(drawing.y1, picture.y1) - max(drawing.y0, picture.y0)
    whole = (picture.x1 - picture.x0) * (picture.y1 - picture.y0)
    return min(width, height) > 0 and width * height > whole / 2


def _overlaps(one: Box, other: Box) -> bool:
    return one.x0 < other.x1 and other.x0 < one.x1


def _union(one: Box, other: Box) -> Box:
    return Box(
        min(one.x0, other.x0),
        min(one.y0, other.y0),
        max(one.x1, other.x1),
        max(one.y1, other.y1),
    )
