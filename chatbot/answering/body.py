"""The composed body: steps, lists, tables, code and definitions, letter for letter from a page."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from textwrap import dedent

from chatbot.retrieval.forms import named_rows, read_rows, row_in_words
from chatbot.retrieval.kinds import Kind
from chatbot.retrieval.passages import (
    Passage,
    Placed,
    continued,
    passages_of,
    section_of,
    short_section,
)
from chatbot.text.markdown import fenced_code
from chatbot.text.query_terms import filtered
from chatbot.text.sanitizer import as_document_words
from chatbot.turn import Record
from corpora.indexing.lexical import tokens
from corpora.indexing.pages import StoredPage
from ingestion.page import CELL_DELIMITER, Block, BlockKind, DocumentKind

LONGEST = 2400
"""Characters of a body; a list or a table that is begun is shown to its end."""
NEARBY = 2400
"""Characters of the listings of one section that are shown together."""
FEW_WORDS = 1200
"""Characters of a section that is shown whole where nothing could be written about it."""
SHORT = 400
"""Characters of a listing that is shown beside an answer in words."""
BEST = 3
"""Records whose paragraphs are shown."""
NEAR = 0.8
"""Of the best passage's score; what scores less is not shown."""

WORDED = 600
"""Characters of the paragraphs that are shown beside an answer in words."""
NEW = 0.34
"""Of a paragraph's words, which the lead has not, for it to be shown behind it."""

_PROSE = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.DEFINITION)
_LISTED = (BlockKind.LIST_ITEM, BlockKind.DEFINITION, BlockKind.SIGNATURE)


@dataclass(frozen=True)
class Part:
    """Blocks as an answer shows them, of a passage or of several that are one over page ends."""

    passages: tuple[Passage, ...]
    blocks: tuple[Block, ...]


def compose(
    kind: Kind,
    passages: Sequence[Passage],
    question: str,
    open_page: Callable[[int], StoredPage],
) -> tuple[Part, ...]:
    """What follows the lead of an answer of this kind; the passages come best first.

    Steps: the numbered list of the section, else the section, of a long one its listings with the
    text that explains them.
    A list and a table: all of it, or the rows that were asked for. A definition: the signature
    with its description. A change, and a how-to that only release notes tell: nothing, since they
    list much else. Anything else: the listing of the best passage, if it has one that is short.
    """
    best = passages[0]
    near = [p for p in passages if p.score >= NEAR * best.score]

    def whole(passage: Passage) -> Part:
        run = continued(passage, open_page)
        return Part(run, tuple(_without_repeated_header(run)))

    match kind:
        case Kind.STEPS if _only_noted(best):
            return ()
        case Kind.STEPS:
            return tuple(_steps(best, near, whole))
        case Kind.LIST:
            of_section = [p for p in near if p.path == best.path]
            listed = next((p for p in (*of_section, *near) if p.has(*_LISTED)), None)
            return tuple(_list(listed, whole)) if listed else ()
        case Kind.TABLE:
            table = table_of(passages)
            return (_rows(whole(table), question),) if table else ()
        case Kind.DEFINITION:
            formal = best.has(BlockKind.SIGNATURE, BlockKind.DEFINITION)
            return (Part((best,), tuple(_head(best.placed))),) if formal else ()
        case Kind.CHANGE:
            return ()
        case _:
            listing = tuple(b for b in best.blocks if b.kind is BlockKind.CODE)
            shown = 0 < sum(len(b.text) for b in listing) <= SHORT
            return (Part((best,), listing),) if shown else ()


