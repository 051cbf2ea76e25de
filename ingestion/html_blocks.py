"""HTML elements become blocks in reading order, each knowing what it stands under."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

from lxml import etree

from ingestion.figures import figure_of_drawing
from ingestion.html_parts import (
    BLOCK_TAGS,
    HeadingPath,
    cells,
    code,
    describes_objects,
    grid,
    has_blocks,
    header_rows,
    heading_anchor,
    is_layout,
    is_section,
    line,
    raw_text,
    short_name,
    signature,
    whole_number,
)
from ingestion.ordinals import list_counter
from ingestion.page import TERM_DELIMITER, Block, BlockKind, collapse
from ingestion.tables import fits_row, table_blocks

_WRAPPERS = {"div", "a", "span", "center", "main", "article", "section"}
_DEEPEST = 150
"""Nesting beyond this is read as plain lines; no document written by people comes near it."""

_BELOW_HEADINGS = 7
_TITLES = re.compile(r"(admonition|topic|sidebar|alert|callout)-?(title|heading)", re.IGNORECASE)
_BOXES = re.compile(r"\b(admonition|topic|sidebar|alert|callout)\b")
_BOX_TAGS = {"div", "aside", "section", "details", "blockquote"}
_FOOTNOTE = re.compile(r"(^|\s)(footnote|citation)(\s|$)")
_RUBRIC = re.compile(r"(^|\s)(rubric|h[1-6])(\s|$)")
_PARAMETER_FIELDS = re.compile(
    r"^(parameters?|params?|arguments?|keyword arguments?|other parameters?|variables?|"
    r"attributes?|options?|fields?)$",
    re.IGNORECASE,
)
_NAMED_PARAMETER = re.compile(
    r"^(?:param|parameter|arg|argument|key|keyword|kwarg)\s(?:.*\s)?(\S+)$"
)
_LABEL_ALONE = re.compile(r"^(\[[^\]]*\]\s*)+$|[–—-]$")
_PARAMETER_NAME = re.compile(r"^\*{0,2}[\w.\-]+(?= [(–-]|[:,=]|$)")


def read_blocks(element: etree._Element) -> list[Block]:
    """Read everything inside an element."""
    reader = _Reader()
    reader.inside(element, HeadingPath())
    return reader.blocks


Piece = str | etree._Element
"""A run of inline text, already collapsed, or an element that stands on lines of its own."""


class _Reader:
    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._depth = 0

    def inside(self, element: etree._Element, position: HeadingPath) -> HeadingPath:
        return self._read(_pieces(element), position)

    def _read(self, pieces: Sequence[Piece], position: HeadingPath) -> HeadingPath:
        self._depth += 1
        for piece in pieces:
            if isinstance(piece, str):
                self._add(BlockKind.PARAGRAPH, piece, position)
            elif self._depth > _DEEPEST:
                self._add(BlockKind.PARAGRAPH, line(piece), position)
            else:
                position = self._element(piece, position)
        self._depth -= 1
        return position

    def _add(self, kind: BlockKind, text: str, position: HeadingPath) -> None:
        if text:
            self.blocks.append(Block(kind, text, position.path, position.anchor))

    def _element(self, element: etree._Element, position: HeadingPath) -> HeadingPath:
        tag, classes = element.tag, element.get("class") or ""
        if re.fullmatch("h[1-6]", tag):
            return self._heading(element, int(tag[1]), position)
        if tag == "p" and _RUBRIC.search(classes):
            if not position.indent:
                return self._heading(element, _BELOW_HEADINGS, position)
            # A tab inside a step does not end the steps.
            self._add(BlockKind.PARAGRAPH, f"{line(element)}:", position)
            return position
        if tag == "pre":
            self._add(BlockKind.CODE, code(element), position)
        elif tag in {"ul", "ol", "menu", "dir"}:
            self._list(element, position)
        elif tag == "dl":
            self._definitions(element, position)
        elif tag == "table":
            self._table(element, position)
        elif tag == "svg":
            self._drawing(element, position)
        elif _FOOTNOTE.search(classes) and tag in {"aside", "div"}:
            lead, rest = _lead(_pieces(element))
            self._add(BlockKind.PARAGRAPH, lead, position)
            self._read(rest, position)
        elif _BOXES.search(classes) and tag in _BOX_TAGS:
            self._box(element, position)
        elif is_section(element):
            self.inside(element, position.anchored(element.get("id")))
        else:
            return self.inside(element, position)
        return position

    def _heading(self, element: etree._Element, level: int, position: HeadingPath) -> HeadingPath:
        text = line(element)
        if not text:
            return position
        position = position.titled(level, text, heading_anchor(element))
        self._add(BlockKind.HEADING, text, position)
        return position

    def _box(self, element: etree._Element, position: HeadingPath) -> None:
        """Read an admonition with its label before its first words ("Note: …")."""
        title = next((e for e in element if _TITLES.search(e.get("class") or "")), None)
        label = line(title).rstrip(":") if title is not None else ""
        pieces = [piece for piece in _pieces(element) if piece is not title]
        if label and not re.search(r"\badmonition\b", element.get("class") or ""):
            position = position.titled(_BELOW_HEADINGS, label, None)
            self._add(BlockKind.HEADING, label, position)
        elif "seealso" in (element.get("class") or "") and all(map(_is_line, pieces)):
            self._add(BlockKind.PARAGRAPH, f"{label}: {'; '.join(map(_text, pieces))}", position)
            return
        elif label:
            lead, pieces = _lead(pieces)
            self._add(BlockKind.PARAGRAPH, f"{label}: {lead}".strip(), position)
        self._read(pieces, position)

    def _list(self, element: etree._Element, position: HeadingPath) -> None:
        step = 1 if element.get("reversed") is None else -1
        first = 1 if step == 1 else len(element.findall("li"))
        number = whole_number(element.get("start"), first)
        given = (element.get(name) or "" for name in ("type", "class", "style"))
        counter = list_counter(*given)
        for piece in _pieces(element):
            if isinstance(piece, str) or piece.tag != "li":
                self._read([piece], position)
                continue
            number = whole_number(piece.get("value"), number)
            bullet = f"{counter(number)}. " if element.tag == "ol" else "- "
            number += step
            lead, rest = _lead(_pieces(piece))
            if lead:
                self._add(BlockKind.LIST_ITEM, f"{'  ' * position.indent}{bullet}{lead}", position)
            self._read(rest, replace(position, indent=position.indent + 1))

    def _definitions(self, dl: etree._Element, position: HeadingPath) -> None:
        classes = dl.get("class") or ""
        for terms, descriptions in _grouped(dl):
            described = [piece for dd in descriptions for piece in _pieces(dd)]
            if "field-list" in classes:
                self._field(" ".join(map(line, terms)), described, position)
            elif describes_objects(dl, terms):
                self._object(terms, described, position)
            else:
                self._definition(terms, described, position)

    def _object(
        self, terms: Sequence[etree._Element], described: Sequence[Piece], position: HeadingPath
    ) -> None:
        owner = position.path[-1] if position.path else ""
        for dt in terms:
            inner = position.under(short_name(dt, owner), dt.get("id"))
            self._add(BlockKind.SIGNATURE, signature(dt), inner)
        self._read(described, inner)

    def _definition(
        self, terms: Sequence[etree._Element], described: Sequence[Piece], position: HeadingPath
    ) -> None:
        term = ", ".join(filter(None, map(line, terms))).rstrip(":")
        anchor = next((dt.get("id") for dt in terms if dt.get("id")), None)
        items = [*_items(described)]
        lead, rest = _lead(items[0] if len(items) == 1 else described)
        outer = position.anchored(anchor)
        self._add(BlockKind.DEFINITION, TERM_DELIMITER.join(filter(None, (term, lead))), outer)
        self._read(rest, outer.under(term))

    def _field(self, name: str, described: Sequence[Piece], position: HeadingPath) -> None:
        """Read one field of a docstring's list: each parameter is a definition of its own."""
        name = name.rstrip(":")
        named = _NAMED_PARAMETER.match(name)
        label = f"{named[1]} – " if named else "" if _PARAMETER_FIELDS.match(name) else f"{name}: "
        for item in _items(described):
            if len(item) == 1 and not isinstance(item[0], str) and item[0].tag == "dl":
                self._read(item, position)
                continue
            lead, rest = _lead(item)
            parameter = None if label else _PARAMETER_NAME.match(lead)
            told = lead if parameter else f"{label or f'{name}: '}{lead}"
            self._add(BlockKind.DEFINITION, told, position)
            owner = named[1] if named else parameter.group() if parameter else name
            self._read(rest, position.under(owner.lstrip("*")))

    def _table(self, table: etree._Element, position: HeadingPath) -> None:
        if "field-list" in (table.get("class") or ""):
            for tr in table.iter("tr"):
                self._field(
                    " ".join(line(th) for th in tr.findall("th")),
                    [piece for td in tr.findall("td") for piece in _pieces(td)],
                    position,
                )
            return
        rows = cells(table)
        if is_layout(table):
            for cell in (cell for row in rows for cell in row):
                position = self.inside(cell, position)
            return
        for caption in table.findall("caption"):
            self._add(BlockKind.PARAGRAPH, line(caption), position)
        # A row is one line, so a listing in it is read once more as it is written.
        pres = (pre for row in rows for cell in row for pre in cell.iter("pre"))
        listings = [text for text in map(code, pres) if not fits_row(text)]
        headers, texts = header_rows(rows), grid(rows, read_blocks)
        self.blocks += table_blocks(
            texts, header_rows=headers, path=position.path, anchor=position.anchor
        )
        for text in listings:
            self._add(BlockKind.CODE, text, position)

    def _drawing(self, svg: etree._Element, position: HeadingPath) -> None:
        from ingestion.loaders.svg import drawing_lines

        # What is nested that deeply was drawn by nobody.
        with suppress(RecursionError):
            first = len(self.blocks)
            for row in drawing_lines(svg):
                self._add(BlockKind.DRAWING, row, position)
            for block in self.blocks[first : first + 1]:
                self.blocks[first] = replace(block, figures=figure_of_drawing(svg))


