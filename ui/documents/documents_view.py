"""The documents of a release: search them, view their pages, remove them."""

import streamlit as st
from streamlit.column_config import NumberColumn

from corpora.catalog.release_settings import ReleaseOverview
from corpora.documents.documents import Documents, ListedDocument
from ui.documents.deleting import confirm_documents
from ui.elements.frame import button, in_a_row
from ui.elements.table import download, search_box, table_in_pages
from ui.serving import services
from ui.sources.page_views import show_page_as_printed, show_page_as_read, show_page_as_text
from ui.wording.amounts import how_large, how_many
from ui.wording.escaping import as_label

_WAYS = ("As shown in the chat", "Block by block")


def show_documents(product: str, release: ReleaseOverview) -> None:
    """The documents that the chat answers from now."""
    if release.generation is None:
        st.markdown("No documents yet. They appear here after the first upload is processed.")
        return
    with in_a_row(key="documents-bar"):
        words = search_box("document words", "Search documents", "titles and file names")
        # The selection is known only after the table below has been drawn.
        actions = in_a_row()
    chosen = show_list(release.generation, words, choose="multi-row")
    with actions:
        if not chosen:
            st.markdown(":gray[Select rows to view or remove documents.]")
            return
        st.markdown(f"{how_many(len(chosen), 'document')} selected")
        if len(chosen) == 1 and button("View", icon="visibility"):
            title = as_label(chosen[0].title or chosen[0].file) or "Document"
            st.dialog(title, width="large", icon=":material/description:")(_pages)(chosen[0])
        if button("Remove …", icon="delete", key="delete-documents"):
            confirm_documents(product, release.name, tuple(document.file for document in chosen))


def show_list(generation: int, words: str = "", *, choose: str = "") -> list[ListedDocument]:
    """The documents of a generation, page by page; returns the selected ones."""
    documents = _documents()
    total = documents.find(generation, words, limit=0).total
    if not total:
        st.markdown("No title or file name matches.")
        return []
    return table_in_pages(
        total,
        f"documents of {generation} {words} {choose}",
        lambda first, size: documents.find(generation, words, offset=first, limit=size).documents,
        _row,
        {"Title": "large", "Pages": NumberColumn(width="small"), "Size": "small"},
        of="document",
        name="Documents",
        choose=choose,
    )


def _row(document: ListedDocument) -> dict[str, object]:
    return {
        "Title": document.title,
        "File": document.file,
        "Format": document.format,
        "Pages": document.pages,
        "Size": how_large(document.size),
    }


def _documents() -> Documents:
    return Documents(services.chatbot().database)


def _pages(document: ListedDocument) -> None:
    """The original page by page, and beside it the extracted text."""
    documents = _documents()
    ids = documents.page_ids(document.id)
    if not ids:
        st.info("This document is no longer available. It has been reprocessed or removed.")
        return
    with in_a_row():
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
    page = documents.page(ids[number - 1])
    original, read = st.columns(2, gap="medium")
    with original:
        st.markdown("**Original**")
        show_page_as_printed(documents.original, page)
        download(
            "Download original",
            lambda: documents.original(page.document.content_hash),
            page.document.file.rpartition("/")[2],
        )
    with read:
        st.markdown("**Extracted text**")
        if way == _WAYS[1]:
            show_page_as_read(page)
        else:
            with st.container(border=True):
                show_page_as_text(page)
