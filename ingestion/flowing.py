"""Documents that flow, without pages of their own: HTML, Markdown, reStructuredText, plain text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256

from ingestion.kinds import classify
from ingestion.page import Block, BlockKind, Document, DocumentKind, UnreadableFile
from ingestion.sections import paginate

_NEW_DEFINITION = re.compile(r"\n{2,}(?= {0,4}\S)")


def flowing_document(data: bytes, file: str, title: str, blocks: Sequence[Block]) -> Document:
    """Cut blocks into pages and say what the document is for.

    Without a title the first heading serves, else the file's name. Raises UnreadableFile where
    there are no blocks.
    """
    if not blocks:
        raise UnreadableFile("there is no text in it")
    headings = (block.text for block in blocks if block.kind is BlockKind.HEADING)
    title = title or next(headings, "") or file.rpartition("/")[2]
    signatures = sum(block.kind is BlockKind.SIGNATURE for block in blocks)
    kind = classify(file, title, signature_share=signatures / len(blocks))
    if kind is DocumentKind.SOURCE_LISTING:
        blocks = [part for block in blocks for part in _definitions(block)]
    return Document(file, title, kind, sha256(data).hexdigest(), paginate(blocks))


def _definitions(block: Block) -> Iterator[Block]:
    """Part a whole source file's listing where something new is defined, as by headings."""
    if block.kind is not BlockKind.CODE:
        yield block
        return
    for part in _NEW_DEFINITION.split(block.text):
        yield replace(block, text=part.strip("\n"))
