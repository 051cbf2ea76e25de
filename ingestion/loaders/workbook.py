"""Spreadsheets become documents: each sheet a section, its rows with their header."""

import datetime
import io
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from ingestion.archives import DAMAGE, Archive, Member, opened
from ingestion.documents import flowing_document
from ingestion.loaders.number_formats import shown_number
from ingestion.messages import message
from ingestion.page import Block, BlockKind, Document, collapse
from ingestion.sheets import sheet_blocks
from ingestion.superscripts import superscript

_UNCOMPUTED = re.compile(rb"<f[ >][^<]*</f>\s*(?:<v\s*/>\s*|<v></v>\s*)?</c>")
_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml")


def load(data: bytes, file: str) -> Document:
    """Read an Excel workbook into pages of rows, each with the header of its table.

    Cells are read as they are shown: dates and numbers by their format, formulas by the value that
    was saved, powers with their sign, merged cells in each place that they cover. What is struck
    out is left out, and so are hidden sheets, rows and columns; these, formulas that were never
    computed and damaged comments are told in remarks. Comments on cells stand below their table.
    Macros and links are never followed. Raises UnreadableFile where it is damaged or has no text.
    """
    from openpyxl import load_workbook

    with opened(data) as source, warnings.catch_warnings():
        # What openpyxl leaves out, such as the rules of a cell, is nothing to read.
        warnings.simplefilter("ignore")
        book = load_workbook(
            source, read_only=True, data_only=True, keep_links=False, rich_text=True
        )
        shown = [sheet for sheet in book.worksheets if sheet.sheet_state == "visible"]
        hidden = [sheet.title for sheet in book.worksheets if sheet not in shown]
        grids = [_Grid.of(sheet) for sheet in shown]
        blocks = [block for grid in grids for block in _blocks(grid)]
        uncomputed = _found(source, _SHEET, _UNCOMPUTED)
    remarks = []
    if hidden:
        named = ", ".join(hidden)[:200]
        remarks.append(message("hidden sheets are not read: {names}", names=named))
    if folded := sum(grid.hidden for grid in grids):
        remarks.append(message("hidden rows and columns are not read: {number:,}", number=folded))
    if uncomputed:
        remarks.append(
            message("formulas without a saved value are not read: {number:,}", number=uncomputed)
        )
    if damaged := [grid.title for grid in grids if grid.damaged]:
        named = ", ".join(damaged)[:200]
        remarks.append(message("damaged comments are not read (on {names})", names=named))
    return replace(flowing_document(data, file, "", blocks), remarks=tuple(remarks))


def _blocks(grid: "_Grid") -> Iterator[Block]:
    path = (grid.title,)
    blocks = [
        block
        for table in grid.tables
        for block in (*sheet_blocks(grid.lines(table), path), *grid.notes_on(table, path))
    ]
    # Those on cells without a text beside them.
    blocks += grid.notes_on({number: {} for number in sorted(grid.notes)}, path)
    if blocks:
        yield Block(BlockKind.HEADING, grid.title, path)
    yield from blocks


@dataclass
class _Grid:
    """The tables that a sheet shows, each of texts by their row and column."""

    title: str
    tables: list[dict[int, dict[int, str]]] = field(default_factory=list)
    hidden: int = 0
    """Rows and columns with text that are not shown."""
    notes: dict[int, dict[int, list[str]]] = field(default_factory=dict)
    """The comments on cells by row and column, until they are told."""
    damaged: bool = False
    """Whether there are comments that cannot be read."""
    _last: int = 0
    _folded: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, sheet: Any) -> "_Grid":
        """Read a sheet of a workbook that was opened to be read only."""
        # What openpyxl yields of such a sheet does not tell what is hidden or merged.
        from openpyxl.worksheet._reader import WorkSheetParser

        notes, damaged = _comments(sheet)
        grid, book = cls(collapse(sheet.title), notes=notes, damaged=damaged), sheet.parent
        with sheet._get_source() as source:
            parser = WorkSheetParser(
                source,
                sheet._shared_strings,
                data_only=True,
                epoch=book.epoch,
                date_formats=book._date_formats,
                timedelta_formats=book._timedelta_formats,
                rich_text=True,
            )
            for number, cells in parser.parse():
                grid._take(sheet, number, cells, parser.row_dimensions.pop(str(number), {}))
        for columns in filter(_is_hidden, parser.column_dimensions.values()):
            grid._fold(range(int(columns["min"]), int(columns.get("max", columns["min"])) + 1))
        ranges = parser.merged_cells.mergeCell if parser.merged_cells else ()
        bounds = (one.bounds for one in ranges)
        grid._spread({(top, left): (right, low) for left, top, right, low in bounds})
        return grid

    def _take(self, sheet: Any, number: int, cells: Any, attributes: dict[str, str]) -> None:
        from openpyxl.cell.read_only import ReadOnlyCell

        cells = list(cells)
        placed = ((cell["column"], shown(ReadOnlyCell(sheet, **cell))) for cell in cells)
        row = {column: text for column, text in placed if text.strip()}
        hidden, adjoins = _is_hidden(attributes), number == self._last + 1
        self.hidden += hidden and bool(row)
        if row and not hidden:
            if not (adjoins and self.tables):
                self.tables.append({})
            self.tables[-1][number] = row
            self._last = number
        elif hidden or any(cell["value"] is not None for cell in cells):
            # A row that is hidden, or struck out, parts no table.
            self._last += adjoins
            self.notes.pop(number, None)

    def _fold(self, columns: range) -> None:
        rows = [row for table in self.tables for row in table.values()]
        gone = {column for row in rows for column in row if column in columns}
        self.hidden += len(gone)
        self._folded |= gone
        for row in rows:
            for column in gone & row.keys():
                del row[column]

    def _spread(self, merged: dict[tuple[int, int], tuple[int, int]]) -> None:
        """Write the text of merged cells in each place that they cover between other texts."""
        for table in self.tables:
            used = {column for row in table.values() for column in row}
            for (top, left), text in [(at, t) for at, t in _places(table) if at in merged]:
                right, low = merged[top, left]
                covered = [column for column in used if left <= column <= right]
                for number in range(top, min(low, max(table)) + 1):
                    row = table.get(number, {})
                    if row.keys() - {left}:
                        row.update(dict.fromkeys(covered, text))

    def lines(self, table: dict[int, dict[int, str]]) -> Iterator[list[str]]:
        """Yield the rows of a table from the top."""
        for row in table.values():
            shown = (c for c in range(1, max(row, default=0) + 1) if c not in self._folded)
            yield [row.get(column, "") for column in shown]

    def notes_on(self, table: dict[int, dict[int, str]], path: tuple[str, ...]) -> Iterator[Block]:
        """Yield the comments on cells of a table, each with what its row or its column is called.

        Between the rows they would part the table in two.
        """
        from openpyxl.utils import get_column_letter

        top = min(table, default=0)
        for number, row in table.items():
            for column, texts in sorted(self.notes.pop(number, {}).items()):
                named = row.get(column, "") if number == top else row.get(min(row, default=0), "")
                called = f" ({named})" if named else ""
                place = f"{get_column_letter(column)}{number}{called}"
                for text in texts if column not in self._folded else ():
                    yield Block(BlockKind.PARAGRAPH, f"Note on {place}: {text}", path)


