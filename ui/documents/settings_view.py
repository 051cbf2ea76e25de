"""The settings of a product or a release, reprocessing, and deletion."""

from collections.abc import Callable

import streamlit as st

from chatbot.text.languages import gettext, gettext_noop
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

_PRERELEASE = {
    None: gettext_noop("Detect from name"),
    True: gettext_noop("Yes"),
    False: gettext_noop("No"),
}


def show_product_settings(overview: ProductOverview) -> None:
    """A form, and below it the deletion of the product."""
    settings = overview.settings
    latest = [None, *(release.name for release in reversed(overview.releases))]
    with st.form("product-settings", border=False, width=640):
        aliases = _aliases(
            overview.product,
            settings.aliases,
            gettext("Other names that people use in questions, one per line."),
        )
        chosen = st.selectbox(
            gettext("Latest release"),
            latest,
            index=latest.index(settings.latest) if settings.latest in latest else 0,
            format_func=lambda name: name or gettext("Newest release that is not a pre-release"),
            key=f"latest of {overview.product}",
            help=gettext("Used when a question says “latest” or names no release."),
        )
        language = choose_language(settings.language, f"language of {overview.product}")
        if st.form_submit_button(gettext("Save"), type="primary"):
            with failures_shown():
                new = ProductSettings(aliases, chosen, language)
                services.administration().change_product(overview.product, new)
                done(gettext("Saved."))
    if not services.current_person().is_admin:
        return
    st.space("small")
    _offer(
        gettext("Delete {name}", name=overview.product),
        gettext(
            "Deletes all of its releases, their documents and the glossary. Conversations are kept."
        ),
        gettext("Delete this product …"),
        "delete",
        lambda: confirm_deletion(overview.product),
    )


def show_release_settings(product: str, release: ReleaseOverview) -> None:
    """A form, and below it reprocessing and deletion."""
    name = f"{product} {release.name}"
    with st.form("release-settings", border=False, width=640):
        settings = release.settings
        aliases = _aliases(
            release.name,
            settings.aliases,
            gettext("Code names and other spellings, one per line."),
        )
        with st.container(horizontal=True):
            sorts_as = st.text_input(
                gettext("Sort order"),
                settings.sorts_as or "",
                key=f"order of {release.name}",
                placeholder=release.name,
                help=gettext(
                    "A version number to sort this release by if its name has none: 17.5 puts it "
                    "between 17.4 and 17.6."
                ),
            )
            end_of_life = st.date_input(
                gettext("End of support"),
                settings.end_of_life,
                key=f"end of {release.name}",
                format="YYYY-MM-DD",
                help=gettext(
                    "It can still be asked about after this day, and is marked as unsupported."
                ),
            )
            prerelease = st.selectbox(
                gettext("Pre-release"),
                list(_PRERELEASE),
                index=list(_PRERELEASE).index(settings.prerelease),
                format_func=lambda choice: gettext(_PRERELEASE[choice]),
                key=f"pre-release of {release.name}",
                help=gettext(
                    "A pre-release counts as the latest only if there is no other release."
                ),
            )
        language = choose_language(settings.language, f"language of {release.name}")
        hidden = st.toggle(
            gettext("Hide this release from the chat"),
            settings.hidden,
            key=f"hidden {release.name}",
        )
        new = ReleaseSettings(aliases, sorts_as, prerelease, end_of_life, hidden, language)
        if st.form_submit_button(gettext("Save"), type="primary"):
            with failures_shown():
                summary = services.administration().change_release(product, release.name, new)
                done(f"{gettext('Saved.')} {summary}".rstrip())
    st.space("small")
    _offer(
        gettext("Reprocess the documents"),
        gettext(
            "Reads the stored original files again with this version of Strata. The current "
            "documents stay in use until it finishes, and you can roll back to them."
        ),
        gettext("Reprocess"),
        "refresh",
        lambda: start(
            lambda admin: admin.read_again(product, release.name),
            product,
            gettext("Reprocessing {name}.", name=name),
        ),
        disabled=release.generation is None,
    )
    with st.container(border=True, width=640):
        st.markdown(f"**{gettext('Release pack')}**")
        st.caption(
            gettext(
                "One signed file with the documents, the glossary and the curated answers, to be "
                "taken in by another Strata without a network. It can be downloaded under Jobs for "
                "a week."
            )
        )
        originals = st.checkbox(
            gettext("With the original files"), key=f"originals of {release.name}"
        )
        is_empty = release.generation is None
        if button(gettext("Make a pack"), icon="inventory_2", disabled=is_empty):
            start(
                lambda admin: admin.pack(product, release.name, originals=originals),
                product,
                gettext("Making a pack of {name}.", name=name),
            )
    _offer(
        gettext("Delete {name}", name=name),
        gettext(
            "Deletes its documents, its earlier versions and its saved answers. To take it out of "
            "the chat for a while, hide it instead."
        ),
        gettext("Delete this release …"),
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
        gettext("Other names"),
        "\n".join(aliases),
        key=f"aliases of {of}",
        height=110,
        help=help,
    )
    return tuple(text.splitlines())
