"""The composed body: steps, lists, tables and code, letter for letter from the page."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from textwrap import dedent

from chatbot.retrieval.asked_rows import listed_rows
from chatbot.retrieval.passages import Passage, continued, section_of
from chatbot.retrieval.question_types import QuestionType
from chatbot.retrieval.records import LIST_MARK
from chatbot.retrieval.support import names, shared
from chatbot.text.languages import ngettext
from chatbot.text.markdown import fenced_code
from chatbot.text.sanitizer import as_document_words
from chatbot.text.words import filtered
from chatbot.turn import Record
from corpora.indexing.lexical import tokens
from corpora.indexing.pages import StoredPage
from ingestion.page import CELL_DELIMITER, Block, BlockKind
from ingestion.tables import fits_row, in_a_line

_HEAD_END = re.compile(rf"[:({CELL_DELIMITER.strip()}]|\s[–-]\s")
_MOST_ITEMS = 12
_MOST = 0.6
"""The share of a listing's words from which a lead covers it."""


@dataclass(frozen=True)
class Part:
    """Blocks as an answer shows them, their passages, and the rows that were asked for.

    `left_out` are the heads of the rows that the question's condition excludes; `note` says how
    many, where only words tell so.
    """

    passages: tuple[Passage, ...]
    blocks: tuple[Block, ...]
    rows: tuple[Record, ...] = ()
    left_out: tuple[str, ...] = ()
    note: str = ""


def compose(
    kind: QuestionType, passage: Passage, subject: str, open_page: Callable[[int], StoredPage]
) -> Part | None:
    """The numbered steps, or the list or table, that a passage and its section have for a kind.

    Of a table these are the rows that are asked for.
    """
    near = (passage, *section_of(passage))
    if kind is QuestionType.STEPS:
        numbered = next((p for p in near if p.is_numbered), None)
        return _whole(numbered, "", open_page) if numbered else None
    listed = (p for p in near if p.has(BlockKind.LIST_ITEM, BlockKind.TABLE_ROW))
    chosen = next(listed, None) if kind is QuestionType.LIST else None
    return _whole(chosen, subject, open_page) if chosen else None


def listings(passage: Passage) -> Part | None:
    """The listings of a passage."""
    blocks = tuple(block for block in passage.blocks if block.kind is BlockKind.CODE)
    return Part((passage,), blocks) if blocks else None


def stands_alone(part: Part) -> bool:
    """Whether a list is short enough to stand in place of a lead; of a table the rows asked for."""
    kinds = [block.kind for block in part.blocks]
    return bool(part.rows) or (BlockKind.TABLE_ROW not in kinds and len(kinds) <= _MOST_ITEMS)


def covers_all(lead: str, part: Part) -> bool:
    """Whether a lead names every row and item of a part, or has most words of its listings.

    One that also names what the part leaves out covers another list.
    """
    if any(names(lead, head) for head in part.left_out):
        return False
    rows = [row.cells[0][1] for row in part.rows]
    items = [b.text for b in part.blocks if b.kind in (BlockKind.LIST_ITEM, BlockKind.TABLE_ROW)]
    heads = rows or [_head(item) for item in items]
    texts = heads or [" ".join(block.text for block in part.blocks)]
    return all(shared(tokens(filtered(text)), lead) >= _MOST for text in texts if filtered(text))


def shown_whole(passage: Passage) -> Part:
    """A passage as it stands."""
    return Part((passage,), passage.blocks)


