"""What every loader yields: a document cut into pages, a page made of blocks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from itertools import pairwise, takewhile
from pathlib import PurePosixPath

from ingestion.messages import Told


class DocumentKind(StrEnum):
    """What a document is for; retrieval weighs the kinds differently."""

    REFERENCE = "reference"
    GUIDE = "guide"
    RELEASE_NOTES = "release_notes"
    SOURCE_LISTING = "source_listing"


class BlockKind(StrEnum):
    """The role of a block of text on its page."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    DEFINITION = "definition"
    SIGNATURE = "signature"
    CODE = "code"
    TABLE_HEADER = "table_header"
    TABLE_ROW = "table_row"
    DRAWING = "drawing"


CELL_DELIMITER = " — "
"""Between the cells of a table line (QAMR III-A, figure 2)."""
TERM_DELIMITER = " – "
"""Between a term of a definition list and its description."""


_HAN = (
    "[\u2e80-\u2fdf\u3001-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff9f"
    "\U00020000-\U0003ffff]"
)
_WRAPPED = re.compile(rf"(?<={_HAN})[ \t]*\n[ \t]*(?={_HAN})")


def collapse(text: str) -> str:
    """Join runs of white space, non-breaking spaces among them, to single spaces.

    Where a line ends between Han characters or kana, which have no spaces, there is none; nor is
    there a hyphen that is shown only where a line ends.
    """
    return " ".join(_WRAPPED.sub("", text.replace("\u00ad", "")).split())


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture that stands at a block, with what stands below it and what is read out of it.

    `place` says where its bytes are: a path beside the document, or within the document itself
    what `ingestion.figures` lists.
    """

    place: str
    caption: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as it is kept, drawn anew as PNG or WebP.

    `original` is the sha256 of what it was made of. `data` is empty where it is kept already.
    """

    content_hash: str
    width: int
    height: int
    original: str
    data: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True)
class Block:
    """A run of text that is never cut: a paragraph, a table row, a code listing.

    `path` leads to the block from the document's top: the headings above it, then whatever owns
    it inside its section (a class, a function, a parameter). `anchor` is the nearest anchor at or
    before the block, without "#". For table rows `header` holds the cells of the header row.
    `figures` stand in the block or right behind it.
    """

    kind: BlockKind
    text: str
    path: tuple[str, ...] = ()
    anchor: str | None = None
    header: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()


_TIGHT = {BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW, BlockKind.LIST_ITEM, BlockKind.DRAWING}


@dataclass(frozen=True)
class Page:
    """A PDF page, or a run of neighbouring sections of an HTML or text document.

    `number` counts from 1 within the document; for a PDF it is the page number.
    """

    number: int
    blocks: tuple[Block, ...]

    @cached_property
    def text(self) -> str:
        """The blocks in reading order, one line apart in tables and lists, else two."""
        return "".join(f"{gap}{block.text}" for gap, block in self._spaced())

    def spans(self) -> Iterator[tuple[int, int, Block]]:
        """Yield (start, end, block) with character offsets into `text`."""
        end = 0
        for gap, block in self._spaced():
            start = end + len(gap)
            end = start + len(block.text)
            yield start, end, block

    def _spaced(self) -> Iterator[tuple[str, Block]]:
        yield from (("", block) for block in self.blocks[:1])
        for before, block in pairwise(self.blocks):
            yield "\n" if {before.kind, block.kind} <= _TIGHT else "\n\n", block

    @property
    def heading_path(self) -> tuple[str, ...]:
        """The headings shared by all blocks of the page, outermost first."""
        levels = zip(*(block.path for block in self.blocks), strict=False)
        return tuple(names[0] for names in takewhile(lambda names: len({*names}) == 1, levels))

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures of its blocks, in order."""
        return tuple(figure for block in self.blocks for figure in block.figures)

    @property
    def anchor(self) -> str | None:
        """The anchor at which the page begins, where the format has any."""
        return next((b.anchor for b in self.blocks if b.anchor), None)

    @property
    def anchors(self) -> tuple[str, ...]:
        """Every anchor on the page, in order, without repetition."""
        return tuple(dict.fromkeys(b.anchor for b in self.blocks if b.anchor))


@dataclass(frozen=True)
class Document:
    """One file as it was read: title, kind and pages in order.

    `file` is the path relative to what was ingested, with "/" between its parts; `content_hash`
    the sha256 of the file's bytes. `remarks` say what of it was not read, in words for the person
    who ingested it. `expanded` are the bytes with what the file includes, where it does; `pictures`
    those of its figures that can be shown, by their places.
    """

    file: str
    title: str
    kind: DocumentKind
    content_hash: str
    pages: tuple[Page, ...] = field(repr=False)
    remarks: tuple[str, ...] = ()
    expanded: bytes | None = field(default=None, repr=False, compare=False)
    pictures: dict[str, Picture] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A file that was left out, and why, in words for the person who ingested it.

    `expected` where nothing is wrong with it: a generated index holds nothing to read.
    `passed_over` where it is data, not documentation: such files are counted, not named.
    """

    file: str
    reason: str
    expected: bool = False
    passed_over: bool = False


_NUMBERED = {".pdf": "page", ".pptx": "slide", ".pptm": "slide"}


def numbered_place(file: str, number: int) -> str:
    """Say "page 3" or "slide 3" where the file itself numbers its pages; else ""."""
    word = _NUMBERED.get(PurePosixPath(file).suffix.lower(), "")
    return f"{word} {number}" if word else ""


@dataclass(frozen=True, slots=True)
class Remark:
    """What of a file was not read though the rest was, in words for the person who ingested it."""

    file: str
    text: str


class UnreadableFile(Told):
    """A loader cannot read this file; the message says why and what to do."""


class NothingToRead(UnreadableFile):
    """Nothing is wrong with the file, but there is nothing in it to answer from."""


class NotDocumentation(NothingToRead):
    """The file is data of a format that only now and then holds documentation, such as JSON."""
