"""The page of a document that a citation names, with the quoted words marked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from ui import services
from ui.escaping import as_label
from ui.page_blocks import page_pieces
from ui.page_picture import NoPicture, page_picture

if TYPE_CHECKING:
    from corpora.corpus import Corpus
    from corpora.pages import StoredPage

_SHOWN = "page_shown"


def show_source(product: str, citation: Mapping[str, Any]) -> None:
    """Open the page of a citation beside the answer."""
    st.session_state[_SHOWN] = citation["page_id"]
    open_beside = st.dialog(
        as_label(citation["document"]) or "Source",
        width=640,
        position="right",
        icon=":material/description:",
    )
    open_beside(_source)(product, citation)


def _source(product: str, citation: Mapping[str, Any]) -> None:
    from corpora.catalog import CatalogError

    try:
        corpus = services.chatbot().corpora.corpus(product, citation["release"])
        page = corpus.page(st.session_state[_SHOWN])
    except (CatalogError, LookupError) as error:
        st.error(as_label(str(error), 400), icon=":material/error:")
        return
    _head(corpus, page)
    _steps(page, citation["page_id"])
    quote = citation["quote"] if page.id == citation["page_id"] else ""
    if page.document.format == "pdf":
        _as_printed(corpus, page, quote)
    else:
        _as_text(page, quote)


def _head(corpus: Corpus, page: StoredPage) -> None:
    document = page.document
    headings = [heading for heading in page.heading_path if heading != document.title]
    place = [f"page {page.number}"] if document.format == "pdf" else headings
    st.markdown(
        f":primary-badge[{as_label(f'{corpus.product} {corpus.release}')}] "
        f":gray[{as_label(' › '.join([document.file, *place]), 300)}]"
    )


def _steps(page: StoredPage, cited: int) -> None:
    def go(to: int | None) -> None:
        st.session_state[_SHOWN] = to

    with st.container(horizontal=True, key="steps"):
        for label, icon, to in (
            ("Previous page", ":material/chevron_left:", page.previous_id),
            ("Next page", ":material/chevron_right:", page.next_id),
        ):
            st.button(
                label, icon=icon, disabled=to is None, on_click=go, args=(to,), key=f"go {label}"
            )
        if page.id != cited:
            st.button("Back to the quote", on_click=go, args=(cited,), type="tertiary")


def _as_printed(corpus: Corpus, page: StoredPage, quote: str) -> None:
    try:
        picture = _picture(corpus.original(page.document.content_hash), page.number, quote)
    except (NoPicture, LookupError) as error:
        st.info(as_label(str(error), 400))
        _as_text(page, quote)
        return
    with st.container(border=True, key="printed-page"):
        st.image(picture, width="stretch")


@st.cache_data(max_entries=32, show_spinner="Drawing the page …")
def _picture(pdf: bytes, number: int, quote: str) -> bytes:
    return page_picture(pdf, number, quote)


def _as_text(page: StoredPage, quote: str) -> None:
    with st.container(key="page-text"):
        for number, piece in enumerate(page_pieces(page.page, quote)):
            with st.container(key=f"{'marked' if piece.marked else 'plain'}-piece-{number}"):
                if piece.code:
                    st.code(piece.text, language=None, wrap_lines=True)
                else:
                    st.markdown(piece.text)
