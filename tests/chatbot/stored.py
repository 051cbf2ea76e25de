"""Stored pages made by hand, for tests of what reads them."""

from __future__ import annotations

from corpora.indexing.pages import StoredDocument, StoredPage
from ingestion.page import Block, DocumentKind, Page


def stored_page(*blocks: Block, file: str = "guide.html", title: str = "Guide") -> StoredPage:
    page = Page(1, blocks)
    document = StoredDocument(1, file, title, DocumentKind.REFERENCE, "html", "0" * 64)
    return StoredPage(
        id=1,
        number=1,
        document=document,
        blocks=blocks,
        text=page.text,
        anchor=page.anchor,
        heading_path=page.heading_path,
        previous_id=None,
        next_id=None,
    )
