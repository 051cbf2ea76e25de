"""Jupyter notebooks become documents, cell by cell, with what running them printed."""

import re
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from typing import Any

from ingestion.decoding import decode
from ingestion.documents import flowing_document
from ingestion.html_parts import whole_number
from ingestion.loaders.html import fragment_blocks
from ingestion.loaders.markdown import markdown_html
from ingestion.page import Document, UnreadableFile
from ingestion.structured_data import mapping, members, structured_data

_COLOURS = re.compile(r"\[[0-9;]{1,8}m")
"""What terminals read as colours, once the control character before it is gone."""
_REMOVED = {"remove-cell", "remove_cell"}
_NO_INPUT = {"remove-input", "remove_input"}
_NO_OUTPUT = {"remove-output", "remove_output"}


def load(data: bytes, file: str) -> Document:
    """Read a notebook into pages cut along the headings of its Markdown.

    Code is read letter for letter, and below it the text or the table that it printed; cells that
    Jupyter Book is told to remove are left out, pictures counted in a remark. Raises
    UnreadableFile where it is no notebook or holds no text.
    """
    notebook = structured_data(decode(data))
    sheets = [mapping(sheet) for sheet in members(mapping(notebook).get("worksheets"))]
    cells = [c for part in (mapping(notebook), *sheets) for c in members(part.get("cells"))]
    if not cells:
        raise UnreadableFile("not a Jupyter notebook, or one without cells")
    try:
        markup = [part for cell in cells for part in _cell(mapping(cell))]
        blocks = fragment_blocks("\n".join(markup))
    except RecursionError as error:
        raise UnreadableFile("its elements are nested too deeply to be read") from error
    pictures = sum(_is_picture(o) for c in cells for o in members(mapping(c).get("outputs")))
    remarks = (f"pictures that its code draws are not read: {pictures}",) if pictures else ()
    return replace(flowing_document(data, file, "", blocks), remarks=remarks)


def _cell(cell: dict[str, Any]) -> Iterator[str]:
    kind, source = cell.get("cell_type"), _text(cell.get("source") or cell.get("input"))
    tags = {str(tag) for tag in members(mapping(cell.get("metadata")).get("tags"))}
    if tags & _REMOVED:
        return
    if kind == "markdown":
        yield f"<div>{markdown_html(source)}</div>"
    elif kind == "heading":
        level = min(whole_number(str(cell.get("level")), 1), 6)
        yield markdown_html(f"{'#' * level} {source}")
    elif source.strip() and not tags & _NO_INPUT:
        yield _listing(source)
    if not tags & _NO_OUTPUT:
        for output in members(cell.get("outputs")):
            yield from _output(mapping(output))


def _output(output: dict[str, Any]) -> Iterator[str]:
    shown = mapping(output.get("data"))
    table = _text(shown.get("text/html"))
    if "<table" in table:
        yield f"<div>{table}</div>"
    elif words := _text(shown.get("text/markdown")):
        yield f"<div>{markdown_html(words)}</div>"
    elif output.get("output_type") in {"error", "pyerr"}:
        failed = f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}"
        yield _listing(_COLOURS.sub("", failed))
    elif not _is_picture(output):
        printed = _text(output.get("text") or shown.get("text/plain"))
        yield _listing(_COLOURS.sub("", printed))


def _is_picture(output: Any) -> bool:
    return any(str(kind).startswith("image/") for kind in mapping(mapping(output).get("data")))


def _listing(text: str) -> str:
    return f"<pre>{escape(text, quote=False)}</pre>" if text.strip() else ""


def _text(value: Any) -> str:
    """Put together what a notebook holds line by line."""
    lines = members(value)
    return "".join(map(str, lines)) if lines else value if isinstance(value, str) else ""