def _whole(passage: Passage, subject: str, open_page: Callable[[int], StoredPage]) -> Part:
    """A list or a table to both of its ends: of a table the rows that the subject asks for."""
    run = continued(passage, open_page)
    blocks = [block for part in run for block in part.blocks]
    every = [r for p in run for r in p.records if r.cells]
    rows, by_words = listed_rows(subject, every)
    wanted = {row.quote for row in rows}
    table = [block.text for block in blocks if block.kind is BlockKind.TABLE_ROW]
    out = [text for text in table if wanted and text not in wanted]
    note = ""
    if by_words and out:
        note = ngettext(
            "The table has {number} more row.", "The table has {number} more rows.", len(out)
        )
    is_row = BlockKind.TABLE_ROW
    kept = tuple(b for b in blocks if b.kind is not is_row or b.text not in out)
    return Part(run, kept, tuple(rows), tuple(map(_head, out)), note)


def _head(item: str) -> str:
    """The beginning of a row or an item, which names it."""
    return _HEAD_END.split(LIST_MARK.sub("", item), maxsplit=1)[0].strip()


def as_markdown(blocks: Sequence[Block], pages: Iterable[StoredPage] = ()) -> str:
    """Blocks as they stand: neighbouring items, and neighbouring rows, are one.

    Listings in cells stand below their table, as they are written on its `pages`.
    """
    runs = groupby(enumerate(blocks), lambda placed: _form(placed[1]) or str(placed[0]))
    return "\n\n".join(_written([block for _, block in run], pages) for _, run in runs)


def listings_apart(
    cells: Sequence[tuple[str, str]], pages: Iterable[StoredPage]
) -> tuple[list[tuple[str, str]], list[str]]:
    """The cells of a row, of which "↓" stands for a listing, and each of these as it is written.

    In a row a listing is one line, which nobody can run; below its table the page has it whole.
    """
    code = [b.text for page in pages for b in page.blocks if b.kind is BlockKind.CODE]
    whole = {in_a_line(text): text for text in code if not fits_row(text)}
    left, below = [*cells], []
    for line in sorted(whole, key=len, reverse=True):
        for place, (head, cell) in enumerate(left):
            if line in cell:
                left[place] = head, cell.replace(line, "↓")
                named = dict.fromkeys(filter(None, (cells[0][1] if place else "", head)))
                of = as_document_words(f"{' – '.join(named) or '↓'}:")
                below.append(f"{of}\n\n{fenced_code(whole[line])}")
    return left, below


def _form(block: Block) -> str | None:
    if block.kind in (BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW):
        return "table"
    return "list" if block.kind is BlockKind.LIST_ITEM else None


def _written(run: Sequence[Block], pages: Iterable[StoredPage]) -> str:
    first = run[0]
    match first.kind:
        case BlockKind.TABLE_HEADER | BlockKind.TABLE_ROW:
            return _table(run, pages)
        case BlockKind.CODE | BlockKind.SIGNATURE:
            return fenced_code(first.text)
        case BlockKind.LIST_ITEM:
            lines = dedent("\n".join(map(_item, run))).split("\n")
            return "\n".join(map(as_document_words, lines))
        case _:
            return as_document_words(first.text)


def _item(block: Block) -> str:
    """An item as Markdown has it: "b)" and "Step 2:" begin no line there."""
    text = block.text
    return text if LIST_MARK.match(text) else re.sub(r"^\s*", r"\g<0>- ", text)


def _table(rows: Sequence[Block], pages: Iterable[StoredPage]) -> str:
    header = next((row.header for row in rows if row.header), ())
    body = [row.text.split(CELL_DELIMITER) for row in rows if row.kind is BlockKind.TABLE_ROW]
    width = len(header) or max(map(len, body), default=0)
    below: list[str] = []
    for place, cells in enumerate(body):
        named, listings = listings_apart([*zip_longest(header, cells, fillvalue="")], pages)
        body[place] = [cell for _, cell in named]
        below += listings
    lines = (list(header) or [""] * width, ["---"] * width, *body)
    table = (f"| {' | '.join(map(_cell, (*line, *[''] * width)[:width]))} |" for line in lines)
    return "\n\n".join(("\n".join(table), *below))


def _cell(text: str) -> str:
    return as_document_words(" ".join(text.split())).replace("|", "\\|")
