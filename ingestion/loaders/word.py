"""Word files as Word shows them: with its numbers, and without what is struck out or hidden."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from string import hexdigits

from ingestion.documents import flowing_document
from ingestion.html_parts import HeadingPath
from ingestion.loaders.office_figures import settled
from ingestion.loaders.ooxml import Element, Package, is_on, number, value
from ingestion.loaders.word_runs import Runs, is_placeholder
from ingestion.loaders.word_styles import Numbering, Styles
from ingestion.messages import message
from ingestion.page import (
    Block,
    BlockKind,
    Document,
    Figure,
    UnreadableFile,
    collapse,
)
from ingestion.tables import (
    Cell,
    cell_text,
    expand_spans,
    fits_row,
    header_height,
    names_figures,
    table_blocks,
)
from ingestion.unread import Unread

_CODE = re.compile(r"code|preformatted|listing|macro text", re.IGNORECASE)
_CONTENTS = re.compile(r"toc (\d|heading)|table of (figures|authorities)|index (\d|heading)")
_TITLE, _CAPTION = "title", "caption"


def read_word(package: Package, data: bytes, file: str) -> Document:
    """Read a Word file; raises UnreadableFile where there is no text, or no Word document."""
    part = package.main()
    root = package.root(part)
    if root is None or root.tag != "document":
        raise UnreadableFile("damaged, or not a Word document; save it again as .docx")
    reader = _Reader(package, part)
    blocks = [*reader.blocks(root.find("body")), *reader.notes()]
    blocks = settled(joined_listings(blocks), reader.captions)
    read = flowing_document(data, file, "", blocks)
    return replace(read, remarks=reader.unread.remarks())


def joined_listings(blocks: Iterable[Block]) -> Iterator[Block]:
    """Let neighbouring lines of code be one listing."""
    for kind, group in groupby(blocks, key=lambda block: block.kind):
        if kind is not BlockKind.CODE:
            yield from group
        else:
            lines = list(group)
            text = "\n".join(line.text for line in lines).strip("\n")
            if text:
                yield replace(lines[0], text=text)


class _Reader:
    """Reads the parts of a file in the order in which they are shown."""

    def __init__(self, package: Package, part: str) -> None:
        self.unread = Unread()
        self._package = package
        self._styles = Styles(_linked(package, part, "styles"))
        self._numbering = Numbering(_linked(package, part, "numbering"), self._styles)
        self._position = HeadingPath()
        self._runs = Runs(self._styles, package.related(part), package.name_of(part), self.unread)
        self._part = part
        self._in_cell = False
        self._in_cells: tuple[Figure, ...] = ()
        self._listings: tuple[Block, ...] = ()
        self.captions: set[str] = set()

    def blocks(self, parent: Element) -> Iterator[Block]:
        """Yield the blocks of everything that stands in a part, a cell or a text box."""
        for child in _children(parent):
            if child.tag == "p":
                yield from self._paragraph(child)
            elif child.tag == "tbl":
                yield from self._table(child)
            elif child.tag == "altChunk":
                self.unread.add("inserted file", self._place)
            elif not is_placeholder(child):
                yield from self.blocks(child)

    def notes(self) -> Iterator[Block]:
        """Yield the notes in the order of their marks."""
        found = {
            (kind, note.get("id")): (part, note)
            for kind in ("footnote", "endnote")
            for part in self._package.named(self._part, f"{kind}s")
            for note in _children(self._package.root(part))
        }
        for mark, place in list(self._runs.notes.items()):
            part, note = found.get(mark, ("", None))
            self._runs.related = self._package.related(part)
            self._runs.name_of = self._package.name_of(part)
            for i, block in enumerate(self.blocks(note)):
                is_text = block.kind in {BlockKind.PARAGRAPH, BlockKind.LIST_ITEM}
                yield replace(block, text=f"[{place}] {block.text}") if not i and is_text else block

    @property
    def _place(self) -> str:
        path = self._position.path
        if not path:
            return message("before the first heading")
        return message("below “{heading}”", heading=path[-1])

    def _paragraph(self, paragraph: Element) -> Iterator[Block]:
        names = self._styles.names(paragraph)
        if any(map(_CONTENTS.match, names)):
            return
        shown = self._runs.read(paragraph, self._place)
        if shown is None:
            return
        label, level = self._numbering.label(paragraph) or ("", 0)
        text = collapse(shown.text)
        heading = 1 if names[:1] == [_TITLE] else self._styles.heading_level(paragraph)
        if heading and text and not self._in_cell:
            text = f"{label} {text}" if label not in {"", "-"} else text
            self._position = self._position.titled(heading, text, None)
            yield self._block(BlockKind.HEADING, text)
        elif shown.is_mono or any(map(_CODE.search, names)):
            yield self._block(BlockKind.CODE, shown.text.rstrip())
        elif label and text:
            yield self._block(BlockKind.LIST_ITEM, f"{'  ' * level}{label} {text}")
        elif text or (label not in {"", "-"} and self._in_cell):
            yield self._block(BlockKind.PARAGRAPH, text or label)
        if _CAPTION in names:
            self.captions.add(text)
        if self._in_cell:
            self._in_cells += shown.pictures
        else:
            yield from self._alone(shown.pictures)
        for box in shown.boxes:
            yield from self.blocks(box)
        yield from (replace(block, path=self._position.path) for block in shown.figures)

    def _alone(self, pictures: tuple[Figure, ...]) -> Iterator[Block]:
        """Yield pictures as a block without text, which `settled` gives to another one."""
        if pictures:
            yield Block(BlockKind.PARAGRAPH, "", self._position.path, figures=pictures)

    def _block(self, kind: BlockKind, text: str) -> Block:
        return Block(kind, text, self._position.path)

    def _table(self, table: Element) -> Iterator[Block]:
        rows = [row for row in _own(table, "tr") if not _is_gone(row.find("trPr"))]
        cells = [list(_own(row, "tc")) for row in rows]
        headers = self._header_rows(table, rows, cells)
        filled = [cell for row in cells for cell in row if "".join(cell.itertext()).strip()]
        holding = [cell for cell in filled if next(cell.iterdescendants("tbl"), None) is not None]
        # Most cells of a table that only places things hold what it places.
        parts = (holding and 2 * len(holding) >= len(filled)) or any(
            map(self._styles.heading_level, table.iter("p"))
        )
        if all(len(row) <= 1 for row in cells) or (parts and not headers):
            for cell in (cell for row in cells for cell in row):
                yield from self.blocks(cell)
            return
        spanned = list(self._spanned(rows, cells))
        headers = header_height(spanned, headers)
        grid = expand_spans(spanned)
        yield from table_blocks(grid, header_rows=headers, path=self._position.path)
        if not self._in_cell:
            yield from self._listings
            yield from self._alone(self._in_cells)
            self._in_cells = self._listings = ()

    def _spanned(self, rows: list[Element], cells: list[list[Element]]) -> Iterator[list[Cell]]:
        """Yield the cells that begin in each row, with what they span."""
        begun: list[list[Cell]] = []
        above: dict[int, tuple[int, int]] = {}
        for row, own in zip(rows, cells, strict=True):
            column = number(value(row.find("trPr/gridBefore")))
            begun.append([Cell("", 1, column)] if column else [])
            for cell in own:
                width = max(1, number(value(cell.find("tcPr/gridSpan")), 1))
                merged = cell.find("tcPr/vMerge")
                goes_on = merged is not None and merged.get("val", "continue") == "continue"
                if goes_on and column in above:
                    r, c = above[column]
                    begun[r][c] = replace(begun[r][c], rowspan=begun[r][c].rowspan + 1)
                else:
                    above[column] = len(begun) - 1, len(begun[-1])
                    begun[-1].append(Cell(self._cell(cell), 1, width))
                column += width
        yield from begun

    def _cell(self, cell: Element) -> str:
        outside, self._in_cell = self._in_cell, True
        blocks = list(joined_listings(self.blocks(cell)))
        self._in_cell = outside
        # A row is one line, so a listing in it is read once more as it is written.
        self._listings += tuple(
            b for b in blocks if b.kind is BlockKind.CODE and not fits_row(b.text)
        )
        return cell_text(blocks)

    def _header_rows(self, table: Element, rows: list[Element], cells: list[list[Element]]) -> int:
        """Count the rows that repeat on every page; else a first row that is set apart.

        In a table with a bare grid, that is a row of names above figures, in three columns or more.
        """
        repeated = [is_on(row.find("trPr/tblHeader")) for row in rows]
        count = (*repeated, False).index(False)
        if count:
            return count if count < len(rows) else 1
        if self._has_styled_header(table):
            return int(len(rows) > 1)
        bold = [bool(row) and all(map(self._runs.is_bold, row)) for row in cells[:2]]
        texts = [["".join(cell.itertext()).strip() for cell in row] for row in cells]
        return int(bold == [True, False] or names_figures(texts))

    def _has_styled_header(self, table: Element) -> bool:
        styles = self._styles.chain(value(table.find("tblPr/tblStyle")))
        return _wants_header(table) and any(
            style.find("tblStylePr[@type='firstRow']") is not None for style in styles
        )


def _wants_header(table: Element) -> bool:
    look = table.find("tblPr/tblLook")
    if look is None:
        return False
    if "firstRow" in look.attrib:
        return look.get("firstRow") in {"1", "true"}
    # Word 2007 has all of it in one number, of hexadecimal digits.
    flags = look.get("val", "")
    return all(digit in hexdigits for digit in flags) and bool(int(f"0{flags}", 16) & 0x20)


def _linked(package: Package, part: str, kind: str) -> Element | None:
    found = next(package.named(part, kind), None)
    return None if found is None else package.root(found)


def _own(parent: Element, tag: str) -> Iterator[Element]:
    """Yield the rows of a table, or the cells of a row, those of tables inside aside."""
    for child in parent:
        if child.tag == tag:
            yield child
        elif child.tag not in {"tbl", "tr", "tc", "p"}:
            yield from _own(child, tag)


def _children(parent: Element | None) -> list[Element]:
    return [] if parent is None else list(parent)


def _is_gone(properties: Element | None) -> bool:
    return properties is not None and (
        properties.find("del") is not None or is_on(properties.find("hidden"))
    )
