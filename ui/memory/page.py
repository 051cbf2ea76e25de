"""The memory page: figures, questions, changes, import and export."""

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.administration.overview import EVERYTHING, Overview, PairFilter, Scope
from chatbot.memory.stores.stores import UnknownPair
from ui.elements.address import go, opened
from ui.elements.frame import admin_page, show_tabs
from ui.elements.scope import choose_release
from ui.memory.faq_exchange import exchange, offer_import, tell_report
from ui.memory.figures import show_figures
from ui.memory.lists import show_changes, show_questions
from ui.memory.pair_view import show_pair
from ui.serving import services
from ui.wording.amounts import how_many


@admin_page
def memory(person: Person) -> None:
    """Show the page."""
    overview = Overview(services.chatbot().database, person)
    if (pair := opened("pair")) is not None:
        try:
            show_pair(overview, pair)
            return
        except UnknownPair as error:
            go(pair=None)
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
    products = list(dict.fromkeys(found.product for found in everything))
    product, release = choose_release(
        "memory",
        st.columns(2),
        products,
        lambda product: [f.release for f in reversed(everything) if f.product == product],
    )
    scope = Scope(product or "", release or "")
    show_figures(overview, scope)
    show_tabs(
        "memory-tab",
        {
            "Questions": lambda: show_questions(overview, scope),
            "Changes": lambda: show_changes(overview, scope),
            "Import and export": lambda: exchange(scope),
        },
    )


def _say_if_off() -> None:
    if services.chatbot().settings.memory == "off":
        st.warning(
            "Saving answers is off: none are saved or reused. Remove memory = “off” from the "
            "settings to turn it on.",
            icon=":material/pause_circle:",
        )


def _say_if_unread(overview: Overview) -> None:
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
    there_are_documents = services.chatbot().products()
    st.info(
        "No saved answers yet. "
        + (
            "Good answers from the chat are scored and saved here. You can also import questions "
            "and answers."
            if there_are_documents
            else "Answers are saved by release: upload documents on the page Documents first."
        ),
        icon=":material/history:",
    )
    if there_are_documents:
        offer_import(EVERYTHING)
