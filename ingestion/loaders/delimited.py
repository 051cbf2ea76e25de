"""Tables in text, cells parted by commas or tabs, become rows with their header."""

import csv
from io import StringIO
from itertools import islice

from ingestion.decoding import decode
from ingestion.documents import flowing_document
from ingestion.page import Document, UnreadableFile
from ingestion.sheets import sheet_blocks

_SIGNS = ",;\t|"
_LOOKED_AT = 50
"""Rows in which the sign between cells is looked for."""


def load(data: bytes, file: str) -> Document:
    """Read a CSV or TSV file into pages of rows, each with the header.

    What parts its cells is what parts most rows alike, a comma, semicolon, tab or bar; or what a
    first line `sep=;` says. Raises UnreadableFile where a quotation mark is not closed or there
    are too many columns.
    """
    text = decode(data)
    first, _, rest = text.partition("\n")
    if first.lower().startswith("sep=") and len(first.strip()) == 5:
        sign, text = first.strip()[-1], rest
    else:
        sign = _sign(text)
    try:
        blocks = list(sheet_blocks(_rows(text, sign)))
    except csv.Error as error:
        raise UnreadableFile(
            "it cannot be split into cells ({error}); correct it", error=error
        ) from error
    return flowing_document(data, file, "", blocks)


def _rows(text: str, sign: str) -> list[list[str]]:
    rows = csv.reader(StringIO(text), delimiter=sign)
    return [row for row in rows if any(map(str.strip, row))]


def _sign(text: str) -> str:
    """Return the sign that parts most of the first rows into equally many cells."""

    def alike(sign: str) -> tuple[int, int]:
        try:
            lines = text.split("\n", _LOOKED_AT)[:_LOOKED_AT]
            widths = [len(row) for row in islice(csv.reader(lines, delimiter=sign), _LOOKED_AT)]
        except csv.Error:
            return 0, 0
        usual = max(widths, key=widths.count, default=1)
        return (widths.count(usual), usual) if usual > 1 else (0, 0)

    return max(_SIGNS, key=alike)
