"""CSV files that a spreadsheet opens and saves."""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

from ingestion.errors import StrataError

_FORMULA = re.compile(r"[\s'\"`‘’“”]*[=+\-@\t\r＝＋－＠]")
"""What a spreadsheet takes for a formula at the beginning of a cell, also behind white space and
quotes, and in the full-width forms that some convert (OWASP, CSV Injection)."""


def as_text(cell: str) -> str:
    """A text for a cell: what would be calculated gets an apostrophe, which makes it text."""
    return f"'{cell}" if _FORMULA.match(cell) else cell


def without_apostrophe(cell: str) -> str:
    """The text that `as_text` made a cell of."""
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell


def read_bytes(path: Path, largest: int, error: type[StrataError]) -> bytes:
    """The bytes of a file, one more than `largest` at most; raises the error if it cannot."""
    try:
        with path.open("rb") as file:
            return file.read(largest + 1)
    except OSError as reason:
        raise error(f"{path} cannot be read: {reason.strerror}") from reason


def decoded(data: bytes, file: str, largest: int, error: type[StrataError], *, advice: str) -> str:
    """The text of a file; raises the error for more than `largest` bytes, or other than UTF-8."""
    if len(data) > largest:
        raise error(f"{file} is larger than the limit of {largest:,} bytes: {advice}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as reason:
        line = data.count(b"\n", 0, reason.start) + 1
        raise error(
            f"{file}, line {line}: not UTF-8 text; in the spreadsheet, save the file as “CSV UTF-8”"
        ) from reason


def csv_rows(
    text: str, file: str, separator: str, error: type[StrataError]
) -> Iterator[tuple[int, list[str]]]:
    """The rows that hold anything, with the line at which each begins, as `as_text` found them.

    Raises the error, with file and line, where a row is no CSV.
    """
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield line, [without_apostrophe(cell) for cell in cells]
            line = reader.line_num + 1
    except csv.Error as reason:
        raise error(f"{file}, line {line}: not a valid CSV row: {reason}") from reason
