"""PDF files: one page for each page of the file, in reading order."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import groupby, islice
from pathlib import PurePosixPath
from typing import Any
from unicodedata import category

from ingestion.boilerplate import EDGE, LEADER, PlacedLine, furniture
from ingestion.documents import document
from ingestion.loaders.pdf_blocks import BlockReader, squeeze
from ingestion.loaders.pdf_figures import pictures_on, repeated, with_figures
from ingestion.loaders.pdf_layout import (
    Box,
    Line,
    flows,
    merge,
    page_segments,
    rows,
    upright,
    without_line_numbers,
)
from ingestion.loaders.pdf_pictures import unread_pictures
from ingestion.loaders.pdf_strokes import (
    Drawing,
    level_rules,
    page_drawings,
    page_grids,
    with_marks,
    without_struck,
)
from ingestion.loaders.pdf_tables import Table, aligned_tables, beside_each_other, drawn_tables
from ingestion.loaders.pdf_text import Typography, Vocabulary
from ingestion.messages import message, sentences
from ingestion.mupdf import pymupdf
from ingestion.ocr import Ocr, ScanReader
from ingestion.page import Document, DocumentKind, Page, UnreadableFile
from ingestion.plain_blocks import plain_blocks
from ingestion.unread import Unread

_NUMBER_AT_END = re.compile(r"(?<=\S)\s+\d+$")
_CONTENTS = re.compile(r"(?:table of )?contents", re.IGNORECASE)
_INDEXED = re.compile(r"\S, \d{1,4}(?:, \d{1,4})*$")
_STAMP = 100
"""Letters."""
_NO_TITLE = re.compile(
    r"untitled|microsoft \w+ - |\.(?:docx?|tex|indd|fm|odt|pages|pdf)$|^\W*$", re.IGNORECASE
)


def load(data: bytes, file: str, ocr: Ocr | None = None) -> Document:
    """Read a PDF; every page of the file is a page of the document, empty ones too.

    Scanned pages are read as `ocr` says, and are empty without it, which a remark tells; another
    counts the pictures on other pages. Raises
    UnreadableFile for files that are damaged, locked with a password, without pages, or without
    any text.
    """
    with _opened(data) as pdf:
        return _read(pdf, data, file, ocr)


def probe(data: bytes, file: str) -> Document:
    """Open a PDF as `load` does and read none of its pages; raises as it does."""
    with _opened(data):
        return Document(file, file, DocumentKind.REFERENCE, sha256(data).hexdigest(), ())


@contextmanager
def _opened(data: bytes) -> Iterator[Any]:
    mupdf = pymupdf()
    mupdf.TOOLS.mupdf_display_errors(False)
    mupdf.TOOLS.mupdf_display_warnings(False)
    try:
        opened = mupdf.open(stream=data, filetype="pdf")
    except (mupdf.FileDataError, mupdf.EmptyFileError) as error:
        raise UnreadableFile(
            "damaged PDF that cannot be opened ({error}); download it again", error=error
        ) from error
    with opened as pdf:
        if pdf.needs_pass:
            raise UnreadableFile("locked with a password; save a copy without one")
        if not pdf.is_pdf:
            raise UnreadableFile("not a PDF; save it with the suffix of its format")
        try:
            if pdf.page_count == 0:
                raise UnreadableFile("damaged PDF without pages; download it again")
            yield pdf
        except (mupdf.mupdf.FzErrorBase, RuntimeError) as error:
            raise UnreadableFile("damaged PDF ({error}); download it again", error=error) from error


@dataclass
class _Sheet:
    """A page on its way: its lines, and the figures already recognised among them.

    `scanned` is the text that was read from the picture that the page is.
    """

    number: int
    page: Any
    lines: list[Line]
    drawings: list[dict[str, Any]]
    figures: list[Table | Drawing] = field(default_factory=list)
    at_edges: list[tuple[Table, list[Line]]] = field(default_factory=list)
    scanned: str = ""

    def set_aside(self, figure: Table | Drawing, lines: Sequence[Line]) -> None:
        self.figures.append(figure)
        self.drop(lines)

    def drop(self, lines: Sequence[Line]) -> None:
        gone = {id(line) for line in lines}
        self.lines = [line for line in self.lines if id(line) not in gone]


def _read(pdf: Any, data: bytes, file: str, ocr: Ocr | None) -> Document:
    rotations = [page.rotation for page in pdf]
    sheets = [
        _Sheet(number, page, *without_struck(page_segments(page), page.get_cdrawings()))
        for number, page in enumerate(map(upright, pdf), 1)
    ]
    shown = [pictures_on(sheet.page) if sheet.page.parent is pdf else {} for sheet in sheets]
    lines = [list(sheet.lines) for sheet in sheets]
    scans = [sheet for sheet in sheets if _is_unmapped(sheet) or _is_scan(sheet)]
    remarks = _read_scans(pdf, sheets, scans, rotations, ocr)
    if not any(sheet.lines or sheet.scanned for sheet in sheets):
        found_none = (message("OCR found none either"),) if ocr else ()
        raise UnreadableFile(sentences([message("no text"), *(remarks or found_none)], "; "))
    scanned = {sheet.number for sheet in scans}
    read = ((sheet.number, sheet.page) for sheet in sheets if sheet.number not in scanned)
    remarks += unread_pictures(read) + _unread_signs(sheets)
    title = _title(pdf, sheets[0].lines, file)
    outline = _outline(pdf)
    vocabulary = Vocabulary.of(line for sheet in sheets for line in sheet.lines)
    for sheet in sheets:
        _set_tables_aside(sheet, vocabulary)
    _drop_furniture(sheets)
    for sheet in sheets:
        _set_edge_tables_aside(sheet)
        _drop_contents(sheet, outline)
        _set_drawings_aside(sheet)
    typography = Typography.of([merge(row) for sheet in sheets for row in rows(sheet.lines)])
    reader = BlockReader(typography, vocabulary, has_outline=bool(outline))
    blocks = [
        reader.read(_columns(sheet, vocabulary), outline.get(sheet.number, ())) for sheet in sheets
    ]
    pages = [
        Page(sheet.number, (*of_page, *plain_blocks(sheet.scanned)))
        for sheet, of_page in zip(sheets, blocks, strict=True)
    ]
    furniture_of_pages = repeated(shown)
    pages = [
        replace(
            page,
            blocks=with_figures(
                page.number,
                page.blocks,
                [b for key, of in on_page.items() if key not in furniture_of_pages for b in of],
                [f for f in sheet.figures if isinstance(f, Drawing) and sheet.page.parent is pdf],
                of_page,
            ),
        )
        for page, sheet, on_page, of_page in zip(pages, sheets, shown, lines, strict=True)
    ]
    return document(data, file, title, pages, remarks)


def _read_scans(
    pdf: Any,
    sheets: Sequence[_Sheet],
    scans: Sequence[_Sheet],
    rotations: Sequence[int],
    ocr: Ocr | None,
) -> tuple[str, ...]:
    """Read the pages that are pictures as they are shown; return what is to be said of them."""
    unmapped = {sheet.number for sheet in scans if _is_unmapped(sheet)}
    if not scans:
        return ()
    for sheet in scans:
        if sheet.number in unmapped:
            sheet.lines = []
    if ocr is None:
        unread = message(
            "{number} of {all} pages are pictures of text or have fonts that do not tell their "
            "letters (such as page {page}) and were not read: STRATA_OCR=eng reads English ones"
            if unmapped
            else "{number} of {all} pages are pictures of text (such as page {page}) and were not "
            "read: STRATA_OCR=eng reads English ones",
            number=len(scans),
            all=len(sheets),
            page=scans[0].number,
        )
        return (unread,)
    reader = ScanReader(ocr)
    for done, sheet in enumerate(scans):
        if not reader.has_time:
            in_part = message(
                "OCR read {done} of {all} scanned pages, up to page {page}, in its time: raise "
                "STRATA_READING_SECONDS, or split the file",
                done=done,
                all=len(scans),
                page=sheet.number - 1,
            )
            return (in_part,)
        page = pdf[sheet.number - 1]
        page.set_rotation(rotations[sheet.number - 1])
        sheet.scanned, sheet.lines = reader.text(page), []
    return ()


def _is_unmapped(sheet: _Sheet) -> bool:
    """Whether most signs of a page are glyphs of which the file does not say what they mean."""
    signs = "".join(line.text for line in sheet.lines)
    return sum(map(_is_unknown, signs)) > len(signs) / 2


def _is_unknown(sign: str) -> bool:
    return sign == "\N{REPLACEMENT CHARACTER}" or category(sign) == "Co"


def _unread_signs(sheets: Sequence[_Sheet]) -> tuple[str, ...]:
    """Return what is to be said of glyphs in the text of which the file names no letter."""
    unread = Unread()
    lines = ((sheet.number, line.text) for sheet in sheets for line in sheet.lines)
    for number, text in lines:
        for _ in filter(_is_unknown, text):
            unread.add("sign", message("on page {number}, in “{line}”", number=number, line=text))
    return unread.remarks()


def _is_scan(sheet: _Sheet) -> bool:
    """Whether a page is a picture with hardly any text of its own, such as a stamp."""
    if sum(len(line.text) for line in sheet.lines) > _STAMP:
        return False
    paper = abs(sheet.page.rect.width * sheet.page.rect.height)
    boxes = (picture["bbox"] for picture in sheet.page.get_image_info())
    return any((x1 - x0) * (y1 - y0) > paper / 2 for x0, y0, x1, y1 in boxes)


def _set_tables_aside(sheet: _Sheet, vocabulary: Vocabulary) -> None:
    height = sheet.page.rect.height
    grids = page_grids(sheet.drawings)
    for table, lines in drawn_tables(grids, sheet.lines, vocabulary.join):
        if table.y0 < height * (1 - EDGE) and table.y1 > height * EDGE:
            sheet.set_aside(table, lines)
        else:
            sheet.at_edges.append((table, lines))


def _set_edge_tables_aside(sheet: _Sheet) -> None:
    """Set aside the tables near the paper's edge that turned out to be none of its furniture."""
    left = {id(line) for line in sheet.lines}
    for table, lines in sheet.at_edges:
        if all(id(line) in left for line in lines):
            sheet.set_aside(table, lines)


