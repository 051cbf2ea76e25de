"""The documents page: a product with its releases, or one release of it."""

from datetime import UTC, datetime
from functools import partial

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.release_check.reports import waiting_generations
from chatbot.text.languages import day_in_words, gettext
from corpora.catalog.release_settings import (
    ProductOverview,
    ReleaseAdministration,
    ReleaseOverview,
)
from corpora.database.engine import Database
from ui.documents.actions import TAB, open_product
from ui.documents.contents import show_documents, show_versions
from ui.documents.jobs_view import show_jobs, show_running
from ui.documents.rights_view import show_rights
from ui.documents.settings_view import show_product_settings, show_release_settings
from ui.documents.upload_view import offer_upload, show_upload
from ui.elements.address import go
from ui.elements.frame import Access, button, in_a_row, is_open, page, show_tabs, when
from ui.elements.scope import CHOSEN, heading_with_product
from ui.elements.table import list_in_pages
from ui.serving import services
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label

_PRODUCT = "documents product"


@page("wide", Access.PRODUCT_ADMINS)
def documents(person: Person) -> None:
    """Show the page."""
    administration = ReleaseAdministration(services.administered().database)
    products = administration.products()
    if not products:
        st.title(gettext("Documents"), anchor=False)
        show_running()
        st.markdown(
            gettext(
                "There is no documentation yet. Upload the documents of a release; the chat "
                "answers from them as soon as they are processed."
            )
        )
        show_upload((), None)
        return
    # The address forgets the product when another page is opened.
    product = st.query_params.get("product") or st.session_state.get(CHOSEN)
    product = product if product in products else products[0]
    st.session_state[CHOSEN] = product
    overview = administration.overview(product)
    if release := overview.release(st.query_params.get("release", "")):
        _show_release(overview, release)
        return
    st.session_state[_PRODUCT] = product
    if is_open(TAB, gettext("Upload")):
        # The form has a field for the product, which may be a new one.
        st.title(gettext("Documents"), anchor=False)
    else:
        heading_with_product(
            gettext("Documents"),
            products,
            _PRODUCT,
            on_change=lambda: open_product(st.session_state[_PRODUCT]),
        )
    show_running()
    tabs = {
        gettext("Releases"): lambda: _show_releases(overview),
        gettext("Upload"): lambda: show_upload(products, overview),
        gettext("Jobs"): show_jobs,
        gettext("Product"): lambda: show_product_settings(overview),
    }
    if person.is_admin:
        tabs[gettext("Access")] = lambda: show_rights(overview.product)
    show_tabs(TAB, tabs)


def _show_releases(overview: ProductOverview) -> None:
    if not overview.releases:
        st.markdown(gettext("This product has no releases yet."))
        label, tab = gettext("Upload documents"), gettext("Upload")
        button(label, open_product, overview.product, tab, icon="upload")
        return
    with st.container(gap="xsmall", key="release-list"):
        list_in_pages(
            overview.releases[::-1],
            f"releases of {overview.product}",
            lambda _, release: _line(overview, release),
            size=30,
        )


def _line(overview: ProductOverview, release: ReleaseOverview) -> None:
    with in_a_row(border=True, wrap=False, gap="medium"):
        st.markdown(
            f"**{as_label(release.name)}** {_badges(overview, release)}\\\n"
            f":gray[{as_label(_summary(release), 300)}]",
            width="stretch",
        )
        button(
            gettext("Open {name}", name=as_label(release.name, 24)),
            partial(go, product=overview.product, release=release.name),
            key=f"open {release.name}",
        )


def _show_release(overview: ProductOverview, release: ReleaseOverview) -> None:
    with st.container(gap="small", key="release-heading"):
        back = gettext("All releases of {product}", product=as_label(overview.product))
        button(back, open_product, overview.product, icon="arrow_back", type="tertiary")
        with in_a_row():
            st.title(as_label(f"{overview.product} {release.name}"), anchor=False)
            label = gettext("Upload documents")
            button(label, _upload, overview.product, release.name, icon="upload")
        summary = as_label(_summary(release), 300)
        st.markdown(f"{_badges(overview, release)} :gray[{summary}]".strip())
    show_running()
    show_tabs(
        "release tab",
        {
            gettext("Documents"): lambda: show_documents(overview.product, release),
            gettext("Versions"): lambda: show_versions(overview.product, release),
            gettext("Settings"): lambda: show_release_settings(overview.product, release),
        },
    )


def _upload(product: str, release: str) -> None:
    offer_upload(product, release)
    open_product(product, gettext("Upload"))


def _badges(overview: ProductOverview, release: ReleaseOverview) -> str:
    settings = release.settings
    badges = []
    if release.name == overview.latest:
        badges.append(f":primary-badge[{gettext('latest')}]")
    if release.prerelease:
        badges.append(f":blue-badge[{gettext('pre-release')}]")
    if settings.end_of_life:
        is_over = settings.end_of_life <= datetime.now(UTC).date()
        day = day_in_words(settings.end_of_life)
        until, since = (
            gettext("supported until {day}", day=day),
            gettext("unsupported since {day}", day=day),
        )
        badges.append(f":orange-badge[{since}]" if is_over else f":gray-badge[{until}]")
    if any(w.release == release.name for w in waiting_generations(_database(), overview.product)):
        badges.append(f":orange-badge[{gettext('a version waits to be published')}]")
    if settings.hidden:
        badges.append(f":gray-badge[:material/visibility_off: {gettext('hidden')}]")
    return " ".join(badges)


def _database() -> Database:
    return services.administered().database


def _summary(release: ReleaseOverview) -> str:
    if release.published is None:
        caption = gettext("no documents yet")
    else:
        documents = how_many(release.documents, "document")
        published = gettext("published {moment}", moment=when(release.published))
        caption = f"{documents} · {published}"
    if release.settings.aliases:
        names = ", ".join(release.settings.aliases)
        caption += f" · {gettext('also known as {names}', names=names)}"
    return caption
