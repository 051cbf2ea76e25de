"""The settings of a product or a release, reprocessing, and deletion."""

from collections.abc import Callable

import streamlit as st

from corpora.catalog.release_settings import (
    ProductOverview,
    ProductSettings,
    ReleaseOverview,
    ReleaseSettings,
)
from ui.documents.actions import confirm_deletion, start
from ui.documents.language_choice import choose_language
from ui.elements.frame import button, done, failures_shown
from ui.serving import services
from ui.wording.escaping import as_label

_PRERELEASE = {None: "Detect from name", True: "Yes", False: "No"}


def show_product_settings(overview: ProductOverview) -> None:
    """A form, and below it the deletion of the product."""
    settings = overview.settings
    latest = [None, *(release.name for release in reversed(overview.releases))]
    with st.form("product-settings", border=False, width=640):
        aliases = _aliases(
            overview.product, settings.aliases, "Other names that people use in questions"
        )
        chosen = st.selectbox(
            "Latest release",
            latest,
            index=latest.index(settings.latest) if settings.latest in latest else 0,
            format_func=lambda name: name or "Newest release that is not a pre-release",
            key=f"latest of {overview.product}",
            help="Used when a question says “latest” or names no release.",
        )
        language = choose_language(settings.language, f"language of {overview.product}")
        if st.form_submit_button("Save", type="primary"):
            with failures_shown():
                new = ProductSettings(aliases, chosen, language)
                services.administration().change_product(overview.product, new)
                done("Saved.")
    if not services.current_person().is_admin:
        return
    st.space("small")
    _offer(
        f"Delete {overview.product}",
        "Deletes all of its releases, their documents and the glossary. Conversations are kept.",
        "Delete this product …",
        "delete",
        lambda: confirm_deletion(overview.product),
    )


def show_release_settings(product: str, release: ReleaseOverview) -> None:
    """A form, and below it reprocessing and deletion."""
    with st.form("release-settings", border=False, width=640):
        settings = release.settings
        aliases = _aliases(release.name, settings.aliases, "Code names and other spellings")
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
                format_func=lambda choice: _PRERELEASE[choice],
                key=f"pre-release of {release.name}",
                help="A pre-release counts as the latest only if there is no other release.",
            )
        language = choose_language(settings.language, f"language of {release.name}")
        hidden = st.toggle(
            "Hide this release from the chat",
            settings.hidden,
            key=f"hidden {release.name}",
        )
        new = ReleaseSettings(aliases, sorts_as, prerelease, end_of_life, hidden, language)
        if st.form_submit_button("Save", type="primary"):
            with failures_shown():
                summary = services.administration().change_release(product, release.name, new)
                done(f"Saved. {summary}".rstrip())
    st.space("small")
    _offer(
        "Reprocess the documents",
        "Reads the stored original files again with this version of Strata. The current documents "
        "stay in use until it finishes, and you can roll back to them.",
        "Reprocess",
        "refresh",
        lambda: start(
            lambda admin: admin.read_again(product, release.name),
            product,
            f"Reprocessing {product} {release.name}.",
        ),
        disabled=release.generation is None,
    )
    with st.container(border=True, width=640):
        st.markdown("**Release pack**")
        st.caption(
            "One signed file with the documents, the glossary and the curated answers, to be taken "
            "in by another Strata without a network. It can be downloaded under Jobs for a week."
        )
        originals = st.checkbox("With the original files", key=f"originals of {release.name}")
        if button("Make a pack", icon="inventory_2", disabled=release.generation is None):
            start(
                lambda admin: admin.pack(product, release.name, originals=originals),
                product,
                f"Making a pack of {product} {release.name}.",
            )
    _offer(
        f"Delete {product} {release.name}",
        "Deletes its documents, its earlier versions and its saved answers. To take it out of the "
        "chat for a while, hide it instead.",
        "Delete this release …",
        "delete",
        lambda: confirm_deletion(product, release.name),
    )


def _offer(
    title: str,
    explanation: str,
    label: str,
    icon: str,
    do: Callable[[], None],
    disabled: bool = False,
) -> None:
    with st.container(border=True, width=640):
        st.markdown(f"**{as_label(title)}**")
        st.caption(explanation)
        # The style sheet makes buttons with a key `delete-…` red.
        if button(label, icon=icon, key=f"{icon}-{title}", disabled=disabled):
            do()


def _aliases(of: str, aliases: tuple[str, ...], help: str) -> tuple[str, ...]:
    text = st.text_area(
        "Other names",
        "\n".join(aliases),
        key=f"aliases of {of}",
        height=110,
        help=f"{help}, one per line.",
    )
    return tuple(text.splitlines())
