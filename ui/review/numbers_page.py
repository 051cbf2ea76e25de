"""The page of numbers over time."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from typing import Any

import streamlit as st
from streamlit.column_config import NumberColumn

from chatbot.accounts.people import Person
from chatbot.models.served import ServedChatModel
from chatbot.review.model_servers import ServerFigures, server_figures
from chatbot.review.numbers import Figures, Numbers, Span, StepTime, StepTimes
from chatbot.review.turns import TurnFilter
from ui.elements.charts import chart_over_time
from ui.elements.frame import Access, choose_one, page, when
from ui.elements.scope import choose_scope
from ui.elements.table import Columns, export_rows, show_table
from ui.serving import services
from ui.wording.escaping import as_text
from ui.wording.progress import step_name

_CHART = 260
_NOT_IN_USE = ("–", "")
"""The state of a model that was asked in the period, and is in use no more or in the process."""
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
"""The labels of the figures."""

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


@page("wide", Access.PRODUCT_ADMINS, in_english=True)
def numbers(person: Person) -> None:
    """Show the numbers of a period, a product or a release."""
    counted = Numbers(services.administered().database)
    st.title("Numbers", anchor=False)
    wanted = choose_scope("numbers")
    total = counted.total(person, wanted)
    if not total.questions:
        st.info("No questions in this period. Choose a longer one.", icon=":material/bar_chart:")
        _servers(person, wanted)
        return
    _totals(total)
    span = Span(choose_one("Per", list(map(str, Span)), "numbers-span"))
    periods = counted.over_time(person, wanted, span)
    places = st.columns(2)
    for number, (title, parts) in enumerate(_CHARTS.items()):
        with places[number % 2]:
            st.subheader(title.format(span=span), anchor=False)
            series = {
                label: (color, [getattr(figures, field) for figures in periods.values()])
                for label, color, field in parts
            }
            chart_over_time(list(periods), series, lines=title.startswith("Seconds"))
    steps = counted.by_step(person, wanted, span)
    if steps.steps:
        _steps(steps)
    st.subheader("By release", anchor=False)
    seconds = NumberColumn(format="%.2f s")
    columns: dict[str, Any] = {
        "Product": lambda row: row[0] or "none",
        "Release": lambda row: row[1] or "several or none",
    }
    for label, field in _FIGURES.items():
        width = seconds if field in ("median", "p95") else None
        columns[label] = (width, lambda row, field=field: getattr(row[2], field))
    show_table(counted.by_release(person, wanted), columns, height="auto")
    st.caption(f"Export: all figures per {span}, product and release. Days begin at midnight UTC.")
    read = partial(counted.rows, person, wanted, span)
    export_rows("numbers", "numbers", read, per=span, **asdict(wanted))
    _servers(person, wanted)


def _servers(person: Person, wanted: TurnFilter) -> None:
    """The language models that were asked in the period, and whether their servers answer now.

    Requests are counted for all products: a server fails for one as for the other. So they are for
    admins of Strata alone.
    """
    if not person.is_admin:
        return
    model, database = services.chatbot().model, services.chatbot().database
    figures = server_figures(database, person, wanted.since, wanted.until)
    served = model.in_order if isinstance(model, ServedChatModel) else ()
    asked = {(figure.server, figure.model) for figure in figures}
    figures += [
        ServerFigures(one.server, one.known_as, 0)
        for one in served
        if (one.server, one.known_as) not in asked
    ]
    if not figures:
        return
    names = tuple((one.server, one.known_as) for one in served)
    now = _states(names, served)
    st.subheader("Language models", anchor=False)
    seconds = NumberColumn(format="%.2f s")
    columns: Columns[ServerFigures] = {
        "Now": lambda figure: now.get((figure.server, figure.model), _NOT_IN_USE)[0],
        "Model": lambda figure: figure.model,
        "Server": lambda figure: figure.server or "in this process",
        "Calls": lambda figure: figure.calls,
        "Failed": lambda figure: figure.failed,
        "First word": (seconds, lambda figure: figure.first_token),
        "Median": (seconds, lambda figure: figure.median),
        "95th percentile": (seconds, lambda figure: figure.p95),
        "Errors": lambda figure: ", ".join(f"{kind}: {n:,}" for kind, n in figure.errors),
        "Last error": lambda figure: when(figure.last_error) if figure.last_error else "",
    }
    show_table(figures, columns, height="auto")
    for _, why in now.values():
        if why:
            st.warning(as_text(why), icon=":material/cloud_off:")


@st.cache_data(ttl=20, max_entries=4, show_spinner="Asking the model servers…")
def _states(
    names: tuple[tuple[str, str], ...], _served: tuple[ServedChatModel, ...]
) -> dict[tuple[str, str], tuple[str, str]]:
    """Whether each server answers now, in two words, and why it does not."""
    with ThreadPoolExecutor(len(_served) or 1) as probing:
        problems = probing.map(ServedChatModel.problem, _served)
    return {
        name: ("fails" if why else "answers", why)
        for name, why in zip(names, problems, strict=True)
    }


def _totals(total: Figures) -> None:
    with st.container(horizontal=True, key="numbers-total"):
        for label, field in _FIGURES.items():
            if not field.startswith("rated"):
                figure = _formatted(field, getattr(total, field), total.questions)
                of_all = f"of {total.questions:,} questions" if "%" in figure else None
                st.metric(label, figure, border=True, help=of_all)


def _formatted(field: str, figure: float | None, questions: int) -> str:
    if figure is None:
        return "–"
    if field in ("abstentions", "clarifications"):
        return f"{100 * figure / questions:.1f} %"
    if field in ("median", "p95"):
        return f"{figure:.2f} s" if figure < 10 else f"{figure:.0f} s"
    return f"{figure:,}"


def _steps(times: StepTimes) -> None:
    left, right = st.columns(2)
    with left:
        st.subheader("Slowest steps, median seconds", anchor=False)
        starts = sorted({start for start, _ in times.over_time})
        medians = {(start, time.step): time.median for start, time in times.over_time}
        slowest = zip(("good", "bad", "other"), times.steps, strict=False)
        series = {
            step_name(time.step): (color, [medians.get((start, time.step)) for start in starts])
            for color, time in slowest
        }
        chart_over_time(starts, series, lines=True)
    with right:
        st.subheader("Seconds by step", anchor=False)
        seconds = NumberColumn(format="%.3f s")
        columns: Columns[StepTime] = {
            "Step": lambda time: step_name(time.step),
            "Answers": lambda time: time.turns,
            "Median": (seconds, lambda time: time.median),
            "95th percentile": (seconds, lambda time: time.p95),
        }
        show_table(times.steps, columns, height=_CHART)
        if times.read < times.turns:
            st.caption(
                f"Based on {times.read:,} of {times.turns:,} answers, spread evenly over time."
            )
