"""A page as records: the smallest texts that can be understood and quoted alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from chatbot.turn import Record
from corpora.pages import StoredPage
from ingestion.page import CELL_DELIMITER, Block, BlockKind

_SENTENCE_END = re.compile(r"[.!?][\"'”’)]*\s+(?=[A-Z“\"'(`\[])")
_ABBREVIATION = re.compile(r"\b(e\.g|i\.e|etc|vs|cf|no|fig|approx)\.\s+$", re.I)
_SHORT = 12
_LONG = 420
_CODE_LINES = 14


def records(page: StoredPage) -> tuple[Record, ...]:
    """Cut the blocks of a page into records, in page order."""
    found: list[Record] = []
    lead_in = ""
    for block in page.blocks:
        if block.kind in (BlockKind.HEADING, BlockKind.TABLE_HEADER):
            lead_in = ""
            continue
        for quote, reading in _readings(block, lead_in):
            found.append(
                Record(
                    page=page,
                    quote=quote,
                    label=block.path[-1] if block.path else page.document.title,
                    reading=reading,
                    kind=block.kind,
                    anchor=block.anchor or page.anchor,
                    path=block.path,
                )
            )
        if block.kind is BlockKind.PARAGRAPH:
            lead_in = sentences(block.text)[-1] if block.text.rstrip().endswith(":") else ""
        elif block.kind is not BlockKind.LIST_ITEM:
            lead_in = ""
    return tuple(found)


def _readings(block: Block, lead_in: str) -> Iterator[tuple[str, str]]:
    text = block.text
    match block.kind:
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
            cells = text.split(CELL_DELIMITER)
            if len(cells) == len(block.header):
                pairs = zip(block.header, cells, strict=True)
                yield text, "; ".join(f"{h}: {c}" if h else c for h, c in pairs if c.strip())
            else:
                yield text, text
        case BlockKind.CODE:
            lines = text.split("\n")
            for i in range(0, len(lines), _CODE_LINES):
                part = "\n".join(lines[i : i + _CODE_LINES])
                if part.strip():
                    yield part, f"{lead_in}\n{part}".strip() if i == 0 else part
        case _:
            yield text, text


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
