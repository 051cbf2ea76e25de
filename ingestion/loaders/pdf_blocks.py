"""The lines of a PDF become headings, paragraphs, lists, definitions, signatures and code."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, zip_longest

from ingestion.loaders.pdf_layout import Box, Line
from ingestion.loaders.pdf_strokes import Drawing
from ingestion.loaders.pdf_tables import Table
from ingestion.loaders.pdf_text import (
    Signature,
    Typography,
    Vocabulary,
    bullet,
    code_text,
    continues,
    is_open,
    is_term,
    signature,
)
from ingestion.page import Block, BlockKind
from ingestion.tables import table_blocks

_PARAMETER = re.compile(r"\*{0,2}[\w.]+ (?:\(.*\) )?–")
_CONTINUED = re.compile(
    r"\(?(?:table [\d.]+ [–-] )?continue[sd] (?:from previous|on next) page\)?", re.IGNORECASE
)
"""What typesetters write where a listing or a table is cut."""

_NUMBERED = re.compile(r"(\d+(?:\.\d+)*)\.? +\S")
_SMALLER = 0.6
"""Points by which notes are smaller than the text."""
_UNLISTED = 100
"""Levels of headings that the outline leaves out begin here, below all of its own."""


def squeeze(title: str) -> str:
    """Return a title without its number, spaces and punctuation, to compare it by."""
    return re.sub(r"\W+", "", re.sub(r"^[\dA-Z]?[\d.]*\s+", "", title.strip())).casefold()


@dataclass(frozen=True, slots=True)
class _Owner:
    name: str
    x0: float
    is_class: bool


@dataclass
class BlockReader:
    """Reads a document page by page; headings, owners and tables reach over page ends."""

    typography: Typography
    vocabulary: Vocabulary
    has_outline: bool
    _headings: list[tuple[int, str]] = field(default_factory=list)
    _pending: list[tuple[int, str]] = field(default_factory=list)
    _owners: list[_Owner] = field(default_factory=list)
    _bullets: list[float] = field(default_factory=list)
    _table: Table | None = None
    _code_left: float = 0.0
    _before: list[Block] = field(default_factory=list)

    def read(
        self, flows: Iterable[Sequence[Box]], outline: Sequence[tuple[int, str]]
    ) -> list[Block]:
        """Return the blocks of one page.

        `flows` are the page's columns in reading order; `outline` the level and title of the
        outline's entries on this page. An entry whose heading is not found takes effect at the
        next one that is, or at the end of the following page: some point to just before it. The
        next page may complete the last row in what was returned for this one.
        """
        overdue = len(self._pending)
        self._pending += outline
        expected = len(self._pending)
        blocks: list[Block] = []
        for flow in self._notes_last([list(flow) for flow in flows]):
            read: list[Block] = []
            cut = bool(flow) and _is_note(flow[0])
            flow = [item for item in flow if not _is_note(item)]
            for of_lines, group in groupby(flow, key=lambda item: isinstance(item, Line)):
                if of_lines:
                    lines = [item for item in group if isinstance(item, Line)]
                    read += self._read_lines(lines, continued=cut and not read)
                    continue
                for item in group:
                    read += self._read_figure(item, opens_page=not blocks and not read)
            if blocks and read and _runs_over(blocks[-1], read[0]):
                text = self.vocabulary.bridge(blocks[-1].text, read.pop(0).text)
                blocks[-1] = replace(blocks[-1], text=text)
            blocks += read
        self._before = blocks or self._before
        overdue -= expected - len(self._pending)
        for _ in range(overdue):
            self._enter(*self._pending.pop(0))
        return blocks

    def _notes_last(self, flows: list[list[Box]]) -> list[list[Box]]:
        """Let the notes at the foot of a column follow the last one, in which its text goes on."""
        notes: list[Box] = []
        for flow in flows[:-1]:
            first = len(flow)
            while first and self._is_small(flow[first - 1]):
                first -= 1
            begins = (i for i in range(first, len(flow)) if _begins_note(flow[i]))
            first = next(begins, len(flow)) if first else len(flow)
            notes += flow[first:]
            del flow[first:]
        return [*flows, notes] if notes else flows

    def _is_small(self, item: Box) -> bool:
        return isinstance(item, Line) and item.size < self.typography.body_size - _SMALLER

    def _enter(self, level: int, title: str) -> None:
        self._headings = [h for h in self._headings if h[0] < level]
        self._headings.append((level, title))

    def _listed(self, title: str) -> int | None:
        """Return where among this page's pending outline entries a title stands."""
        squeezed = squeeze(title)
        return next((i for i, (_, t) in enumerate(self._pending) if squeeze(t) == squeezed), None)

    def _path(self, x0: float) -> tuple[str, ...]:
        """Return the headings above, then the object whose description reaches to `x0`."""
        self._leave_owners(x0)
        headings = tuple(title for _, title in self._headings)
        return (*headings, self._owners[-1].name) if self._owners else headings

    def _leave_owners(self, x0: float) -> None:
        while self._owners and x0 <= self._owners[-1].x0 + 2:
            self._owners.pop()

    def _read_figure(self, item: Box, *, opens_page: bool) -> Iterator[Block]:
        path = self._path(item.x0 + 3)
        if isinstance(item, Drawing):
            self._table = None
            yield from (Block(BlockKind.DRAWING, text, path) for text in item.lines)
        elif isinstance(item, Table):
            above = self._table if opens_page else None
            shown = item
            if above is not None and item.continues(above):
                rest = item.cut_row(above) if self._ends_in_row() else None
                shown = item = item.with_header_of(above)
                if rest:
                    whole = self._completed(above, rest)
                    shown = item.without_row()
                    # A row alone on its page may go on once more.
                    item = shown if len(shown.cells) > shown.header_rows else item.in_place(whole)
            self._table = item
            if len(shown.cells) > shown.header_rows:
                yield from table_blocks(shown.cells, header_rows=shown.header_rows, path=path)

    def _ends_in_row(self) -> bool:
        return bool(self._before) and self._before[-1].kind is BlockKind.TABLE_ROW

    def _completed(self, above: Table, rest: Sequence[str]) -> tuple[str, ...]:
        """Let the row that began on the page before be whole there, and return it."""
        pairs = zip(above.cells[-1], rest, strict=True)
        row = tuple(self.vocabulary.bridge(one, two) if two else one for one, two in pairs)
        cells = (*above.cells[: above.header_rows], row)
        path = self._before[-1].path
        *_, self._before[-1] = table_blocks(cells, header_rows=above.header_rows, path=path)
        return row

    def _read_lines(self, lines: Sequence[Line], *, continued: bool) -> Iterator[Block]:
        self._table = None
        right = max(line.x1 for line in lines)
        i = 0
        while i < len(lines):
            line, following = lines[i], lines[i + 1] if i + 1 < len(lines) else None
            spaced = i == 0 or not self.typography.adjoins(lines[i - 1], line)
            end = self._heading_end(lines, i, spaced=spaced)
            if end > i:
                yield self._heading(lines[i:end])
            elif found := signature(line):
                end = self._signature_end(lines, i)
                yield self._signature(found, lines[i:end])
            elif line.mono and not is_term(line, following, self.typography):
                end = _code_end(lines, i)
                yield self._code(lines[i:end], continued=continued and i == 0)
            elif is_term(line, following, self.typography):
                described = self._paragraph(lines[i + 1], lines[i + 2 :], right)
                end = i + 1 + len(described)
                yield self._definition(line, described)
            elif mark := bullet(line):
                item = self._paragraph(
                    _without_mark(line, mark[1]), lines[i + 1 :], right, hanging=True
                )
                end = i + len(item)
                yield self._list_item(line.x0, item, *mark)
            else:
                paragraph = self._paragraph(line, lines[i + 1 :], right)
                end = i + len(paragraph)
                self._bullets = [x for x in self._bullets if x <= line.x0 + 2]
                text = self.vocabulary.join(paragraph)
                yield Block(BlockKind.PARAGRAPH, text, self._path(line.x0))
            i = end

    def _heading_end(self, lines: Sequence[Line], i: int, *, spaced: bool) -> int:
        """Return the line after the heading that begins at `i`, or `i` if none does."""
        for end in range(min(i + 3, len(lines)), i, -1):
            part = lines[i:end]
            same = all(line.size == part[0].size and line.bold == part[0].bold for line in part)
            title = self.vocabulary.join(part)
            if same and not part[0].mono and self._listed(title) is not None:
                return end
        following = lines[i + 1] if i + 1 < len(lines) else None
        if not self.typography.is_heading(lines[i], following, spaced=spaced):
            return i
        end = i + 1
        while end < len(lines) and self._same_heading(lines[end - 1], lines[end]):
            end += 1
        return end

    def _same_heading(self, before: Line, after: Line) -> bool:
        larger = before.size > self.typography.body_size + 0.6
        return (
            larger
            and before.font == after.font
            and before.size == after.size
            and 0 < after.base - before.base < 1.5 * before.size
            and not _NUMBERED.match(after.text)
        )

    def _heading(self, lines: Sequence[Line]) -> Block:
        title = self.vocabulary.join(lines).removesuffix("¶")
        listed = self._listed(title)
        if listed is None:
            sizes, size = self.typography.heading_sizes, lines[0].size
            level = _UNLISTED + (sizes.index(size) if size in sizes else len(sizes))
            if not self.has_outline and (numbered := _NUMBERED.match(title)):
                level = numbered[1].count(".") + 1
        else:
            for passed in self._pending[:listed]:
                self._enter(*passed)
            level, entry = self._pending[listed]
            if _NUMBERED.match(entry) and not _NUMBERED.match(title):
                title = entry
            del self._pending[: listed + 1]
        self._enter(level, title)
        self._leave_owners(lines[0].x0)
        self._bullets.clear()
        return Block(BlockKind.HEADING, title, tuple(t for _, t in self._headings))

    def _signature_end(self, lines: Sequence[Line], i: int) -> int:
        end = i + 1
        text = lines[i].text
        while end < min(len(lines), i + 12) and is_open(text) and lines[end].x0 > lines[i].x0:
            text += lines[end].text
            end += 1
        return end if not is_open(text) else i + 1

    def _signature(self, found: Signature, lines: Sequence[Line]) -> Block:
        x0 = lines[0].x0
        self._leave_owners(x0)
        owner = self._owners[-1] if self._owners else None
        above = f"{owner.name}." if owner and owner.is_class else found.module
        self._owners.append(_Owner(above + found.name, x0, found.is_class))
        self._bullets.clear()
        return Block(BlockKind.SIGNATURE, self.vocabulary.join(lines), self._path(x0 + 3))

    def _code(self, lines: Sequence[Line], *, continued: bool) -> Block:
        left = min(line.x0 for line in lines)
        self._code_left = min(left, self._code_left) if continued else left
        return Block(BlockKind.CODE, code_text(lines, self._code_left), self._path(left))

    def _definition(self, term: Line, lines: Sequence[Line]) -> Block:
        joint = " " if term.text[-1] in ":–—" else ": "
        text = term.text + joint + self.vocabulary.join(lines)
        return Block(BlockKind.DEFINITION, text, self._path(term.x0))

    def _list_item(self, x0: float, lines: Sequence[Line], mark: str, text_x0: float) -> Block:
        path = self._path(x0)
        self._bullets = [x for x in self._bullets if x <= x0 + 2]
        level = len(self._bullets)
        self._bullets.append(text_x0)
        text = self.vocabulary.join(lines)
        if _PARAMETER.match(text):
            return Block(BlockKind.DEFINITION, text, path)
        return Block(BlockKind.LIST_ITEM, f"{'  ' * level}{mark} {text}", path)

    def _paragraph(
        self, first: Line, below: Sequence[Line], right: float, *, hanging: bool = False
    ) -> list[Line]:
        """Return the lines of the paragraph that begins with `first` and goes on below.

        `hanging` says that a mark stands left of it, so that a line below is part of it however
        short it is.
        """
        paragraph = [first]
        for line, following in zip_longest(below, below[1:]):
            goes_on = continues(paragraph, line, right, self.typography, hanging=hanging)
            if not goes_on or (signature(line) and is_term(line, following, self.typography)):
                break
            paragraph.append(line)
        return paragraph


def _begins_note(item: Box) -> bool:
    return isinstance(item, Line) and item.text[0] in "0123456789*†‡§"


def _is_note(item: Box) -> bool:
    return isinstance(item, Line) and bool(_CONTINUED.fullmatch(item.text))


def _runs_over(before: Block, after: Block) -> bool:
    """Whether a paragraph goes on at the top of the next column."""
    return (
        before.kind in {BlockKind.PARAGRAPH, BlockKind.LIST_ITEM}
        and after.kind is BlockKind.PARAGRAPH
        and before.text[-1] not in ".:;!?"
        and after.text[0].islower()
    )


def _without_mark(line: Line, text_x0: float) -> Line:
    return Line(text_x0, line.y0, line.x1, line.y1, line.runs[1:], line.base)


def _code_end(lines: Sequence[Line], i: int) -> int:
    for end in range(i + 1, len(lines)):
        before, after = lines[end - 1], lines[end]
        step = after.base - before.base
        if not after.mono or signature(after) or not 0 < step < 3.1 * before.size:
            return end
    return len(lines)
