"""A page of text as pieces to show, with the quoted words marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from ingestion.page import CELL_DELIMITER, Block, BlockKind, Page
from ui.wording.escaping import indentation, inline, visible
from ui.wording.marking import Span, quoted_spans

_TOGETHER = {
    BlockKind.TABLE_HEADER: "table",
    BlockKind.TABLE_ROW: "table",
    BlockKind.LIST_ITEM: "list",
    BlockKind.DRAWING: "drawing",
}
"""Kinds of blocks of which neighbours are shown together."""
_BREAK = "\\\n"
_BULLET = re.compile(r"\s*(?:[-•*]|(?P<number>\d{1,9})[.)])\s+")


@dataclass(frozen=True)
class Piece:
    """Something to show below the piece before: Markdown, or code letter for letter."""

    text: str
    code: bool = False
    marked: bool = False


@dataclass(frozen=True)
class MarkedText:
    """A text and the spans of it that are marked, in order."""

    text: str
    marks: Sequence[Span] = ()

    def part(self, start: int, end: int) -> MarkedText:
        """A part of the text, with the marks in it."""
        inside = ((max(a, start) - start, min(b, end) - start) for a, b in self.marks)
        return MarkedText(self.text[start:end], [(a, b) for a, b in inside if a < b])

    def split(self, delimiter: str) -> list[MarkedText]:
        """The parts between the delimiters."""
        delimiters = [match.span() for match in re.finditer(re.escape(delimiter), self.text)]
        starts = [0, *(end for _, end in delimiters)]
        ends = [*(start for start, _ in delimiters), len(self.text)]
        return [self.part(start, end) for start, end in zip(starts, ends, strict=True)]

    def markdown(self, colour: str = "yellow") -> str:
        """The escaped text with the marks in one of Streamlit's colours, each on its own line."""
        return _BREAK.join(line._of_line(colour) for line in self.split("\n") if line.text.strip())

    def _of_line(self, colour: str) -> str:
        line = self.part(len(self.text) - len(self.text.lstrip()), len(self.text.rstrip()))
        parts, at = [indentation(self.text)], 0
        for start, end in line.marks:
            parts.append(inline(visible(line.text[at:start])))
            parts.append(f":{colour}-background[{inline(visible(line.text[start:end]))}]")
            at = end
        return "".join([*parts, inline(visible(line.text[at:]))])


_Placed = tuple[Block, MarkedText]


def page_pieces(page: Page, *quotes: str) -> tuple[Piece, ...]:
    """Turn a page into pieces from top to bottom; tables and lists stay together."""
    whole = MarkedText(page.text, quoted_spans(page.text, *quotes))
    placed = [(block, whole.part(start, end)) for start, end, block in page.spans()]
    pieces: list[Piece] = []
    for kind, group in groupby(placed, key=lambda p: _TOGETHER.get(p[0].kind)):
        blocks = list(group)
        texts = [text for _, text in blocks]
        if kind == "table":
            pieces += _tables(blocks)
        elif kind == "list":
            pieces.append(Piece(_list(texts), marked=any(text.marks for text in texts)))
        elif kind == "drawing":
            for is_marked, lines in groupby(texts, key=lambda text: bool(text.marks)):
                drawn = "\n".join(line.text for line in lines)
                pieces.append(Piece(visible(drawn), code=True, marked=is_marked))
        else:
            pieces += [piece for block in blocks for piece in _single(*block)]
    return tuple(piece for piece in pieces if piece.text.strip())


def _single(block: Block, text: MarkedText) -> Iterator[Piece]:
    match block.kind:
        case BlockKind.HEADING:
            level = "###" if len(block.path) < 2 else "####"
            yield Piece(f"{level} {text.markdown().replace(_BREAK, ' ')}")
        case BlockKind.CODE | BlockKind.SIGNATURE:
            yield from _code(text)
        case _:
            yield Piece(text.markdown(), marked=bool(text.marks))


def _code(listing: MarkedText) -> Iterator[Piece]:
    """A listing in up to three pieces, the quoted lines in one of their own."""
    text, first, behind = listing.text, 0, 0
    if listing.marks:
        first = text.rfind("\n", 0, listing.marks[0][0]) + 1
        behind = text.find("\n", listing.marks[-1][1])
        behind = len(text) if behind < 0 else behind
    for start, end in ((0, first), (first, behind), (behind, len(text))):
        piece = visible(text[start:end]).strip("\n")
        yield Piece(piece, code=True, marked=start == first < behind)


def _list(items: Sequence[MarkedText]) -> str:
    lines: list[str] = []
    depth = 0
    outermost = min(map(_depth, items))
    for item in items:
        depth = min(_depth(item) - outermost, depth + 1 if lines else 0)
        bullet = _BULLET.match(item.text)
        mark = f"{bullet['number']}." if bullet and bullet["number"] else "-"
        text = item.part(bullet.end() if bullet else 0, len(item.text)).markdown()
        indented = text.replace("\n", f"\n{'    ' * (depth + 1)}")
        lines.append(f"{'    ' * depth}{mark} {indented}")
    return "\n".join(lines)


def _depth(item: MarkedText) -> int:
    return (len(item.text) - len(item.text.lstrip(" "))) // 2


def _tables(rows: Sequence[_Placed]) -> Iterator[Piece]:
    """One table for each header, and for each run of rows of one width."""
    tables: list[list[list[MarkedText]]] = []
    for block, text in rows:
        cells = text.split(CELL_DELIMITER)
        is_header = block.kind is BlockKind.TABLE_HEADER
        if is_header or not tables or len(cells) != len(tables[-1][0]):
            tables.append([])
        tables[-1].append(cells)
    for table in tables:
        head, *rest = [[cell.markdown().replace("\n", " ") for cell in row] for row in table]
        lines = [head, ["---"] * len(head), *rest]
        is_marked = any(cell.marks for row in table for cell in row)
        yield Piece("\n".join(f"| {' | '.join(line)} |" for line in lines), marked=is_marked)