def _set_drawings_aside(sheet: _Sheet) -> None:
    whole = not sheet.figures
    for drawing, lines in page_drawings(sheet.page, sheet.drawings, sheet.lines, whole=whole):
        sheet.set_aside(drawing, lines)
    level = [line for line in sheet.lines if not line.turned]
    sheet.lines = with_marks(level, sheet.drawings)


def _columns(sheet: _Sheet, vocabulary: Vocabulary) -> Iterator[list[Box]]:
    """Yield the page's columns in reading order: lines, tables and schematics."""
    rules = level_rules(sheet.drawings)
    found = flows([*sheet.figures, *sheet.lines])
    for flow in (part for whole in found for part in beside_each_other(whole)):
        figures: list[Box] = [item for item in flow if not isinstance(item, Line)]
        lines = without_line_numbers([item for item in flow if isinstance(item, Line)])
        taken: set[int] = set()
        for table, inside in aligned_tables(lines, vocabulary.join, rules):
            figures.append(table)
            taken |= {id(line) for line in inside}
        merged = [merge(row) for row in rows(line for line in lines if id(line) not in taken)]
        yield sorted([*figures, *merged], key=lambda item: item.middle)


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
    level = [line for line in first if not line.turned] or first
    upper = [line for line in map(merge, rows(level)) if not line.mono and len(line.text) > 2]
    largest = max((line.size for line in upper), default=0.0)
    # Where all is of one size, as typed or scanned, the first line is the title.
    most = 3 if any(line.size < largest for line in upper) else 1
    for size, lines in groupby(upper, key=lambda line: line.size):
        if size == largest:
            return " ".join(line.text for line in islice(lines, most))
    return PurePosixPath(file).stem


