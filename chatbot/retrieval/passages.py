"""Passages: runs of blocks that mean something together, the unit of evidence of an answer."""

import re
from bisect import bisect, bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from chatbot.retrieval.records import records
from chatbot.turn import Record
from corpora.indexing.pages import StoredPage
from ingestion.page import Block, BlockKind

Placed = tuple[int, int, Block]
"""A block with its first character and the one behind its last in the text of its page."""

_ORDINAL = re.compile(r"\s*(\d{1,9})[.)]\s")
_STEP = re.compile(r"(?:step|stage|part)\s+\d+\b|\d+[.)]\s", re.I)
_OWNERS = (BlockKind.SIGNATURE, BlockKind.DEFINITION)
_TABLE = (BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW)
_SHORT_SECTION = 700
"""A section of at most so many characters is one passage: a command and what it does."""
_BETWEEN_ITEMS = 4
"""Listings that an item of a list may have below its first line."""
_BETWEEN_STEPS = 12
"""Blocks of any kind that a numbered step may have."""


@dataclass(frozen=True)
class Passage:
    """A run of blocks under one heading, from `start` to `end` of its page's text.

    A short section is one passage. In longer ones a list comes with the sentence that leads into
    it and the listings between its items, a table with its header, a signature or a term with its
    description, a listing with the paragraph before it. `score` is that of its best record.
    """

    page: StoredPage
    placed: tuple[Placed, ...]
    score: float = 0.0

    @property
    def start(self) -> int:
        """The first character on the page."""
        return self.placed[0][0]

    @property
    def place(self) -> tuple[int, int]:
        """Where it stands: the id of its page, and its first character there."""
        return self.page.id, self.start

    @property
    def end(self) -> int:
        """The character behind the last."""
        return self.placed[-1][1]

    @property
    def text(self) -> str:
        """The passage letter for letter."""
        return self.page.text[self.start : self.end]

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks in page order."""
        return tuple(block for _, _, block in self.placed)

    @property
    def path(self) -> tuple[str, ...]:
        """The headings and owners above the first block."""
        return self.placed[0][2].path

    @property
    def anchor(self) -> str | None:
        """The anchor of the first block, else that of the page."""
        return self.placed[0][2].anchor or self.page.anchor

    @property
    def heading(self) -> str:
        """The last heading or owner above, else the document's title."""
        return self.path[-1] if self.path else self.page.document.title

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """The records of the page that lie in the passage, in page order."""
        found, starts = _records(self.page)
        return found[bisect_left(starts, self.start) : bisect_left(starts, self.end)]

    def holds(self, record: Record) -> bool:
        """Whether a record lies in it."""
        return record.page.id == self.page.id and self.start <= record.start < self.end

    def has(self, *kinds: BlockKind) -> bool:
        """Whether a block is of one of these kinds."""
        return any(block.kind in kinds for block in self.blocks)

    @property
    def step(self) -> str:
        """The heading above that is numbered as a step: "Step 2: Update"; or nothing."""
        return next((title for title in self.path if _STEP.match(title)), "")

    @property
    def is_numbered(self) -> bool:
        """Whether it holds a list of numbered steps, at least two."""
        items = [b for b in self.blocks if b.kind is BlockKind.LIST_ITEM and _ORDINAL.match(b.text)]
        return len(items) > 1


@lru_cache(maxsize=256)
def _records(page: StoredPage) -> tuple[tuple[Record, ...], list[int]]:
    """The records of a page in order, and where each begins."""
    found = tuple(sorted(records(page), key=lambda record: record.start))
    return found, [record.start for record in found]


@lru_cache(maxsize=256)
def passages_of(page: StoredPage) -> tuple[Passage, ...]:
    """Cut a page into its passages, in order; headings belong to none."""
    placed = tuple(page.spans())
    found: list[Passage] = []
    i = 0
    while i < len(placed):
        if placed[i][2].kind is BlockKind.HEADING:
            i += 1
            continue
        end = _end_of_short_section(placed, i) or _end(placed, i)
        found.append(Passage(page, placed[i:end]))
        i = end
    return tuple(found)


