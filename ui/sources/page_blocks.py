"""A page of text as pieces to show, with the quoted words marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from ingestion.page import CELL_DELIMITER, Block, BlockKind, Page
from ui.wording.escaping import indentation, inline, visible
from ui.wording.marking import Span, quoted_spans

_QUOTED = "yellow"
_TOGETHER = {
    BlockKind.TABLE_HEADER: "table",
    BlockKind.TABLE_ROW: "table",
    BlockKind.LIST_ITEM: "list",
    BlockKind.DRAWING: "drawing",
}
"""Kinds of blocks of which neighbours are shown together."""
_BULLET = re.compile(r"\s*(?:[-•*]|(?P<number>\d{1,9})[.)])\s+")


@dataclass(frozen=True)
class Piece:
    """Something to show below the piece before: Markdown, or code letter for letter."""

    text: str
    code: bool = False
    marked: bool = False


@dataclass(frozen=True)
class _Placed:
    """A block and the spans of its text that are marked."""

    block: Block
    marks: tuple[Span, ...]


def page_pieces(page: Page, *quotes: str) -> tuple[Piece, ...]:
    """Turn a page into pieces from top to bottom; tables and lists stay together."""
    marks = quoted_spans(page.text, *quotes)
    placed = [_Placed(block, _inside(marks, start, end)) for start, end, block in page.spans()]
    pieces: list[Piece] = []
    for kind, group in groupby(placed, key=lambda p: _TOGETHER.get(p.block.kind)):
        blocks = list(group)
        if kind == "table":
            pieces += _tables(blocks)
        elif kind == "list":
            pieces.append(Piece(_list(blocks), marked=any(p.marks for p in blocks)))
        elif kind == "drawing":
            for is_marked, lines in groupby(blocks, key=lambda p: bool(p.marks)):
                text = "\n".join(p.block.text for p in lines)
                pieces.append(Piece(visible(text), code=True, marked=is_marked))
        else:
            for p in blocks:
                pieces += _single(p)
    return tuple(piece for piece in pieces if piece.text.strip())


def _inside(marks: Sequence[Span], start: int, end: int) -> tuple[Span, ...]:
    """The marks within a part of the text, counted from the beginning of the part."""
    inside = ((max(a, start) - start, min(b, end) - start) for a, b in marks)
    return tuple((a, b) for a, b in inside if a < b)


def _single(p: _Placed) -> Iterator[Piece]:
    match p.block.kind:
        case BlockKind.HEADING:
            level = "###" if len(p.block.path) < 2 else "####"
            yield Piece(f"{level} {_marked_line(' '.join(p.block.text.split()), p.marks, _QUOTED)}")
        case BlockKind.CODE | BlockKind.SIGNATURE:
            yield from _code(p)
        case _:
            yield Piece(marked_text(p.block.text, p.marks), marked=bool(p.marks))


def _code(p: _Placed) -> Iterator[Piece]:
    """A listing in up to three pieces, the quoted lines in one of their own."""
    text = p.block.text
    if not p.marks:
        yield Piece(visible(text), code=True)
        return
    first = text.rfind("\n", 0, p.marks[0][0]) + 1
    behind = text.find("\n", p.marks[-1][1])
    behind = len(text) if behind < 0 else behind
    yield Piece(visible(text[:first].rstrip("\n")), code=True)
    yield Piece(visible(text[first:behind]), code=True, marked=True)
    yield Piece(visible(text[behind:].strip("\n")), code=True)


def _list(blocks: Sequence[_Placed]) -> str:
    lines: list[str] = []
    depth = 0
    outermost = min(_depth(p) for p in blocks)
    for p in blocks:
        depth = min(_depth(p) - outermost, depth + 1 if lines else 0)
        bullet = _BULLET.match(p.block.text)
        skipped = bullet.end() if bullet else 0
        mark = f"{bullet['number']}." if bullet and bullet["number"] else "-"
        marks = tuple((max(a - skipped, 0), b - skipped) for a, b in p.marks)
        text = marked_text(p.block.text[skipped:], marks).replace("\n", f"\n{'    ' * (depth + 1)}")
        lines.append(f"{'    ' * depth}{mark} {text}")
    return "\n".join(lines)


def _depth(p: _Placed) -> int:
    return (len(p.block.text) - len(p.block.text.lstrip(" "))) // 2


def _tables(blocks: Sequence[_Placed]) -> Iterator[Piece]:
    """One table for each header, and for each run of rows of one width."""
    tables: list[list[list[str]]] = []
    marked: list[bool] = []
    for p in blocks:
        cells = _cells(p)
        is_header = p.block.kind is BlockKind.TABLE_HEADER
        if is_header or not tables or len(cells) != len(tables[-1][0]):
            tables.append([])
            marked.append(False)
        tables[-1].append(cells)
        marked[-1] |= bool(p.marks)
    for (head, *rows), is_marked in zip(tables, marked, strict=True):
        lines = [head, ["---"] * len(head), *rows]
        yield Piece("\n".join(f"| {' | '.join(cells)} |" for cells in lines), marked=is_marked)


def _cells(p: _Placed) -> list[str]:
    cells = []
    start = 0
    for cell in p.block.text.split(CELL_DELIMITER):
        end = start + len(cell)
        cells.append(marked_text(cell, _inside(p.marks, start, end)).replace("\n", " "))
        start = end + len(CELL_DELIMITER)
    return cells


def marked_text(text: str, marks: Sequence[Span], colour: str = _QUOTED) -> str:
    """Escaped text with marks in one of Streamlit's colours, each on its own line."""
    lines = []
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        if line.strip():
            lines.append(_marked_line(line, _inside(marks, start, end), colour))
        start = end + 1
    return "\\\n".join(lines)


def _marked_line(line: str, marks: Sequence[Span], colour: str) -> str:
    indent = len(line) - len(line.lstrip())
    parts = [indentation(line)]
    at = indent
    for start, end in marks:
        start = max(start, at)
        if line[start:end].strip():
            parts += [
                inline(visible(line[at:start])),
                f":{colour}-background[{inline(visible(line[start:end]))}]",
            ]
            at = end
    return "".join([*parts, inline(visible(line[at:].rstrip()))])
