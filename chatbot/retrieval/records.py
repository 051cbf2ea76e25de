"""A page as records: the smallest texts that can be understood and quoted alone."""

import re
from collections.abc import Iterable, Iterator, Sequence

from chatbot.turn import Record
from corpora.indexing.pages import StoredPage
from ingestion.page import CELL_DELIMITER, Block, BlockKind

_SENTENCE_END = re.compile(r"[.!?][\"'”’)]*\s+(?=[A-Z“\"'(`\[])")
_ABBREVIATION = re.compile(r"\b(e\.g|i\.e|etc|vs|cf|no|fig|approx)\.\s+$", re.I)
_SHORT = 12
_LONG = 420
_TOGETHER = 260
_CODE_LINES = 14
_JOINED = {BlockKind.SIGNATURE, BlockKind.PARAGRAPH, BlockKind.DEFINITION}


def records(page: StoredPage, *, together: int = _TOGETHER) -> tuple[Record, ...]:
    """Cut the blocks of a page into records, in page order.

    Neighbours that belong to one owner are one record up to `together` characters: a signature,
    its type and its default mean nothing apart. With 0 every block stands alone.
    """
    found: list[Record] = []
    lead_in = ""
    for group in _groups(page, together):
        found += _records_of(page, group, lead_in)
        lead_in = _led_by(group[-1][2], lead_in)
    return tuple(found)


def _groups(page: StoredPage, together: int) -> Iterator[list[tuple[int, int, Block]]]:
    group: list[tuple[int, int, Block]] = []
    for start, end, block in page.spans():
        joins = (
            group
            and block.kind in _JOINED
            and block.path == group[-1][2].path
            and group[-1][2].kind in _JOINED
            and end - group[0][0] <= together
        )
        if not joins:
            if group:
                yield group
            group = []
        group.append((start, end, block))
    if group:
        yield group


def _records_of(
    page: StoredPage, group: list[tuple[int, int, Block]], lead_in: str
) -> Iterator[Record]:
    first = group[0][2]
    if len(group) > 1:
        quote = page.text[group[0][0] : group[-1][1]]
        readings: Iterable[tuple[str, str]] = [(quote, re.sub(r"\n+", "\n", quote))]
    else:
        led = first.kind in (BlockKind.LIST_ITEM, BlockKind.CODE)
        readings = _readings(first, lead_in if led else "")
    start = group[0][0]
    for quote, reading in readings:
        # Each quote of a block stands behind the one before.
        start = max(page.text.find(quote, start), start)
        yield Record(
            page=page,
            start=start,
            quote=quote,
            label=first.path[-1] if first.path else page.document.title,
            reading=reading,
            kind=first.kind,
            anchor=first.anchor or page.anchor,
            path=first.path,
            cells=_cells(first),
        )


def _led_by(block: Block, lead_in: str) -> str:
    """What leads in to the block behind: the last sentence of one that announces, over items."""
    if block.kind is BlockKind.LIST_ITEM:
        return lead_in
    announces = block.kind is BlockKind.PARAGRAPH and block.text.rstrip().endswith(":")
    return sentences(block.text)[-1] if announces else ""


def _readings(block: Block, lead_in: str) -> Iterator[tuple[str, str]]:
    text = block.text
    match block.kind:
        case BlockKind.HEADING | BlockKind.TABLE_HEADER:
            return
        case BlockKind.PARAGRAPH:
            for sentence in sentences(text):
                yield sentence, sentence
        case BlockKind.DEFINITION if len(text) > _LONG:
            first, *rest = sentences(text)
            yield first, first
            term = re.split(r"\s[–—-]+\s|:\s", first, maxsplit=1)[0][:80]
            for sentence in rest:
                yield sentence, f"{term}: {sentence}"
        case BlockKind.LIST_ITEM:
            for i, sentence in enumerate(sentences(text)):
                yield sentence, f"{lead_in} {sentence}".strip() if i == 0 else sentence
        case BlockKind.TABLE_ROW:
            named = [f"{h}: {c}" if h else c for h, c in with_units(_cells(block)) if c]
            yield text, "; ".join(named) or text
        case BlockKind.CODE:
            lines = text.split("\n")
            for i in range(0, len(lines), _CODE_LINES):
                part = "\n".join(lines[i : i + _CODE_LINES])
                if part.strip():
                    yield part, f"{lead_in}\n{part}".strip() if i == 0 else part
        case _:
            yield text, text


def _cells(block: Block) -> tuple[tuple[str, str], ...]:
    """The cells of a table row, each with its header; nothing where they do not fit together."""
    cells = [cell.strip() for cell in block.text.split(CELL_DELIMITER)]
    if block.kind is not BlockKind.TABLE_ROW or len(cells) != len(block.header):
        return ()
    return tuple(zip(block.header, cells, strict=True))


def with_units(cells: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """The cells with the row's unit behind its bare numbers, where it has a column of units."""
    unit = next((c for h, c in cells if h.lower() in ("unit", "units") and c.strip(" –-")), "")
    if not unit:
        return list(cells)
    return [
        (h, f"{c} {unit}" if re.fullmatch(r"-?\d[\d.,]*", c) else c) for h, c in cells if c != unit
    ]


def sentences(text: str) -> list[str]:
    """Cut a paragraph at sentence ends; very short sentences stay with the one before."""
    found: list[str] = []
    start = 0
    for end in [*(m.end() for m in _SENTENCE_END.finditer(text)), len(text)]:
        short = min(end - start, len(text) - end or _SHORT) < _SHORT
        if end < len(text) and (short or _ABBREVIATION.search(text, start, end)):
            continue
        if sentence := text[start:end].strip():
            found.append(sentence)
        start = end
    return found
