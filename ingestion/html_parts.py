"""The parts that HTML is read by: words, places, tables, and what Sphinx makes of objects."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from lxml import etree
from lxml.html import defs

from ingestion.page import Block, collapse
from ingestion.tables import NEW_LINE, Cell, cell_text, expand_spans

BLOCK_TAGS = frozenset(
    {
        *(defs.list_tags | defs.table_tags | (defs.general_block_tags - {"del", "ins"})),
        *("article", "aside", "body", "details", "fieldset", "figcaption", "figure", "footer"),
        *("form", "header", "html", "main", "section", "summary", "svg"),
    }
)
"""Elements that start a line of their own."""


def has_blocks(element: etree._Element) -> bool:
    """Say whether the element holds anything that starts a line of its own, itself aside."""
    inside = element.iter(*BLOCK_TAGS)
    first = next(inside, None)
    return (next(inside, None) if first is element else first) is not None


def raw_text(element: etree._Element) -> str:
    """Return an element's text as it stands in the source, without its tail."""
    return "".join(element.itertext())  # type: ignore[arg-type]


def line(element: etree._Element) -> str:
    """Return an element's text on one line, blocks inside it set apart by a space."""
    if not has_blocks(element):
        return collapse(raw_text(element))
    return collapse("".join(_spaced(element)))


def whole_number(text: str | None, default: int) -> int:
    """Read an attribute such as `rowspan`; anything but a small whole number is the default."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 7 else default


def _spaced(element: etree._Element) -> Iterator[str]:
    for event, node in etree.iterwalk(element, events=("start", "end")):
        if node.tag in BLOCK_TAGS:
            yield " "
        if event == "start":
            yield node.text or ""
        elif node is not element:
            yield node.tail or ""


def code(pre: etree._Element) -> str:
    """Return a listing letter for letter, without blank lines around it."""
    variants = pre.findall("code")
    parts: list[str] = []
    for event, node in etree.iterwalk(pre, events=("start", "end")):
        own_lines = node.tag in BLOCK_TAGS or (len(variants) > 1 and node in variants)
        if own_lines and parts and not parts[-1].endswith("\n"):
            parts.append("\n")
        text = node.text if event == "start" else node.tail if node is not pre else ""
        if text:
            parts.append(text)
    lines = [row.rstrip() for row in "".join(parts).split("\n")]
    return "\n".join(lines).strip("\n")


_LONGEST_NAME = 80
"""What is longer is a sentence and names nothing."""


@dataclass(frozen=True, slots=True)
class HeadingPath:
    """Where the reader stands: the owner's path, the headings below it, the anchor there.

    `indent` is the number of list items that it stands in.
    """

    owner: tuple[str, ...] = ()
    headings: tuple[tuple[int, str, str | None], ...] = ()
    owner_anchor: str | None = None
    indent: int = 0

    @property
    def path(self) -> tuple[str, ...]:
        """The owner's path and the headings that are open in it."""
        return (*self.owner, *(text for _, text, _ in self.headings))

    @property
    def anchor(self) -> str | None:
        """The nearest heading's anchor, else the owner's."""
        anchors = (anchor for _, _, anchor in reversed(self.headings) if anchor)
        return next(anchors, self.owner_anchor)

    def under(self, name: str, anchor: str | None = None) -> HeadingPath:
        """Step inside something named, such as a class or a parameter; its heading may name it."""
        headed = [owner.removesuffix("()") for owner in self.path[-1:]]
        name = name if len(name) <= _LONGEST_NAME and name not in headed else ""
        path = (*self.path, name) if name else self.path
        return HeadingPath(path, (), anchor or self.anchor)

    def titled(self, level: int, text: str, anchor: str | None) -> HeadingPath:
        """Open a heading, closing those of its level and below."""
        above = tuple(heading for heading in self.headings if heading[0] < level)
        return replace(self, headings=(*above, (level, text, anchor)))

    def anchored(self, anchor: str | None) -> HeadingPath:
        """Stay in place, but let what follows be found at another anchor."""
        if anchor is None:
            return self
        unmarked = tuple((level, text, None) for level, text, _ in self.headings)
        return replace(self, headings=unmarked, owner_anchor=anchor)


def heading_anchor(heading: etree._Element) -> str | None:
    """Find the id that a permalink to this heading would use: its section's, else its own."""
    section = heading.getparent()
    if section is not None and section.get("id") and is_section(section):
        above = (e for e in section.iterchildren() if e is heading or raw_text(e).strip())
        if next(above) is heading:
            return section.get("id")
    marks = [heading, *heading.iter("a", "span")]
    before = heading.getprevious()
    if before is not None and before.tag in {"a", "span"} and not raw_text(before).strip():
        marks.append(before)
    return next((i for mark in marks if (i := mark.get("id") or mark.get("name"))), None)


