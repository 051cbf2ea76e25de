"""What was read of a file becomes a document: what it is for, and its pages."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import groupby
from math import ceil

from ingestion.decoding import seen
from ingestion.page import (
    CELL_DELIMITER,
    Block,
    BlockKind,
    Document,
    DocumentKind,
    Page,
    UnreadableFile,
)

_SOURCE_FILE = re.compile(r"(^|/)(_modules|_sources?|source)/|(^|/)viewcode", re.IGNORECASE)
_SOURCE_TITLE = re.compile(
    r"^source code (for|of)\b|\bsource (listing|code)$|\.(py|c|h|cc|cpp|java|js|rs|go) source$",
    re.IGNORECASE,
)
_RELEASE_NOTES = re.compile(
    r"""^(the\s)?changes(\s(in|to|and|since|of)\b|$) | \bchange[\s_-]*logs?\d*\b
      | \brelease[\s_-]*(notes?|history)\b | ^release[\s_-]+\d[\w.]*$
      | \bwhat.?s[\s_-]*new(\d|\b) | \bmigrat(ion|ing)[\s_-]*(\d|to\b|from\b)
      | \bmajor\smigration\b | \bupgrad(e|ing)[\s_-]*notes?\b | \bbreaking[\s_-]*changes\b""",
    re.IGNORECASE | re.VERBOSE,
)
_RELEASE_NOTES_FILE = re.compile(
    r"\b(changes|history|news)$"
    r"|\b(changes|releases?|announce\w*|history|news|changelogs?) v?\d+( \d\w*| x)*$",
    re.IGNORECASE,
)
_GUIDE = re.compile(
    r"""\b( tutorials? | guides? | \w*guide | intro(duction)? | overview | faqs?
          | frequently[\s_-]asked | install(ation|ing)? | getting[\s_-]*started | quick[\s_-]*start
          | how[\s_-]*to | cookbook | examples? | walk[\s_-]*through | first[\s_-]steps
          | upgrad(e|ing) )\b""",
    re.IGNORECASE | re.VERBOSE,
)
_REFERENCE = re.compile(
    r"\b(api|reference|spec(ification)?|manual|glossary|commands?|parameters?)\b", re.IGNORECASE
)
_MOSTLY_SIGNATURES = 0.2


def classify(file: str, title: str, *, signature_share: float = 0.0) -> DocumentKind:
    """Say what a document is for; REFERENCE where nothing speaks for another kind.

    `file` is the path as ingested, `title` the document's own, `signature_share` the part of its
    blocks that are signatures (0 to 1): a page full of signatures is a reference, whatever guide
    or tutorial it stands among.
    """
    words = re.sub(r"[_\-./]+", " ", re.sub(r"\.\w{1,5}$", "", file))
    title = title.strip()
    if _SOURCE_FILE.search(file) or _SOURCE_TITLE.search(title):
        return DocumentKind.SOURCE_LISTING
    if any(map(_RELEASE_NOTES.search, (words, title))) or _RELEASE_NOTES_FILE.search(words):
        return DocumentKind.RELEASE_NOTES
    if signature_share >= _MOSTLY_SIGNATURES or _REFERENCE.search(title):
        return DocumentKind.REFERENCE
    if _GUIDE.search(title) or _GUIDE.search(words):
        return DocumentKind.GUIDE
    return DocumentKind.REFERENCE


_NEW_DEFINITION = re.compile(r"\n{2,}(?= {0,4}\S)")


def document(
    data: bytes, file: str, title: str, pages: Sequence[Page], remarks: tuple[str, ...] = ()
) -> Document:
    """Say what the pages that were read of a file are for."""
    pages, title = tuple(map(_as_seen, pages)), seen(title)
    kinds = [block.kind for page in pages for block in page.blocks]
    share = kinds.count(BlockKind.SIGNATURE) / max(1, len(kinds))
    kind = classify(file, title, signature_share=share)
    return Document(file, title, kind, sha256(data).hexdigest(), pages, remarks)


def _as_seen(page: Page) -> Page:
    """A page without signs that nobody sees, which a format may also write by their names."""
    texts = (t for block in page.blocks for t in (block.text, *block.path, *block.header))
    if not any(seen(text) != text for text in texts):
        return page
    blocks = (
        replace(
            block,
            text=seen(block.text),
            path=tuple(filter(None, map(seen, block.path))),
            header=tuple(map(seen, block.header)),
        )
        for block in page.blocks
    )
    # A paragraph that held nothing else only keeps a distance.
    return replace(page, blocks=tuple(b for b in blocks if b.text or b.figures))


def flowing_document(
    data: bytes, file: str, title: str, blocks: Sequence[Block], remarks: tuple[str, ...] = ()
) -> Document:
    """Make a document of blocks, cut into pages.

    Without a title the first heading serves, else the file's name. Raises UnreadableFile where
    there are no blocks.
    """
    if not blocks:
        raise UnreadableFile("there is no text in it")
    headings = (block.text for block in blocks if block.kind is BlockKind.HEADING)
    title = title or next(headings, "") or file.rpartition("/")[2]
    read = document(data, file, title, paginate(blocks), remarks)
    if read.kind is not DocumentKind.SOURCE_LISTING:
        return read
    parts = [part for block in blocks for part in _definitions(block)]
    return replace(read, pages=paginate(parts))


def _definitions(block: Block) -> Iterator[Block]:
    """Part a whole source file's listing where something new is defined, as by headings."""
    if block.kind is not BlockKind.CODE:
        yield block
        return
    for part in _NEW_DEFINITION.split(block.text):
        yield replace(block, text=part.strip("\n"))
        block = replace(block, figures=())


