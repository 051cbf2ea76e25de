"""Office files: Word as it flows, PowerPoint slide by slide."""

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import PurePosixPath
from typing import Any

from ingestion.archives import opened
from ingestion.documents import document
from ingestion.loaders.office_figures import (
    description,
    drawn_code,
    drawn_text,
    figure_blocks,
    is_decoration,
    pictures_in,
    settled,
)
from ingestion.loaders.ooxml import Element, Package, choose_alternatives, number, parsed
from ingestion.loaders.word import joined_listings, read_word
from ingestion.loaders.word_styles import formatted
from ingestion.page import Block, BlockKind, Document, Figure, Page, UnreadableFile
from ingestion.tables import Cell, cell_text, expand_spans, header_height, table_blocks
from ingestion.unread import Unread

_DEEPEST = 50
_USUAL = 228_600
"""The size of text of which a slide says none, in EMU: 18 points."""
_NOTES = "Speaker notes"
_LISTS = {"BODY", "OBJECT", "VERTICAL_BODY", "VERTICAL_OBJECT"}
_FURNITURE = {"DATE", "FOOTER", "HEADER", "SLIDE_NUMBER"}
_COUNTED = re.compile(r"(arabic|alphaLc|alphaUc|romanLc|romanUc)(Period|ParenR|ParenBoth|Plain)")
_FORMS = {
    "arabic": "decimal",
    "alphaLc": "lowerLetter",
    "alphaUc": "upperLetter",
    "romanLc": "lowerRoman",
    "romanUc": "upperRoman",
}
_AROUND = {"Period": "{}.", "ParenR": "{})", "ParenBoth": "({})", "Plain": "{}"}


def load(data: bytes, file: str) -> Document:
    """Read a Word file into pages cut along its headings, a presentation into one page a slide.

    Both are read as they are shown: numbered, with changes accepted, diagrams as lists, charts as
    tables, equations on a line; without comments, running heads and feet, and what is struck out
    or hidden. Every slide is a page, empty ones too: its title is its heading, the text in its
    frames a list, its notes follow with a label. Pictures are read for their description. A
    remark counts what has none and what else was not read. Macros never run, and what links to
    other files is not read. Raises UnreadableFile where there is no text, or the file is damaged.
    """
    with opened(data) as source:
        if PurePosixPath(file).suffix.lower().startswith(".doc"):
            return read_word(Package.of(source), data, file)
        return _presentation(source, data, file)


def _presentation(source: io.BytesIO, data: bytes, file: str) -> Document:
    from pptx import Presentation
    from pptx.exc import PythonPptxError

    unread = Unread()
    try:
        slides = Presentation(source).slides
        pages = [
            Page(number, tuple(settled(_slide(slide, f"on slide {number}", unread))))
            for number, slide in enumerate(slides, 1)
        ]
    except PythonPptxError as error:
        raise UnreadableFile(
            "damaged presentation ({error}); save it again", error=error
        ) from error
    titles = [block.text for page in pages for block in page.blocks[:1]]
    if not titles:
        raise UnreadableFile("it contains no text; pictures of text need OCR first")
    title = titles[0] if pages[0].blocks else PurePosixPath(file).stem
    return document(data, file, title, pages, unread.remarks())


def _slide(slide: Any, place: str, unread: Unread) -> Iterator[Block]:
    if slide._element.get("show") in {"0", "false"}:
        unread.add("hidden slide", place)
        return
    choose_alternatives(slide._element)
    heading = slide.shapes.title or _set_as_title(slide.shapes)
    title = "" if heading is None else _lines(heading.text_frame)
    path = (title,) if title else ()
    if title:
        yield Block(BlockKind.HEADING, title, path)
    for shape in _in_reading_order(slide.shapes):
        if heading is None or shape.shape_id != heading.shape_id:
            yield from _shape(shape, path, place, unread)
    if slide.has_notes_slide:
        frame = slide.notes_slide.notes_text_frame
        label = f"{_NOTES}: "
        for block in joined_listings(_text(frame.paragraphs if frame else (), path, listed=False)):
            if label and block.kind is BlockKind.CODE:
                yield Block(BlockKind.PARAGRAPH, label.rstrip(), path)
                label = ""
            yield replace(block, text=f"{label}{block.text}")
            label = ""


def _set_as_title(shapes: Iterable[Any]) -> Any | None:
    """Return the text at the top of a slide where it is set larger than all other text of it."""
    texts = [
        shape
        for shape in _in_reading_order(shapes)
        if shape.has_text_frame and shape.text_frame.text.strip()
    ]
    sizes = [
        max(
            (run.font.size or _USUAL for p in shape.text_frame.paragraphs for run in p.runs),
            default=0,
        )
        for shape in texts
    ]
    return texts[0] if len(texts) > 1 and sizes[0] > max(sizes[1:]) else None


