"""What an admin says of a release: other names, order, end of life, whether it is offered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ui import services
from ui.documents.deleting import confirm_release
from ui.documents.starting import start
from ui.escaping import as_label, as_text
from ui.notice import note

if TYPE_CHECKING:
    from corpora.shelf import ReleaseSettings, Shelf, ShelvedRelease

_PRERELEASE = {None: "as its name says", True: "yes", False: "no"}


def show_release_settings(shelf: Shelf, release: ShelvedRelease) -> None:
    """A form; below it reading again and deletion."""
    with st.form("release-settings", border=False, width=640):
        new = _fields(release)
        if st.form_submit_button("Save", type="primary"):
            _save(shelf.product, release.name, new)
    st.space("small")
    with st.container(border=True, width=640):
        st.markdown("**Read the documents again**")
        st.caption(
            "From the originals that are kept, with the present version of Strata. What serves "
            "now serves until it is done, and stays to go back to."
        )
        if st.button("Read again", icon=":material/refresh:", disabled=release.generation is None):
            start(
                lambda admin: admin.read_again(shelf.product, release.name),
                shelf.product,
                f"{shelf.product} {release.name} will be read again.",
            )
    with st.container(border=True, width=640):
        st.markdown(f"**Delete {as_label(f'{shelf.product} {release.name}')}**")
        st.caption(
            "With its documents, its earlier states and its remembered answers. To take it out of "
            "the chat for a while, hide it instead."
        )
        if st.button("Delete this release …", icon=":material/delete:"):
            confirm_release(shelf.product, release.name)


def _fields(release: ShelvedRelease) -> ReleaseSettings:
    from corpora.shelf import ReleaseSettings

    settings = release.settings
    aliases = st.text_area(
        "Also called",
        "\n".join(settings.aliases),
        key=f"aliases of {release.name}",
        height=110,
        help="Code names and other ways to write it, one a line.",
    )
    with st.container(horizontal=True):
        sorts_as = st.text_input(
            "Sorts as",
            settings.sorts_as or "",
            key=f"order of {release.name}",
            placeholder=release.name,
            help="A release name in whose place it stands, where its own says nothing of order: "
            "17.5 puts it between 17.4 and 17.6.",
        )
        end_of_life = st.date_input(
            "No support from",
            settings.end_of_life,
            key=f"end of {release.name}",
            format="YYYY-MM-DD",
            help="It can be asked after that day too, and is marked.",
        )
        prerelease = st.selectbox(
            "Pre-release",
            list(_PRERELEASE),
            index=list(_PRERELEASE).index(settings.prerelease),
            format_func=lambda said: _PRERELEASE[said],
            key=f"pre-release of {release.name}",
            help="A pre-release is the latest only where there is nothing else.",
        )
    hidden = st.toggle(
        "Hidden: it is not offered, and no answer comes from it",
        settings.hidden,
        key=f"hidden {release.name}",
    )
    return ReleaseSettings(tuple(aliases.splitlines()), sorts_as, prerelease, end_of_life, hidden)


def _save(product: str, release: str, new: ReleaseSettings) -> None:
    from corpora.catalog import CatalogError

    try:
        review = services.administration().change_release(product, release, new)
    except CatalogError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    note(f"Saved. {review.told}".rstrip())
    st.rerun()