_BETWEEN_BLOCKS = 2
_OPENERS = {BlockKind.HEADING, BlockKind.SIGNATURE, BlockKind.TABLE_HEADER}
_RUNNING = {BlockKind.PARAGRAPH, BlockKind.DEFINITION, BlockKind.LIST_ITEM}
_SHORT = 60
"""A paragraph below this ("References: #4507") says nothing at the top of a page."""
_HUGE = 10
"""Of how many pages' length a table row or a listing is split, too."""
_LINE_END = re.compile(r"\n")
_SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+|\n")


@dataclass(frozen=True, slots=True)
class _Run:
    """Blocks that stay on one page; `path` is the place that they belong to."""

    blocks: tuple[Block, ...]
    path: tuple[str, ...]
    size: int


def paginate(blocks: Sequence[Block], *, limit: int = 3000) -> tuple[Page, ...]:
    """Cut blocks, in order, into pages of at most about `limit` characters along their paths.

    Neighbouring sections of one parent share a page while they fit; a section that is too long
    is cut first between its own subsections, then between blocks. Only running text longer than
    `limit` is split, at its sentences; any other block stays whole up to ten times that, so a
    giant table row or listing makes a longer page. A heading, a signature or a table's header
    never ends a page that something follows, and a table that is cut begins again with its header.
    """
    runs = _tie([piece for block in blocks for piece in _split_long(block, limit)], limit)
    pages = [[block for run in group for block in run.blocks] for group in _divide(runs, 0, limit)]
    return tuple(
        Page(number, (*_repeated_header(before, page), *page))
        for number, (before, page) in enumerate(zip([[], *pages], pages, strict=False), start=1)
    )


