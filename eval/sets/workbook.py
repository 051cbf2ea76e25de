"""The rows of a workbook, read in the child process in which documents are parsed."""

import json
import warnings

from ingestion.archives import opened
from ingestion.loaders.workbook import shown
from ingestion.page import Block, BlockKind, Document, DocumentKind, Page


def load(data: bytes, file: str) -> Document:
    """Read the first visible sheet that has text: a block a row, of the cells as JSON.

    Cells are texts as a person sees them, so that a release 17.10 stays one. A block's anchor is
    the number of its row. Macros, links and formulas are never followed.
    """
    from openpyxl import load_workbook

    with opened(data) as source, warnings.catch_warnings():
        # What openpyxl leaves out, such as the rules of a cell, is nothing to read.
        warnings.simplefilter("ignore")
        book = load_workbook(
            source, read_only=True, data_only=True, keep_links=False, rich_text=True
        )
        for sheet in book.worksheets:
            if sheet.sheet_state != "visible":
                continue
            rows = [(n, list(map(shown, row))) for n, row in enumerate(sheet.iter_rows(), 1)]
            blocks = tuple(
                Block(BlockKind.TABLE_ROW, json.dumps(cells), anchor=str(number))
                for number, cells in rows
                if any(map(str.strip, cells))
            )
            if blocks:
                return Document(file, "", DocumentKind.REFERENCE, "", (Page(1, blocks),))
    return Document(file, "", DocumentKind.REFERENCE, "", ())
