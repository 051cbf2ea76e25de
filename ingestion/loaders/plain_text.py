"""Plain text files become documents, those in reStructuredText as such."""

import re

from ingestion.decoding import decode
from ingestion.flowing import flowing_document
from ingestion.loaders import restructured_text
from ingestion.page import Document
from ingestion.plain_blocks import plain_blocks

_REST = re.compile(r"^\.\. (?:[a-z][\w:-]*::(?:\s|$)|_[^:\n]+:)", re.M)
"""A directive or a target of reStructuredText, which many projects keep in .txt files."""


def load(data: bytes, file: str) -> Document:
    """Read a plain text file into pages cut along its headings.

    Raises UnreadableFile where there is no text.
    """
    text = decode(data)
    if _REST.search(text):
        return restructured_text.load(data, file)
    return flowing_document(data, file, "", list(plain_blocks(text)))
