"""Charts over time in the colors of the pages."""

from collections.abc import Mapping, Sequence
from datetime import date

import streamlit as st

COLORS = {"good": "#2a9d8f", "bad": "#e08e45", "fair": "#e9c46a", "other": "#94a3a8"}


def chart_over_time(
    starts: Sequence[date],
    series: Mapping[str, tuple[str, Sequence[float | None]]],
    *,
    lines: bool = False,
    height: int = 260,
) -> None:
    """Stacked bars, or lines; a series is its color and a value for each start of a period."""
    if not any(any(values) for _, values in series.values()):
        st.caption("None in this period.")
        return
    # A line through a single period would not be seen.
    of_figures = st.line_chart if len(starts) > 1 else st.scatter_chart
    draw = of_figures if lines else st.bar_chart
    draw(
        {"start": starts, **{name: values for name, (_, values) in series.items()}},
        x="start",
        y=list(series),
        x_label="",
        y_label="",
        color=[COLORS[color] for color, _ in series.values()],
        height=height,
    )
