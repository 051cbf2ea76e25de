"""HTML tables: which hold data, which rows are the header, and the grid of their cells."""

from collections.abc import Sequence

from lxml import etree

from ingestion.html_text import collapse, has_blocks, line, raw_text, whole_number
from ingestion.tables import Cell, expand_spans


def cells(table: etree._Element) -> list[list[etree._Element]]:
    """Return the table's own cells row by row, those of tables inside it aside."""
    groups = [table, *(e for e in table if e.tag in {"thead", "tbody", "tfoot"})]
    rows = [tr for group in groups for tr in group if tr.tag == "tr"]
    return [[cell for cell in tr if cell.tag in {"td", "th"}] for tr in rows]


def is_layout(table: etree._Element) -> bool:
    """Tell a table that only places things on the screen from one that holds data."""
    if table.get("role") in {"presentation", "none"}:
        return True
    if next(table.iter("h1", "h2", "h3", "h4"), None) is not None:
        return True
    rows = cells(table)
    names_columns = any(cell.tag == "th" for row in rows for cell in row)
    if not names_columns and any(inner is not table for inner in table.iter("table")):
        return True
    if len(rows) == 1 and all(cell.find("ul") is not None for cell in rows[0]):
        return True
    return all(len(row) <= 1 for row in rows) and any(has_blocks(c) for row in rows for c in row)


def header_rows(rows: Sequence[Sequence[etree._Element]]) -> int:
    """Count the rows at the top that name the columns: in thead, of th alone, or in bold."""
    count = 0
    for row in rows:
        in_head = len(row) > 0 and next(row[0].iterancestors("thead", "table")).tag == "thead"
        named = [cell.tag == "th" for cell in row if cell.tag == "th" or line(cell)]
        if not row or not (in_head or (named and all(named))):
            break
        count += 1
    if not count and len(rows) > 1 and all(map(_is_bold, rows[0])) and rows[0]:
        return 0 if all(map(_is_bold, rows[1])) else 1
    return count if count < len(rows) else min(count, 1)


def _is_bold(cell: etree._Element) -> bool:
    text = collapse(raw_text(cell))
    return bool(text) and any(collapse(raw_text(e)) == text for e in cell.iter("b", "strong"))


def grid(rows: Sequence[Sequence[etree._Element]]) -> list[list[str]]:
    """Return the texts of all cells, spans expanded."""
    return expand_spans([[_cell(cell) for cell in row] for row in rows])


def _cell(cell: etree._Element) -> Cell:
    for inner in list(cell.iter("table")):
        _write_out(inner)
    items = [line(li) for li in cell.iter("li")]
    only_items = items and collapse(" ".join(items)) == line(cell)
    return Cell(
        "; ".join(items) if only_items else line(cell),
        rowspan=whole_number(cell.get("rowspan"), 1),
        colspan=whole_number(cell.get("colspan"), 1),
    )


def _write_out(table: etree._Element) -> None:
    """Make of a table inside a cell a line: "Pressure: 16 bar; Heat: 80 °C"."""
    rows = [filter(None, map(line, row)) for row in cells(table)]
    text = "; ".join(": ".join(row) for row in rows)
    table.clear(keep_tail=True)  # type: ignore[call-arg]  # the stubs are older
    table.tag, table.text = "div", text