def _end_of_short_section(placed: Sequence[Placed], i: int) -> int | None:
    """The place behind a section of a few words and listings that begins with block `i`."""
    if i > 0 and placed[i - 1][2].kind is not BlockKind.HEADING:
        return None
    end = i
    while (
        end < len(placed)
        and placed[end][1] - placed[i][0] <= _SHORT_SECTION
        and placed[end][2].path == placed[i][2].path
        and placed[end][2].kind in (BlockKind.PARAGRAPH, BlockKind.CODE, BlockKind.LIST_ITEM)
    ):
        end += 1
    whole = end == len(placed) or placed[end][2].kind is BlockKind.HEADING
    return end if whole and end > i else None


def _end(placed: Sequence[Placed], i: int) -> int:
    """The place behind the passage that begins with block `i`."""
    block = placed[i][2]
    follower = placed[i + 1][2] if i + 1 < len(placed) else None
    if block.kind is BlockKind.PARAGRAPH and follower and follower.path == block.path:
        announces = block.text.rstrip().endswith(":")
        numbered = follower.kind is BlockKind.LIST_ITEM and _ORDINAL.match(follower.text)
        if follower.kind is BlockKind.CODE or numbered:
            return _end(placed, i + 1)
        if announces and follower.kind in (BlockKind.LIST_ITEM, *_TABLE, *_OWNERS):
            return _end_of_run(placed, i + 1)
    return _end_of_run(placed, i)


def _end_of_run(placed: Sequence[Placed], i: int) -> int:
    block = placed[i][2]
    if block.kind is BlockKind.LIST_ITEM:
        return _end_of_list(placed, i)
    if block.kind in _TABLE:
        return _while(placed, i, lambda b: b.kind is BlockKind.TABLE_ROW)
    if block.kind is BlockKind.SIGNATURE:
        return _while(
            placed,
            i,
            lambda b: (
                b.path[: len(block.path)] == block.path
                and b.kind not in (BlockKind.HEADING, BlockKind.SIGNATURE)
            ),
        )
    if block.kind is BlockKind.DEFINITION:
        return _while(
            placed,
            i,
            lambda b: b.path[:-1] == block.path and b.kind is not BlockKind.HEADING,
        )
    if block.kind is BlockKind.DRAWING:
        return _while(placed, i, lambda b: b.kind is BlockKind.DRAWING)
    return i + 1


def _while(placed: Sequence[Placed], i: int, belongs: Callable[[Block], bool]) -> int:
    end = i + 1
    while end < len(placed) and belongs(placed[end][2]):
        end += 1
    return end


def _end_of_list(placed: Sequence[Placed], i: int) -> int:
    """Behind the last item; what stands between two items belongs to the first of them.

    A numbered list goes on to the next number, whatever its steps have below them.
    """
    number = _number(placed[i][2])
    end = i + 1
    while (following := _next_item(placed, end, placed[i][2].path, number)) is not None:
        end = following + 1
        number = _number(placed[following][2])
    if number is None:
        return end
    # The last step may have a word more before its listing.
    explained = placed[end : end + 1] and placed[end][2].kind is BlockKind.PARAGRAPH
    if explained and not _listing_at(placed, end) and _listing_at(placed, end + 1):
        end += 1
    while listing := _listing_at(placed, end):
        end += listing
    return end


def _next_item(
    placed: Sequence[Placed], i: int, path: tuple[str, ...], number: int | None
) -> int | None:
    """Where the next item of a list stands, at `i` or a little later; None where it has ended."""
    far = _BETWEEN_ITEMS if number is None else _BETWEEN_STEPS
    listings = True
    for at, (_, _, block) in enumerate(placed[i : i + far + 1], i):
        if block.kind is BlockKind.HEADING or block.path[: len(path)] != path:
            return None
        if block.kind is BlockKind.LIST_ITEM:
            found = _number(block)
            if number is not None and found == number + 1:
                return at
            if listings and (number is None or at == i):
                return at
            if number is None:
                return None
        listings = listings and block.kind is BlockKind.CODE
    return None


