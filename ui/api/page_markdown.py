"""A page of a document as Markdown for other programs, with its release in its head."""

import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from html import unescape
from itertools import cycle, groupby

from chatbot.comparison.pages import marked_as_code
from chatbot.retrieval.support import original_url
from chatbot.text.markdown import ADDRESS, as_block, as_label, as_line, fenced_code
from corpora.indexing.corpus import Corpus
from corpora.indexing.pages import StoredDocument, StoredPage
from ingestion.page import CELL_DELIMITER, Block, BlockKind, Page
from ui.wording.escaping import visible

_TABLES = BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW
_LETTER_FOR_LETTER = BlockKind.CODE, BlockKind.SIGNATURE, BlockKind.DRAWING
_DEEPEST = 6
_LONGEST_NUMBER = 10
"""Characters of a number, with what stands behind it, that may begin an item of a list."""
_MOST_MARKED = 10_000
"""Names of a file: each is looked for on each of its pages."""


def page_markdown(page: StoredPage, corpus: Corpus) -> str:
    """The page with what it is of as front matter; what is no Markdown of ours is escaped."""
    head: dict[str, str | int] = {
        "product": corpus.product,
        "release": corpus.release,
        "document": page.document.title,
        "file": page.document.file,
        "page": page.number,
        "section": " › ".join(page.heading_path),
    }
    if url := original_url(page, page.anchor):
        head["source"] = url
    # JSON is YAML, and no text can end it.
    lines = "\n".join(f"{key}: {json.dumps(value)}" for key, value in head.items())
    return f"---\n{lines}\n---\n\n{body_markdown(page, code_of(corpus, page.document))}\n"


def code_of(corpus: Corpus, document: StoredDocument) -> frozenset[str]:
    """What the file of a document marks as code and is no everyday word; its pages keep no marks.

    Nothing of a file without such marks, or one that is not kept.
    """
    spans = {unescape(span).strip() for span in marked_as_code(corpus, document.content_hash)}
    return frozenset(sorted(filter(_is_code, spans))[:_MOST_MARKED])


def _is_code(span: str) -> bool:
    """Whether a marked span is a name with signs: a sign or a word may stand anywhere."""
    signs = {sign for sign in span if not sign.isalnum()} - {" "}
    return bool(signs) and signs.isdisjoint("`|") and any(map(str.isalnum, span))


def body_markdown(page: Page, code: Collection[str] = ()) -> str:
    """The blocks of a page as Markdown, with what of it is `code` in marks."""
    there = sorted((re.escape(span) for span in code if span in page.text), key=len, reverse=True)
    # Not within a longer name, or an address; of two beside each other the marks would touch.
    names = rf"(?<![\w/.:@`-])((?:{'|'.join(there)})++)(?![\w/`-]|\.\w)"
    marked = re.compile(f"((?i:{ADDRESS.pattern}))|{names}") if there else None

    def line(text: str) -> str:
        if marked is None:
            return as_line(text)
        # The text between, an address, a name.
        parts = zip(cycle((as_line, as_line, "`{}`".format)), marked.split(text), strict=False)
        return "".join(write(part) for write, part in parts if part)

    return "\n\n".join(_written(page.blocks, line))


_Line = Callable[[str], str]


def _written(blocks: Sequence[Block], line: _Line) -> Iterator[str]:
    for kind, group in groupby(blocks, key=lambda block: _together(block.kind)):
        together = list(group)
        if kind is BlockKind.TABLE_ROW:
            yield from _tables(together, line)
        elif kind is BlockKind.LIST_ITEM:
            yield "\n".join(_item(block.text.strip(), line) for block in together)
        elif kind is BlockKind.DRAWING:
            yield fenced_code(visible("\n".join(block.text for block in together)))
        else:
            yield from filter(None, (_single(block, line) for block in together))


def _item(text: str, line: _Line) -> str:
    number, _, rest = text.partition(" ")
    if rest and number[-1] in ".)" and number[:-1].isdecimal() and len(number) < _LONGEST_NUMBER:
        return f"{number} {as_label(rest, line)}"
    # "--flag" and "*args" begin with what a mark is.
    is_marked = text[:1] in "-•*" and text[1:2].isspace()
    return f"- {as_label(text[1:] if is_marked else text, line)}"


def _together(kind: BlockKind) -> BlockKind:
    return BlockKind.TABLE_ROW if kind in _TABLES else kind


def _single(block: Block, line: _Line) -> str:
    if block.kind is BlockKind.HEADING:
        return f"{'#' * min(len(block.path) + 1, _DEEPEST)} {as_label(block.text, line)}"
    if block.kind in _LETTER_FOR_LETTER:
        return fenced_code(visible(block.text).strip("\n"))
    return as_block(block.text, line)


def _tables(rows: Sequence[Block], line: _Line) -> Iterator[str]:
    """One table for each header, and for each run of rows of one width."""
    tables: list[list[list[str]]] = []
    for block in rows:
        cells = [as_label(cell, line) or " " for cell in block.text.split(CELL_DELIMITER)]
        is_header = block.kind is BlockKind.TABLE_HEADER
        if is_header or not tables or len(cells) != len(tables[-1][0]):
            tables.append([])
        tables[-1].append(cells)
    for head, *rest in tables:
        lines = [head, ["---"] * len(head), *rest]
        yield "\n".join(f"| {' | '.join(cells)} |" for cells in lines)
