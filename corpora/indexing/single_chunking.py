"""The baseline's chunks, the same for search and for answering (QAMR IV-E, table II)."""

from __future__ import annotations

from corpora.indexing.dual_chunking import SearchChunk, heading_of
from ingestion.page import Page


def single_chunks(
    page: Page, *, limit: int = 3000, overlap: float = 0.25
) -> tuple[SearchChunk, ...]:
    """Take a page whole, or split it into chunks of at most `limit` characters.

    Each chunk repeats the end of the one before it: `overlap` of the limit and what makes the
    first word whole. Raises ValueError unless 0 <= overlap <= 0.5.
    """
    if not 0 <= overlap <= 0.5:
        raise ValueError(f"overlap is {overlap}; give a share between 0 and 0.5")
    text = page.text
    chunks: list[SearchChunk] = []
    start = end = 0
    while end < len(text):
        end = min(start + limit, len(text))
        if end < len(text):
            end = _word_start(text, end, reach=limit // 4)
        heading = heading_of(page, start, end)
        chunks.append(SearchChunk(page.number, start, end, text[start:end], heading))
        start = _word_start(text, end - round(limit * overlap), reach=limit // 8)
    return tuple(chunks)


def _word_start(text: str, at: int, *, reach: int) -> int:
    """Go back to where a word begins, or stay if none begins within `reach` characters."""
    for offset in range(at, max(0, at - reach), -1):
        if text[offset - 1].isspace() and not text[offset : offset + 1].isspace():
            return offset
    return at
