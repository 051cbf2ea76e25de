"""How much the memory holds, how it grew, and how often it answered."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING

import streamlit as st

from ui.wording.escaping import as_label

if TYPE_CHECKING:
    from chatbot.administration.overview import Day, Overview, Scope

_HEIGHT = 180
_KEPT, _AGAIN, _HELPED, _OTHER = "#2a9d8f", "#2a9d8f", "#e9c46a", "#94a3a8"
_MOST_DAYS = 180


def show_figures(overview: Overview, scope: Scope) -> None:
    """The figures of a scope, and two small charts by day."""
    found = overview.releases(scope)
    days = overview.growth(scope)
    asked, reused = sum(day.asked for day in days), sum(day.reused for day in days)
    with st.container(horizontal=True, key="memory-total"):
        st.metric("Good answers", f"{sum(f.high for f in found):,}", border=True)
        st.metric("Poor answers", f"{sum(f.low for f in found):,}", border=True)
        st.metric(
            "Groups",
            f"{sum(f.high_clusters + f.low_clusters for f in found):,}",
            border=True,
            help="Similar questions form a group.",
        )
        st.metric("Reused", f"{reused:,}", border=True, help=f"of {asked:,} questions")
        st.metric(
            "Suspended",
            f"{sum(f.suspended for f in found):,}",
            border=True,
            help="The pages these answers cite have changed or are gone.",
        )
    if told := _origins(overview, scope):
        st.caption(told)
    if days:
        _charts(filled(days)[-_MOST_DAYS:])


def _origins(overview: Overview, scope: Scope) -> str:
    """Who vouches for how many answers, in a line."""
    from collections import Counter

    from chatbot.memory.pairs import Origin

    total: Counter[Origin] = Counter()
    for found in overview.releases(scope):
        total.update(found.origins)
    names = {
        Origin.MEASURED: "measured",
        Origin.THUMBS: "rated by people who asked",
        Origin.RATING: "rated by admins",
        Origin.IMPORTED: "imported",
        Origin.CURATED: "curated",
    }
    parts = [f"{total[origin]:,} {name}" for origin, name in names.items() if total[origin]]
    return as_label(" · ".join(parts), 300)


def _charts(days: Sequence[Day]) -> None:
    left, right = st.columns(2)
    on = [day.day for day in days]
    with left:
        st.markdown("**Saved answers per day**")
        st.bar_chart(
            {"day": on, "answers": [day.pairs for day in days]},
            x="day",
            y="answers",
            x_label="",
            y_label="",
            color=_KEPT,
            height=_HEIGHT,
        )
    with right:
        st.markdown("**Questions per day**")
        if not any(day.asked for day in days):
            st.caption("No questions yet.")
            return
        st.bar_chart(
            {
                "day": on,
                "reused": [day.reused for day in days],
                "with an example": [day.referenced for day in days],
                "new": [day.asked - day.reused - day.referenced for day in days],
            },
            x="day",
            y=["reused", "with an example", "new"],
            x_label="",
            y_label="",
            color=[_AGAIN, _HELPED, _OTHER],
            height=_HEIGHT,
        )


def filled(days: Sequence[Day]) -> list[Day]:
    """The days with those between them on which nothing happened."""
    from chatbot.administration.overview import Day

    whole: list[Day] = []
    for day in days:
        while whole and whole[-1].day < day.day - timedelta(days=1):
            between: date = whole[-1].day + timedelta(days=1)
            whole.append(Day(between, whole[-1].pairs, {}, 0, 0, 0))
        whole.append(day)
    return whole
