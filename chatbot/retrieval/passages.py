"""Passages: runs of blocks that mean something together, the unit of evidence of an answer."""

import re
from bisect import bisect, bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import takewhile

from chatbot.retrieval.records import records
from chatbot.turn import Record
from corpora.indexing.pages import StoredPage
from ingestion.page import Block, BlockKind

Placed = tuple[int, int, Block]
"""A block with its first character and the one behind its last in the text of its page."""

_ORDINAL = re.compile(r"\s*(?:[^\W\d_]+\s)?\(?(?:(\d{1,9})|([a-z]))[.):]\s")
"""The number of a step as authors write it: "2.", "(2)", "b)", "Step 2:"."""
_SHORT_SECTION = 700
"""A section of at most so many characters is one passage: a command and what it does."""


@dataclass(frozen=True)
class Passage:
    """A run of blocks under one heading, from `start` to `end` of its page's text.

    A short section is one passage. In longer ones a list comes with the sentence that leads into
    it and the listings between its items, a table with its header, a signature or a term with its
    description, a listing with the paragraph before it. `section` counts the headings above it on
    its page, `score` is that of its best record.
    """

    page: StoredPage
    placed: tuple[Placed, ...]
    section: int = 0
    score: float = 0.0

    @property
    def start(self) -> int:
        """The first character on the page."""
        return self.placed[0][0]

    @property
    def place(self) -> tuple[int, int]:
        """The place of the passage: the id of its page, and its first character there."""
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
        of_page, starts = _records(self.page)
        return of_page[bisect_left(starts, self.start) : bisect_left(starts, self.end)]

    def has(self, *kinds: BlockKind) -> bool:
        """Whether the passage has a block of one of these kinds."""
        return any(block.kind in kinds for block in self.blocks)

    @property
    def is_numbered(self) -> bool:
        """Whether the passage holds a list of at least two numbered steps."""
        return sum(_number(block) is not None for block in self.blocks) > 1


@lru_cache(maxsize=256)
def _records(page: StoredPage) -> tuple[tuple[Record, ...], list[int]]:
    """The records of a page in order, and where each begins."""
    ordered = tuple(sorted(records(page), key=lambda record: record.start))
    return ordered, [record.start for record in ordered]


@lru_cache(maxsize=256)
def passages_of(page: StoredPage) -> tuple[Passage, ...]:
    """Cut a page into its passages, in order; headings belong to none."""
    placed = tuple(page.spans())
    cut: list[Passage] = []
    i = section = 0
    while i < len(placed):
        if placed[i][2].kind is BlockKind.HEADING:
            i, section = i + 1, section + 1
            continue
        end = _end_of_short_section(placed, i) or _end(placed, i)
        cut.append(Passage(page, placed[i:end], section))
        i = end
    return tuple(cut)


def _end_of_short_section(placed: Sequence[Placed], i: int) -> int | None:
    """The place behind a section of a few words and listings that begins with block `i`."""
    if i > 0 and placed[i - 1][2].kind is not BlockKind.HEADING:
        return None
    own = takewhile(
        lambda p: (
            p[1] - placed[i][0] <= _SHORT_SECTION
            and p[2].path == placed[i][2].path
            and p[2].kind in (BlockKind.PARAGRAPH, BlockKind.CODE, BlockKind.LIST_ITEM)
        ),
        placed[i:],
    )
    end = i + len(list(own))
    whole = end == len(placed) or placed[end][2].kind is BlockKind.HEADING
    return end if whole and end > i else None


def _end(placed: Sequence[Placed], i: int) -> int:
    """The place behind the passage that begins with block `i`: with a sentence that leads in."""
    block = placed[i][2]
    if block.kind is BlockKind.PARAGRAPH and i + 1 < len(placed):
        follower = placed[i + 1][2]
        announces = block.text.rstrip().endswith(":") and follower.kind is not BlockKind.PARAGRAPH
        if follower.path == block.path and (
            announces or follower.kind is BlockKind.CODE or _number(follower) is not None
        ):
            return _end_of_run(placed, i + 1)
    return _end_of_run(placed, i)


