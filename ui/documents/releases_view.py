"""The list of a product's releases, the newest first, and the view of one release."""

from datetime import UTC, datetime
from functools import partial

import streamlit as st

from corpora.catalog.release_settings import ProductOverview, ReleaseOverview
from ui.documents.documents_view import show_documents
from ui.documents.jobs_view import show_running
from ui.documents.navigation import open_product
from ui.documents.settings_view import show_release_settings
from ui.documents.versions_view import show_versions
from ui.elements.address import go
from ui.elements.frame import button, in_a_row, show_tabs
from ui.elements.moments import when
from ui.elements.table import in_pages
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label


def show_releases(overview: ProductOverview) -> None:
    """A line for each release: its name, badges, and a summary of its documents."""
    if not overview.releases:
        st.markdown("This product has no releases yet.")
        button("Upload documents", open_product, overview.product, "Upload", icon="upload")
        return
    releases = overview.releases[::-1]

    def show(first: int, size: int) -> None:
        with st.container(gap="xsmall", key="release-list"):
            for release in releases[first : first + size]:
                _line(overview, release)

    in_pages(len(releases), f"releases of {overview.product}", show, size=30)


def _line(overview: ProductOverview, release: ReleaseOverview) -> None:
    with in_a_row(border=True, wrap=False, gap="medium"):
        st.markdown(
            f"**{as_label(release.name)}** {_badges(overview, release)}\\\n"
            f":gray[{as_label(_summary(release), 300)}]",
            width="stretch",
        )
        button(
            f"Open {as_label(release.name, 24)}",
            partial(go, product=overview.product, release=release.name),
            key=f"open {release.name}",
        )


def show_release(overview: ProductOverview, release: ReleaseOverview) -> None:
    """Everything on one release, in tabs."""
    with st.container(gap="small", key="release-heading"):
        button(
            f"All releases of {as_label(overview.product)}",
            open_product,
            overview.product,
            icon="arrow_back",
            type="tertiary",
        )
        with in_a_row():
            st.title(as_label(f"{overview.product} {release.name}"), anchor=False)
            button("Upload documents", _upload, overview.product, release.name, icon="upload")
        summary = as_label(_summary(release), 300)
        st.markdown(f"{_badges(overview, release)} :gray[{summary}]".strip())
    show_running()
    show_tabs(
        "release tab",
        {
            "Documents": lambda: show_documents(overview.product, release),
            "Versions": lambda: show_versions(overview.product, release),
            "Settings": lambda: show_release_settings(overview.product, release),
        },
    )


def _upload(product: str, release: str) -> None:
    st.session_state["upload product"] = product
    st.session_state["upload release"] = release
    open_product(product, "Upload")


def _badges(overview: ProductOverview, release: ReleaseOverview) -> str:
    """The state of a release at a glance, as Markdown badges."""
    settings = release.settings
    badges = []
    if release.name == overview.latest:
        badges.append(":primary-badge[latest]")
    if release.prerelease:
        badges.append(":blue-badge[pre-release]")
    if settings.end_of_life:
        is_over = settings.end_of_life <= datetime.now(UTC).date()
        color, told = ("orange", "unsupported since") if is_over else ("gray", "supported until")
        badges.append(f":{color}-badge[{told} {settings.end_of_life:%d %b %Y}]")
    if settings.hidden:
        badges.append(":gray-badge[:material/visibility_off: hidden]")
    return " ".join(badges)


def _summary(release: ReleaseOverview) -> str:
    """The current documents of a release, its saved answers and other names, in a line."""
    if release.published is None:
        told = "no documents yet"
    else:
        documents = how_many(release.documents, "document")
        told = f"{documents}, published {when(release.published)}"
    if release.remembered.answers:
        told += f" · {release.remembered.told}"
    if release.settings.aliases:
        told += f" · also known as {', '.join(release.settings.aliases)}"
    return told
