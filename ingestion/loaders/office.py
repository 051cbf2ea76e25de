"""Office files: Word by way of the HTML that mammoth makes of it, PowerPoint slide by slide."""

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any

from ingestion.archives import opened
from ingestion.documents import document, flowing_document
from ingestion.loaders.html import fragment_blocks
from ingestion.page import Block, BlockKind, Document, Page, UnreadableFile, collapse
from ingestion.tables import Cell, expand_spans, table_blocks

_CODE = "Source Code"
_STYLES = f"""
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => p:fresh
p[style-name='{_CODE}'] => pre:separator('\\n')
"""
_CODE_STYLE = re.compile(r"code|preformatted|listing|macro text", re.IGNORECASE)
_MONO = re.compile(r"mono|courier|consol|menlo|typewriter|fixedsys", re.IGNORECASE)
_DEEPEST = 50
_NOTES = "Speaker notes"
_LISTS = {"BODY", "OBJECT", "VERTICAL_BODY", "VERTICAL_OBJECT"}
_FURNITURE = {"DATE", "FOOTER", "HEADER", "SLIDE_NUMBER"}


def load(data: bytes, file: str) -> Document:
    """Read a Word file into pages cut along its headings, a presentation into one page a slide.

    Every slide is a page, empty ones too: its title is its heading, the text in its frames a list,
    its notes follow with a label. Pictures are read for their description. Macros, comments,
    charts, deleted text and what links to other files are not read. Raises UnreadableFile where
    there is no text, or the file is damaged.
    """
    with opened(data) as source:
        if PurePosixPath(file).suffix.lower().startswith(".doc"):
            return _word(source, data, file)
        return _presentation(source, data, file)


def _word(source: io.BytesIO, data: bytes, file: str) -> Document:
    import mammoth

    markup = mammoth.convert_to_html(
        source,
        style_map=_STYLES,
        include_embedded_style_map=False,
        external_file_access=False,
        convert_image=mammoth.images.img_element(lambda image: {}),
        transform_document=mammoth.transforms.paragraph(_with_code),
    ).value
    if not markup:
        raise UnreadableFile("there is no text in it")
    return flowing_document(data, file, "", fragment_blocks(markup))


def _with_code(paragraph: Any) -> Any:
    """Give a paragraph that is set as code the style of code, whatever its own is called."""
    import mammoth

    runs = mammoth.transforms.get_descendants_of_type(paragraph, mammoth.documents.Run)
    is_mono = bool(runs) and all(_MONO.search(run.font or "") for run in runs)
    if is_mono or _CODE_STYLE.search(paragraph.style_name or ""):
        return paragraph.copy(style_name=_CODE, style_id=None, numbering=None)
    return paragraph


def _presentation(source: io.BytesIO, data: bytes, file: str) -> Document:
    from pptx import Presentation
    from pptx.exc import PythonPptxError

    try:
        slides = Presentation(source).slides
        pages = [Page(number, tuple(_slide(slide))) for number, slide in enumerate(slides, 1)]
    except PythonPptxError as error:
        raise UnreadableFile(f"damaged presentation ({error}); save it again") from error
    titles = [block.text for page in pages for block in page.blocks[:1]]
    if not titles:
        raise UnreadableFile("there is no text in it: pictures of text need OCR first")
    title = titles[0] if pages[0].blocks else PurePosixPath(file).stem
    return document(data, file, title, pages)


def _slide(slide: Any) -> Iterator[Block]:
    heading = slide.shapes.title
    title = collapse(heading.text_frame.text) if heading is not None else ""
    path = (title,) if title else ()
    if title:
        yield Block(BlockKind.HEADING, title, path)
    for shape in _in_reading_order(slide.shapes):
        if heading is None or shape.shape_id != heading.shape_id:
            yield from _shape(shape, path)
    if slide.has_notes_slide:
        frame = slide.notes_slide.notes_text_frame
        label = f"{_NOTES}: "
        for block in _text(frame.paragraphs if frame else (), path, listed=False):
            yield replace(block, text=f"{label}{block.text}")
            label = ""


def _in_reading_order(shapes: Iterable[Any], depth: int = 0) -> Iterator[Any]:
    """Yield shapes from top to bottom and left to right, groups taken apart.

    A placeholder without a place of its own stands where the layout puts it, which python-pptx
    looks up.
    """
    for shape in sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0)):
        if not hasattr(shape, "shapes"):
            yield shape
        elif depth < _DEEPEST:
            yield from _in_reading_order(shape.shapes, depth + 1)


def _shape(shape: Any, path: tuple[str, ...]) -> Iterator[Block]:
    if shape.has_text_frame:
        role = shape.placeholder_format.type.name if shape.is_placeholder else ""
        if role not in _FURNITURE:
            yield from _text(shape.text_frame.paragraphs, path, listed=role in _LISTS)
    elif getattr(shape, "has_table", False):
        rows = [
            [
                Cell(cell.text, cell.span_height, cell.span_width)
                for cell in row.cells
                if not cell.is_spanned
            ]
            for row in shape.table.rows
        ]
        header_rows = int(shape.table.first_row)
        yield from table_blocks(expand_spans(rows), header_rows=header_rows, path=path)
    elif description := collapse(shape._element._nvXxPr.cNvPr.get("descr") or ""):
        yield Block(BlockKind.PARAGRAPH, description, path)


def _text(paragraphs: Iterable[Any], path: tuple[str, ...], *, listed: bool) -> Iterator[Block]:
    """Read the paragraphs of a frame; where it is for a list, they have bullets of their own."""
    numbers: dict[int, int] = {}
    for paragraph in paragraphs:
        text, level = collapse(paragraph.text), paragraph.level
        properties = paragraph._p.pPr
        marks = {mark.tag.rpartition("}")[2] for mark in (() if properties is None else properties)}
        numbers = {at: number for at, number in numbers.items() if at <= level}
        if "buAutoNum" in marks:
            numbers[level] = numbers.get(level, 0) + 1
        else:
            numbers.pop(level, None)
        mark = f"{numbers[level]}." if level in numbers else "-"
        is_item = "buNone" not in marks and (listed or bool(marks & {"buAutoNum", "buChar"}))
        if text and is_item:
            yield Block(BlockKind.LIST_ITEM, f"{'  ' * level}{mark} {text}", path)
        elif text:
            yield Block(BlockKind.PARAGRAPH, text, path)
