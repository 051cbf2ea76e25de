"""The page of numbers over time."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import date

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.review.exports import Exports
from chatbot.review.numbers import Figures, Numbers, Span, StepTimes
from ui.elements.charts import COLORS, chart_over_time
from ui.elements.frame import admin_page
from ui.elements.scope import choose_scope
from ui.elements.table import export_buttons, show_table
from ui.serving import services
from ui.wording.progress import step_name

_CHART = 260
_LINES = {
    "mark": {"type": "line", "point": True},
    "height": _CHART,
    "encoding": {
        "x": {"field": "start", "type": "temporal", "title": None},
        "y": {"field": "seconds", "type": "quantitative", "title": None},
        "color": {
            "field": "step",
            "type": "nominal",
            "scale": {"range": [COLORS[name] for name in ("good", "bad", "other")]},
            "legend": {"orient": "bottom", "columns": 2, "title": None},
        },
    },
}
_FIGURES = {
    "Questions": "questions",
    "People": "people",
    "Not answered": "abstentions",
    "Clarification needed": "clarifications",
    "Thumbs up": "thumbs_up",
    "Thumbs down": "thumbs_down",
    "Rated good": "rated_good",
    "Rated bad": "rated_bad",
    "Wrong release": "rated_wrong_release",
    "Incomplete": "rated_incomplete",
    "Median time": "median",
    "95th percentile": "p95",
    "Model calls": "model_calls",
    "Reused answers": "reused",
}
"""What the page calls the figures."""

_CHARTS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "Questions per {span}": (
        ("answered", "good", "answered"),
        ("not answered", "bad", "abstentions"),
        ("clarification needed", "other", "clarifications"),
    ),
    "Seconds to an answer": (("median", "good", "median"), ("95th percentile", "bad", "p95")),
    "Thumbs per {span}": (("up", "good", "thumbs_up"), ("down", "bad", "thumbs_down")),
    "Ratings by admins": (
        ("good", "good", "rated_good"),
        ("incomplete", "other", "rated_incomplete"),
        ("wrong release", "fair", "rated_wrong_release"),
        ("bad", "bad", "rated_bad"),
    ),
}
"""The series of each chart: its label, its color, and the figure that it shows."""


@admin_page
def numbers(person: Person) -> None:
    """Show the numbers of a period, a product or a release."""
    counted = Numbers(services.chatbot().database)
    st.title("Numbers", anchor=False)
    wanted = choose_scope("numbers")
    total = counted.total(person, wanted)
    if not total.questions:
        st.info("No questions in this period. Choose a longer one.", icon=":material/bar_chart:")
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
        _steps(steps)
    st.subheader("By release", anchor=False)
    rows = [
        {"Product": product or "none", "Release": release or "several or none"}
        | {label: getattr(figures, field) for label, field in _FIGURES.items()}
        for product, release, figures in counted.by_release(person, wanted)
    ]
    seconds = st.column_config.NumberColumn(format="%.2f s")
    show_table(rows, {"Median time": seconds, "95th percentile": seconds}, height="auto")
    st.caption(f"Export: all figures per {span}, product and release. Days begin at midnight UTC.")
    exports, of = Exports(counted.database), {"per": span} | asdict(wanted)
    export_buttons(
        "numbers",
        lambda form: exports.of(person, "numbers", counted.rows(person, wanted, span), form, **of),
    )


def _totals(total: Figures) -> None:
    """The figures of all questions, except the ratings, which have a chart."""
    with st.container(horizontal=True, key="numbers-total"):
        for label, field in _FIGURES.items():
            if not field.startswith("rated"):
                figure = _told(field, getattr(total, field), total.questions)
                of_all = f"of {total.questions:,} questions" if "%" in figure else None
                st.metric(label, figure, border=True, help=of_all)


def _told(field: str, figure: float | None, questions: int) -> str:
    if figure is None:
        return "–"
    if field in ("abstentions", "clarifications"):
        return f"{100 * figure / questions:.1f} %"
    if field in ("median", "p95"):
        return f"{figure:.2f} s" if figure < 10 else f"{figure:.0f} s"
    return f"{figure:,}"


def _charts(periods: Mapping[date, Figures], span: Span) -> None:
    places = st.columns(2)
    for number, (title, series) in enumerate(_CHARTS.items()):
        with places[number % 2]:
            st.subheader(title.format(span=span), anchor=False)
            chart_over_time(
                list(periods),
                {
                    label: (color, [getattr(figures, field) for figures in periods.values()])
                    for label, color, field in series
                },
                lines=title.startswith("Seconds"),
            )


def _steps(times: StepTimes) -> None:
    """The slowest steps over time, and all of them in a table."""
    left, right = st.columns(2)
    slowest = {time.step for time in times.steps[:3]}
    with left:
        st.subheader("Slowest steps, median seconds", anchor=False)
        rows = [
            {"start": str(start), "step": step_name(time.step), "seconds": time.median}
            for start, time in times.over_time
            if time.step in slowest
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
        show_table(rows, {"Median": seconds, "95th percentile": seconds}, height=_CHART)
        if times.read < times.turns:
            st.caption(
                f"Based on {times.read:,} of {times.turns:,} answers, spread evenly over time."
            )
