"""What an admin says of a release: other names, order, end of life, whether it is offered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ui.documents.deleting import confirm_release
from ui.documents.starting import start
from ui.elements.notice import note
from ui.serving import services
from ui.wording.escaping import as_label, as_text

if TYPE_CHECKING:
    from corpora.catalog.release_settings import ProductOverview, ReleaseOverview, ReleaseSettings

_PRERELEASE = {None: "Detect from name", True: "Yes", False: "No"}


def show_release_settings(overview: ProductOverview, release: ReleaseOverview) -> None:
    """A form; below it reading again and deletion."""
    with st.form("release-settings", border=False, width=640):
        new = _fields(release)
        if st.form_submit_button("Save", type="primary"):
            _save(overview.product, release.name, new)
    st.space("small")
    with st.container(border=True, width=640):
        st.markdown("**Reprocess the documents**")
        st.caption(
            "Reads the stored original files again with this version of Strata. The current "
            "documents stay in use until it finishes, and you can roll back to them."
        )
        if st.button("Reprocess", icon=":material/refresh:", disabled=release.generation is None):
            start(
                lambda admin: admin.read_again(overview.product, release.name),
                overview.product,
                f"Reprocessing {overview.product} {release.name}.",
            )
    with st.container(border=True, width=640):
        st.markdown(f"**Delete {as_label(f'{overview.product} {release.name}')}**")
        st.caption(
            "Deletes its documents, its earlier versions and its saved answers. To take it out of "
            "the chat for a while, hide it instead."
        )
        if st.button("Delete this release …", icon=":material/delete:", key="delete-release"):
            confirm_release(overview.product, release.name)


def _fields(release: ReleaseOverview) -> ReleaseSettings:
    from corpora.catalog.release_settings import ReleaseSettings

    settings = release.settings
    aliases = st.text_area(
        "Other names",
        "\n".join(settings.aliases),
        key=f"aliases of {release.name}",
        height=110,
        help="Code names and other spellings, one per line.",
    )
    with st.container(horizontal=True):
        sorts_as = st.text_input(
            "Sort order",
            settings.sorts_as or "",
            key=f"order of {release.name}",
            placeholder=release.name,
            help="A version number to sort this release by if its name has none: 17.5 puts it "
            "between 17.4 and 17.6.",
        )
        end_of_life = st.date_input(
            "End of support",
            settings.end_of_life,
            key=f"end of {release.name}",
            format="YYYY-MM-DD",
            help="It can still be asked about after this day, and is marked as unsupported.",
        )
        prerelease = st.selectbox(
            "Pre-release",
            list(_PRERELEASE),
            index=list(_PRERELEASE).index(settings.prerelease),
            format_func=lambda said: _PRERELEASE[said],
            key=f"pre-release of {release.name}",
            help="A pre-release counts as the latest only if there is no other release.",
        )
    hidden = st.toggle(
        "Hide this release: it is not offered and not used for answers",
        settings.hidden,
        key=f"hidden {release.name}",
    )
    return ReleaseSettings(tuple(aliases.splitlines()), sorts_as, prerelease, end_of_life, hidden)


def _save(product: str, release: str, new: ReleaseSettings) -> None:
    from corpora.catalog.catalog import CatalogError

    try:
        review = services.administration().change_release(product, release, new)
    except CatalogError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    note(f"Saved. {review.told}".rstrip())
    st.rerun()
