"""Charts over time in the colors of the pages."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

import streamlit as st
from babel import Locale

from chatbot.text.languages import gettext, language

_COLORS = {"good": "#2a9d8f", "bad": "#e08e45", "fair": "#e9c46a", "other": "#94a3a8"}
_SIGNS = {"MMM": "%b", "M": "%-m", "d": "%-d"}
"""How D3 writes what a pattern of CLDR has: the name of a month, its number, the day."""


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
    # They are read, too: where a pointer rests, by screen readers, and in the data that are shown.
    start_field, of_field, value_field = gettext("Time"), gettext("Name"), gettext("Value")
    rows = [
        {start_field: _moment(start), of_field: name, value_field: value}
        for name, (_, values) in series.items()
        for start, value in zip(starts, values, strict=True)
        if value is not None
    ]
    # Not a line_chart: its legend is one row, and its days are English. A phone has no room for two
    # long names beside each other.
    colors = [_COLORS[color] for color, _ in series.values()]
    color = {
        "field": of_field,
        "type": "nominal",
        "scale": {"domain": list(series), "range": colors},
        "legend": {"orient": "bottom", "columns": 1, "labelLimit": 280, "title": None},
    }
    locale = Locale.parse(language())
    day = re.sub("MMM|M|d", lambda m: _SIGNS[m[0]], locale.datetime_skeletons["MMMd"].pattern)
    units = {"date": day, "week": day, "hours": "%H:%M", "minutes": "%H:%M"}
    encoding = {
        "x": {
            "field": start_field,
            "type": "temporal",
            "title": None,
            "axis": {"labelExpr": f"timeFormat(datum.value, {json.dumps(units)})"},
        },
        "y": {
            "field": value_field,
            "type": "quantitative",
            "title": None,
            # Bars count, and there are no half questions.
            "axis": {} if lines else {"tickMinStep": 1, "format": ",d"},
        },
        "color": color,
        "tooltip": [
            {"field": of_field, "type": "nominal"},
            {"field": start_field, "type": "temporal"},
            {"field": value_field, "type": "quantitative"},
        ],
    }
    mark = {"type": "line", "point": True} if lines else {"type": "bar"}
    spec = {"mark": mark, "height": height, "encoding": encoding, "description": ", ".join(series)}
    config = {
        "locale": {"time": _time_of(locale), "number": _signs_of(locale)},
        "timeFormat": f"{day} %H:%M" if isinstance(starts[0], datetime) else day,
        # What axes and legend are called for screen readers is English, and each value has its own.
        "axis": {"aria": False},
        "legend": {"aria": False},
    }
    st.vega_lite_chart(rows, {**spec, "config": config})


def _moment(start: date) -> str:
    """A time as browsers read it: a day alone they take for midnight UTC, a day too early west."""
    return start.isoformat() if isinstance(start, datetime) else f"{start}T00:00:00"


def _signs_of(locale: Locale) -> dict[str, Any]:
    """The signs of numbers for D3."""
    signs = locale.number_symbols[locale.default_numbering_system]
    marks = {"decimal": signs["decimal"], "thousands": signs["group"]}
    return {**marks, "grouping": [3], "currency": ["", ""]}


def _time_of(locale: Locale) -> dict[str, Any]:
    """The names of days and months for D3, which begins a week on Sunday."""
    days, months = locale.days["stand-alone"], locale.months["stand-alone"]
    week = (6, 0, 1, 2, 3, 4, 5)
    return {
        "dateTime": "%c",
        "date": "%Y-%m-%d",
        "time": "%H:%M:%S",
        "periods": ["AM", "PM"],
        "days": [days["wide"][n] for n in week],
        "shortDays": [days["abbreviated"][n] for n in week],
        "months": [months["wide"][n] for n in range(1, 13)],
        "shortMonths": [months["abbreviated"][n] for n in range(1, 13)],
    }
