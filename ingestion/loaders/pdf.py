"""PDF files: one page for each page of the file, in reading order."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from hashlib import sha256
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any

from ingestion.boilerplate import PlacedLine, furniture
from ingestion.kinds import classify
from ingestion.loaders.pdf_blocks import BlockReader, Item, squeeze
from ingestion.loaders.pdf_drawings import page_drawings
from ingestion.loaders.pdf_grid import page_grids
from ingestion.loaders.pdf_layout import Line, flows, merge, page_segments, rows
from ingestion.loaders.pdf_roles import Typography
from ingestion.loaders.pdf_tables import aligned_tables, drawn_tables
from ingestion.loaders.pdf_text import Vocabulary
from ingestion.page import BlockKind, Document, Page, UnreadableFile

_LEADER = re.compile(r"(?:\s?[.·…]\s?){4,}\s*(?:\d+|[ivxlc]+)$")
_ENDS_IN_NUMBER = re.compile(r"\S\s+\d+$")
_NO_TITLE = re.compile(
    r"untitled|microsoft \w+ - |\.(?:docx?|tex|indd|fm|odt|pages|pdf)$|^\W*$", re.IGNORECASE
)


def load(data: bytes, file: str) -> Document:
    """Read a PDF; every page of the file is a page of the document, empty ones too.

    Raises UnreadableFile for files that are damaged, locked with a password, without pages, or
    without any text.
    """
    pymupdf: Any = import_module("pymupdf")
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    try:
        opened = pymupdf.open(stream=data, filetype="pdf")
    except (pymupdf.FileDataError, pymupdf.EmptyFileError) as error:
        raise UnreadableFile(
            f"damaged, no PDF reader can open it ({error}); fetch it again"
        ) from error
    with opened as pdf:
        if pdf.needs_pass:
            raise UnreadableFile("locked with a password; save a copy without one")
        if pdf.page_count == 0:
            raise UnreadableFile("damaged, it has no pages; fetch it again")
        return _read(pdf, file, sha256(data).hexdigest())


def _read(pdf: Any, file: str, content_hash: str) -> Document:
    segments = [page_segments(page) for page in pdf]
    if not any(segments):
        raise UnreadableFile("no text: scanned pages need OCR first")
    title = _title(pdf, segments[0], file)
    segments = _without_furniture(pdf, segments)
    outline = _outline(pdf)
    segments = [_without_contents(page, outline) for page in segments]
    lines = [merge(row) for page in segments for row in rows(page)]
    reader = BlockReader(Typography.of(lines), Vocabulary.of(lines), has_outline=bool(outline))
    pages = []
    for number, (page, found) in enumerate(zip(pdf, segments, strict=True), 1):
        entries = outline.get(number, [])
        columns = _flows(page, found, reader.vocabulary)
        pages.append(Page(number, tuple(reader.read(columns, entries))))
    return _document(file, title, content_hash, pages)


def _document(file: str, title: str, content_hash: str, pages: Sequence[Page]) -> Document:
    kinds = [block.kind for page in pages for block in page.blocks]
    share = kinds.count(BlockKind.SIGNATURE) / max(1, len(kinds))
    kind = classify(file, title, signature_share=share)
    return Document(file, title, kind, content_hash, tuple(pages))


def _flows(page: Any, segments: Sequence[Line], vocabulary: Vocabulary) -> list[list[Item]]:
    """Return the page's columns in reading order: lines, tables and schematics."""
    strokes = page.get_cdrawings()
    items: list[Item] = []
    rest = list(segments)
    for table, lines in drawn_tables(page_grids(strokes), rest, vocabulary.join):
        items.append(table)
        rest = _without(rest, lines)
    for drawing, lines in page_drawings(page, strokes, rest):
        items.append(drawing)
        rest = _without(rest, lines)
    columns: list[list[Item]] = []
    for flow in flows([*items, *rest]):
        lines = [item for item in flow if isinstance(item, Line)]
        others = [item for item in flow if not isinstance(item, Line)]
        for table, inside in aligned_tables(lines, vocabulary.join, ruled=bool(strokes)):
            others.append(table)
            lines = _without(lines, inside)
        merged = [merge(row) for row in rows(lines)]
        columns.append(sorted([*others, *merged], key=lambda item: (item.y0 + item.y1) / 2))
    return columns


def _without(lines: Sequence[Line], taken: Sequence[Line]) -> list[Line]:
    gone = {id(line) for line in taken}
    return [line for line in lines if id(line) not in gone]


def _outline(pdf: Any) -> dict[int, list[tuple[int, str]]]:
    """Return level and title of the outline's entries by page number."""
    entries: dict[int, list[tuple[int, str]]] = defaultdict(list)
    for level, title, number in pdf.get_toc(simple=True):
        if squeeze(title):
            entries[number].append((level, " ".join(title.split())))
    return entries


def _title(pdf: Any, first: Sequence[Line], file: str) -> str:
    """Return the title that the file states, else the largest text of its first page."""
    stated = " ".join((pdf.metadata.get("title") or "").split())
    if len(stated) > 2 and not _NO_TITLE.search(stated):
        return stated
    upper = [line for line in map(merge, rows(first)) if not line.mono and len(line.text) > 2]
    if upper:
        largest = max(line.size for line in upper)
        start = next(i for i, line in enumerate(upper) if line.size == largest)
        end = start
        while end < min(len(upper), start + 3) and upper[end].size == largest:
            end += 1
        return " ".join(line.text for line in upper[start:end])
    return PurePosixPath(file).stem


def _without_furniture(pdf: Any, segments: Sequence[list[Line]]) -> list[list[Line]]:
    placed = [
        [
            PlacedLine(line.text, ((line.y0 + line.y1) / 2 - page.rect.y0) / page.rect.height)
            for line in lines
        ]
        for page, lines in zip(pdf, segments, strict=True)
    ]
    return [
        [line for i, line in enumerate(lines) if i not in gone]
        for lines, gone in zip(segments, furniture(placed), strict=True)
    ]


def _without_contents(
    segments: Sequence[Line], outline: dict[int, list[tuple[int, str]]]
) -> list[Line]:
    """Drop the lines of a table of contents: they repeat headings and answer nothing."""
    grouped = rows(segments)
    leading = [i for i, row in enumerate(grouped) if _LEADER.search(merge(row).text)]
    if len(leading) < 3:
        return list(segments)
    titles = {squeeze(title) for entries in outline.values() for _, title in entries}
    kept = []
    for i, row in enumerate(grouped):
        text = merge(row).text
        chapter = _ENDS_IN_NUMBER.search(text) and squeeze(re.sub(r"\d+$", "", text)) in titles
        if i not in leading and not chapter:
            kept += row
    return kept
