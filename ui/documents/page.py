"""The documents page: a product with its releases, or one release of it."""

import streamlit as st

from chatbot.accounts.people import Person
from corpora.catalog.release_settings import ReleaseAdministration
from ui.documents.jobs_view import show_jobs, show_running
from ui.documents.navigation import TAB, open_product, open_tab
from ui.documents.releases_view import show_release, show_releases
from ui.documents.settings_view import show_product_settings
from ui.documents.upload_view import show_upload
from ui.elements.frame import admin_page, show_tabs
from ui.elements.scope import heading_with_product
from ui.serving import services

_PRODUCT, _LAST = "documents product", "documents last product"


@admin_page
def documents(_: Person) -> None:
    """Show the page."""
    administration = ReleaseAdministration(services.chatbot().database)
    products = administration.products()
    if not products:
        _nothing_yet()
        return
    # The address forgets the product when another page is opened.
    product = st.query_params.get("product") or st.session_state.get(_LAST)
    product = product if product in products else products[0]
    st.session_state[_LAST] = product
    overview = administration.overview(product)
    if release := overview.release(st.query_params.get("release", "")):
        show_release(overview, release)
        return
    st.session_state[_PRODUCT] = product
    heading_with_product(
        "Documents",
        products,
        _PRODUCT,
        on_change=lambda: open_product(st.session_state[_PRODUCT]),
    )
    show_running()
    open_tab()
    show_tabs(
        TAB,
        {
            "Releases": lambda: show_releases(overview),
            "Upload": lambda: show_upload(products, overview),
            "Jobs": show_jobs,
            "Product": lambda: show_product_settings(overview),
        },
    )


def _nothing_yet() -> None:
    st.title("Documents", anchor=False)
    show_running()
    st.markdown(
        "There is no documentation yet. Upload the documents of a release; the chat answers from "
        "them as soon as they are processed."
    )
    show_upload((), None)
