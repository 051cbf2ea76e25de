"""How much the memory holds, how it grew, and how often it answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from chatbot.administration.growth import Day, growth
from chatbot.administration.overview import Overview, ReleaseFigures, Scope
from ui.elements.charts import chart_over_time
from ui.wording.escaping import as_label

_MOST_DAYS = 180


def show_figures(overview: Overview, scope: Scope) -> None:
    """The figures of a scope, and two small charts by day."""
    found = overview.releases(scope)
    days = growth(overview, scope)
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
    """Who vouches for how many answers, in a line."""
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
