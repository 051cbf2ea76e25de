"""The releases of a product, the newest first."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import streamlit as st

from ui.documents.place import go
from ui.elements.moments import when
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label

if TYPE_CHECKING:
    from corpora.catalog.release_settings import ProductOverview, ReleaseOverview

_AT_ONCE = 30


def show_releases(overview: ProductOverview) -> None:
    """A line for each release: what it is called, what holds of it, what serves it."""
    if not overview.releases:
        st.markdown("This product has no releases yet.")
        st.button(
            "Upload documents",
            icon=":material/upload:",
            on_click=go,
            args=(overview.product, "", "Upload"),
        )
        return
    newest_first = overview.releases[::-1]
    pages = -(-len(newest_first) // _AT_ONCE)
    lines = st.container(gap="xsmall", key="release-list")
    page = st.pagination(pages, key=f"releases of {overview.product}") if pages > 1 else 1
    with lines:
        for release in newest_first[(page - 1) * _AT_ONCE : page * _AT_ONCE]:
            _line(overview, release)


def _line(overview: ProductOverview, release: ReleaseOverview) -> None:
    with st.container(
        border=True, horizontal=True, vertical_alignment="center", wrap=False, gap="medium"
    ):
        st.markdown(
            f"**{as_label(release.name)}** {release_badges(overview, release)}\\\n"
            f":gray[{as_label(summary(release), 300)}]",
            width="stretch",
        )
        st.button(
            f"Open {as_label(release.name, 24)}",
            key=f"open {release.name}",
            on_click=go,
            args=(overview.product, release.name),
        )


def release_badges(overview: ProductOverview, release: ReleaseOverview) -> str:
    """What there is to know of a release at a glance, as Markdown badges."""
    settings = release.settings
    badges = []
    if release.name == overview.latest:
        badges.append(":primary-badge[latest]")
    if release.prerelease:
        badges.append(":blue-badge[pre-release]")
    if settings.end_of_life:
        over = settings.end_of_life <= datetime.now(UTC).date()
        told = "unsupported since" if over else "supported until"
        badges.append(
            f":{'orange' if over else 'gray'}-badge[{told} {settings.end_of_life:%d %b %Y}]"
        )
    if settings.hidden:
        badges.append(":gray-badge[:material/visibility_off: hidden]")
    return " ".join(badges)


def summary(release: ReleaseOverview) -> str:
    """What serves a release, and what else it is called, in a line."""
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
