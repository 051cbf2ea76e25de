"""What Pandoc writes apart from CommonMark: titles, captions, lines that are kept, drawn tables."""

from __future__ import annotations

import re
from itertools import takewhile
from textwrap import dedent

from docutils.parsers.rst.tableparser import GridTableParser, TableMarkupError
from docutils.statemachine import StringList
from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore

from ingestion.loaders.markdown_marks import ATTRIBUTES
from ingestion.loaders.markdown_writing import line_at

TITLE_BLOCK = re.compile(r"\A%[ \t]+(?P<title>\S[^\n]*)\n(?:%[^\n]*\n){0,2}(?=[ \t]*\n)")
"""The title, the authors and the date at the beginning of a file."""
_BORDER = re.compile(r"\+(?:[-=:]{2,}\+)+")
_CAPTION = re.compile(rf"(?:Table)?:[ \t]+(?P<text>.*?)(?:\s+{ATTRIBUTES})?\s*", re.DOTALL)


def pandoc_plugin(parser: MarkdownIt) -> None:
    """Let a parser read lines behind bars, tables that are drawn, and captions below tables."""
    parser.block.ruler.before("fence", "line_block", _read_lines)
    parser.block.ruler.before("fence", "grid_table", _read_grid)
    parser.core.ruler.after("block", "captions", _read_captions)


def _read_lines(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    after = first
    lines: list[str] = []
    for after in range(first, end + 1):
        line = line_at(state, after) if after < end else ""
        if line.startswith("| ") and not line.endswith("|"):
            lines.append(line[2:].strip())
        elif line and lines and state.sCount[after] > state.blkIndent:
            lines[-1] += f" {line}"
        else:
            break
    if len(lines) < 2 or state.is_code_block(first):
        return False
    if not silent:
        state.push("paragraph_open", "p", 1)
        inline = state.push("inline", "", 0)
        inline.content, inline.children = "\\\n".join(lines), []
        state.push("paragraph_close", "p", -1)
        state.line = after
    return True


def _read_grid(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    if not _BORDER.fullmatch(line_at(state, first)) or state.is_code_block(first):
        return False
    found = (line_at(state, number) for number in range(first, end))
    lines = list(takewhile(lambda line: line.startswith(("+", "|")), found))
    drawn = [_without_alignment(line) if _BORDER.fullmatch(line) else line for line in lines]
    block = StringList(drawn, source="table")
    parser = GridTableParser()
    block.pad_double_width(parser.double_width_pad_char)
    try:
        _, head, rows = parser.parse(block)
    except (TableMarkupError, IndexError):
        return False
    if silent:
        return True
    state.push("table_open", "table", 1)
    for tag, part in (("th", head), ("td", rows)):
        for row in part:
            state.push("tr_open", "tr", 1)
            for more_rows, more_columns, _, text in filter(None, row):
                cell = state.push(f"{tag}_open", tag, 1)
                cell.attrs = {"rowspan": more_rows + 1, "colspan": more_columns + 1}
                content = "\n".join(text).replace(parser.double_width_pad_char, "")
                state.md.block.parse(dedent(content), state.md, state.env, state.tokens)
                state.push(f"{tag}_close", tag, -1)
            state.push("tr_close", "tr", -1)
    state.push("table_close", "table", -1)
    state.line = first + len(lines)
    return True


def _without_alignment(border: str) -> str:
    return border.replace(":", "=" if "=" in border else "-")


def _read_captions(state: StateCore) -> None:
    for above, _, inline in zip(state.tokens, state.tokens[1:], state.tokens[2:], strict=False):
        if above.type == "table_close" and inline.type == "inline":
            caption = _CAPTION.fullmatch(inline.content)
            inline.content = caption["text"] if caption else inline.content
