"""A document page by page: the original, and beside it what was read from it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ui.serving import services
from ui.sources.page_views import show_page_as_printed, show_page_as_read, show_page_as_text
from ui.wording.escaping import as_label

if TYPE_CHECKING:
    from corpora.documents.documents import Documents, ListedDocument
    from corpora.indexing.pages import StoredPage

_AS_READ = "Block by block"
_WAYS = ("As shown in the chat", _AS_READ)


def look_into(document: ListedDocument) -> None:
    """Open a document in a window over the page."""
    title = as_label(document.title or document.file) or "Document"
    st.dialog(title, width="large", icon=":material/description:")(_document)(document)


def _document(document: ListedDocument) -> None:
    from corpora.documents.documents import Documents

    documents = Documents(services.chatbot().database)
    ids = documents.page_ids(document.id)
    if not ids:
        st.info("This document is no longer available. It has been reprocessed or removed.")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f":gray[{as_label(document.file, 300)}]", width="stretch")
        number = 1
        if len(ids) > 1:
            number = st.pagination(len(ids), key=f"page of document {document.id}")
        way = st.segmented_control(
            "Extracted text",
            _WAYS,
            default=_WAYS[0],
            required=True,
            label_visibility="collapsed",
            key="way to show a page",
        )
    _side_by_side(documents, documents.page(ids[number - 1]), way)


def _side_by_side(documents: Documents, page: StoredPage, way: str) -> None:
    original, read = st.columns(2, gap="medium")
    with original:
        st.markdown("**Original**")
        show_page_as_printed(documents, page)
        _download(documents, page)
    with read:
        st.markdown("**Extracted text**")
        if way == _AS_READ:
            show_page_as_read(page)
        else:
            with st.container(border=True):
                show_page_as_text(page)


def _download(documents: Documents, page: StoredPage) -> None:
    def data() -> bytes:
        return documents.original(page.document.content_hash)

    st.download_button(
        "Download original",
        data,
        file_name=page.document.file.rpartition("/")[2],
        mime="application/octet-stream",
        icon=":material/download:",
        on_click="ignore",
    )
