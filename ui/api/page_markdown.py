"""A page of a document as Markdown for other programs, with its release in its head."""

import json
from collections.abc import Iterator, Sequence
from itertools import groupby

from chatbot.retrieval.support import original_url
from chatbot.text.markdown import as_block, as_label, fenced_code
from corpora.indexing.pages import StoredPage
from ingestion.page import CELL_DELIMITER, Block, BlockKind, Page
from ui.wording.escaping import visible

_TABLES = BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW
_LETTER_FOR_LETTER = BlockKind.CODE, BlockKind.SIGNATURE, BlockKind.DRAWING
_DEEPEST = 6
_LONGEST_NUMBER = 10
"""Characters of a number, with what stands behind it, that may begin an item of a list."""


def page_markdown(page: StoredPage, product: str, release: str) -> str:
    """The page with what it is of as front matter; what is no Markdown of ours is escaped."""
    head: dict[str, str | int] = {
        "product": product,
        "release": release,
        "document": page.document.title,
        "file": page.document.file,
        "page": page.number,
        "section": " › ".join(page.heading_path),
    }
    if url := original_url(page, page.anchor):
        head["source"] = url
    # JSON is YAML, and no text can end it.
    lines = "\n".join(f"{key}: {json.dumps(value)}" for key, value in head.items())
    return f"---\n{lines}\n---\n\n{body_markdown(page)}\n"


def body_markdown(page: Page) -> str:
    """The blocks of a page as Markdown."""
    return "\n\n".join(_written(page.blocks))


def _written(blocks: Sequence[Block]) -> Iterator[str]:
    for kind, group in groupby(blocks, key=lambda block: _together(block.kind)):
        together = list(group)
        if kind is BlockKind.TABLE_ROW:
            yield from _tables(together)
        elif kind is BlockKind.LIST_ITEM:
            yield "\n".join(_item(block.text.strip()) for block in together)
        elif kind is BlockKind.DRAWING:
            yield fenced_code(visible("\n".join(block.text for block in together)))
        else:
            yield from filter(None, map(_single, together))


def _item(text: str) -> str:
    number, _, rest = text.partition(" ")
    if rest and number[-1] in ".)" and number[:-1].isdecimal() and len(number) < _LONGEST_NUMBER:
        return f"{number} {as_label(rest)}"
    return f"- {as_label(text.lstrip('-•*'))}"


def _together(kind: BlockKind) -> BlockKind:
    return BlockKind.TABLE_ROW if kind in _TABLES else kind


def _single(block: Block) -> str:
    if block.kind is BlockKind.HEADING:
        return f"{'#' * min(len(block.path) + 1, _DEEPEST)} {as_label(block.text)}"
    if block.kind in _LETTER_FOR_LETTER:
        return fenced_code(visible(block.text).strip("\n"))
    return as_block(block.text)


def _tables(rows: Sequence[Block]) -> Iterator[str]:
    """One table for each header, and for each run of rows of one width."""
    tables: list[list[list[str]]] = []
    for block in rows:
        cells = [as_label(cell) or " " for cell in block.text.split(CELL_DELIMITER)]
        is_header = block.kind is BlockKind.TABLE_HEADER
        if is_header or not tables or len(cells) != len(tables[-1][0]):
            tables.append([])
        tables[-1].append(cells)
    for head, *rest in tables:
        lines = [head, ["---"] * len(head), *rest]
        yield "\n".join(f"| {' | '.join(line)} |" for line in lines)
