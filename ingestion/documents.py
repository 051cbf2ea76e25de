"""What was read of a file becomes a document, judged by its name, its title and its blocks."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256

from ingestion.page import Block, BlockKind, Document, DocumentKind, Page, UnreadableFile
from ingestion.sections import paginate

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
    kinds = [block.kind for page in pages for block in page.blocks]
    share = kinds.count(BlockKind.SIGNATURE) / max(1, len(kinds))
    kind = classify(file, title, signature_share=share)
    return Document(file, title, kind, sha256(data).hexdigest(), tuple(pages), remarks)


def flowing_document(data: bytes, file: str, title: str, blocks: Sequence[Block]) -> Document:
    """Make a document of blocks, cut into pages.

    Without a title the first heading serves, else the file's name. Raises UnreadableFile where
    there are no blocks.
    """
    if not blocks:
        raise UnreadableFile("there is no text in it")
    headings = (block.text for block in blocks if block.kind is BlockKind.HEADING)
    title = title or next(headings, "") or file.rpartition("/")[2]
    read = document(data, file, title, paginate(blocks))
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
