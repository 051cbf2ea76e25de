"""The documents of a release: searched, paged, chosen to be looked into or removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ui.documents.deleting import confirm_documents
from ui.documents.document_view import look_into
from ui.serving import services
from ui.wording.amounts import how_large, how_many

if TYPE_CHECKING:
    from corpora.catalog.release_settings import ReleaseOverview
    from corpora.documents.documents import FoundDocuments, ListedDocument

_AT_ONCE = 25


def show_documents(product: str, release: ReleaseOverview) -> None:
    """The documents that the chat answers from now."""
    if release.generation is None:
        st.markdown("No documents yet. They appear here after the first upload is processed.")
        return
    with st.container(horizontal=True, vertical_alignment="center", key="documents-bar"):
        words = st.text_input(
            "Search documents",
            key="document words",
            type="search",
            live=True,
            placeholder="Search in titles and file names",
            label_visibility="collapsed",
            width=360,
        )
        # What is chosen is known only once the table below has been drawn.
        actions = st.container(horizontal=True, vertical_alignment="center")
    chosen = show_table(release.generation, words or "", choose=True)
    with actions:
        _actions(product, release.name, chosen)


def show_table(
    generation: int, words: str = "", *, choose: bool = False
) -> tuple[ListedDocument, ...]:
    """A page of the documents of a generation; returns those that are chosen."""
    from corpora.documents.documents import Documents

    documents = Documents(services.chatbot().database)
    # The table stands above, and what it holds depends on the choice of the page below it.
    above, below = st.container(), st.container()
    pages = max(1, -(-documents.find(generation, words, limit=0).total // _AT_ONCE))
    with below:
        page = 1
        if pages > 1:
            page = st.pagination(pages, key=f"page of {generation} {words}")
    found = documents.find(generation, words, offset=(page - 1) * _AT_ONCE, limit=_AT_ONCE)
    with above:
        if not found.total:
            st.markdown("No title or file name matches.")
            return ()
        rows = _table(found, f"table of {generation} {words} {page}" if choose else None)
        first = (page - 1) * _AT_ONCE + 1
        st.caption(
            f"{first:,}–{first + len(found.documents) - 1:,} of {how_many(found.total, 'document')}"
        )
    return tuple(found.documents[row] for row in rows if row < len(found.documents))


def _table(found: FoundDocuments, key: str | None) -> list[int]:
    rows = [
        {
            "Title": document.title,
            "File": document.file,
            "Format": document.format,
            "Pages": document.pages,
            "Size": how_large(document.size),
        }
        for document in found.documents
    ]
    config = {
        "Title": st.column_config.TextColumn(width="large"),
        "File": st.column_config.TextColumn(width="large"),
        "Format": st.column_config.TextColumn(width="small"),
        "Pages": st.column_config.NumberColumn(width="small"),
        "Size": st.column_config.TextColumn(width="small"),
    }
    if key is None:
        st.dataframe(rows, column_config=config, hide_index=True, alt="Documents")
        return []
    state = st.dataframe(
        rows,
        column_config=config,
        hide_index=True,
        alt="Documents",
        key=key,
        on_select="rerun",
        selection_mode="multi-row",
        height="content",
    )
    return list(state["selection"]["rows"])


def _actions(product: str, release: str, chosen: tuple[ListedDocument, ...]) -> None:
    if not chosen:
        st.markdown(":gray[Select rows to view or remove documents.]")
        return
    st.markdown(f"{how_many(len(chosen), 'document')} selected")
    if len(chosen) == 1 and st.button("View", icon=":material/visibility:"):
        look_into(chosen[0])
    if st.button("Remove …", icon=":material/delete:", key="delete-documents"):
        confirm_documents(product, release, tuple(document.file for document in chosen))
