"""The filter of the history: what an admin chooses to see, kept in the address of the page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta, timezone
from typing import Any, Literal, NamedTuple

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.memory.pairs import Rating
from chatbot.review.filters import NOT_RATED, TurnFilter
from chatbot.review.ratings import Status
from chatbot.review.turns import AllTurns
from chatbot.turn import Route
from ui.elements.scope import any_of

_OUTCOMES: dict[str, dict[str, Any]] = {
    "answered": {"abstained": False},
    "I don't know": {"abstained": True, "clarified": False},
    "clarification needed": {"clarified": True},
}
_YES = {"yes": True, "no": False}
_NO_DAYS: Any = ()
_NO_NAME = "(anonymous)"
_KEPT: Literal["query-params"] = "query-params"


class _Filter(NamedTuple):
    """A widget: its label, its options with what they mean, or what `AllTurns` has to choose."""

    label: str
    options: dict[str, Any] | str


_FILTERS = {
    "product": _Filter("Product", "product"),
    "release": _Filter("Release", "release"),
    "outcome": _Filter("Outcome", _OUTCOMES),
    "thumbs": _Filter("Thumbs", {"up": 1, "down": -1}),
    "route": _Filter("Route", {str(route): str(route) for route in Route}),
    "document": _Filter("Cited document", "document"),
    "rating": _Filter(
        "Rating", {"not rated": NOT_RATED, **{str(rating): str(rating) for rating in Rating}}
    ),
    "status": _Filter("Status", {str(status): str(status) for status in Status}),
    "assignee": _Filter("Assigned to", "assignee"),
    "kept": _Filter("In the regression set", _YES),
    "person": _Filter("User", "owner"),
    "superseded": _Filter("Asked again since", _YES),
}
_FIELDS = {"kept": "in_regression_set", "person": "owner"}
"""What `TurnFilter` calls what the address calls otherwise."""


def filter_bar(turns: AllTurns, person: Person) -> TurnFilter:
    """Show the filter and return what it says; its address can be kept and handed on."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="history-filter"):
        words = st.text_input(
            "Search questions and answers",
            key=_key("words"),
            bind=_KEPT,
            icon=":material/search:",
            placeholder="Search (last word may be partial)",
        )
        popover = st.popover(_label(), icon=":material/filter_list:")
    with popover:
        found: dict[str, Any] = {}
        for number, (name, filtered) in enumerate(_FILTERS.items()):
            if number % 2 == 0:
                places = st.columns(2)
            options = filtered.options
            if isinstance(options, str):
                product = found.get("product") if name == "release" else None
                options = _there(turns, person, options, product)
            chosen = any_of(
                places[number % 2], filtered.label, list(options), _key(name), none="any"
            )
            if chosen is not None:
                meant: Any = options[chosen]
                found |= meant if name == "outcome" else {_FIELDS.get(name, name): meant}
        found |= _of_time()
        st.button(
            "Clear all filters",
            key=_key("clear"),
            icon=":material/filter_list_off:",
            on_click=_clear,
        )
    return TurnFilter(words=words, **found)


def _of_time() -> dict[str, Any]:
    """When was asked, and how long the answer took."""
    left, right = st.columns(2)
    # The type of `value` knows no empty range, which its documentation offers.
    asked: Any = left.date_input("Asked between", value=_NO_DAYS, key=_key("asked"), bind=_KEPT)
    seconds = right.number_input(
        "Took at least (seconds)", min_value=0.0, value=None, key=_key("seconds"), bind=_KEPT
    )
    days: tuple[date, ...] = asked if isinstance(asked, tuple) else (asked,)
    # The days are those of the browser, which counts minutes from its own time to UTC.
    midnight = time(tzinfo=timezone(timedelta(minutes=-(st.context.timezone_offset or 0))))
    moments = [datetime.combine(day, midnight) for day in days]
    return {
        "since": moments[0] if moments else None,
        # Between the choice of the first day and that of the last there is one.
        "until": moments[1] + timedelta(days=1) if len(moments) == 2 else None,
        "seconds": seconds or None,
    }


def _there(turns: AllTurns, person: Person, what: str, product: str | None) -> dict[str, str]:
    """What there is to choose, by what it is called."""
    found = _choices(str(turns.database.engine.url), what, product, turns, person)
    return {name or _NO_NAME: name for name in found}


# Looked up in all turns there are, which need not be done at every touch of the page.
@st.cache_data(ttl=60, max_entries=100, show_spinner=False)
def _choices(
    database: str, what: str, product: str | None, _turns: AllTurns, _person: Person
) -> Sequence[str]:
    return _turns.choices(_person, what, product)


_NAMES = (*_FILTERS, "asked", "seconds")


def _key(name: str) -> str:
    return f"history-{name}"


def _label() -> str:
    used = sum(st.session_state.get(_key(name)) not in (None, (), "") for name in _NAMES)
    return f"Filters ({used})" if used else "Filters"


def _clear() -> None:
    for name in _NAMES:
        st.session_state[_key(name)] = () if name == "asked" else None
    st.session_state[_key("words")] = ""
