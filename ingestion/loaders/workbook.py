"""Spreadsheets become documents: each sheet a section, its rows with their header."""

import datetime
import io
import re
import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ingestion.archives import Archive, Member, opened
from ingestion.documents import flowing_document
from ingestion.page import Block, BlockKind, Document, collapse
from ingestion.sheets import sheet_blocks

_FIXED = re.compile(r"(?P<thousands>#,##)?0(?:\.(?P<decimals>0+))?(?P<percent>%)?")
_UNCOMPUTED = re.compile(rb"<f[ >][^<]*</f>\s*(?:<v\s*/>\s*|<v></v>\s*)?</c>")
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")


def load(data: bytes, file: str) -> Document:
    """Read an Excel workbook into pages of rows, each with the header of its table.

    Cells are read as they are shown: dates, shares and decimals by their format, formulas by the
    value that was saved. Hidden sheets are left out; these and formulas that were never computed
    are told in remarks. Macros and links are never followed. Raises UnreadableFile where it is
    damaged or holds no text.
    """
    from openpyxl import load_workbook

    with opened(data) as source, warnings.catch_warnings():
        # What openpyxl leaves out, such as the rules of a cell, is nothing to read.
        warnings.simplefilter("ignore")
        book = load_workbook(source, read_only=True, data_only=True, keep_links=False)
        shown = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        hidden = [sheet.title for sheet in book.worksheets if sheet not in shown]
        blocks = [block for sheet in shown for block in _sheet(sheet)]
        uncomputed = _uncomputed(source)
    remarks = []
    if hidden:
        remarks.append(f"hidden sheets are not read: {', '.join(hidden)[:200]}")
    if uncomputed:
        remarks.append(f"formulas without a saved value are not read: {uncomputed:,}")
    return replace(flowing_document(data, file, "", blocks), remarks=tuple(remarks))


def _sheet(sheet: Any) -> Iterator[Block]:
    title = collapse(sheet.title)
    # What a file says of its own size is often wrong.
    sheet.reset_dimensions()
    rows = ([_shown(cell) for cell in row] for row in sheet.iter_rows())
    blocks = list(sheet_blocks(rows, (title,)))
    if blocks:
        yield Block(BlockKind.HEADING, title, (title,))
    yield from blocks


def _shown(cell: Any) -> str:
    """Return the text of a cell as a person sees it."""
    value = cell.value
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime.datetime):
        return str(value.date() if value.time() == datetime.time() else value)
    if isinstance(value, int | float):
        return _number(value, _FIXED.fullmatch(cell.number_format or ""))
    return str(value)


def _number(value: float, form: re.Match[str] | None) -> str:
    if form is None or (form[0] == "0" and value != int(value)):
        return f"{value:.15g}"
    value, sign = (value * 100, "%") if form["percent"] else (value, "")
    decimals = len(form["decimals"] or "")
    return f"{value:{',' if form['thousands'] else ''}.{decimals}f}{sign}"


def _uncomputed(source: io.BytesIO) -> int:
    archive = Archive(source.getvalue())
    sheets = (m for m in archive.members() if isinstance(m, Member) and _SHEET.fullmatch(m.name))
    return sum(len(_UNCOMPUTED.findall(archive.read(sheet))) for sheet in sheets)
