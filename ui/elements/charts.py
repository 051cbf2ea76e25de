"""Charts over time in the colors of the pages."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import streamlit as st

from chatbot.text.languages import gettext

_OF_24_HOURS = "timeFormat(datum.value, {'hours': '%H:%M', 'minutes': '%H:%M'})"
_COLORS = {"good": "#2a9d8f", "bad": "#e08e45", "fair": "#e9c46a", "other": "#94a3a8"}


def chart_over_time(
    starts: Sequence[date],
    series: Mapping[str, tuple[str, Sequence[float | None]]],
    *,
    lines: bool = False,
    height: int = 260,
    none: str = "",
) -> None:
    """Stacked bars, or lines; a series is its color and a value for each start of a period.

    A line goes on over what has no value.
    """
    if not any(any(values) for _, values in series.values()):
        st.caption(none or gettext("None in this period."))
        return
    colors: list[Any] = [_COLORS[color] for color, _ in series.values()]
    figures = {name: values for name, (_, values) in series.items()}
    if not lines:
        table = {"start": starts, **figures}
        options: dict[str, Any] = {"x": "start", "x_label": "", "y": list(series), "y_label": ""}
        st.bar_chart(table, color=colors, height=height, **options)
        return
    rows = [
        {"start": str(start), "of": name, "value": value}
        for name, values in figures.items()
        for start, value in zip(starts, values, strict=True)
        if value is not None
    ]
    # Not a line_chart: its legend is one row, which a phone has no room for.
    color = {
        "field": "of",
        "type": "nominal",
        "scale": {"domain": list(series), "range": colors},
        "legend": {"orient": "bottom", "columns": 2, "title": None},
    }
    encoding = {
        "x": {
            "field": "start",
            "type": "temporal",
            "title": None,
            "axis": {"labelExpr": _OF_24_HOURS},
        },
        "y": {"field": "value", "type": "quantitative", "title": None},
        "color": color,
    }
    mark = {"type": "line", "point": True}
    st.vega_lite_chart(rows, {"mark": mark, "height": height, "encoding": encoding})