def _end_of_run(placed: Sequence[Placed], i: int) -> int:
    block = placed[i][2]
    if block.kind is BlockKind.LIST_ITEM:
        return _end_of_list(placed, i)

    def belongs(other: Block) -> bool:
        match block.kind:
            case BlockKind.SIGNATURE:
                owned = other.path[: len(block.path)] == block.path
                return owned and other.kind not in (BlockKind.HEADING, BlockKind.SIGNATURE)
            case BlockKind.DEFINITION:
                return other.path[:-1] == block.path and other.kind is not BlockKind.HEADING
            case BlockKind.TABLE_HEADER | BlockKind.TABLE_ROW:
                return other.kind is BlockKind.TABLE_ROW
        return block.kind is other.kind is BlockKind.DRAWING

    end = i + 1
    while end < len(placed) and belongs(placed[end][2]):
        end += 1
    return end


def _end_of_list(placed: Sequence[Placed], i: int) -> int:
    """Behind the last item and its listings; a numbered list goes on to the next number."""
    path, number = placed[i][2].path, _number(placed[i][2])
    end = i + 1
    for at, (_, _, block) in enumerate(placed[end:], end):
        if block.kind is BlockKind.HEADING or block.path[: len(path)] != path:
            break
        following = _number(block)
        if number is not None and following == number + 1:
            end, number = at + 1, following
        elif block.kind is BlockKind.CODE or (block.kind is BlockKind.LIST_ITEM and at == end):
            end += at == end
        elif number is None:
            break
    # The last step may announce its listing.
    kinds = [block.kind for _, _, block in placed[end : end + 2]]
    announced = kinds == [BlockKind.PARAGRAPH, BlockKind.CODE]
    return end + 2 if announced and placed[end][2].text.rstrip().endswith(":") else end


def _number(block: Block) -> int | None:
    """The number of an item of a list."""
    match = _ORDINAL.match(block.text) if block.kind is BlockKind.LIST_ITEM else None
    if match is None:
        return None
    return int(match[1]) if match[1] else ord(match[2]) - ord("a") + 1


def best_passages(scored_records: Iterable[Record]) -> list[Passage]:
    """The passages that scored records stand in, best first, each with its best record's score."""
    scored: dict[tuple[int, int], Passage] = {}
    for record in scored_records:
        passage = _passage_of(record)
        known = scored.get(passage.place) if passage else None
        if passage and (known is None or known.score < record.score):
            scored[passage.place] = replace(passage, score=record.score)
    return sorted(scored.values(), key=lambda p: -p.score)


def _passage_of(record: Record) -> Passage | None:
    """The passage that a record stands in; none where it is a heading."""
    passages = passages_of(record.page)
    at = bisect(passages, record.start, key=lambda passage: passage.start) - 1
    return passages[at] if at >= 0 and record.start < passages[at].end else None


def section_of(passage: Passage) -> Iterator[Passage]:
    """The passages of the page under the same heading, in page order, itself among them."""
    return (p for p in passages_of(passage.page) if p.section == passage.section)


def short_section(passage: Passage, most: int = 2400) -> tuple[Passage, ...]:
    """The passages of its section in page order, if they have `most` characters; else none."""
    section = tuple(section_of(passage))
    return section if sum(len(p.text) for p in section) <= most else ()


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
    """Whether the last passage of a page goes on with the first of the next."""
    if left.place != passages_of(left.page)[-1].place:
        return False
    if right.place != passages_of(right.page)[0].place or left.path != right.path:
        return False
    last, first = left.blocks[-1], right.blocks[0]
    if last.kind is BlockKind.TABLE_ROW:
        rows = (block for block in right.blocks if block.kind is BlockKind.TABLE_ROW)
        return next(rows, first).header == last.header
    number, following = _number(last), _number(first)
    same = last.kind is first.kind is BlockKind.LIST_ITEM
    return same and following == (None if number is None else number + 1)
