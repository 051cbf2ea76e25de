"""The stored versions of a release's documents: the current one, and those to roll back to."""

import streamlit as st

from corpora.catalog.catalog import Catalog, Generation, GenerationState
from corpora.catalog.release_settings import ReleaseOverview
from corpora.documents.documents import Documents
from corpora.documents.impact import impact_of_serving
from ui.documents.documents_view import show_list
from ui.elements.frame import done, failures_shown, in_a_row
from ui.elements.moments import when
from ui.elements.table import first_of
from ui.serving import services
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label, as_text


def show_versions(product: str, release: ReleaseOverview) -> None:
    """A line for each version, the newest first."""
    kept = [
        generation
        for generation in Catalog(services.chatbot().database).generations(product, release.name)
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
    is_current = generation.id == release.generation
    with in_a_row(gap="medium"):
        badge = " :primary-badge[current]" if is_current else ""
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
            st.dialog("Documents in this version", width="large")(show_list)(generation.id)
        if not is_current and st.button("Roll back …", key=f"serve {generation.id}"):
            confirm(product, release, generation)
    if not is_current and release.generation is not None:
        st.markdown(f":gray[{_difference(generation.id, release.generation)}]")


def _difference(generation: int, current: int) -> str:
    """The differences between a version and the current one, as a line of Markdown."""
    difference = Documents(services.chatbot().database).difference(generation, current)
    parts = [
        f"{what}: {as_label(', '.join(first_of(files, 8)), 400)}"
        for what, files in (
            ("only in this version", difference.only_first),
            ("not in this version", difference.only_second),
            ("different content", difference.changed),
        )
        if files
    ]
    return " · ".join(parts) or "the same files as the current version, processed differently"


@st.dialog("Roll back to this version", icon=":material/history:")
def confirm(product: str, release: ReleaseOverview, generation: Generation) -> None:
    """Ask whether to roll back to another version."""
    if release.generation is not None:
        difference = _difference(generation.id, release.generation)
        st.markdown(f"Compared with the current version: {difference}.")
    st.markdown(
        "New questions use this version at once. The version in use now is kept, so you can "
        "switch back."
    )
    database = services.chatbot().database
    if told := impact_of_serving(database, product, release.name, generation.id).told:
        st.markdown(as_text(told))
    if st.button("Roll back", type="primary", key="serve it"):
        with failures_shown():
            review = services.administration().serve(product, release.name, generation.id)
            told = f"{product} {release.name} now uses the selected version. {review.told}"
            done(told.rstrip())