def told_in_prose(
    passages: Sequence[Passage], scored: Sequence[Record], subject: str, lead: str
) -> list[Part]:
    """The paragraphs and items that the best records stand in, best first, beside their lead.

    A row of a table that the subject names is a sentence, another is left out. What the lead says
    already is not shown again, nor what only announces something else.
    """
    said = set(tokens(lead))
    left = WORDED
    parts: list[Part] = []
    for record in scored[:BEST]:
        if record.score < NEAR * scored[0].score:
            break
        passage = next((p for p in passages if p.holds(record)), None)
        placed = passage and next(
            (b for b in passage.placed if b[0] <= record.start < max(b[1], b[0] + 1)), None
        )
        if not passage or not placed or placed[2].kind not in (*_PROSE, BlockKind.TABLE_ROW):
            continue
        block = placed[2]
        words = set(tokens(filtered(block.text)))
        if record.cells:
            if not named_rows(subject, [record]):
                continue
            block = replace(block, kind=BlockKind.PARAGRAPH, text=f"{row_in_words(record)}.")
        if block.text.rstrip().endswith(":") or len(words - said) <= NEW * len(words):
            continue
        if len(block.text) <= left:
            parts.append(Part((passage,), (block,)))
            left -= len(block.text)
            said |= words
    return parts


def _only_noted(best: Passage) -> bool:
    notes = best.page.document.kind is DocumentKind.RELEASE_NOTES
    return notes and not best.is_numbered and not best.has(BlockKind.CODE)


def table_of(passages: Sequence[Passage]) -> Passage | None:
    """The best table among the passages that answer about as well as the best."""
    least = NEAR * passages[0].score
    return next((p for p in passages if p.has(BlockKind.TABLE_ROW) and p.score >= least), None)


def _without_repeated_header(run: Sequence[Passage]) -> Iterator[Block]:
    for i, passage in enumerate(run):
        for block in passage.blocks:
            if i == 0 or block.kind is not BlockKind.TABLE_HEADER:
                yield block


def _rows(table: Part, question: str) -> Part:
    rows, _ = read_rows(question, table.passages)
    wanted = {record.quote for record in rows}
    kept = (b for b in table.blocks if b.kind is not BlockKind.TABLE_ROW or b.text in wanted)
    return Part(table.passages, tuple(kept))


def _steps(
    best: Passage, near: Sequence[Passage], whole: Callable[[Passage], Part]
) -> Iterator[Part]:
    """Of the section that answers best the numbered steps, else all of it, or its listings."""
    if len(titled := _titled_steps(best)) > 1:
        yield from titled
        return
    order = (best, *section_of(best))
    if numbered := next((p for p in order if p.is_numbered), None):
        yield whole(numbered)
        return
    if section := short_section(best):
        yield from (Part((p,), p.blocks) for p in section)
        return
    done = next((p for p in order if p.has(BlockKind.CODE)), best)
    if not done.has(BlockKind.CODE):
        yield whole(done)
        return
    listings = [p for p in section_of(done) if p.has(BlockKind.CODE) and p.path == done.path]
    at = [p.start for p in listings].index(done.start)
    scored = {p.place for p in near}
    if sum(len(p.text) for p in listings) > NEARBY:
        # Of a long section what answers, and what goes on from it.
        listings = [p for i, p in enumerate(listings) if i - at in (0, 1) or p.place in scored]
    yield from (Part((p,), p.blocks) for p in listings)


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


def _list(listed: Passage, whole: Callable[[Passage], Part]) -> Iterator[Part]:
    if listed.has(BlockKind.LIST_ITEM):
        yield whole(listed)
        return
    kin = [p for p in section_of(listed) if p.has(*_LISTED) and p.path[:-1] == listed.path[:-1]]
    left = LONGEST
    for passage in kin:
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


def shortened(part: Part, scored: Sequence[Record]) -> Part:
    """The part without what is too long to be shown: of a listing the lines that answer best."""

    def short(block: Block) -> Block:
        if len(block.text) <= LONGEST:
            return block
        if block.kind is not BlockKind.CODE:
            return replace(block, text=f"{block.text[:LONGEST].rsplit(' ', 1)[0]} …")
        lines = [r.quote for r in scored if r.quote in block.text and r.kind == BlockKind.CODE]
        return replace(block, text=lines[0] if lines else block.text[:LONGEST])

    return replace(part, blocks=tuple(map(short, part.blocks)))


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
