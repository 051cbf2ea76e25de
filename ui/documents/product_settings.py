"""What an admin says of a product: its other names, its latest release, and its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ui.documents.deleting import confirm_product
from ui.elements.notice import note
from ui.serving import services
from ui.wording.escaping import as_label, as_text

if TYPE_CHECKING:
    from corpora.catalog.release_settings import ProductOverview


def show_product_settings(overview: ProductOverview) -> None:
    """A form; below it the way to delete the product."""
    settings = overview.settings
    names = [release.name for release in reversed(overview.releases)]
    with st.form("product-settings", border=False, width=640):
        st.text_area(
            "Other names",
            "\n".join(settings.aliases),
            key=f"aliases of {overview.product}",
            height=110,
            help="Other names that people use in questions, one per line.",
        )
        st.selectbox(
            "Latest release",
            [None, *names],
            index=[None, *names].index(settings.latest) if settings.latest in names else 0,
            format_func=lambda name: name or "Newest release that is not a pre-release",
            key=f"latest of {overview.product}",
            help="Used when a question says “latest” or names no release.",
        )
        if st.form_submit_button("Save", type="primary"):
            _save(overview.product)
    st.space("small")
    with st.container(border=True, width=640):
        st.markdown(f"**Delete {as_label(overview.product)}**")
        st.caption(
            "Deletes all of its releases, their documents and the glossary. Conversations are kept."
        )
        if st.button("Delete this product …", icon=":material/delete:", key="delete-product"):
            confirm_product(overview.product)


def _save(product: str) -> None:
    from corpora.catalog.catalog import CatalogError
    from corpora.catalog.release_settings import ProductSettings

    aliases = st.session_state[f"aliases of {product}"].splitlines()
    new = ProductSettings(tuple(aliases), st.session_state[f"latest of {product}"])
    try:
        services.administration().change_product(product, new)
    except CatalogError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    note("Saved.")
    st.rerun()
