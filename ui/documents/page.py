"""The documents page: a product with its releases, or one release of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ui.documents.jobs_view import show_jobs, show_running
from ui.documents.place import TAB, go, open_tab, place
from ui.documents.product_settings import show_product_settings
from ui.documents.release_list import show_releases
from ui.documents.release_view import show_release
from ui.documents.upload_view import show_upload
from ui.elements.admin_page import admin_page
from ui.serving import services

if TYPE_CHECKING:
    from corpora.catalog.release_settings import ProductOverview

_PRODUCT = "documents product"


def documents() -> None:
    """Show the page; a failure is one clear message."""
    admin_page(lambda _: _show())


def _show() -> None:
    from corpora.catalog.release_settings import ReleaseAdministration

    administration = ReleaseAdministration(services.chatbot().database)
    products = administration.products()
    if not products:
        _nothing_yet()
        return
    at = place()
    product = at.product if at.product in products else products[0]
    overview = administration.overview(product)
    release = overview.release(at.release)
    if release is not None:
        show_release(overview, release)
        return
    _heading(products, product)
    show_running()
    _tabs(overview, products)


def _nothing_yet() -> None:
    st.title("Documents", anchor=False)
    show_running()
    st.markdown(
        "There is no documentation yet. Upload the documents of a release; the chat answers from "
        "them as soon as they are processed."
    )
    show_upload((), None)


def _heading(products: tuple[str, ...], product: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="documents-heading"):
        st.title("Documents", anchor=False)
        st.session_state[_PRODUCT] = product
        st.selectbox(
            "Product",
            products,
            key=_PRODUCT,
            width=320,
            label_visibility="collapsed",
            on_change=lambda: go(st.session_state[_PRODUCT]),
        )


def _tabs(overview: ProductOverview, products: tuple[str, ...]) -> None:
    open_tab()
    releases, upload, jobs, product = st.tabs(
        ["Releases", "Upload", "Jobs", "Product"], key=TAB, on_change="rerun"
    )
    if releases.open:
        with releases:
            show_releases(overview)
    if upload.open:
        with upload:
            show_upload(products, overview)
    if jobs.open:
        with jobs:
            show_jobs()
    if product.open:
        with product:
            show_product_settings(overview)
