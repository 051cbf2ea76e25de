"""The composed body: steps, lists, tables and code, letter for letter from the page."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import dedent

from chatbot.retrieval.forms import rows_asked
from chatbot.retrieval.kinds import FORMS, Kind
from chatbot.retrieval.passages import (
    Passage,
    Placed,
    continued,
    passages_of,
    section_of,
    short_section,
)
from chatbot.text.markdown import fenced_code
from chatbot.text.sanitizer import as_document_words
from corpora.indexing.pages import StoredPage
from ingestion.page import CELL_DELIMITER, Block, BlockKind, DocumentKind

LONGEST = 2400
"""Characters of a body; a list or a table that is begun is shown to its end."""

_OWNERS = (BlockKind.DEFINITION, BlockKind.SIGNATURE)


@dataclass(frozen=True)
class Part:
    """Blocks as an answer shows them, of a passage or of several that are one over page ends."""

    passages: tuple[Passage, ...]
    blocks: tuple[Block, ...]


def compose(
    kind: Kind, passage: Passage, subject: str, open_page: Callable[[int], StoredPage]
) -> tuple[Part, ...]:
    """What follows a lead that a passage bears, where its kind asks for more than a sentence.

    Steps: the numbered list of the section, else its listings with what explains them. A list: all
    of it, of a table the rows that are asked for. Anything else, and what only release notes tell,
    which list much else: nothing.
    """
    if kind is Kind.STEPS and not _only_noted(passage):
        return tuple(_steps(passage, open_page))
    if kind is Kind.LIST:
        own_section = (p for p in section_of(passage) if p.path[:-1] == passage.path[:-1])
        near = (passage, *own_section)
        listed = next((p for p in near if p.has(*FORMS[Kind.LIST], BlockKind.SIGNATURE)), None)
        return tuple(_list(listed, subject, open_page)) if listed else ()
    return ()


def shown_whole(passage: Passage) -> tuple[Part, ...]:
    """A short section or, of a longer one, the passage, where nothing could be written about it."""
    section = short_section(passage, LONGEST // 2) or (passage,)
    return tuple(_part(p) for p in section)


def _part(passage: Passage) -> Part:
    return Part((passage,), tuple(map(_shortened, passage.blocks)))


def _shortened(block: Block) -> Block:
    if len(block.text) <= LONGEST:
        return block
    return replace(block, text=f"{block.text[:LONGEST].rsplit(' ', 1)[0]} …")


def _only_noted(best: Passage) -> bool:
    notes = best.page.document.kind is DocumentKind.RELEASE_NOTES
    return notes and not best.is_numbered and not best.has(BlockKind.CODE)


def _whole(passage: Passage, open_page: Callable[[int], StoredPage]) -> Part:
    """A list or a table to both of its ends, with one header."""
    run = continued(passage, open_page)
    blocks = (
        block
        for i, part in enumerate(run)
        for block in part.blocks
        if i == 0 or block.kind is not BlockKind.TABLE_HEADER
    )
    return Part(run, tuple(map(_shortened, blocks)))


def _steps(best: Passage, open_page: Callable[[int], StoredPage]) -> Iterator[Part]:
    """Of a section the numbered steps, else all of it if it is short, else its listings."""
    if len(titled := _titled_steps(best)) > 1:
        yield from titled
        return
    section = tuple(section_of(best))
    if numbered := next((p for p in (best, *section) if p.is_numbered), None):
        yield _whole(numbered, open_page)
        return
    left = LONGEST
    for passage in short_section(best) or [best, *(p for p in section if p.start > best.start)]:
        left -= len(passage.text)
        if passage.place == best.place or (left >= 0 and passage.has(BlockKind.CODE)):
            yield _part(passage)


def _titled_steps(best: Passage) -> list[Part]:
    """The sections of a page that are headed as steps, each with its heading."""
    if not best.step:
        return []
    at = best.path.index(best.step)
    first: dict[str, Passage] = {}
    for passage in passages_of(best.page):
        if passage.step and passage.path[:at] == best.path[:at]:
            first.setdefault(passage.step, passage)
    return [
        Part((p,), (Block(BlockKind.PARAGRAPH, f"{title}:", path=p.path), *p.blocks))
        for title, p in first.items()
    ]


def _list(listed: Passage, subject: str, open_page: Callable[[int], StoredPage]) -> Iterator[Part]:
    """The items or rows of a list; of terms and signatures of a section the head of each."""
    if listed.has(BlockKind.LIST_ITEM, BlockKind.TABLE_ROW):
        whole = _whole(listed, open_page)
        asked = rows_asked(subject, [r for p in whole.passages for r in p.records if r.cells])
        wanted = {record.quote for record in asked}
        kept = (
            block
            for block in whole.blocks
            if block.kind is not BlockKind.TABLE_ROW or not wanted or block.text in wanted
        )
        yield Part(whole.passages, tuple(kept))
        return
    left = LONGEST
    for passage in (p for p in section_of(listed) if p.has(*_OWNERS)):
        head = tuple(_head(passage.placed))
        left -= sum(len(block.text) for block in head)
        if left < 0:
            break
        yield Part((passage,), head)


def _head(placed: Sequence[Placed]) -> Iterator[Block]:
    """Signatures or a term with what leads in to them, and the first paragraph on them."""
    for _, _, block in placed:
        yield block
        if block.kind is not BlockKind.SIGNATURE and not block.text.rstrip().endswith(":"):
            return


def paragraphs(blocks: Sequence[Block]) -> Iterator[tuple[str, bool]]:
    """Blocks as Markdown, one list, table, listing or paragraph at a time; and whether it is prose.

    Lists, tables and code come as they stand; neighbouring items, and neighbouring rows, are one.
    """
    run: list[Block] = []
    for block in [*blocks, None]:
        if run and (block is None or _form(block) is None or _form(block) != _form(run[0])):
            yield _written(run), run[0].kind in (BlockKind.PARAGRAPH, BlockKind.DEFINITION)
            run = []
        if block is not None:
            run.append(block)


def _form(block: Block) -> str | None:
    if block.kind in (BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW):
        return "table"
    return "list" if block.kind is BlockKind.LIST_ITEM else None


def _written(run: Sequence[Block]) -> str:
    first = run[0]
    match first.kind:
        case BlockKind.TABLE_HEADER | BlockKind.TABLE_ROW:
            return "\n".join(_table(run))
        case BlockKind.CODE | BlockKind.SIGNATURE:
            return fenced_code(first.text)
        case BlockKind.LIST_ITEM:
            lines = dedent("\n".join(block.text for block in run)).split("\n")
            return "\n".join(map(as_document_words, lines))
        case _:
            return as_document_words(first.text)


def _table(rows: Sequence[Block]) -> Iterator[str]:
    header = next((row.header for row in rows if row.header), ())
    body = [row for row in rows if row.kind is BlockKind.TABLE_ROW]
    cells = [row.text.split(CELL_DELIMITER) for row in body]
    width = len(header) or max(map(len, cells), default=0)
    for line in (list(header) or [""] * width, ["---"] * width, *cells):
        yield f"| {' | '.join(_cell(c) for c in (*line, *[''] * width)[:width])} |"


def _cell(text: str) -> str:
    return as_document_words(" ".join(text.split())).replace("|", "\\|")
