"""The memory page: figures, questions, changes, import and export."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.administration.overview import (
    EVERYTHING,
    Day,
    Overview,
    PairFilter,
    ReleaseFigures,
    Scope,
)
from chatbot.memory.stores.stores import UnknownPair
from ui.elements.address import go, opened
from ui.elements.charts import chart_over_time
from ui.elements.frame import admin_page, show_tabs
from ui.elements.scope import choose_release
from ui.memory.faq_exchange import exchange, offer_import, tell_report
from ui.memory.lists import show_changes, show_questions
from ui.memory.pair_view import show_pair
from ui.serving import services
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label

_MOST_DAYS = 180


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
    _show_figures(overview, scope)
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


def _show_figures(overview: Overview, scope: Scope) -> None:
    """The figures of a scope, and two small charts by day."""
    found = overview.releases(scope)
    days = overview.growth(scope)
    asked, reused = sum(day.asked for day in days), sum(day.reused for day in days)
    figures = {
        "Good answers": (sum(f.high for f in found), None),
        "Poor answers": (sum(f.low for f in found), None),
        "Groups": (
            sum(f.high_clusters + f.low_clusters for f in found),
            "Similar questions form a group.",
        ),
        "Reused": (reused, f"of {asked:,} questions"),
        "Suspended": (
            sum(f.suspended for f in found),
            "The pages these answers cite have changed or are gone.",
        ),
    }
    with st.container(horizontal=True, key="memory-total"):
        for label, (figure, told) in figures.items():
            st.metric(label, f"{figure:,}", border=True, help=told)
    if origins := _origins(found):
        st.caption(origins)
    if days:
        _charts(days[-_MOST_DAYS:])


def _origins(figures: Sequence[ReleaseFigures]) -> str:
    """How many answers have which origin, in a line."""
    names = {
        "measured": "measured",
        "thumbs": "rated by people who asked",
        "rating": "rated by admins",
        "imported": "imported",
        "curated": "curated",
    }
    total: Counter[str] = Counter()
    for found in figures:
        total.update(found.origins)
    parts = [f"{total[origin]:,} {name}" for origin, name in names.items() if total[origin]]
    return as_label(" · ".join(parts), 300)


def _charts(days: Sequence[Day]) -> None:
    left, right = st.columns(2)
    starts = [day.day for day in days]
    with left:
        st.markdown("**Saved answers per day**")
        kept = {"answers": ("good", [day.pairs for day in days])}
        chart_over_time(starts, kept, height=180)
    with right:
        st.markdown("**Questions per day**")
        if not any(day.asked for day in days):
            st.caption("No questions yet.")
            return
        new = [day.asked - day.reused - day.referenced for day in days]
        asked = {
            "reused": ("good", [day.reused for day in days]),
            "with an example": ("fair", [day.referenced for day in days]),
            "new": ("other", new),
        }
        chart_over_time(starts, asked, height=180)
