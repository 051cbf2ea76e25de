"""The page of numbers over time."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from typing import Any

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.models.embedders import Embedders, ServedEmbedder
from chatbot.models.served import ServedChatModel
from chatbot.review.model_servers import ServerFigures, server_figures
from chatbot.review.numbers import Figures, Numbers, Span, StepTime, StepTimes
from chatbot.review.turns import TurnFilter
from chatbot.text.languages import figure, gettext, gettext_noop, ngettext
from chatbot.text.step_names import step_name
from ui.elements.charts import chart_over_time
from ui.elements.frame import Access, choose_one, page, when
from ui.elements.scope import choose_scope
from ui.elements.table import Columns, Number, export_rows, show_table
from ui.serving import services
from ui.wording.escaping import as_text
from ui.wording.reviews import name_of

_CHART = 260
_FIGURES = {
    gettext_noop("Questions"): "questions",
    gettext_noop("People"): "people",
    gettext_noop("Not answered"): "abstentions",
    gettext_noop("Clarification needed"): "clarifications",
    gettext_noop("Thumbs up"): "thumbs_up",
    gettext_noop("Thumbs down"): "thumbs_down",
    gettext_noop("Rated good"): "rated_good",
    gettext_noop("Rated bad"): "rated_bad",
    gettext_noop("Wrong release"): "rated_wrong_release",
    gettext_noop("Incomplete"): "rated_incomplete",
    gettext_noop("Median time"): "median",
    gettext_noop("95th percentile"): "p95",
    gettext_noop("Model calls"): "model_calls",
    gettext_noop("Reused answers"): "reused",
}
"""The labels of the figures."""

_CHARTS: dict[str, tuple[tuple[str, str, str], ...]] = {
    gettext_noop("Questions"): (
        (gettext_noop("answered"), "good", "answered"),
        (gettext_noop("not answered"), "bad", "abstentions"),
        (gettext_noop("clarification needed"), "other", "clarifications"),
    ),
    gettext_noop("Seconds to an answer"): (
        (gettext_noop("median"), "good", "median"),
        (gettext_noop("95th percentile"), "bad", "p95"),
    ),
    gettext_noop("Thumbs"): (
        (gettext_noop("up"), "good", "thumbs_up"),
        (gettext_noop("down"), "bad", "thumbs_down"),
    ),
    gettext_noop("Ratings by admins"): (
        (gettext_noop("good"), "good", "rated_good"),
        (gettext_noop("incomplete"), "other", "rated_incomplete"),
        (gettext_noop("wrong release"), "fair", "rated_wrong_release"),
        (gettext_noop("bad"), "bad", "rated_bad"),
    ),
}
"""The series of each chart: its label, its color, and the figure that it shows."""


@page("wide", Access.PRODUCT_ADMINS)
def numbers(person: Person) -> None:
    """Show the numbers of a period, a product or a release."""
    counted = Numbers(services.administered().database)
    st.title(gettext("Numbers"), anchor=False)
    wanted = choose_scope("numbers")
    total = counted.total(person, wanted)
    if not total.questions:
        none = gettext("No questions in this period. Choose a longer one.")
        st.info(none, icon=":material/bar_chart:")
        _servers(person, wanted)
        return
    _totals(total)
    span = Span(choose_one(gettext("Per"), list(map(str, Span)), "numbers-span", shown=name_of))
    periods = counted.over_time(person, wanted, span)
    places = st.columns(2)
    for number, (title, parts) in enumerate(_CHARTS.items()):
        with places[number % 2]:
            st.subheader(gettext(title), anchor=False)
            series = {
                gettext(label): (color, [getattr(figures, field) for figures in periods.values()])
                for label, color, field in parts
            }
            chart_over_time(list(periods), series, lines=parts[0][2] == "median")
    steps = counted.by_step(person, wanted, span)
    if steps.steps:
        _steps(steps)
    st.subheader(gettext("By release"), anchor=False)
    seconds = Number(2, seconds=True)
    columns: dict[str, Any] = {
        gettext("Product"): lambda row: row[0] or gettext("none"),
        gettext("Release"): lambda row: row[1] or gettext("several or none"),
    }
    for label, field in _FIGURES.items():
        width = seconds if field in ("median", "p95") else Number()
        columns[gettext(label)] = (width, lambda row, field=field: getattr(row[2], field))
    show_table(counted.by_release(person, wanted), columns, height="auto")
    exported = gettext("Export: all figures by day, product and release.")
    if span is Span.WEEK:
        exported = gettext("Export: all figures by week, product and release.")
    st.caption(f"{exported} {gettext('Days begin at midnight UTC.')}")
    read = partial(counted.rows, person, wanted, span)
    export_rows("numbers", "numbers", read, per=span, **asdict(wanted))
    _servers(person, wanted)


def _servers(person: Person, wanted: TurnFilter) -> None:
    """The models that were asked in the period, and whether their servers answer now.

    Requests are counted for all products: a server fails for one as for the other. So they are for
    admins of Strata alone.
    """
    if not person.is_admin:
        return
    model, embedder = services.chatbot().model, services.chatbot().embedder
    database = services.chatbot().database
    figures = server_figures(database, person, wanted.since, wanted.until)
    served: tuple[ServedChatModel | ServedEmbedder, ...] = (
        *(model.in_order if isinstance(model, ServedChatModel) else ()),
        *(embedder.served if isinstance(embedder, Embedders) else ()),
    )
    asked = {(figure.server, figure.model) for figure in figures}
    figures += [
        ServerFigures(one.server, one.known_as, 0)
        for one in served
        if (one.server, one.known_as) not in asked
    ]
    if not figures:
        return
    names = tuple((one.server, one.known_as) for one in served)
    with st.spinner(gettext("Asking the model servers…")):
        now = _states(names, served)
    st.subheader(gettext("Models"), anchor=False)
    seconds = Number(2, seconds=True)
    columns: Columns[ServerFigures] = {
        gettext("Now"): lambda figure: _answers(now.get((figure.server, figure.model))),
        gettext("Model"): lambda figure: figure.model,
        gettext("Server"): lambda figure: figure.server or gettext("in this process"),
        gettext("Calls"): (Number(), lambda figure: figure.calls),
        gettext("Failed"): (Number(), lambda figure: figure.failed),
        gettext("First word"): (seconds, lambda figure: figure.first_token),
        gettext("Median"): (seconds, lambda figure: figure.median),
        gettext("95th percentile"): (seconds, lambda figure: figure.p95),
        gettext("Errors"): _errors,
        gettext("Last error"): lambda figure: when(figure.last_error) if figure.last_error else "",
    }
    show_table(figures, columns, height="auto")
    for why in now.values():
        if why:
            st.warning(as_text(why), icon=":material/cloud_off:")


@st.cache_data(ttl=20, max_entries=4, show_spinner=False)
def _states(
    names: tuple[tuple[str, str], ...], _served: tuple[ServedChatModel | ServedEmbedder, ...]
) -> dict[tuple[str, str], str]:
    """Why each server does not answer now; empty where it does."""
    with ThreadPoolExecutor(len(_served) or 1) as probing:
        problems = probing.map(lambda served: served.problem(), _served)
        return dict(zip(names, problems, strict=True))


def _errors(figures: ServerFigures) -> str:
    return ", ".join(f"{kind}: {figure(number)}" for kind, number in figures.errors)


def _answers(problem: str | None) -> str:
    """Of a model that is in use no more, or in the process, nothing is said."""
    if problem is None:
        return "–"
    return gettext("fails") if problem else gettext("answers")


def _totals(total: Figures) -> None:
    with st.container(horizontal=True, key="numbers-total"):
        for label, field in _FIGURES.items():
            if not field.startswith("rated"):
                shown = _formatted(field, getattr(total, field), total.questions)
                of_all = ngettext("of {number} question", "of {number} questions", total.questions)
                st.metric(gettext(label), shown, border=True, help=of_all if "%" in shown else None)


def _formatted(field: str, value: float | None, questions: int) -> str:
    if value is None:
        return "–"
    if field in ("abstentions", "clarifications"):
        return f"{figure(100 * value / questions, 1)} %"
    if field in ("median", "p95"):
        return gettext("{number} s", number=figure(value, 2 if value < 10 else 0))
    return figure(value)


def _steps(times: StepTimes) -> None:
    left, right = st.columns(2)
    with left:
        st.subheader(gettext("Slowest steps, median seconds"), anchor=False)
        starts = sorted({start for start, _ in times.over_time})
        medians = {(start, time.step): time.median for start, time in times.over_time}
        slowest = zip(("good", "bad", "other"), times.steps, strict=False)
        series = {
            step_name(time.step): (color, [medians.get((start, time.step)) for start in starts])
            for color, time in slowest
        }
        chart_over_time(starts, series, lines=True)
    with right:
        st.subheader(gettext("Seconds by step"), anchor=False)
        seconds = Number(3, seconds=True)
        columns: Columns[StepTime] = {
            gettext("Step"): lambda time: step_name(time.step),
            gettext("Answers"): (Number(), lambda time: time.turns),
            gettext("Median"): (seconds, lambda time: time.median),
            gettext("95th percentile"): (seconds, lambda time: time.p95),
        }
        show_table(times.steps, columns, height=_CHART)
        if times.read < times.turns:
            of = {"number": figure(times.read), "all": figure(times.turns)}
            st.caption(
                gettext("Based on {number} of {all} answers, spread evenly over time.", **of)
            )