def _comments(sheet: Any) -> tuple[dict[int, dict[int, list[str]]], bool]:
    """Return the comments on the cells of a sheet by row and column, and if some are damaged.

    Those of a talk in turn: it stands a second time among the comments, for programs that know
    none.
    """
    from openpyxl.packaging.relationship import get_dependents, get_rels_path
    from openpyxl.utils.cell import coordinate_to_tuple
    from openpyxl.xml.functions import fromstring

    found: dict[int, dict[int, list[str]]] = defaultdict(dict)
    damaged = False
    archive, rels = sheet.parent._archive, get_rels_path(sheet._worksheet_path)
    linked = list(get_dependents(archive, rels)) if rels in archive.namelist() else []
    for kind in ("/comments", "/threadedComment"):
        said: dict[tuple[int, int], list[str]] = defaultdict(list)
        parts = {one.target for one in linked if one.Type.endswith(kind)}
        for part in sorted(parts.intersection(archive.namelist())):
            try:
                # That on a merged cell may name all that it covers.
                comments = [
                    (
                        coordinate_to_tuple(ref.partition(":")[0]),
                        collapse("".join(comment.itertext())),
                    )
                    for comment in fromstring(archive.read(part)).iter()
                    if (ref := comment.get("ref"))
                ]
            except DAMAGE:
                damaged = True
                continue
            for place, text in comments:
                said[place].append(text)
        for (row, column), texts in said.items():
            found[row][column] = texts
    return found, damaged


def _places(table: dict[int, dict[int, str]]) -> Iterator[tuple[tuple[int, int], str]]:
    for number, row in table.items():
        yield from (((number, column), text) for column, text in row.items())


def _is_hidden(attributes: dict[str, str]) -> bool:
    return attributes.get("hidden") in {"1", "true"}


def shown(cell: Any) -> str:
    """Return the text of a cell as a person sees it."""
    value = cell.value
    if value is None or cell.font.strike:
        return ""
    if isinstance(value, list):
        return _text(value)
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime.datetime):
        day = str(value.date() if value.time() == datetime.time() else value)
        form = set((cell.number_format or "").lower())
        # A format of months shows neither a day nor a time.
        return day[:7] if "y" in form and form.isdisjoint("dhs") else day
    if isinstance(value, datetime.timedelta):
        return _duration(value, cell.number_format or "")
    if isinstance(value, int | float):
        return shown_number(value, cell.number_format or "")
    return str(value)


def _duration(value: datetime.timedelta, number_format: str) -> str:
    """Write a duration in the hours, or minutes, that add up: 26:15, and 26:15:00 with seconds."""
    minus, seconds = "-" * (value < datetime.timedelta()), round(abs(value).total_seconds())
    minutes, rest = divmod(seconds, 60)
    hours, over = divmod(minutes, 60)
    has_seconds = "s" in number_format.lower() or rest
    whole = f"{hours}:{over:02}" if "h" in number_format.lower() else f"{minutes:02}"
    return f"{minus}{whole}:{rest:02}" if has_seconds or ":" not in whole else f"{minus}{whole}"


def _text(runs: list[Any]) -> str:
    text = ""
    for run in runs:
        font = getattr(run, "font", None)
        if font is None or not font.strike:
            is_raised = font is not None and font.vertAlign == "superscript"
            text += (superscript(str(run), text) if is_raised else "") or str(run)
    return text


def _found(source: io.BytesIO, names: re.Pattern[str], sought: re.Pattern[bytes]) -> int:
    """Count what is found in the parts of a file that have such names."""
    archive = Archive(source.getvalue())
    parts = (m for m in archive.members() if isinstance(m, Member) and names.fullmatch(m.name))
    return sum(len(sought.findall(archive.read(part))) for part in parts)
