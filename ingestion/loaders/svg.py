"""SVG drawings: their labels as lines that keep horizontal and vertical order."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import PurePosixPath
from typing import NamedTuple

from lxml import etree

from ingestion.boilerplate import is_legal
from ingestion.decoding import decode
from ingestion.documents import document, paginate
from ingestion.page import CELL_DELIMITER, Block, BlockKind, Document, UnreadableFile, collapse
from ingestion.rows import clustered

EM = 16.0
"""The font size where a drawing states none, in user units."""

_TRANSFORM = re.compile(r"(\w+)\s*\(([^)]*)\)")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_UNITS = {"pt": 4 / 3, "pc": 16.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0}


class Matrix(NamedTuple):
    """An affine map as SVG writes it: x' = a x + c y + e, y' = b x + d y + f."""

    a: float = 1.0
    b: float = 0.0
    c: float = 0.0
    d: float = 1.0
    e: float = 0.0
    f: float = 0.0

    def then(self, m: Matrix) -> Matrix:
        """Return the map that applies `m` first and then this one."""
        return Matrix(
            self.a * m.a + self.c * m.b,
            self.b * m.a + self.d * m.b,
            self.a * m.c + self.c * m.d,
            self.b * m.c + self.d * m.d,
            self.a * m.e + self.c * m.f + self.e,
            self.b * m.e + self.d * m.f + self.f,
        )

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point comes to stand."""
        return self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f

    @property
    def scale(self) -> float:
        """How much heights grow."""
        return math.hypot(self.b, self.d) or 1.0


def length(value: str | None, em: float = EM) -> float:
    """Return the first length of an attribute in user units; percentages count as nothing."""
    text = (value or "").strip()
    number = _NUMBER.match(text)
    if number is None or text.endswith("%"):
        return 0.0
    unit = re.split(r"[\s,]", text[number.end() :].strip().lower())[0]
    factor = em if unit == "em" else em / 2 if unit == "ex" else _UNITS.get(unit, 1.0)
    found = float(number[0]) * factor
    return found if math.isfinite(found) else 0.0


def transform(value: str) -> Matrix:
    """Read a `transform` attribute; what is no transformation counts as none."""
    matrix = Matrix()
    for name, arguments in _TRANSFORM.findall(value):
        matrix = matrix.then(_step(name, [float(n) for n in _NUMBER.findall(arguments)]))
    return matrix


def _step(name: str, n: Sequence[float]) -> Matrix:
    if name == "matrix" and len(n) == 6:
        return Matrix(*n)
    if name == "translate" and n:
        return Matrix(e=n[0], f=n[1] if len(n) > 1 else 0.0)
    if name == "scale" and n:
        return Matrix(a=n[0], d=n[1] if len(n) > 1 else n[0])
    if name == "rotate" and n:
        cos, sin = math.cos(math.radians(n[0])), math.sin(math.radians(n[0]))
        turn = Matrix(cos, sin, -sin, cos)
        if len(n) < 3:
            return turn
        return Matrix(e=n[1], f=n[2]).then(turn).then(Matrix(e=-n[1], f=-n[2]))
    if name == "skewX" and n:
        return Matrix(c=math.tan(math.radians(n[0])))
    if name == "skewY" and n:
        return Matrix(b=math.tan(math.radians(n[0])))
    return Matrix()


_LETTER_WIDTH = 0.55
"""How wide a letter is on average, as a share of the font size: SVG does not say."""

_UNSEEN = {"defs", "symbol", "clippath", "mask", "pattern", "marker", "style", "script", "metadata"}
_SPOKEN = {"title", "desc"}
_EXCUSES = ("Text is not SVG", "Viewer does not support")
"""What drawing programs show in place of a label to a viewer that lacks HTML."""

_MOST_LINES = 4
"""A text element with more lines than this is a list of labels and not one."""
_PAGE = 30_000
"""Characters of labels on a page."""


@dataclass(frozen=True, slots=True)
class _Style:
    """What text inherits: font size in user units, and which part of a label stands at its x."""

    size: float = EM
    anchor: str = "start"


@dataclass(frozen=True, slots=True)
class _Label:
    """A label with its middle and its font size, in the drawing's outermost units."""

    text: str
    x: float
    y: float
    size: float


def load(data: bytes, file: str) -> Document:
    """Read an SVG file into one page of drawing lines.

    Raises UnreadableFile for what is no SVG, and for drawings without any label.
    """
    root = parse_svg(decode(data))
    lines = drawing_lines(root)
    if not lines:
        raise UnreadableFile("no text: the drawing has no labels, or they are drawn as outlines")
    title = next((_text(c) for c in root if _name(c) == "title" and _text(c)), "")
    path = (title,) if title else ()
    blocks = [Block(BlockKind.DRAWING, line, path) for line in lines]
    title = title or PurePosixPath(file).stem
    # A drawing is one page, however large, but for one with more labels than anybody reads.
    return document(data, file, title, paginate(blocks, limit=_PAGE))


def drawing_lines(root: etree._Element) -> list[str]:
    """Return an SVG's title and description, then its labels line by line.

    Labels that stand on one horizontal line make one line, left to right, joined by
    CELL_DELIMITER; lines run from top to bottom.
    """
    spoken = [text for child in root if _name(child) in _SPOKEN and (text := _text(child))]
    return spoken + _rows(_labels(root, Matrix(), _Style()))


def parse_svg(svg: str) -> etree._Element:
    """Parse without entities of the file's own making, without a network, without a DTD.

    Raises UnreadableFile for what is no SVG.
    """
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        recover=True,
        remove_comments=True,
        remove_pis=True,
        encoding="utf-8",
    )
    try:
        root = etree.fromstring(svg.encode("utf-8", errors="replace"), parser)
    except etree.XMLSyntaxError as error:
        raise UnreadableFile("damaged, its XML cannot be parsed ({msg})", msg=error.msg) from error
    if root is None or _name(root) != "svg":
        raise UnreadableFile("not an SVG drawing: its root element is not svg")
    return root