def _pieces(element: etree._Element) -> list[Piece]:
    """Part an element into runs of inline text and the elements between them."""
    pieces: list[Piece] = []
    run = [element.text or ""]

    def end_run() -> None:
        text = collapse("".join(run))
        if text:
            pieces.append(text)

    for child in element:
        if child.tag in BLOCK_TAGS or has_blocks(child):
            end_run()
            pieces.append(child)
            run = []
        else:
            run.append(raw_text(child))
        run.append(child.tail or "")
    end_run()
    return pieces


def _is_line(piece: Piece) -> bool:
    """Say whether a piece is a single run of text, such as a plain paragraph."""
    if isinstance(piece, str):
        return True
    return piece.tag in {"p", "div", "span", "a"} and not has_blocks(piece)


def _text(piece: Piece) -> str:
    return piece if isinstance(piece, str) else line(piece)


def _lead(pieces: Sequence[Piece]) -> tuple[str, list[Piece]]:
    """Take the first line of an item, with the label that may stand alone before it."""
    rest = list(pieces)
    for _ in range(_DEEPEST):
        if not rest or isinstance(rest[0], str) or _is_line(rest[0]):
            break
        if rest[0].tag not in _WRAPPERS | {"p"} or _BOXES.search(rest[0].get("class") or ""):
            break
        rest[:1] = _pieces(rest[0])
    lead = ""
    while rest and _is_line(rest[0]) and (not lead or _LABEL_ALONE.search(lead)):
        lead = f"{lead} {_text(rest.pop(0))}".strip()
    return lead, rest


def _items(described: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Yield the pieces of each entry of a field: its list items, or all of it."""
    pieces = list(described)
    if len(pieces) == 1 and not isinstance(pieces[0], str) and pieces[0].tag in {"ul", "ol"}:
        for li in pieces[0]:
            yield _pieces(li)
    elif pieces:
        yield pieces


def _grouped(
    dl: etree._Element,
) -> Iterator[tuple[list[etree._Element], list[etree._Element]]]:
    """Yield the terms of a definition list with the descriptions that follow them."""
    terms: list[etree._Element] = []
    descriptions: list[etree._Element] = []
    for child in (inner for e in dl for inner in (e if e.tag == "div" else [e])):
        if child.tag == "dt" and descriptions:
            yield terms, descriptions
            terms, descriptions = [], []
        (terms if child.tag == "dt" else descriptions).append(child)
    if terms or descriptions:
        yield terms, descriptions
