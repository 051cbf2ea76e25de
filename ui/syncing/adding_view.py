"""A source is added: a form for its kind, and a trial that shows what it would bring."""

from collections.abc import Mapping, Sequence
from inspect import getdoc
from typing import Any

import streamlit as st

from chatbot.administration.sources import Sources, Trial, TriedPage
from chatbot.text.languages import gettext
from corpora.sources.kinds import kinds, source_kind
from corpora.sources.schedules import NEVER
from ui.elements.address import go
from ui.elements.frame import button, choose_one, done, failures_shown
from ui.elements.table import first_of
from ui.syncing.left_out import show_left_out
from ui.syncing.options_form import option_fields, told_of
from ui.syncing.schedule_form import schedule_field
from ui.wording.amounts import how_many, with_names
from ui.wording.escaping import as_label, as_text, visible
from ui.wording.sources import kind_name

_TRIED = "source tried"
_NAMED = 12
_LINES = 3


def show_adding(sources: Sources, products: Sequence[str]) -> None:
    """Show the form, and below it the last trial of what it says."""
    with st.container(gap=None, key="sources-heading"):
        button(gettext("All sources"), go, icon="arrow_back", type="tertiary", kwargs={"add": None})
        st.title(gettext("Add a source"), anchor=False)
    label, key = gettext("Kind"), "source kind"
    kind = choose_one(label, list(kinds()), key, labelled=False, shown=kind_name)
    of = source_kind(kind).options
    st.caption(as_label(told_of(getdoc(of)), 300))
    with st.form(f"source {kind}", border=False, width=640):
        product = st.selectbox(
            gettext("Product"),
            products,
            index=None,
            accept_new_options=True,
            placeholder=gettext("Choose or enter a new one"),
            key="source product",
        )
        options = option_fields(of, f"source {kind}")
        schedule = schedule_field(NEVER, f"source {kind}")
        starts = st.checkbox(gettext("Bring its documentation at once"), True, key="source starts")
        with st.container(horizontal=True, gap="small"):
            tries = st.form_submit_button(gettext("Try"), icon=":material/preview:")
            adds = st.form_submit_button(gettext("Add"), icon=":material/add:", type="primary")
        st.caption(gettext("Try reads up to ten pages and changes nothing."))
    if adds:
        with failures_shown():
            _add(sources, (product or "").strip(), kind, options, schedule, starts=starts)
    if tries:
        _try(sources, kind, options)
    tried = st.session_state.get(_TRIED)
    # What was typed since belongs to another trial.
    if tried and tried[:2] == (kind, options):
        _show(sources, kind, options, tried[2])


def _add(
    sources: Sources,
    product: str,
    kind: str,
    options: Mapping[str, Any],
    schedule: str,
    *,
    starts: bool,
) -> None:
    added = sources.add(product, kind, options, schedule)
    if starts:
        sources.sync(added.id)
    st.session_state.pop(_TRIED, None)
    go(add=None, source=added.id)
    brought = gettext("Added. Its documentation is being brought.")
    done(brought if starts else gettext("Added."))


def _try(sources: Sources, kind: str, options: Mapping[str, Any], release: str = "") -> None:
    st.session_state.pop(_TRIED, None)
    with failures_shown(), st.spinner(gettext("Reading up to ten pages …")):
        st.session_state[_TRIED] = kind, options, sources.try_out(kind, options, release)


def _show(sources: Sources, kind: str, options: Mapping[str, Any], trial: Trial) -> None:
    with st.container(key="source-trial", gap="small"):
        st.subheader(gettext("What it would bring"), anchor=False)
        newest_first = trial.releases[::-1]
        releases = how_many(len(newest_first), "release")
        st.markdown(as_label(with_names(releases, first_of(newest_first, _NAMED)), 400))
        release = st.selectbox(
            gettext("Pages of"),
            newest_first,
            index=newest_first.index(trial.release),
            format_func=visible,
            width=320,
        )
        if release != trial.release:
            _try(sources, kind, options, release)
            if _TRIED in st.session_state:
                st.rerun()
            return
        if not trial.pages:
            st.info(gettext("No page that can be read was found in this release."))
        for number, page in enumerate(trial.pages):
            with st.container(border=True, key=f"tried-{number}", gap="xsmall"):
                title, file = as_label(page.title or page.file, 200), as_label(page.file, 200)
                st.markdown(f"**{title}**\\\n:gray[{file}]")
                if page.problem:
                    badge = f":orange-badge[{gettext('left out')}]"
                    st.markdown(f"{badge} {as_label(page.problem, 300)}")
                elif beginning := _beginning(page):
                    st.markdown(beginning)
                if page.address:
                    icon = ":material/open_in_new:"
                    st.link_button(gettext("Original"), page.address, icon=icon, type="tertiary")
        show_left_out(trial.remarks)


def _beginning(page: TriedPage) -> str:
    """The first lines of a page as text, without the title that stands above them."""
    lines = [line for line in page.text.splitlines() if line.strip()]
    if lines and lines[0].strip() == page.title.strip():
        del lines[0]
    return as_text("\n".join(lines[:_LINES]))
