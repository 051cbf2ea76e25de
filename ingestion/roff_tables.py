"""Tables of manual pages, as tbl lays them out."""

import re
from collections.abc import Sequence
from itertools import takewhile

from ingestion.roff import Roff

_TAB = re.compile(r"tab\s*\((.)\)")
_FONT = re.compile(r"[fw]\([^)]*\)|[fF][BIR]|[wvpVP]\d+")
_COLUMN = re.compile(r"[lrcnaLRCNAsS^]")
_BLOCK = re.compile(r"T\{\n(.{0,2000}?)\nT\}", re.DOTALL)
_RULE = re.compile(r"[_=\s]*")
_TALLEST_HEADER = 2
_MOST_COLUMNS = 1000


def table(lines: Sequence[str], roff: Roff) -> str:
    """Return what tbl lays out, the lines between .TS and .TE, as HTML."""
    sign = "\t"
    data = list(lines)
    if data and data[0].rstrip().endswith(";"):
        given = _TAB.search(data.pop(0))
        sign = given[1] if given else sign
    formats: list[str] = []
    while data:
        formats.append(data.pop(0))
        if formats[-1].rstrip().endswith("."):
            break
    layout = [_COLUMN.findall(_FONT.sub("", form))[:_MOST_COLUMNS] for form in formats]
    text = _BLOCK.sub(lambda block: block[1].replace("\n", " "), "\n".join(data))
    rows = [row.split(sign) for row in text.split("\n") if row.strip() and not row.startswith(".")]
    ruled = [number for number, row in enumerate(rows) if _RULE.fullmatch("".join(row))]
    rows = [row for number, row in enumerate(rows) if number not in ruled]
    head = int(len(formats) > 1 and re.search(r"[bB]", formats[0]) is not None)
    if ruled and 0 < ruled[0] <= _TALLEST_HEADER and len(ruled) < len(rows) - 1:
        # Where not every row has a rule below it, the first is below the names of the columns.
        head = ruled[0]
    parts: list[str] = []
    above: list[str] = []
    for number, row in enumerate(rows):
        tag = "th" if number < head else "td"
        forms = layout[min(number, len(layout) - 1)] if layout else []
        shown: list[str] = []
        cells = []
        while (at := len(shown)) < max(len(row), len(forms)):
            span = 1 + len([*takewhile(lambda form: form in "sS", forms[at + 1 :])])
            text = row[at].strip() if at < len(row) else ""
            goes_on = text == "\\^" or (not text and forms[at : at + 1] == ["^"])
            words = above[at] if goes_on and at < len(above) else roff.text(text)
            cells.append(f'<{tag} colspan="{span}">{words}</{tag}>')
            shown += [words] * span
        parts.append(f"<tr>{''.join(cells)}</tr>")
        above = shown
    return f"<table>{''.join(parts)}</table>"