def _split_long(block: Block, limit: int) -> Iterator[Block]:
    """Split running text at sentence ends, else between words, else where the limit falls.

    Other text is split at its lines, where it is so long that it would fill many pages.
    """
    running = block.kind in _RUNNING
    limit = limit if running else limit * _HUGE
    text, kind, start = block.text, block.kind, 0
    while len(text) - start > limit:
        ends = _SENTENCE_END if running else _LINE_END
        found = [m.start() for m in ends.finditer(text, start + limit // 4, start + limit + 1)]
        cut = found[-1] if found else text.rfind(" ", start + 1, start + limit + 1)
        cut = cut if cut > start else start + limit
        yield replace(block, kind=kind, text=text[start:cut].rstrip())
        block = replace(block, figures=())
        while text[cut : cut + 1].isspace():
            cut += 1
        start, kind = cut, BlockKind.PARAGRAPH if running else kind
    if start < len(text):
        yield replace(block, kind=kind, text=text[start:])


def _tie(blocks: Sequence[Block], limit: int) -> list[_Run]:
    runs: list[_Run] = []
    tied: list[Block] = []
    size = 0
    for i, block in enumerate(blocks):
        tied.append(block)
        size += len(block.text) + _BETWEEN_BLOCKS
        follower = blocks[i + 1] if i + 1 < len(blocks) else None
        if follower and _belong_together(block, follower, size, limit):
            continue
        runs.append(_Run(tuple(tied), _place(block, follower), size))
        tied, size = [], 0
    return runs


def _place(block: Block, follower: Block | None) -> tuple[str, ...]:
    """Let a definition stand where the text that continues it stands, one step inside."""
    if follower and block.kind is BlockKind.DEFINITION and follower.path[:-1] == block.path:
        return follower.path
    return block.path


def _belong_together(block: Block, follower: Block, size: int, limit: int) -> bool:
    if block.kind is BlockKind.SIGNATURE:
        return size <= limit and follower.path[: len(block.path)] == block.path
    if block.kind in _OPENERS:
        return size <= limit
    if size + len(follower.text) > limit or block.kind not in _RUNNING:
        return False
    rest = follower.kind is BlockKind.PARAGRAPH and len(follower.text) < _SHORT
    leads_in = follower.kind is BlockKind.CODE or block.text.endswith(":")
    return leads_in or (rest and follower.path == block.path)


def _divide(runs: Sequence[_Run], depth: int, limit: int) -> list[list[_Run]]:
    """Put runs on pages, cutting at the shallowest depth at which the path changes."""
    if _size(runs) <= limit:
        return [list(runs)] if runs else []
    if all(len(run.path) <= depth for run in runs):
        return _pack([[run] for run in runs], limit)
    pages: list[list[_Run]] = []
    small: list[list[_Run]] = []
    for _, members in groupby(runs, key=lambda run: run.path[: depth + 1]):
        section = list(members)
        if _size(section) <= limit:
            small.append(section)
        else:
            pages += [*_pack(small, limit), *_divide(section, depth + 1, limit)]
            small = []
    return _without_scraps([*pages, *_pack(small, limit)], limit)


def _pack(units: Sequence[list[_Run]], limit: int) -> list[list[_Run]]:
    """Put whole units on pages of about equal size, each within the limit where its units fit."""
    sizes = [_size(unit) for unit in units]
    goal = sum(sizes) / max(ceil(sum(sizes) / limit), 1)
    pages: list[list[_Run]] = []
    filled = 0
    for unit, size in zip(units, sizes, strict=True):
        if pages and filled + size <= limit and filled + size / 2 <= goal:
            pages[-1] += unit
            filled += size
        else:
            pages.append(list(unit))
            filled = size
    return pages


def _without_scraps(pages: Sequence[list[_Run]], limit: int) -> list[list[_Run]]:
    """Let a page of a few lines join its neighbour where both fit on one."""
    joined: list[list[_Run]] = []
    for page in pages:
        sizes = (_size(joined[-1]) if joined else limit, _size(page))
        if min(sizes) < limit // 5 and sum(sizes) <= limit:
            joined[-1] += page
        else:
            joined.append(page)
    return joined


def _size(runs: Sequence[_Run]) -> int:
    return sum(run.size for run in runs)


def _repeated_header(before: Sequence[Block], page: Sequence[Block]) -> tuple[Block, ...]:
    first = page[0]
    if first.kind is not BlockKind.TABLE_ROW or not first.header or not before:
        return ()
    text = CELL_DELIMITER.join(first.header)
    return (replace(first, kind=BlockKind.TABLE_HEADER, text=text, header=(), figures=()),)