def _in_reading_order(shapes: Iterable[Any], depth: int = 0) -> Iterator[Any]:
    """Yield shapes from top to bottom and left to right, groups taken apart, hidden ones aside.

    A placeholder without a place of its own stands where the layout puts it, which python-pptx
    looks up.
    """
    for shape in sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0)):
        if shape._element._nvXxPr.cNvPr.get("hidden") in {"1", "true"}:
            continue
        if not hasattr(shape, "shapes"):
            yield shape
        elif depth < _DEEPEST:
            yield from _in_reading_order(shape.shapes, depth + 1)


def _shape(shape: Any, path: tuple[str, ...], place: str, unread: Unread) -> Iterator[Block]:
    if shape.has_text_frame:
        role = shape.placeholder_format.type.name if shape.is_placeholder else ""
        if role not in _FURNITURE:
            read = _text(shape.text_frame.paragraphs, path, listed=role in _LISTS)
            yield from joined_listings(read)
        return
    if getattr(shape, "has_table", False):
        rows = [
            [
                Cell(_cell(cell.text_frame), cell.span_height, cell.span_width)
                for cell in row.cells
                if not cell.is_spanned
            ]
            for row in shape.table.rows
        ]
        headers = header_height(rows, int(shape.table.first_row))
        yield from table_blocks(expand_spans(rows), header_rows=headers, path=path)
        return
    element = _plain(shape._element)
    blocks = figure_blocks(element, partial(_related, shape.part), path, unread, place)
    named = element.find(".//cNvPr")
    text = description(named)
    pictures: tuple[Figure, ...] = ()
    if not is_decoration(named):
        pictures = pictures_in(element, partial(_part_name, shape.part), text)
    if text or pictures:
        yield Block(BlockKind.PARAGRAPH, text, path, figures=pictures)
    if not text and element.tag == "pic" and not is_decoration(named):
        unread.add("picture", place)
    elif not text and next(element.iter("oleObj"), None) is not None:
        unread.add("embedded object", place)
    yield from blocks


def _related(part: Any, relation: str) -> Element | None:
    link = part.rels.get(relation)
    return None if link is None or link.is_external else parsed(link.target_part.blob)


def _part_name(part: Any, relation: str) -> str:
    link = part.rels.get(relation)
    is_within = link is not None and not link.is_external
    return str(link.target_part.partname).lstrip("/") if is_within else ""


def _plain(element: Any) -> Element:
    """Return a copy of an element of python-pptx without its namespaces."""
    from lxml import etree

    return parsed(etree.tostring(element))


def _lines(frame: Any) -> str:
    return " ".join(filter(None, (drawn_text(_plain(p._p)) for p in frame.paragraphs)))


def _cell(frame: Any) -> str:
    return cell_text(_text(frame.paragraphs, (), listed=False))


def _text(paragraphs: Iterable[Any], path: tuple[str, ...], *, listed: bool) -> Iterator[Block]:
    """Read the paragraphs of a frame; where it is for a list, they have bullets of their own."""
    counts: dict[int, int] = {}
    for paragraph in paragraphs:
        text, level = drawn_text(_plain(paragraph._p)), paragraph.level
        properties = paragraph._p.pPr
        marks = {
            mark.tag.rpartition("}")[2]: mark for mark in (() if properties is None else properties)
        }
        counts = {at: count for at, count in counts.items() if at <= level}
        counted = marks.get("buAutoNum")
        if counted is None:
            counts.pop(level, None)
        elif text:
            counts[level] = counts.get(level, number(counted.get("startAt"), 1) - 1) + 1
        mark = "-" if counted is None else _number(counts.get(level, 1), counted.get("type", ""))
        is_item = "buNone" not in marks and (listed or bool(marks.keys() & {"buAutoNum", "buChar"}))
        if text and is_item:
            yield Block(BlockKind.LIST_ITEM, f"{'  ' * level}{mark} {text}", path)
        elif code := drawn_code(_plain(paragraph._p)):
            yield Block(BlockKind.CODE, code, path)
        elif text:
            yield Block(BlockKind.PARAGRAPH, text, path)


def _number(count: int, scheme: str) -> str:
    named = _COUNTED.match(scheme)
    form, around = named.groups() if named else ("arabic", "Period")
    return _AROUND[around].format(formatted(count, _FORMS[form]))
