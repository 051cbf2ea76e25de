"""The memory page: its figures, its questions, what became of them, and files of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from ui.elements.admin_page import admin_page
from ui.elements.scope import any_of
from ui.memory.changes_view import show_changes
from ui.memory.faq_exchange import exchange, tell_report
from ui.memory.figures import show_figures
from ui.memory.pair_view import show_pair
from ui.memory.place import go, opened
from ui.memory.question_list import show_questions
from ui.serving import services
from ui.wording.amounts import how_many

if TYPE_CHECKING:
    from chatbot.accounts.people import Person
    from chatbot.administration.overview import Overview, ReleaseFigures, Scope

_TAB = "memory-tab"


def memory() -> None:
    """Show the page; a failure is one clear message."""
    admin_page(_show)


def _show(person: Person) -> None:
    from chatbot.administration.overview import Overview, UnknownPair

    overview = Overview(services.chatbot().database, person)
    if (pair := opened()) is not None:
        try:
            show_pair(overview, pair)
            return
        except UnknownPair as error:
            go(None)
            st.toast(str(error))
    st.title("Memory", anchor=False)
    st.caption(
        "Saved answers by release. Good answers are reused for the same question and help with "
        "similar ones; poor answers are not repeated."
    )
    _say_if_off()
    tell_report()
    everything = overview.releases()
    if not everything:
        _nothing_yet()
        return
    _say_if_unread(overview)
    scope = _choose(everything)
    show_figures(overview, scope)
    questions, changes, files = st.tabs(
        ["Questions", "Changes", "Import and export"], key=_TAB, on_change="rerun"
    )
    if questions.open:
        with questions:
            show_questions(overview, scope)
    if changes.open:
        with changes:
            show_changes(overview, scope)
    if files.open:
        with files:
            exchange(scope)


def _say_if_off() -> None:
    if services.chatbot().settings.memory == "off":
        st.warning(
            "Saving answers is off: none are saved or reused. Remove memory = “off” from the "
            "settings to turn it on.",
            icon=":material/pause_circle:",
        )


def _say_if_unread(overview: Overview) -> None:
    from chatbot.administration.overview import PairFilter

    today = services.chatbot().memory.reader.embedding
    unread = overview.count(PairFilter(read_other_than=today))
    if unread:
        are = "is" if unread == 1 else "are"
        st.warning(
            f"Since an update, {how_many(unread, 'saved answer')} {are} no longer reused. "
            "Run `strata memory rebuild` on the server to reuse all of them again.",
            icon=":material/sync_problem:",
        )


def _nothing_yet() -> None:
    from chatbot.administration.overview import EVERYTHING

    if not services.chatbot().products():
        st.info(
            "No saved answers yet. Answers are saved by release: upload documents on the page "
            "Documents first.",
            icon=":material/history:",
        )
        return
    st.info(
        "No saved answers yet. Good answers from the chat are scored and saved here. You can also "
        "import questions and answers.",
        icon=":material/history:",
    )
    exchange(EVERYTHING, with_export=False)


def _choose(figures: Sequence[ReleaseFigures]) -> Scope:
    """The product and the release that are looked at; all of them at first."""
    from chatbot.administration.overview import Scope

    of_product, of_release = st.columns(2)
    with of_product:
        products = list(dict.fromkeys(found.product for found in figures))
        product = any_of("Product", products, "memory-product")
    with of_release:
        releases = [f.release for f in reversed(figures) if f.product == product]
        release = any_of("Release", releases, "memory-release", disabled=product is None)
    return Scope(product or "", release or "")
