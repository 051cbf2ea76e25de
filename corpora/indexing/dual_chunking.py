"""Search chunks to find a page by, context chunks to answer from (QAMR III-A, Algorithm 1)."""

import re
from bisect import bisect, bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ingestion.page import Block, BlockKind, Page

HEADING_LENGTH = 200
"""The most characters of headings that are embedded with a chunk."""

REACH = 0.25
"""How far from the ideal point a cut may be, in chunks: the best boundary within it is taken."""

_LEADS_ON = {BlockKind.HEADING, BlockKind.TABLE_HEADER, BlockKind.SIGNATURE}
_LINE_START = re.compile(r"\n\s*")
_SENTENCE_START = re.compile(r"[.!?][\"')\]]*\s+")
_WORD_START = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class SearchChunk:
    """A part of one page: `text == page.text[start:end]`.

    `heading` is embedded and indexed with the text, and never quoted.
    """

    start: int
    end: int
    text: str
    heading: str


def search_chunks(
    page: Page, *, per_page: int | None = None, target: int = 500, repeated: Sequence[bool] = ()
) -> tuple[SearchChunk, ...]:
    """Partition a page into search chunks of nearly equal length (Algorithm 1, lines 3-6).

    With `per_page` (k in the paper) the page gives that many chunks, or fewer if it has too few
    words; otherwise as many as bring each nearest to `target` characters. A cut is made before a
    block if one begins near the ideal point, else before a line, a sentence or a word, and inside
    a word only if that is longer than two chunks. Put together, the chunks are the page's text.
    """
    text = page.text
    if not text:
        return ()
    count = per_page or max(1, round(len(text) / target))
    starts = [start for start, _, _ in page.spans()]
    again = {start for start, twice in zip(starts, repeated, strict=False) if twice}
    edges = sorted({0, *_cuts(page, count), len(text), *_around(starts, again)})
    within = blocks_within(page)
    return tuple(
        SearchChunk(start, end, text[start:end], heading_of(page, within(start, end)))
        for start, end in pairwise(edges)
        if not again or starts[bisect(starts, start) - 1] not in again
    )


def _around(starts: Sequence[int], chosen: Collection[int]) -> Iterator[int]:
    """Yield where blocks that are chosen begin, and where the next ones do."""
    for start, after in pairwise(starts):
        if (start in chosen) != (after in chosen):
            yield after


def blocks_within(page: Page) -> Callable[[int, int], Iterable[Block]]:
    """Make the function that finds the blocks of a page between two offsets, also of many."""
    spans = list(page.spans())
    starts = [start for start, _, _ in spans]
    ends = [end for _, end, _ in spans]

    def within(start: int, end: int) -> Iterable[Block]:
        return (block for _, _, block in spans[bisect(ends, start) : bisect_left(starts, end)])

    return within


def context_chunk(pages: Sequence[Page], index: int, *, padding: int = 500) -> str:
    """Pad a page with up to `padding` characters of each neighbour (Algorithm 1, lines 8-10).

    `pages` are those of one document, in order; `padding` is ps in the paper.
    """
    tail = pages[index - 1].text[-padding:] if padding and index > 0 else ""
    head = pages[index + 1].text[:padding] if index + 1 < len(pages) else ""
    return tail + pages[index].text + head


def heading_of(page: Page, blocks: Iterable[Block]) -> str:
    """Join the page's headings and the owners of some of its blocks by " > ".

    Of an overlong result the outermost headings and the last owners are left out.
    """
    shared = page.heading_path
    kept = shared
    while len(kept) > 1 and len(" > ".join(kept)) > HEADING_LENGTH:
        kept = kept[1:]
    heading = " > ".join(kept)[:HEADING_LENGTH]
    owners = dict.fromkeys(block.path[-1] for block in blocks if block.path)
    for owner in owners:
        longer = f"{heading} > {owner}" if heading else owner
        if owner not in shared and len(longer) <= HEADING_LENGTH:
            heading = longer
    return heading


def _cuts(page: Page, count: int) -> Iterator[int]:
    """Yield the offsets, rising, at which the page's text is cut into at most `count` parts."""
    text = page.text
    levels = _boundaries(page)
    size = len(text) / count
    last = 0
    for i in range(1, count):
        cut = _cut_near(i * size, levels, size, len(text))
        if last < cut < len(text):
            yield cut
            last = cut


def _cut_near(ideal: float, levels: Sequence[Sequence[int]], size: float, length: int) -> int:
    for boundaries in levels:
        after = bisect(boundaries, ideal)
        beside = boundaries[max(0, after - 1) : after + 1]
        nearest = min(beside, key=lambda b: abs(b - ideal), default=length)
        if abs(nearest - ideal) <= REACH * size:
            return nearest
    words = [0, *levels[-1], length]
    after = bisect(words, ideal)
    token = words[after - 1], words[after]
    if token[1] - token[0] > 2 * size:
        return round(ideal)
    return min(token, key=lambda b: abs(b - ideal))


def _boundaries(page: Page) -> tuple[list[int], ...]:
    """Where blocks, lines, sentences and words begin, best first.

    What leads on to the next block (a heading, a table's header, a signature) is not divided from
    it, except between words where nothing better is near.
    """
    text = page.text
    spans = list(page.spans())
    starts = [start for start, _, _ in spans]
    bound = {
        start
        for (_, _, before), start in zip(spans, starts[1:], strict=False)
        if before.kind in _LEADS_ON
    }
    lines, sentences, words = (
        [match.end() for match in pattern.finditer(text) if match.end() < len(text)]
        for pattern in (_LINE_START, _SENTENCE_START, _WORD_START)
    )
    free = [[b for b in level if b not in bound] for level in (starts[1:], lines, sentences)]
    return (*free, words)
