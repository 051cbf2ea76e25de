"""What Pandoc writes apart from CommonMark: titles, captions, lines that are kept, drawn tables."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore

from ingestion.loaders.markdown_marks import ATTRIBUTES
from ingestion.loaders.markdown_tables import read_columns, read_grid
from ingestion.loaders.markdown_writing import line_at

TITLE_BLOCK = re.compile(r"\A%[ \t]+(?P<title>\S[^\n]*)\n(?:%[^\n]*\n){0,2}(?=[ \t]*\n)")
"""The title, the authors and the date at the beginning of a file."""
_CAPTION = re.compile(rf"(?:Table)?:[ \t]+(?P<text>.*?)(?:\s+{ATTRIBUTES})?\s*", re.DOTALL)


def pandoc_plugin(parser: MarkdownIt) -> None:
    """Let a parser read lines behind bars, tables that are drawn, and captions below tables."""
    parser.block.ruler.before("fence", "line_block", _read_lines)
    parser.block.ruler.before("fence", "grid_table", read_grid)
    parser.block.ruler.before("code", "column_table", read_columns)
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


def _read_captions(state: StateCore) -> None:
    for above, _, inline in zip(state.tokens, state.tokens[1:], state.tokens[2:], strict=False):
        if above.type == "table_close" and inline.type == "inline":
            caption = _CAPTION.fullmatch(inline.content)
            inline.content = caption["text"] if caption else inline.content
