"""Plain text → blocks: paragraphs, underlined headings, what is laid out by hand."""

import re
from collections.abc import Iterator, Sequence

from ingestion.boilerplate import LEADER, PlacedLine, furniture
from ingestion.page import Block, BlockKind, collapse
from ingestion.rows import clustered

_UNDERLINE = re.compile(r"^([=\-~^*+#])\1{2,}$")
_NUMBERED_HEADING = re.compile(r"^(\d+(?:\.\d+)*)\.?\s+[A-Z].{0,70}[^.:;,]$")
_ITEM = re.compile(r"^\s*([-*•]|o(?=  )|\d{1,3}[.)]|(?<=\s)\(\d{1,3}\))\s+")
_OPTION = re.compile(
    r"^(?P<indent> {1,8})(?P<names>--?[A-Za-z?][^\s,]*(?:(?:, | )[^\s]+)*)(?:  +(?P<words>\S.*))?$"
)
"""A line of a command's help that names an option; what it does is to its right or below it."""
_PARAGRAPH = re.compile(r"(?: {4}|\t).*(?:\n.+|\n{2,}(?: {4}|\t).*)*|.+(?:\n.+)*")
_COLUMNS = re.compile(r"\S {3,}\S|\w\u3000+\w|\t|[|+]\s*[-|]")
_THREE_PARTS = re.compile(r"\S+(?: \S+)* {3,}\S+(?: \S+)* {3,}\S+(?: \S+)*")
_LONGEST_HEADING = 80
_REST = re.compile(r"^\.\. (?:[a-z][\w:-]*::(?:\s|$)|_[^:\n]+:)", re.M)
"""A directive or a target of reStructuredText, which many projects keep in .txt files."""

LONGEST_LINE = 10_000
"""Beyond this docutils gives up, since its inline parser takes quadratic time."""


def is_restructured(text: str, file: str) -> bool:
    """Tell reStructuredText from plain text, by the file's name or by its directives."""
    named = file.lower().endswith(".rst") or _REST.search(text) is not None
    return named and all(len(row) <= LONGEST_LINE for row in text.split("\n"))


def plain_blocks(text: str) -> Iterator[Block]:
    """The blocks of a plain text.

    A blank line ends a paragraph. A heading is underlined, numbered or in capitals, on a line of
    its own. An option of a command's help with what it does is a definition; other indented text
    and columns made of spaces stay as they are. Tables of contents, and what returns at the edges
    of pages that form feeds part, are left out.
    """
    headings: list[tuple[int, str]] = []
    ranks: list[str] = []
    for lines in _without_contents(list(_paragraphs(text))):
        found = _heading(lines, ranks)
        if found:
            level, title, lines = found
            headings = [*(h for h in headings if h[0] < level), (level, title)]
            yield Block(BlockKind.HEADING, title, tuple(t for _, t in headings))
        path = tuple(title for _, title in headings)
        for kind, content in _parts(lines):
            yield Block(kind, content, path)


def _paragraphs(text: str) -> Iterator[list[str]]:
    """Yield runs of lines between blank lines; an indented run goes on over blank lines."""
    whole = _joined_pages([[*map(str.rstrip, page.split("\n"))] for page in text.split("\f")])
    yield from (found[0].split("\n") for found in _PARAGRAPH.finditer(whole))


def _joined_pages(pages: Sequence[list[str]]) -> str:
    """Join pages without their running lines; a paragraph goes on where one begins small."""
    height = max(map(len, pages))

    def placed(rows: list[str], i: int) -> PlacedLine:
        # A page that ends early has its foot at its end.
        below = (len(rows) - i - 0.5) / height
        return PlacedLine(rows[i], (i + 0.5) / height if i < len(rows) / 2 else 1 - below)

    texts = [[i for i, row in enumerate(rows) if row] for rows in pages]
    lines = [[placed(rows, i) for i in kept] for rows, kept in zip(pages, texts, strict=True)]
    gone = furniture(lines) if len(pages) > 1 else [set()]
    whole = ""
    for rows, kept, running in zip(pages, texts, gone, strict=True):
        left_out = {kept[number] for number in running}
        if whole and _is_head(rows[kept[0] : kept[0] + 2] if kept else []):
            left_out.add(kept[0])
        page = "\n".join(row for i, row in enumerate(rows) if i not in left_out).strip("\n")
        goes_on = page.lstrip()[:1].islower()
        whole += ("\n" if goes_on else "\n\n") * bool(whole) + page
    return whole