def is_section(element: etree._Element) -> bool:
    """Say whether an element is a section, in the marks of any Sphinx release."""
    return (
        element.tag in {"section", "article"} or "section" in (element.get("class") or "").split()
    )


_OBJECT_LISTS = re.compile(
    r"\b(py|c|cpp|js|rst|std)\b|^(class|function|method|attribute|exception|data|classmethod|"
    r"staticmethod|property|module|decorator|option|describe|envvar|cmdoption)$"
)
_OBJECT_WORDS = re.compile(
    r"class|function|method|attribute|property|exception|data|module|object|variable|type"
)
_NAME = re.compile(r"\bdescname\b")


def describes_objects(dl: etree._Element, terms: list[etree._Element]) -> bool:
    """Say whether a definition list's terms are signatures, in the marks of any Sphinx release."""
    if not terms:
        return False
    if _OBJECT_LISTS.search(dl.get("class") or ""):
        return True
    return "sig" in (terms[0].get("class") or "").split() or _name_element(terms[0]) is not None


def signature(dt: etree._Element) -> str:
    """Return a documented object's signature letter for letter.

    The word for the sort of object ("class", "method") goes; words that are part of the
    declaration ("async", "classmethod", "static") stay.
    """
    parts = [dt.text or ""]
    for child in dt:
        text = raw_text(child)
        if _is_object_word(child, text):
            text = "".join(f"{word} " for word in text.split() if not _OBJECT_WORDS.fullmatch(word))
        parts += [text, child.tail or ""]
    joined = collapse("".join(parts))
    if dt.find(".//dl") is not None:
        joined = re.sub(r",? ?(?=[)\]])", "", re.sub(r"(?<=[(\[]) ", "", joined))
    return joined


def _is_object_word(child: etree._Element, text: str) -> bool:
    """Tell the word before a name from a type or value after it, which bears the same mark."""
    marked = "property" in (child.get("class") or "").split()
    return marked and not text.lstrip().startswith((":", "="))


def short_name(dt: etree._Element, owner: str) -> str:
    """Name a documented object as people do: `create_engine`, `Query.update`, `Boolean`.

    `owner` is the name of the object that it is documented in, or "".
    """
    element = _name_element(dt)
    name = line(dt).split("(")[0].strip() if element is None else line(element)
    parent = (dt.get("id") or "").removesuffix(name).rstrip(".").rpartition(".")[2]
    inside = bool(parent) and owner.rpartition(".")[2] == parent
    if "." not in name and (inside or parent.lstrip("_")[:1].isupper()):
        return f"{parent}.{name}"
    return name


def _name_element(dt: etree._Element) -> etree._Element | None:
    named = (e for e in dt.iter("code", "span", "tt") if _NAME.search(e.get("class") or ""))
    return next(named, None)


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
    if not names_columns and next(table.iter("dl"), None) is not None:
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


def grid(
    rows: Sequence[Sequence[etree._Element]], read: Callable[[etree._Element], list[Block]]
) -> list[list[str]]:
    """Return the texts of all cells, spans expanded; `read` returns the blocks of an element."""
    return expand_spans([[_cell(cell, read) for cell in row] for row in rows])


def _cell(cell: etree._Element, read: Callable[[etree._Element], list[Block]]) -> Cell:
    for inner in list(cell.iter("table")):
        _write_out(inner)
    for end in list(cell.iter("br")):
        before, after = end.getprevious(), end.getnext()
        if before is None or after is None or {before.tag, after.tag} != {"code"}:
            continue
        if not f"{before.tail or ''}{end.tail or ''}".strip():
            end.tail = NEW_LINE
    has_blocks = next(cell.iter("li", "dt", "pre"), None) is not None
    return Cell(
        cell_text(read(cell)) if has_blocks else line(cell),
        rowspan=whole_number(cell.get("rowspan"), 1),
        colspan=whole_number(cell.get("colspan"), 1),
    )


def _write_out(table: etree._Element) -> None:
    """Make of a table inside a cell a line: "Pressure: 16 bar; Heat: 80 °C".

    Where it names its columns: "Name: wait, Default: 5; Name: pool, Default: main".
    """
    rows = cells(table)
    if header_rows(rows) == 1 < len(rows):
        header = [line(cell) for cell in rows[0]]
        named = (zip(header, map(line, row), strict=False) for row in rows[1:])
        text = "; ".join(
            ", ".join(f"{name}: {cell}" for name, cell in row if cell) for row in named
        )
    else:
        text = "; ".join(": ".join(filter(None, map(line, row))) for row in rows)
    table.clear(keep_tail=True)  # type: ignore[call-arg]  # the stubs are older
    table.tag, table.text = "div", text
