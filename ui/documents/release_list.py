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
    from corpora.catalog.release_settings import Shelf, ShelvedRelease

_AT_ONCE = 30


def show_releases(shelf: Shelf) -> None:
    """A line for each release: what it is called, what holds of it, what serves it."""
    if not shelf.releases:
        st.markdown("This product has no releases yet.")
        st.button(
            "Upload documents",
            icon=":material/upload:",
            on_click=go,
            args=(shelf.product, "", "Upload"),
        )
        return
    newest_first = shelf.releases[::-1]
    pages = -(-len(newest_first) // _AT_ONCE)
    lines = st.container(gap="xsmall", key="release-list")
    page = st.pagination(pages, key=f"releases of {shelf.product}") if pages > 1 else 1
    with lines:
        for release in newest_first[(page - 1) * _AT_ONCE : page * _AT_ONCE]:
            _line(shelf, release)


def _line(shelf: Shelf, release: ShelvedRelease) -> None:
    with st.container(
        border=True, horizontal=True, vertical_alignment="center", wrap=False, gap="medium"
    ):
        st.markdown(
            f"**{as_label(release.name)}** {release_badges(shelf, release)}\\\n"
            f":gray[{as_label(summary(release), 300)}]",
            width="stretch",
        )
        st.button(
            f"Open {as_label(release.name, 24)}",
            key=f"open {release.name}",
            on_click=go,
            args=(shelf.product, release.name),
        )


def release_badges(shelf: Shelf, release: ShelvedRelease) -> str:
    """What there is to know of a release at a glance, as Markdown badges."""
    settings = release.settings
    badges = []
    if release.name == shelf.latest:
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


def summary(release: ShelvedRelease) -> str:
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