def _is_head(rows: list[str]) -> bool:
    """Whether a page begins with a line of three parts set apart, as those of an RFC do.

    What returns on three pages is found by counting; a short text has it on its second alone.
    """
    return bool(rows and _THREE_PARTS.fullmatch(rows[0]) and not any(rows[1:]))


def _without_contents(runs: Sequence[list[str]]) -> Iterator[list[str]]:
    """Leave out runs of lines that end in dots and the number of a page, and a title above one."""
    is_contents = [all(LEADER.search(row) for row in lines if row) for lines in runs]
    for lines, here, below in zip(runs, is_contents, [*is_contents[1:], False], strict=False):
        if not here and not (below and len(lines) == 1):
            yield lines


def _indented(row: str) -> bool:
    return row.startswith(("    ", "\t"))


def _heading(lines: list[str], ranks: list[str]) -> tuple[int, str, list[str]] | None:
    """Return the level and text of a heading at the top of a run, and the lines after it.

    Styles of heading rank in the order of their first use, as in reStructuredText.
    """
    if len(lines) > 2 and _UNDERLINE.match(lines[0]) and lines[0] == lines[2]:
        lines = lines[1:]
    title = lines[0].strip()
    if len(title) > _LONGEST_HEADING or _indented(lines[0]) or _UNDERLINE.match(title):
        return None
    rule = _UNDERLINE.match(lines[1]) if len(lines) > 1 else None
    if rule and len(lines[1]) * 2 >= len(title):
        style, rest = rule[1], lines[2:]
    elif len(lines) == 1 and (numbered := _NUMBERED_HEADING.match(title)):
        style, rest = f"numbered {numbered[1].count('.')}", []
    elif len(lines) == 1 and title.isupper() and not title.endswith((".", ",", ";", ":")):
        style, rest = "capitals", []
    else:
        return None
    if style not in ranks:
        ranks.append(style)
    return ranks.index(style), title, rest


def _parts(lines: list[str]) -> Iterator[tuple[BlockKind, str]]:
    if not lines:
        return
    if any(map(_OPTION.match, lines)):
        yield from _options(lines)
        return
    columns = sum(bool(_COLUMNS.search(row)) for row in lines)
    if _indented(lines[0]) or (len(lines) > 1 and columns * 2 > len(lines)):
        yield BlockKind.CODE, "\n".join(lines)
        return
    yield from map(_joined, clustered(lines, lambda _, row: not _ITEM.match(row)))


def _options(lines: list[str]) -> Iterator[tuple[BlockKind, str]]:
    """The options of a command's help, each with the lines that are indented below it."""
    option: re.Match[str] | None = None
    words: list[str] = []
    for row in [*lines, ""]:
        begins = _OPTION.match(row)
        deeper = option and row.startswith(f"{option['indent']}   ") and not begins
        if words and not deeper and (option or begins or not row):
            caption = collapse("\n".join(words))
            kind = BlockKind.DEFINITION if option else BlockKind.PARAGRAPH
            yield kind, f"{option['names']} – {caption}" if option else caption
            words = []
        if not deeper:
            option = begins
        words += [begins["words"] or ""] if begins else [row]


def _joined(lines: list[str]) -> tuple[BlockKind, str]:
    text = collapse("\n".join(lines))
    mark = _ITEM.match(lines[0])
    if not mark:
        return BlockKind.PARAGRAPH, text
    is_sign = mark[1] in "-*•o"
    bullet = "-" if is_sign else re.sub(r"^(\d+)\)", r"\1.", mark[1])
    return BlockKind.LIST_ITEM, f"{bullet} {text[len(mark[1]) :].strip()}"
