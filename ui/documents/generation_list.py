"""The stored versions of a release's documents: the current one, and those to roll back to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from ui.documents.document_list import show_table
from ui.elements.moments import when
from ui.elements.notice import note
from ui.serving import services
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label, as_text
from ui.wording.failures import expected_failures

if TYPE_CHECKING:
    from corpora.catalog.catalog import Generation
    from corpora.catalog.release_settings import ReleaseOverview
    from corpora.documents.documents import Difference

_NAMED = 8


def show_generations(product: str, release: ReleaseOverview) -> None:
    """A line for each version, the newest first."""
    from corpora.catalog.catalog import Catalog, GenerationState

    database = services.chatbot().database
    kept = [
        generation
        for generation in Catalog(database).generations(product, release.name)
        if generation.state is not GenerationState.BUILDING
    ]
    if not kept:
        st.markdown("No version yet. The first upload creates one.")
        return
    st.caption(
        "Each upload, removal or reprocessing creates a new version of the documents. The current "
        "version and the two before it are kept; you can switch between them at any time."
    )
    for generation in kept:
        with st.container(border=True):
            _line(product, release, generation)


def _line(product: str, release: ReleaseOverview, generation: Generation) -> None:
    assert generation.published is not None
    serves = generation.id == release.generation
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        badge = " :primary-badge[current]" if serves else ""
        told = (
            f"{how_many(generation.documents, 'document')} · search model "
            f"{generation.embedding_model}"
        )
        st.markdown(
            f"**Version of {as_label(when(generation.published))}**{badge}\\\n"
            f":gray[{as_label(told, 300)}]",
            width="stretch",
        )
        if st.button("Documents", key=f"documents of {generation.id}"):
            _documents(generation.id)
        if not serves and st.button("Roll back …", key=f"serve {generation.id}"):
            confirm(product, release, generation)
    if not serves and release.generation is not None:
        st.markdown(f":gray[{_told(generation.id, release.generation)}]")


def _told(generation: int, serving: int) -> str:
    """What a version has other than the current one, as Markdown in a line."""
    difference = _difference(generation, serving)
    parts = [
        f"{what}: {as_label(_names(files), 400)}"
        for what, files in (
            ("only in this version", difference.only_first),
            ("not in this version", difference.only_second),
            ("different content", difference.changed),
        )
        if files
    ]
    return " · ".join(parts) or "the same files as the current version, processed differently"


def _difference(generation: int, serving: int) -> Difference:
    from corpora.documents.documents import Documents

    return Documents(services.chatbot().database).difference(generation, serving)


def _names(files: Sequence[str]) -> str:
    more = [f"and {len(files) - _NAMED:,} more"] * (len(files) > _NAMED)
    return ", ".join([*files[:_NAMED], *more])


@st.dialog("Documents in this version", width="large")
def _documents(generation: int) -> None:
    show_table(generation)


@st.dialog("Roll back to this version", icon=":material/history:")
def confirm(product: str, release: ReleaseOverview, generation: Generation) -> None:
    """Ask whether to roll back to another version."""
    from corpora.documents.impact import impact_of_serving

    if release.generation is not None:
        st.markdown(
            f"Compared with the current version: {_told(generation.id, release.generation)}."
        )
    st.markdown(
        "New questions use this version at once. The version in use now is kept, so you can "
        "switch back."
    )
    database = services.chatbot().database
    if told := impact_of_serving(database, product, release.name, generation.id).told:
        st.markdown(as_text(told))
    if st.button("Roll back", type="primary", key="serve it"):
        try:
            review = services.administration().serve(product, release.name, generation.id)
        except expected_failures() as error:
            st.error(as_text(str(error)), icon=":material/error:")
            return
        told = f"{product} {release.name} now uses the selected version. {review.told}"
        note(told.rstrip())
        st.rerun()