def _name(element: etree._Element) -> str:
    """Return what sort of element it is, in small letters as in HTML."""
    return element.tag.rpartition("}")[2].lower() if isinstance(element.tag, str) else ""


def _text(element: etree._Element) -> str:
    return collapse("".join(map(str, element.itertext(with_tail=False))))


def _labels(element: etree._Element, outer: Matrix, style: _Style) -> Iterator[_Label]:
    name = _name(element)
    if not name or name in _UNSEEN or name in _SPOKEN or _is_hidden(element):
        return
    matrix = outer.then(transform(element.get("transform", "")))
    if name == "svg":
        matrix = matrix.then(Matrix(e=length(element.get("x")), f=length(element.get("y"))))
    style = _styled(element, style)
    if name == "text":
        yield from _text_labels(element, matrix, style)
    elif name == "foreignobject":
        width, height = length(element.get("width")), length(element.get("height"))
        x, y = length(element.get("x")) + width / 2, length(element.get("y")) + height / 2
        yield from _label(_text(element), matrix, _Style(style.size, "middle"), x, y)
    elif name == "switch":
        yield from _switch(element, matrix, style)
    else:
        for child in element:
            yield from _labels(child, matrix, style)


def _switch(element: etree._Element, matrix: Matrix, style: _Style) -> Iterator[_Label]:
    """Read the first choice's words at the last choice's place.

    Drawing programs write a label twice: as HTML whose place is hidden in style sheets, and as a
    text that may be cut short.
    """
    choices = [list(_labels(child, matrix, style)) for child in element]
    choices = [c for c in choices if c and not c[0].text.startswith(_EXCUSES)]
    if len(choices) > 1 and len(choices[0]) == len(choices[-1]) == 1:
        first, last = choices[0][0], choices[-1][0]
        yield _Label(first.text, last.x, last.y, last.size)
    elif choices:
        yield from choices[0]


@dataclass(slots=True)
class _Piece:
    """A line of a text element, in its own units."""

    x: float
    y: float
    style: _Style
    text: str = ""


def _text_labels(element: etree._Element, matrix: Matrix, style: _Style) -> Iterator[_Label]:
    pieces: list[_Piece] = []
    _collect(element, style, pieces)
    pieces = [piece for piece in pieces if piece.text.strip()]
    stacked = len({round(piece.x) for piece in pieces}) == 1 and all(
        0 < b.y - a.y < 2.5 * a.style.size for a, b in pairwise(pieces)
    )
    if stacked and len(pieces) <= _MOST_LINES:
        text = " ".join(piece.text for piece in pieces)
        middle = (pieces[0].y + pieces[-1].y) / 2
        pieces = [_Piece(pieces[0].x, middle, pieces[0].style, text)]
    for piece in pieces:
        yield from _label(piece.text, matrix, piece.style, piece.x, piece.y)


def _collect(element: etree._Element, style: _Style, pieces: list[_Piece]) -> None:
    """Append the lines of a text or tspan; one that is moved begins a new line."""
    x, y = element.get("x"), element.get("y")
    down = length(element.get("dy"), style.size)
    last = pieces[-1] if pieces else _Piece(0.0, 0.0, style)
    if not pieces or x is not None or y is not None or down:
        left = length(x, style.size) if x is not None else last.x
        top = length(y, style.size) if y is not None else last.y
        pieces.append(_Piece(left + length(element.get("dx"), style.size), top + down, style))
    pieces[-1].text += element.text or ""
    for child in element:
        if _name(child) in {"tspan", "textpath", "a"} and not _is_hidden(child):
            _collect(child, _styled(child, style), pieces)
        pieces[-1].text += child.tail or ""


def _label(text: str, matrix: Matrix, style: _Style, x: float, y: float) -> Iterator[_Label]:
    text = collapse(text)
    if text and style.size > 0:
        width = len(text) * style.size * _LETTER_WIDTH
        shift = {"middle": 0.0, "end": -0.5}.get(style.anchor, 0.5)
        placed = (*matrix.point(x + shift * width, y), style.size * matrix.scale)
        # What stands nowhere is read all the same.
        yield _Label(text, *(v if math.isfinite(v) else 0.0 for v in placed))


def _rows(labels: Iterator[_Label]) -> list[str]:
    def beside(first: _Label, label: _Label) -> bool:
        return label.y - first.y <= 0.5 * min(label.size, first.size)

    seen = dict.fromkeys(label for label in labels if not is_legal(label.text))
    return [
        CELL_DELIMITER.join(item.text for item in sorted(row, key=lambda item: item.x))
        for row in clustered(sorted(seen, key=lambda item: item.y), beside)
    ]


def _property(element: etree._Element, name: str, inherited: str = "") -> str:
    """Return what an element's style, or else an attribute of it, says of a property."""
    pairs = (part.split(":", 1) for part in element.get("style", "").split(";") if ":" in part)
    css = {key.strip().lower(): value.strip() for key, value in pairs}
    return css.get(name, element.get(name, inherited))


def _is_hidden(element: etree._Element) -> bool:
    return (
        _property(element, "display") == "none"
        or _property(element, "visibility") in {"hidden", "collapse"}
        or _property(element, "opacity") in {"0", "0.0", "0%"}
    )


def _styled(element: etree._Element, style: _Style) -> _Style:
    size = _property(element, "font-size")
    anchor = _property(element, "text-anchor", style.anchor)
    return _Style(length(size, style.size) if size[:1].isdigit() else style.size, anchor)
