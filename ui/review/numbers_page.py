"""The page of numbers over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from ui.elements.admin_page import admin_page
from ui.elements.export_buttons import export_buttons
from ui.elements.scope import choose_scope
from ui.serving import services
from ui.serving.services import current_person
from ui.wording.step_names import step_name

if TYPE_CHECKING:
    from chatbot.review.exports import Format
    from chatbot.review.filters import TurnFilter
    from chatbot.review.numbers import Figures, Numbers, OfRelease, Period, Span, StepTimes

_GOOD, _BAD, _OTHER = "#2a9d8f", "#e08e45", "#94a3a8"
_CHART = 260
_LINES = {
    "mark": "line",
    "height": _CHART,
    "encoding": {
        "x": {"field": "start", "type": "temporal", "title": None},
        "y": {"field": "seconds", "type": "quantitative", "title": None},
        "color": {
            "field": "step",
            "type": "nominal",
            "scale": {"range": [_GOOD, _BAD, _OTHER]},
            "legend": {"orient": "bottom", "columns": 2, "title": None},
        },
    },
}
_MOST_STEPS = 3


def numbers() -> None:
    """Show the numbers; a failure is one clear message."""
    from chatbot.review.numbers import Numbers

    admin_page(lambda _: _show(Numbers(services.chatbot().database)))


def _show(counted: Numbers) -> None:
    from chatbot.review.numbers import Span

    person = current_person()
    st.title("Numbers", anchor=False)
    wanted = choose_scope("numbers")
    total = counted.total(person, wanted)
    if not total.questions:
        st.info(
            "No questions in this period. Choose a longer one.",
            icon=":material/bar_chart:",
        )
        return
    _totals(total)
    span = Span(
        st.segmented_control(
            "Per", [str(s) for s in Span], default="day", required=True, key="numbers-span"
        )
    )
    _charts(counted.over_time(person, wanted, span), span)
    steps = counted.by_step(person, wanted, span)
    if steps.steps:
        _steps(steps, span)
    _by_release(counted.by_release(person, wanted))
    _export(counted, wanted, span)


def _totals(total: Figures) -> None:
    of_all = f"of {total.questions:,} questions"
    with st.container(horizontal=True, key="numbers-total"):
        st.metric("Questions", f"{total.questions:,}", border=True)
        st.metric("People", f"{total.people:,}", border=True)
        st.metric("Not answered", _share(total.abstentions, total), border=True, help=of_all)
        st.metric(
            "Clarification needed", _share(total.clarifications, total), border=True, help=of_all
        )
        st.metric("Thumbs up", f"{total.thumbs_up:,}", border=True)
        st.metric("Thumbs down", f"{total.thumbs_down:,}", border=True)
        st.metric("Median time", _seconds(total.median), border=True)
        st.metric("95th percentile", _seconds(total.p95), border=True)
        st.metric("Model calls", f"{total.model_calls:,}", border=True)
        st.metric("Reused answers", f"{total.reused:,}", border=True)


def _charts(periods: Sequence[Period], span: Span) -> None:
    figures = [period.figures for period in periods]
    starts = [period.start for period in periods]
    left, right = st.columns(2)
    with left:
        st.subheader(f"Questions per {span}", anchor=False)
        st.bar_chart(
            {
                "start": starts,
                "answered": [f.questions - f.abstentions - f.clarifications for f in figures],
                "not answered": [f.abstentions for f in figures],
                "clarification needed": [f.clarifications for f in figures],
            },
            **_over(
                "answered", "not answered", "clarification needed", color=[_GOOD, _BAD, _OTHER]
            ),
        )
        st.subheader(f"Thumbs per {span}", anchor=False)
        st.bar_chart(
            {
                "start": starts,
                "up": [f.thumbs_up for f in figures],
                "down": [f.thumbs_down for f in figures],
            },
            **_over("up", "down", color=[_GOOD, _BAD]),
        )
    with right:
        st.subheader("Seconds to an answer", anchor=False)
        st.line_chart(
            {
                "start": starts,
                "median": [f.median for f in figures],
                "95th percentile": [f.p95 for f in figures],
            },
            **_over("median", "95th percentile", color=[_GOOD, _BAD]),
        )
        st.subheader("Ratings by admins", anchor=False)
        st.bar_chart(
            {
                "start": starts,
                "good": [f.rated_good for f in figures],
                "incomplete": [f.rated_incomplete for f in figures],
                "wrong release": [f.rated_wrong_release for f in figures],
                "bad": [f.rated_bad for f in figures],
            },
            **_over(
                *("good", "incomplete", "wrong release", "bad"),
                color=[_GOOD, _OTHER, "#e9c46a", _BAD],
            ),
        )


def _over(*series: str, color: list[str]) -> dict[str, Any]:
    """What the charts over time have in common."""
    return {
        "x": "start",
        "y": list(series),
        "x_label": "",
        "y_label": "",
        "color": color,
        "height": _CHART,
    }


def _steps(times: StepTimes, span: Span) -> None:
    """The slowest steps over time, and all of them in a table."""
    left, right = st.columns(2)
    slowest = {time.step for time in times.steps[:_MOST_STEPS]}
    over_time = [(start, time) for start, time in times.over_time if time.step in slowest]
    with left:
        st.subheader("Slowest steps, median seconds", anchor=False)
        rows = [
            {"start": str(start), "step": step_name(time.step), "seconds": time.median}
            for start, time in over_time
        ]
        # Not a line_chart: its legend is one row, which a phone has no room for.
        st.vega_lite_chart(rows, _LINES)
    with right:
        st.subheader("Seconds by step", anchor=False)
        rows = [
            {
                "Step": step_name(time.step),
                "Answers": time.turns,
                "Median": time.median,
                "95th percentile": time.p95,
            }
            for time in times.steps
        ]
        seconds = st.column_config.NumberColumn(format="%.3f s")
        config = {"Median": seconds, "95th percentile": seconds}
        st.dataframe(rows, hide_index=True, height=_CHART, column_config=config)
        if times.read < times.turns:
            st.caption(
                f"Based on {times.read:,} of {times.turns:,} answers, spread evenly over time."
            )


def _by_release(found: Sequence[OfRelease]) -> None:
    st.subheader("By release", anchor=False)
    rows = [
        {
            "Product": row.product or "none",
            "Release": row.release or "several or none",
            "Questions": row.figures.questions,
            "People": row.figures.people,
            "Not answered": row.figures.abstentions,
            "Clarification needed": row.figures.clarifications,
            "Thumbs up": row.figures.thumbs_up,
            "Thumbs down": row.figures.thumbs_down,
            "Rated good": row.figures.rated_good,
            "Rated bad": row.figures.rated_bad,
            "Wrong release": row.figures.rated_wrong_release,
            "Incomplete": row.figures.rated_incomplete,
            "Median": row.figures.median,
            "95th percentile": row.figures.p95,
            "Model calls": row.figures.model_calls,
            "Reused": row.figures.reused,
        }
        for row in found
    ]
    seconds = st.column_config.NumberColumn(format="%.2f s")
    config = {"Median": seconds, "95th percentile": seconds}
    st.dataframe(rows, hide_index=True, column_config=config)


def _export(counted: Numbers, wanted: TurnFilter, span: Span) -> None:
    from chatbot.review.exports import Exports

    person, exports = current_person(), Exports(counted.database)

    def export(form: Format) -> Iterator[str]:
        return exports.of(
            *(person, "numbers", counted.rows(person, wanted, span), form),
            per=span,
            product=wanted.product,
            release=wanted.release,
            since=wanted.since,
        )

    st.caption(f"Export: all figures per {span}, product and release. Days begin at midnight UTC.")
    export_buttons("numbers", export)


def _share(part: int, total: Figures) -> str:
    return f"{part / total.questions:.1%}".replace("%", " %")


def _seconds(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.0f} s"
