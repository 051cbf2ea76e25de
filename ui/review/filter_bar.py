"""The filter of the history: what an admin chooses to see, kept in the address of the page."""

from datetime import date, datetime, time, timedelta
from typing import Any, Literal

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.memory.pairs import Rating
from chatbot.review.filters import NOT_RATED, TurnFilter
from chatbot.review.ratings import Status
from chatbot.review.turns import AllTurns
from chatbot.turn import Route
from ui.elements.frame import button
from ui.elements.moments import browser_zone
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
_FILTERS: dict[str, tuple[str, dict[str, Any] | None]] = {
    "product": ("Product", None),
    "release": ("Release", None),
    "outcome": ("Outcome", _OUTCOMES),
    "thumbs": ("Thumbs", {"up": 1, "down": -1}),
    "route": ("Route", {str(route): str(route) for route in Route}),
    "document": ("Cited document", None),
    "rating": (
        "Rating",
        {"not rated": NOT_RATED, **{str(rating): str(rating) for rating in Rating}},
    ),
    "status": ("Status", {str(status): str(status) for status in Status}),
    "assignee": ("Assigned to", None),
    "in_regression_set": ("In the regression set", _YES),
    "owner": ("User", None),
    "superseded": ("Asked again since", _YES),
}
"""For each name of `TurnFilter` the label of its widget, and what the options mean.

Without options those are offered that `AllTurns` finds. An outcome is several things at once.
"""
_NAMES = (*_FILTERS, "asked", "seconds")


def filter_bar(turns: AllTurns, person: Person) -> TurnFilter:
    """Show the filter and return it; the address of the page keeps it, to bookmark or to share."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="history-filter"):
        words = st.text_input(
            "Search questions and answers",
            key=_key("words"),
            bind=_KEPT,
            icon=":material/search:",
            placeholder="Search (last word may be partial)",
        )
        used = sum(st.session_state.get(_key(name)) not in (None, (), "") for name in _NAMES)
        label = f"Filters ({used})" if used else "Filters"
        popover = st.popover(label, icon=":material/filter_list:")
    found: dict[str, Any] = {}
    with popover:
        for number, (name, (label, meanings)) in enumerate(_FILTERS.items()):
            if number % 2 == 0:
                places = st.columns(2)
            if meanings is None:
                product = found.get("product") if name == "release" else None
                meanings = _choices(str(turns.database.engine.url), name, product, turns, person)
            place = places[number % 2]
            chosen = any_of(place, label, list(meanings), _key(name), none="any")
            if chosen is not None:
                meant: Any = meanings[chosen]
                found |= meant if name == "outcome" else {name: meant}
        found |= _of_time()
        button("Clear all filters", _clear, icon="filter_list_off", key=_key("clear"))
    return TurnFilter(words=words, **found)


def _of_time() -> dict[str, Any]:
    """Filters for the time of the question, and how long the answer took."""
    left, right = st.columns(2)
    # The type of `value` knows no empty range, which its documentation offers.
    asked: Any = left.date_input("Asked between", value=_NO_DAYS, key=_key("asked"), bind=_KEPT)
    seconds = right.number_input(
        "Took at least (seconds)", min_value=0.0, value=None, key=_key("seconds"), bind=_KEPT
    )
    days: tuple[date, ...] = asked if isinstance(asked, tuple) else (asked,)
    # The days are those of the browser.
    moments = [datetime.combine(day, time(tzinfo=browser_zone())) for day in days]
    return {
        "since": moments[0] if moments else None,
        # While only the first day is chosen, there is no second one.
        "until": moments[1] + timedelta(days=1) if len(moments) == 2 else None,
        "seconds": seconds or None,
    }


# Looked up in all turns there are, which need not be done at every touch of the page.
@st.cache_data(ttl=60, max_entries=100, show_spinner=False)
def _choices(
    database: str, what: str, product: str | None, _turns: AllTurns, _person: Person
) -> dict[str, str]:
    """The options that occur in the turns, by their labels."""
    return {name or _NO_NAME: name for name in _turns.choices(_person, what, product)}


def _key(name: str) -> str:
    return f"history-{name}"


def _clear() -> None:
    for name in _NAMES:
        st.session_state[_key(name)] = () if name == "asked" else None
    st.session_state[_key("words")] = ""
