"""What a reader sees of a container of Markdown: a note, a part behind a title, code, its body."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from textwrap import dedent, indent

from markdown_it.rules_block import StateBlock

from ingestion.loaders.text import (
    LISTINGS,
    SILENT,
    TITLED,
    UNSEEN,
    VERSIONS,
    is_on_page,
    restructured_html,
)

ON_DEMAND = TITLED | {
    *("tabitem", "tabpanel", "accordion", "accordion-item", "details", "expand", "expandable"),
    *("collapsible", "spoiler", "step"),
}
_WRAPPERS = UNSEEN | {
    "code-group",
    "content-visible",
    "v-pre",
    "raw",
    "steps",
    "stepper",
    "panel-tabset",
    "table",
}
NOTES = {
    *("note", "tip", "info", "warning", "danger", "caution", "important", "hint", "callout"),
    *("alert", "admonition", "aside", "notice", "attention", "error", "success", "question"),
    *("check", "message", "pageinfo"),
}
"""Components and tags that mark what they hold; any other only places it."""
SORTED = {"callout", "alert", "admonition", "aside", "notice", "hint", "message"}
"""Notes whose kind is one of their attributes."""
_CODE = LISTINGS | {"highlight", "codeblock"}
_UNREAD = (SILENT | {"comment", "content-hidden"}) - _CODE
KNOWN = ON_DEMAND | _WRAPPERS | NOTES | _CODE | _UNREAD | VERSIONS.keys() | {"todo", "seealso"}


_LITERAL = re.compile(r"\s*\{\s*(?P<sign>[`\"'])(?P<text>.*)(?P=sign)\s*\}\s*", re.DOTALL)
"""A text as MDX writes it in a component."""
CODE_FENCE = re.compile(r"`{3,}|~{3,}")
_MOST_SCANNED = 1_000_000
"""How many lines are looked at for the ends of containers, where few of them end."""


@dataclass(frozen=True, slots=True)
class Container:
    """What was found: the lines of its body and the line after it; `is_tag` where it is named."""

    kind: str
    title: str
    body: range
    after: int
    text: str = ""
    is_tag: bool = False
    directive: str = ""


def line_at(state: StateBlock, number: int) -> str:
    """Return a line without its indentation."""
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]].rstrip()


def outside_code(
    state: StateBlock, lines: range, closes: re.Pattern[str]
) -> Iterator[tuple[int, str]]:
    """Yield lines by their number, to the end of the list that they stand in, but none of code.

    `closes` is no code, whatever it looks like. Past a million lines of a file nothing follows.
    """
    fence = ""
    for number in lines:
        state.env["scanned"] = state.env.get("scanned", 0) + 1
        line = line_at(state, number)
        if line and state.sCount[number] < state.blkIndent:
            return
        if state.env["scanned"] > _MOST_SCANNED:
            return
        if fence:
            fence = "" if line.startswith(fence) and not line.strip(fence[0]) else fence
        elif not closes.fullmatch(line) and (code := CODE_FENCE.match(line)):
            fence = code[0]
        else:
            yield number, line


def label(kind: str) -> str:
    """Return what a note is headed by that has no title; nothing where its kind is no note."""
    kind = kind.removeprefix("callout-")
    return "" if kind in KNOWN - NOTES - {"todo", "seealso"} else kind.capitalize()


def write(state: StateBlock, found: Container) -> None:
    """Write tokens for what a reader sees of a container."""
    kind, title = found.kind.removeprefix("callout-"), found.title
    if kind in _UNREAD or (kind == "only" and not is_on_page(title)):
        return
    if found.directive:
        _write_directive(state, found)
    elif kind in _CODE:
        # Around a listing; else fences in it are what it shows.
        encloses = found.is_tag and kind != "highlight"
        if encloses and any(CODE_FENCE.match(line_at(state, number)) for number in found.body):
            _write_body(state, found, text=title if found.is_tag else "")
        else:
            if found.text and not found.is_tag:
                _write_body(state, replace(found, body=range(0)), text=found.text)
            code = _text(state, found.body) or found.text * found.is_tag
            literal = _LITERAL.fullmatch(code) if found.is_tag else None
            state.push("fence", "code", 0).content = literal["text"] if literal else code
    elif kind in VERSIONS:
        version, _, words = title.partition(" ")
        _write_body(state, found, label=VERSIONS[kind].format(version), text=words)
    elif kind in _WRAPPERS:
        _write_body(state, found, text=found.text or title * (kind == "table"))
    elif kind in ON_DEMAND or (found.is_tag and kind not in NOTES):
        _write_body(state, found, rubric=title, text=found.text)
    else:
        _write_body(state, found, label=title, text=found.text)


def _write_body(
    state: StateBlock, found: Container, *, label: str = "", rubric: str = "", text: str = ""
) -> None:
    opened = state.push("container_open", "section" if rubric else "div", 1)
    opened.attrs = {"class": "admonition"} if label else {}
    for words, name in ((label, "admonition-title"), (rubric, "rubric"), (text, "")):
        if words:
            paragraph = state.push("paragraph_open", "p", 1)
            paragraph.attrs = {"class": name} if name else {}
            inline = state.push("inline", "", 0)
            inline.content, inline.children = words, []
            state.push("paragraph_close", "p", -1)
    filled = [state.sCount[n] for n in found.body if not state.isEmpty(n)]
    if filled:
        before = state.blkIndent, state.lineMax, state.parentType
        state.blkIndent, state.lineMax = min(filled), found.body.stop
        state.parentType = "container"
        state.md.block.tokenize(state, found.body.start, found.body.stop)
        state.blkIndent, state.lineMax, state.parentType = before
    state.push("container_close", "section" if rubric else "div", -1)


def _text(state: StateBlock, lines: range) -> str:
    return dedent(state.getLines(lines.start, lines.stop, state.blkIndent, True))


def _write_directive(state: StateBlock, found: Container) -> None:
    """Read a directive that MyST has from Sphinx as Sphinx's own."""
    body = "\n".join(_with_options(_text(state, found.body).split("\n")))
    text = f".. {found.directive}:: {found.title}\n{indent(body, '   ')}\n"
    if found.directive == "eval-rst":
        text = body
    state.push("html_block", "", 0).content = restructured_html(text)


def _with_options(lines: list[str]) -> Iterator[str]:
    """Write the options of a directive as Sphinx wants them, and a blank line behind them."""
    count = next((n for n, line in enumerate(lines) if not line.startswith(":")), len(lines))
    options = lines[:count]
    if lines[:1] == ["---"] and "---" in lines[1:]:
        count = lines.index("---", 1) + 1
        named = (line.partition(":") for line in lines[1 : count - 1])
        options = [f":{name.strip()}:{value}" for name, _, value in named]
    yield from (*options, "", *lines[count:])
