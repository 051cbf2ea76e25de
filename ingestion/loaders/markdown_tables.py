"""Tables that Pandoc has beside those of pipes: drawn with borders, or in columns of text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby, pairwise, takewhile
from textwrap import dedent

from docutils.parsers.rst.tableparser import GridTableParser, TableMarkupError
from docutils.statemachine import StringList
from markdown_it.rules_block import StateBlock

from ingestion.loaders.markdown_writing import line_at

_BORDER = re.compile(r"\+(?:[-=:]{2,}\+)+")
_OF_HEAD, _OF_ROW = str.maketrans(":", "="), str.maketrans(":=", "--")
_RULE = re.compile(r"-{3,}")
_COLUMNS = re.compile(r"-{2,}(?: +-{2,})+")
Cell = tuple[str, dict[str, str | int | float]]
"""A cell's text, and its attributes."""
Parts = Sequence[tuple[str, Sequence[Sequence[Cell]]]]
"""The rows of the head and of the body, with the tag of their cells."""


def read_grid(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Read a table that is drawn with borders; its cells hold blocks, and may span others."""
    if not _BORDER.fullmatch(line_at(state, first)) or state.is_code_block(first):
        return False
    found = (line_at(state, number) for number in range(first, end))
    lines = list(takewhile(lambda line: line.startswith(("+", "|")), found))
    block = StringList([*_drawn(lines)], source="table")
    parser = GridTableParser()
    block.pad_double_width(parser.double_width_pad_char)
    try:
        _, *parts = parser.parse(block)
    except (TableMarkupError, IndexError):
        return False

    def cells(row: Sequence[tuple[int, int, int, list[str]] | None]) -> Iterator[Cell]:
        for more_rows, more_columns, _, text in filter(None, row):
            content = "\n".join(text).replace(parser.double_width_pad_char, "")
            yield dedent(content), {"rowspan": more_rows + 1, "colspan": more_columns + 1}

    if not silent:
        both = zip(("th", "td"), parts, strict=True)
        _write(state, [(tag, [[*cells(row)] for row in rows]) for tag, rows in both], _blocks)
        state.line = first + len(lines)
    return True


def read_columns(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    """Read a table whose columns are told by a line of dashes, with or without a head above it.

    A row is a line, or, where blank lines stand between them, the lines up to the next one.
    """
    if first + 1 >= end or not line_at(state, first):
        return False
    framed = bool(_RULE.fullmatch(line_at(state, first)))
    head = _until(state, first + framed, end, lambda line: not line or _is_dashes(line))
    dashes = first + framed + len(head)
    if dashes >= end or not _COLUMNS.fullmatch(line_at(state, dashes)):
        return False
    if len(head) > 1 and not framed:
        return False
    closed = framed or not head
    ends = _is_dashes if closed else (lambda line: not line or _is_dashes(line))
    body = _until(state, dashes + 1, end, ends)
    after = dashes + 1 + len(body)
    is_closed = after < end and _is_dashes(line_at(state, after))
    if not any(map(str.strip, body)) or (closed and not is_closed):
        return False
    drawn = _indented(state, dashes)
    starts = [group.start() for group in re.finditer("-+", drawn)]
    if any(line[at - 1 : at].strip() for line in (*head, *body) for at in starts[1:]):
        return False
    if not silent:
        rows = [[line] for line in body if line.strip()]
        if framed or not all(map(str.strip, body)):
            groups = groupby(body, lambda line: bool(line.strip()))
            rows = [list(lines) for filled, lines in groups if filled]
        heads = [("th", [_cut(head, starts)])] if head else []
        _write(state, [*heads, ("td", [_cut(lines, starts) for lines in rows])], _words)
        state.line = after + is_closed
    return True


def _drawn(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines as reStructuredText draws them: one border below the head, no other."""
    is_headed = False
    for line in lines:
        if _BORDER.fullmatch(line):
            is_head = "=" in line and not is_headed
            yield line.translate(_OF_HEAD if is_head else _OF_ROW)
            is_headed = is_headed or is_head
        else:
            yield line


def _is_dashes(line: str) -> bool:
    return bool(_RULE.fullmatch(line) or _COLUMNS.fullmatch(line))


def _until(state: StateBlock, first: int, end: int, ends: Callable[[str], bool]) -> list[str]:
    """Return the lines before the first that ends the table's part, with their indentation."""
    numbers = takewhile(lambda number: not ends(line_at(state, number)), range(first, end))
    return [_indented(state, number) for number in numbers]


def _indented(state: StateBlock, number: int) -> str:
    return " " * (state.sCount[number] - state.blkIndent) + line_at(state, number)


def _cut(lines: Sequence[str], starts: Sequence[int]) -> list[Cell]:
    """Return the cells of a row of one or more lines."""
    edges = [*pairwise([0, *starts[1:]]), (starts[-1], None)]
    return [(" ".join(filter(None, (line[a:b].strip() for line in lines))), {}) for a, b in edges]


def _write(state: StateBlock, parts: Parts, fill: Callable[[StateBlock, str], None]) -> None:
    state.push("table_open", "table", 1)
    for tag, rows in parts:
        for row in rows:
            state.push("tr_open", "tr", 1)
            for text, attributes in row:
                state.push(f"{tag}_open", tag, 1).attrs = attributes
                fill(state, text)
                state.push(f"{tag}_close", tag, -1)
            state.push("tr_close", "tr", -1)
    state.push("table_close", "table", -1)


def _blocks(state: StateBlock, text: str) -> None:
    state.md.block.parse(text, state.md, state.env, state.tokens)


def _words(state: StateBlock, text: str) -> None:
    inline = state.push("inline", "", 0)
    inline.content, inline.children = text, []
