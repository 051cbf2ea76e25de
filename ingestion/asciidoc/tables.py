"""AsciiDoc's tables: cells of any style, over rows and columns, as HTML."""

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest

from ingestion.page import UnreadableFile

_SPECIFIED = (
    r"(?:(?:^|(?<=\s))(?P<spec>(?:(?:\d+(?:\.\d+)?|\.\d+)[+*])?[<^>]?(?:\.[<^>])?[adehlmsv]?))?"
)
_SPEC = re.compile(
    r"(?:(?P<across>\d+)?(?:\.(?P<down>\d+))?(?P<many>[+*]))?[<^>]?(?:\.[<^>])?(?P<style>\w)?"
)
_COLUMN = re.compile(r"(?:(?P<times>\d+)\*)?[<^>.\d~%]*(?P<style>[adehlms])?")
_MOST_COLUMNS = 1000
_SIGNS = {"psv": "|", "csv": ",", "tsv": "\t", "dsv": ":"}


@dataclass(frozen=True, slots=True)
class _Cell:
    text: str
    style: str = ""
    across: int = 1
    down: int = 1


def table(
    lines: Sequence[str],
    attributes: dict[str, str],
    sign: str,
    inline: Callable[[str], str],
    blocks: Callable[[Sequence[str]], str],
) -> str:
    """Return a table as HTML.

    `lines` are those between its delimiters, `attributes` what stands above it (`cols`, `options`,
    `format`, `separator`), `sign` what parts its cells; `inline` and `blocks` make HTML of the
    text of a cell.
    """
    kind = attributes.get("format", {",": "csv", ":": "dsv"}.get(sign, "psv"))
    sign = attributes.get("separator", sign if kind == "psv" else _SIGNS.get(kind, sign))
    styles = _columns(attributes.get("cols", ""))
    if kind == "psv":
        rows = _rows(list(_cells(lines, sign)), len(styles) or _width(lines, sign))
    else:
        parted = csv.reader(filter(None, lines), delimiter="\t" if sign == "\\t" else sign[:1])
        try:
            rows = [[_Cell(text.strip()) for text in row] for row in parted]
        except csv.Error as error:
            raise UnreadableFile(
                "a table in it cannot be read ({error}); correct it", error=error
            ) from error
    options = set(re.split(r"[ ,]", attributes.get("options", "")))
    has_header = "header" in options or (_is_header(lines) and "noheader" not in options)
    parts = ["<table>"]
    if title := attributes.get("title"):
        label = escape(attributes.get("caption", ""))
        parts.append(f"<caption>{label} {inline(title)}</caption>")
    for number, row in enumerate(rows):
        is_header = has_header and number == 0
        parts.append("<thead><tr>" if is_header else "<tr>")
        for place, cell in enumerate(row):
            style = cell.style or (styles[place] if place < len(styles) else "")
            parts.append(_written(cell, "h" if is_header else style, inline, blocks))
        parts.append("</tr></thead><tbody>" if is_header else "</tr>")
    return "".join([*parts, "</tbody></table>"])


def _columns(cols: str) -> list[str]:
    """Return the style of each column, "" where it has none."""
    styles: list[str] = []
    for written in filter(str.strip, re.split(r"[,;]", cols)):
        column = _COLUMN.match(written.strip())
        times = int(column["times"][:4]) if column and column["times"] else 1
        styles += [(column["style"] or "") if column else ""] * times
    return styles[:_MOST_COLUMNS]


def _is_header(lines: Sequence[str]) -> bool:
    """A first line that stands alone names the columns."""
    return len(lines) > 2 and bool(lines[0].strip()) and not lines[1].strip()


def _width(lines: Sequence[str], sign: str) -> int:
    first = next(filter(str.strip, lines), "")
    return max(1, sum(max(1, cell.across) for cell in _cells([first], sign)))


def _cells(lines: Sequence[str], sign: str) -> Iterator[_Cell]:
    text = "\n".join(lines)
    pattern = re.compile(f"{_SPECIFIED}(?<!\\\\){re.escape(sign)}", re.MULTILINE)
    marks = list(pattern.finditer(text))
    if marks and text[: marks[0].start()].strip():
        yield _Cell(text[: marks[0].start()].strip())
    for mark, following in zip_longest(marks, marks[1:]):
        content = text[mark.end() : following.start() if following else len(text)]
        content = content.replace(f"\\{sign}", sign)
        spec = _SPEC.match(mark["spec"] or "")
        across, down, style = (
            (spec["across"], spec["down"], spec["style"]) if spec else ("", "", "")
        )
        across_, down_ = (int((n or "1")[:4]) for n in (across, down))
        if spec and spec["many"] == "*":
            yield from [_Cell(content, style or "")] * min(across_, _MOST_COLUMNS)
        else:
            yield _Cell(content, style or "", max(across_, 1), max(down_, 1))


def _rows(cells: Sequence[_Cell], width: int) -> list[list[_Cell]]:
    """Fill rows of so many columns, with room for what reaches down from above."""
    rows: list[list[_Cell]] = []
    taken: list[int] = []
    row: list[_Cell] = []
    filled = 0
    for cell in cells:
        if not row:
            reaching = taken.pop(0) if taken else 0
            while reaching >= width:
                rows.append([])
                reaching = taken.pop(0) if taken else 0
            filled = reaching
        row.append(cell)
        filled += cell.across
        for below in range(min(cell.down, len(cells)) - 1):
            taken += [0] * (below + 1 - len(taken))
            taken[below] += cell.across
        if filled >= width:
            rows.append(row)
            row = []
    return [*rows, row] if row else rows


def _written(
    cell: _Cell, style: str, inline: Callable[[str], str], blocks: Callable[[Sequence[str]], str]
) -> str:
    tag = "th" if style == "h" else "td"
    spans = "".join(
        f' {name}="{number}"'
        for name, number in (("colspan", cell.across), ("rowspan", cell.down))
        if number > 1
    )
    if style == "a":
        # Right behind its bar a text does not begin with blanks, which would make it a literal.
        content = blocks(cell.text.lstrip(" ").strip("\n").split("\n"))
    elif style == "l":
        content = f"<pre>{escape(cell.text, quote=False)}</pre>"
    else:
        paragraphs = [inline(text.strip()) for text in re.split(r"\n\s*\n", cell.text.strip())]
        content = "<br>".join(paragraphs)
        content = f"<code>{content}</code>" if style == "m" and content else content
    return f"<{tag}{spans}>{content}</{tag}>"
