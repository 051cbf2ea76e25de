"""What the conditions of Liquid and Jinja leave of Markdown, where what they ask is known.

A condition that compares a known name to a literal, or asks for the name alone, decides what is
read. Of any other nothing is known: all its branches are read. Nothing is evaluated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from ingestion.loaders.markdown_writing import Container, line_at, outside_code, write
from ingestion.names import CONDITION, Names, holds

_TAG = re.compile(
    rf"{CONDITION.pattern}|\{{%-?\s*(?:(?P<other>else)|(?P<end>end(?:if|unless)))\s*-?%\}}"
)
_TAG_OR_CODE = re.compile(rf"(?P<ticks>`+)[^`]*(?P=ticks)|{_TAG.pattern}")
_LONGEST = 1_000
"""Letters of a condition inside a paragraph."""
Place = tuple[re.Match[str], int, int]
"""A tag, where it begins and where it ends: numbers of lines, or of letters."""


def conditions_plugin(parser: MarkdownIt) -> None:
    """Let a parser leave out what conditions leave out; "names" of its environment are known."""
    options: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    parser.block.ruler.before("container", "condition", _read_lines, options)
    parser.inline.ruler.before("dialects", "condition", _read_text)


def _read_lines(state: StateBlock, first: int, end: int, silent: bool) -> bool:
    opened = CONDITION.fullmatch(line_at(state, first))
    if opened is None or state.is_code_block(first):
        return False
    lines = outside_code(state, range(first, end), _TAG)
    tags = ((tag, number, number + 1) for number, line in lines if (tag := _TAG.fullmatch(line)))
    read = _branches(tags, state.env.get("names", {}))
    if read is None:
        return False
    if not silent:
        branches, after = read
        for branch in branches:
            write(state, Container("if", "", branch, after, is_tag=True))
        state.line = after
    return True


def _read_text(state: StateInline, silent: bool) -> bool:
    if not CONDITION.match(state.src, state.pos, state.posMax):
        return False
    found = _TAG_OR_CODE.finditer(state.src, state.pos, min(state.posMax, state.pos + _LONGEST))
    tags = ((tag, *tag.span()) for tag in found if not tag["ticks"])
    read = _branches(tags, state.env.get("names", {}))
    if read is None:
        return False
    branches, after = read
    longest = state.posMax
    for branch in () if silent else branches:
        state.pos, state.posMax = branch.start, branch.stop
        state.md.inline.tokenize(state)
    state.pos, state.posMax = after, longest
    return True


def _branches(tags: Iterable[Place], names: Names) -> tuple[list[range], int] | None:
    """Return the branches that are read and where the first condition ends; None if it does not.

    None, too, where it asks what is not known.
    """
    branches: list[range] = []
    depth, start, is_read, is_decided = 0, 0, False, False
    for tag, first, after in tags:
        is_opened = tag["kind"] in {"if", "unless"}
        depth += is_opened
        if depth > 1:
            depth -= bool(tag["end"])
            continue
        if is_read:
            branches.append(range(start, first))
        if tag["end"]:
            return branches, after
        answer = True if tag["other"] else holds(tag, names)
        if is_opened and answer is None:
            return None
        is_read, start = not is_decided and answer is not False, after
        is_decided = is_decided or bool(answer)
    return None
