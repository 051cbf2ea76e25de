"""A glossary as a CSV file that a spreadsheet opens and saves: a row for each meaning.

The first row is `term,synonyms`; below it stand a term and, in a cell each, as many synonyms as
there are.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from corpora.catalog.glossary import Entry, GlossaryError, tidy

HEADER = ("term", "synonyms")
LARGEST = 2_000_000
"""Bytes."""

_HEADER = re.compile(r'"?term"?(?P<separator>[,;\t])', re.IGNORECASE)
FORMULA = re.compile(r"[\s'\"`‘’“”]*[=+\-@\t\r＝＋－＠]")
"""What a spreadsheet takes for a formula at the beginning of a cell, also behind white space and
quotes, and in the full-width forms that some convert (OWASP, CSV Injection)."""


def read_glossary(path: Path) -> tuple[Entry, ...]:
    """Read the entries of a file; cells are separated by comma, semicolon or tab.

    Raises GlossaryError, with file and line, for whatever cannot be an entry.
    """
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError as error:
        raise GlossaryError(f"{path} cannot be read: {error.strerror}") from error
    return parse_glossary(data, str(path))


def parse_glossary(data: bytes, file: str) -> tuple[Entry, ...]:
    """Read the entries from the bytes of a file, as `read_glossary` does."""
    text = _text(data, file)
    header = _HEADER.match(text)
    if header is None:
        raise GlossaryError(
            f"{file}, line 1: the first row must be `{','.join(HEADER)}`, and below it a term and "
            "its synonyms in a cell each"
        )
    found: dict[str, tuple[int, Entry]] = {}
    for line, cells in _rows(file, text, header["separator"]):
        try:
            entry = tidy(Entry(cells[0], tuple(cells[1:])))
        except GlossaryError as error:
            raise GlossaryError(f"{file}, line {line}: {error}") from error
        if entry.term in found:
            raise GlossaryError(
                f"{file}, line {line}: {entry.term!r} is also in line {found[entry.term][0]}: "
                "put its synonyms into one row"
            )
        found[entry.term] = line, entry
    return tuple(entry for _, entry in found.values())


def written_glossary(entries: Iterable[Entry]) -> str:
    """Write entries as the text of a file that `read_glossary` reads back.

    What a spreadsheet would take for a formula gets an apostrophe, which makes it text.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEADER)
    for entry in entries:
        writer.writerow(f"'{w}" if FORMULA.match(w) else w for w in entry.wordings)
    return text.getvalue()


def _text(data: bytes, file: str) -> str:
    if len(data) > LARGEST:
        raise GlossaryError(f"{file} is larger than the limit of {LARGEST:,} bytes: check the file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise GlossaryError(
            f"{file}, line {line}: not UTF-8 text; in the spreadsheet, save the file as “CSV UTF-8”"
        ) from error


def _rows(file: str, text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The rows below the header that hold anything, with the line at which each begins."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    line = 1
    try:
        for cells in reader:
            if line > 1 and any(cell.strip() for cell in cells):
                yield line, [_plain(cell) for cell in cells]
            line = reader.line_num + 1
    except csv.Error as error:
        raise GlossaryError(f"{file}, line {line}: not a valid CSV row: {error}") from error


def _plain(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell
