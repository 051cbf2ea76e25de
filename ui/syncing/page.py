"""The page Sources: every source with what came of its last run, one of them, or a new one."""

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.administration.sources import ListedSource, Sources
from chatbot.text.languages import gettext
from corpora.catalog.release_settings import ReleaseAdministration
from corpora.jobs.jobs import SYNCS
from ui.documents.jobs_view import show_running
from ui.elements.address import go, number_in_address
from ui.elements.frame import Access, button, in_a_row, page
from ui.elements.table import list_in_pages
from ui.serving import services
from ui.syncing.adding_view import show_adding
from ui.syncing.source_view import heading, last_run, named, next_run, run_now, show_one

_PAGE = 30


@page("wide", Access.PRODUCT_ADMINS)
def sources(person: Person) -> None:
    """Show the page."""
    chatbot = services.administered()
    managed = Sources(chatbot.database, chatbot.settings, person)
    if "add" in st.query_params and person.is_admin:
        show_adding(managed, ReleaseAdministration(chatbot.database).products())
        return
    if number := number_in_address("source"):
        show_one(managed, number)
        return
    listed = managed.every()
    with in_a_row(key="sources-heading"):
        st.title(gettext("Sources"), anchor=False)
        if listed and person.is_admin:
            button(gettext("Add a source"), go, icon="add", kwargs={"add": 1})
    show_running(SYNCS)
    if not listed:
        st.markdown(
            gettext(
                "No sources yet. A source is a Git repository, a documentation site or a shared "
                "folder: Strata fetches what is new there and publishes it release by release. If "
                "that fails, the documentation in use stays as it is."
            )
        )
        if person.is_admin:
            add = gettext("Add a source")
            button(add, go, icon="add", type="primary", kwargs={"add": 1})
        return
    with st.container(gap="xsmall", key="source-list"):
        list_in_pages(listed, "sources", lambda _, source: _line(managed, source), size=_PAGE)


def _line(managed: Sources, source: ListedSource) -> None:
    with in_a_row(border=True, gap="medium"):
        with st.container(width="stretch", gap="xsmall", key=f"source-text-{source.id}"):
            st.markdown(heading(source))
            st.markdown(last_run(source))
            st.caption(next_run(source))
        run_now(managed, source)
        opened, key = {"source": source.id}, f"open source {source.id}"
        button(gettext("Open"), go, of=named(source), key=key, kwargs=opened)
