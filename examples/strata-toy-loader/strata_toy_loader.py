"""A loader for `.toy` files, an invented format: one table, whose first row is the header."""

import csv
from io import StringIO

from ingestion.decoding import decode
from ingestion.documents import flowing_document
from ingestion.page import Document, UnreadableFile
from ingestion.tables import table_blocks


def load(data: bytes, file: str) -> Document:
    """Read a file, whose cells stand between commas, semicolons or tabs, as a table.

    Args:
        data: The bytes of the file.
        file: Its path relative to what was ingested.

    Raises:
        UnreadableFile: where it holds no table.
    """
    text = decode(data)
    try:
        dialect = csv.Sniffer().sniff(text[:10_000], ",;\t")
        rows = list(csv.reader(StringIO(text, newline=""), dialect, strict=True))
    except csv.Error as error:
        raise UnreadableFile(f"this is no table ({error}): export it again") from error
    return flowing_document(data, file, "", table_blocks(rows, header_rows=1))
