"""Stored pages made by hand, for tests of what reads them."""

from corpora.indexing.pages import StoredDocument, StoredPage
from ingestion.page import Block, DocumentKind


def stored_page(*blocks: Block, file: str = "guide.html", title: str = "Guide") -> StoredPage:
    document = StoredDocument(1, file, title, DocumentKind.REFERENCE, "0" * 64)
    return StoredPage(1, blocks, id=1, document=document)