def _drop_furniture(sheets: Sequence[_Sheet]) -> None:
    body = Typography.of([line for sheet in sheets for line in sheet.lines]).body_size
    placed = [
        [
            PlacedLine(line.text, line.middle / sheet.page.rect.height, line.size > 1.15 * body)
            for line in sheet.lines
        ]
        for sheet in sheets
    ]
    running = furniture(placed)
    pairs = list(zip(sheets, running, strict=True))
    # Where nothing else stands on any page, it is the text.
    if any(len(sheet.lines) > len(gone) or sheet.figures for sheet, gone in pairs):
        for sheet, gone in pairs:
            sheet.drop([sheet.lines[i] for i in gone])


def _drop_contents(sheet: _Sheet, outline: dict[int, list[tuple[int, str]]]) -> None:
    """Drop tables of contents and indexes: they repeat what is said elsewhere, and no more."""
    grouped = rows(sheet.lines)
    texts = [merge(row).text for row in grouped]
    titles = {squeeze(title) for entries in outline.values() for _, title in entries}
    listed = [
        i
        for i, text in enumerate(texts)
        if LEADER.search(text)
        or ((end := _NUMBER_AT_END.search(text)) and squeeze(text[: end.start()]) in titles)
    ]
    if len(listed) >= 3:
        heading = [i for i, text in enumerate(texts) if _CONTENTS.fullmatch(text)]
        sheet.drop([line for i in listed + heading for line in grouped[i]])
    indexed = sum(bool(_INDEXED.search(line.text)) for line in sheet.lines)
    within = _chapter(sheet.number, outline).lower().endswith("index")
    if indexed > (0.25 if within else 0.6) * max(len(sheet.lines), 1 if within else 10):
        sheet.lines = []


def _chapter(number: int, outline: dict[int, list[tuple[int, str]]]) -> str:
    """Return the last outermost entry of the outline that begins on this page or before."""
    for page in sorted(outline, reverse=True):
        for level, title in reversed(outline[page]):
            if page <= number and level == 1:
                return title
    return ""
