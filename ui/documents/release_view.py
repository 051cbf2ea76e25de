"""One release: its documents, its settings, and its earlier versions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ui.documents.document_list import show_documents
from ui.documents.generation_list import show_generations
from ui.documents.jobs_view import show_running
from ui.documents.place import go
from ui.documents.release_list import release_badges, summary
from ui.documents.release_settings import show_release_settings
from ui.wording.escaping import as_label

if TYPE_CHECKING:
    from corpora.catalog.release_settings import ProductOverview, ReleaseOverview


def show_release(overview: ProductOverview, release: ReleaseOverview) -> None:
    """Everything on one release, in tabs."""
    with st.container(gap="small", key="release-heading"):
        st.button(
            f"All releases of {as_label(overview.product)}",
            icon=":material/arrow_back:",
            type="tertiary",
            on_click=go,
            args=(overview.product,),
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            st.title(as_label(f"{overview.product} {release.name}"), anchor=False)
            st.button(
                "Upload documents",
                icon=":material/upload:",
                on_click=_upload,
                args=(overview.product, release.name),
            )
        st.markdown(
            f"{release_badges(overview, release)} :gray[{as_label(summary(release), 300)}]".strip()
        )
    show_running()
    documents, states, settings = st.tabs(
        ["Documents", "Versions", "Settings"], key="release tab", on_change="rerun"
    )
    if documents.open:
        with documents:
            show_documents(overview.product, release)
    if states.open:
        with states:
            show_generations(overview.product, release)
    if settings.open:
        with settings:
            show_release_settings(overview, release)


def _upload(product: str, release: str) -> None:
    st.session_state["upload product"] = product
    st.session_state["upload release"] = release
    go(product, "", "Upload")
