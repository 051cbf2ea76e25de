"""Jupyter notebooks become documents, cell by cell, with what running them printed."""

import re
from base64 import b64encode
from collections.abc import Iterator
from html import escape
from typing import Any

from ingestion.decoding import decode, printable
from ingestion.html_parts import whole_number
from ingestion.loaders.html import fragment_document
from ingestion.loaders.markdown import markdown_html
from ingestion.messages import message
from ingestion.names import FRONT_MATTER, settings_of
from ingestion.page import Document, UnreadableFile
from ingestion.structured_data import mapping, members, structured_data

_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]{0,32}[ -/]{0,4}(?P<does>[@-~])|\][^\x07\x1b]{0,400}(?:\x07|\x1b\\)|[@-Z\\^_])"
)
"""What tells a terminal to colour, to link or, by "K", to erase the rest of the line."""
_WRITTEN = {"markdown", "raw"}
_REMOVED = {"remove-cell", "remove_cell"}
_NO_INPUT = {"remove-input", "remove_input"}
_NO_OUTPUT = {"remove-output", "remove_output"}


def load(data: bytes, file: str) -> Document:
    """Read a notebook into pages cut along the headings of its Markdown.

    Code is read letter for letter, and below it the text or the table that it printed; cells that
    Jupyter Book is told to remove are left out; pictures are shown, and counted in a remark, since
    what is written in them is not read. Raises UnreadableFile where it is no notebook or holds no
    text.
    """
    notebook = structured_data(decode(data), cleaned=str)
    sheets = [mapping(sheet) for sheet in members(mapping(notebook).get("worksheets"))]
    cells = [c for part in (mapping(notebook), *sheets) for c in members(part.get("cells"))]
    if not cells:
        raise UnreadableFile("not a Jupyter notebook, or one without cells")
    title = ""
    first = mapping(cells[0])
    source = f"{_text(first.get('source'))}\n"
    if first.get("cell_type") in _WRITTEN and (front := FRONT_MATTER.match(source)):
        title = str(settings_of(front[2] or "", "yaml").get("title") or "")
        cells[0] = {**first, "source": source[front.end() :]}
    pictures = sum(_is_picture(o) for c in cells for o in members(mapping(c).get("outputs")))
    remark = message("pictures that its code draws are not read: {number}", number=pictures)
    remarks = (remark,) if pictures else ()
    try:
        markup = [part for cell in cells for part in _cell(mapping(cell))]
        return fragment_document(data, file, title, "\n".join(markup), remarks)
    except RecursionError as error:
        raise UnreadableFile("its elements are nested too deeply to be read") from error


def _cell(cell: dict[str, Any]) -> Iterator[str]:
    kind, source = cell.get("cell_type"), _text(cell.get("source") or cell.get("input"))
    metadata = mapping(cell.get("metadata"))
    tags = {str(tag) for tag in members(metadata.get("tags"))}
    if tags & _REMOVED:
        return
    if kind == "markdown":
        for name, attached in mapping(cell.get("attachments")).items():
            source = source.replace(f"attachment:{name}", next(_pictures(attached), ""))
        yield f"<div>{markdown_html(source)}</div>"
    elif kind == "heading":
        level = min(whole_number(str(cell.get("level")), 1), 6)
        yield markdown_html(f"{'#' * level} {source}")
    elif kind == "raw":
        yield _raw(source, metadata.get("raw_mimetype") or metadata.get("format"))
    elif source.strip() and not tags & _NO_INPUT:
        yield _listing(source)
    if not tags & _NO_OUTPUT:
        for output in members(cell.get("outputs")):
            yield from _output(mapping(output))


def _raw(source: str, kind: Any) -> str:
    """What a web page of the notebook has of a cell that is not run, and may be for one format."""
    match kind:
        case None:
            return _listing(source)
        case "text/markdown":
            return f"<div>{markdown_html(source)}</div>"
        case "text/html":
            return f"<div>{source}</div>"
    return ""


def _output(output: dict[str, Any]) -> Iterator[str]:
    shown = mapping(output.get("data"))
    table, formula = _text(shown.get("text/html")), _text(shown.get("text/latex"))
    # A script that would fill a table is not run.
    if "<table" in table and not ("<script" in table and "text/plain" in shown):
        yield f"<div>{table}</div>"
    elif words := _text(shown.get("text/markdown")):
        yield f"<div>{markdown_html(words)}</div>"
    elif formula:
        yield f"<p>{escape(formula, quote=False)}</p>"
    elif output.get("output_type") in {"error", "pyerr"}:
        failed = f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}"
        yield _listing(failed)
    elif _is_picture(output):
        yield from (f'<p><img src="{escape(place)}"></p>' for place in _pictures(shown))
    else:
        yield _listing(_text(output.get("text") or shown.get("text/plain")))


def _pictures(data: Any) -> Iterator[str]:
    """Yield the pictures of a cell or an output as places; in several forms it is the first."""
    for kind, content in mapping(data).items():
        if re.fullmatch(r"image/[\w+-]{1,20}", str(kind)):
            raw = _text(content)
            coded = b64encode(raw.encode()).decode() if "svg" in kind else "".join(raw.split())
            yield f"data:{kind};base64,{coded}"
            return


def _is_picture(output: Any) -> bool:
    return any(str(kind).startswith("image/") for kind in mapping(mapping(output).get("data")))


def _listing(text: str) -> str:
    return f"<pre>{escape(text, quote=False)}</pre>" if text.strip() else ""


def _text(value: Any) -> str:
    """Put together what a notebook holds line by line, as a terminal shows it."""
    lines = members(value)
    whole = "".join(map(str, lines)) if lines else value if isinstance(value, str) else ""
    return printable("\n".join(map(_overwritten, whole.replace("\r\n", "\n").split("\n"))))


def _overwritten(line: str) -> str:
    """Return what is left of a line that was written again from its beginning, as progress is."""
    shown = ""
    for written in line.split("\r"):
        erases = any(escape["does"] == "K" for escape in _ESCAPE.finditer(written))
        text = _ESCAPE.sub("", written)
        shown = text + ("" if erases else shown[len(text) :])
    return shown