def _listing_at(placed: Sequence[Placed], i: int) -> int:
    """How many blocks a listing there has, with the sentence that announces it; 0 for none."""
    here, after = ([block for _, _, block in placed[i : i + 2]] + [None, None])[:2]
    if here and here.kind is BlockKind.CODE:
        return 1
    announced = here and here.kind is BlockKind.PARAGRAPH and here.text.rstrip().endswith(":")
    return 2 if announced and after and after.kind is BlockKind.CODE else 0


def _number(block: Block) -> int | None:
    match = _ORDINAL.match(block.text)
    return int(match[1]) if match else None


def best_passages(found: Iterable[Record]) -> list[Passage]:
    """The passages that scored records stand in, best first, each with its best record's score."""
    scored: dict[tuple[int, int], Passage] = {}
    for record in found:
        passage = _passage_of(record)
        known = scored.get(passage.place) if passage else None
        if passage and (known is None or known.score < record.score):
            scored[passage.place] = replace(passage, score=record.score)
    return sorted(scored.values(), key=lambda p: -p.score)


def _passage_of(record: Record) -> Passage | None:
    """The passage that a record stands in; none where it is a heading."""
    found = passages_of(record.page)
    at = bisect(found, record.start, key=lambda passage: passage.start) - 1
    return found[at] if at >= 0 and found[at].holds(record) else None


def section_of(passage: Passage) -> Iterator[Passage]:
    """The passages of the page under the same heading, in page order, itself among them."""
    headings = _headings(passage.page)
    own = headings[passage.start]
    return (p for p in passages_of(passage.page) if headings[p.start] == own)


def short_section(passage: Passage, most: int = 2400) -> tuple[Passage, ...]:
    """The passages of its section in page order, if they have `most` characters; else none."""
    section = tuple(section_of(passage))
    return section if sum(len(p.text) for p in section) <= most else ()


@lru_cache(maxsize=64)
def _headings(page: StoredPage) -> Mapping[int, tuple[str, ...]]:
    """The headings above each block of a page, by its first character, without its owners."""
    above: tuple[str, ...] = ()
    found = {}
    for start, _, block in page.spans():
        if block.kind is BlockKind.HEADING:
            above = block.path
        found[start] = above
    return found


def continued(passage: Passage, open_page: Callable[[int], StoredPage]) -> tuple[Passage, ...]:
    """A list or a table with its beginning and its end on the pages before and after, in order."""
    run = [passage]
    while (page_id := run[0].page.previous_id) is not None:
        before = passages_of(open_page(page_id))
        if not before or not _goes_on(before[-1], run[0]):
            break
        run.insert(0, before[-1])
    while (page_id := run[-1].page.next_id) is not None:
        after = passages_of(open_page(page_id))
        if not after or not _goes_on(run[-1], after[0]):
            break
        run.append(after[0])
    return tuple(run)


def _goes_on(left: Passage, right: Passage) -> bool:
    """Whether a passage that ends a page goes on with the one that begins the next."""
    if left.start != passages_of(left.page)[-1].start:
        return False
    if right.start != passages_of(right.page)[0].start or left.path != right.path:
        return False
    last, first = left.blocks[-1], right.blocks[0]
    if last.kind is BlockKind.TABLE_ROW:
        rows = [b for b in right.blocks if b.kind is BlockKind.TABLE_ROW]
        return bool(rows) and rows[0].header == last.header
    if last.kind is BlockKind.LIST_ITEM and first.kind is BlockKind.LIST_ITEM:
        number, following = _number(last), _number(first)
        return following == (None if number is None else number + 1)
    return False
