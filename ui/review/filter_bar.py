"""The filter of the history: what an admin chooses to see, kept in the address of the page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta, timezone
from typing import TYPE_CHECKING, Any, Literal

import streamlit as st

from chatbot.memory.pairs import Rating
from chatbot.review.filters import NOT_RATED, TurnFilter
from chatbot.review.ratings import Status
from chatbot.turn import Route

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from chatbot.accounts.people import Person
    from chatbot.review.turns import AllTurns, Choices

OUTCOMES: dict[str, dict[str, Any]] = {
    "answered": {"abstained": False},
    "I don't know": {"abstained": True, "clarified": False},
    "clarification needed": {"clarified": True},
}
_THUMBS = {"up": 1, "down": -1}
_RATINGS = {"not rated": NOT_RATED, **{str(rating): str(rating) for rating in Rating}}
_YES = {"yes": True, "no": False}
_NO_DAYS: Any = ()
_NO_NAME = "(anonymous)"
_KEPT: Literal["query-params"] = "query-params"


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
        found = _of_answer(turns, person) | _of_review(turns, person) | _of_asking(turns, person)
        st.button(
            "Clear all filters",
            key=_key("clear"),
            icon=":material/filter_list_off:",
            on_click=_clear,
        )
    return TurnFilter(words=words, **found)


def _of_answer(turns: AllTurns, person: Person) -> dict[str, Any]:
    """What an answer is like."""
    left, right = st.columns(2)
    product = _select(left, "Product", _there(turns, person).products, "product")
    release = _select(right, "Release", _there(turns, person, product).releases, "release")
    left, right = st.columns(2)
    came_of_it = _select(left, "Outcome", tuple(OUTCOMES), "outcome")
    thumbs = _select(right, "Thumbs", tuple(_THUMBS), "thumbs")
    left, right = st.columns(2)
    route = _select(left, "Route", [str(route) for route in Route], "route")
    document = _select(
        right, "Cited document", _documents(_address(turns), turns, person), "document"
    )
    return {
        "product": product,
        "release": release,
        "thumbs": _THUMBS.get(thumbs or ""),
        "route": route,
        "document": document,
        **OUTCOMES.get(came_of_it or "", {}),
    }


def _of_review(turns: AllTurns, person: Person) -> dict[str, Any]:
    """What admins say of it."""
    left, right = st.columns(2)
    rating = _select(left, "Rating", tuple(_RATINGS), "rating")
    status = _select(right, "Status", [str(status) for status in Status], "status")
    left, right = st.columns(2)
    assignee = _select(left, "Assigned to", _there(turns, person).assignees, "assignee")
    kept = _select(right, "In the regression set", tuple(_YES), "kept")
    return {
        "rating": _RATINGS.get(rating or ""),
        "status": status,
        "assignee": assignee,
        "in_regression_set": _YES.get(kept or ""),
    }


def _of_asking(turns: AllTurns, person: Person) -> dict[str, Any]:
    """Who asked and when, and how long that took."""
    left, right = st.columns(2)
    # The type of `value` knows no empty range, which its documentation offers.
    asked = left.date_input("Asked between", value=_NO_DAYS, key=_key("asked"), bind=_KEPT)
    people = [name or _NO_NAME for name in _there(turns, person).people]
    owner = _select(right, "User", people, "person")
    left, right = st.columns(2)
    seconds = left.number_input(
        "Took at least (seconds)", min_value=0.0, value=None, key=_key("seconds"), bind=_KEPT
    )
    anew = _select(right, "Asked again since", tuple(_YES), "superseded")
    since, until = _between(asked)
    return {
        "since": since,
        "until": until,
        "owner": "" if owner == _NO_NAME else owner,
        "seconds": seconds or None,
        "superseded": _YES.get(anew or ""),
    }


def _there(turns: AllTurns, person: Person, product: str | None = None) -> Choices:
    return _choices(_address(turns), product, turns, person)


# Looked up in all turns there are, which need not be done at every touch of the page.
@st.cache_data(ttl=60, max_entries=50, show_spinner=False)
def _choices(database: str, product: str | None, _turns: AllTurns, _person: Person) -> Choices:
    return _turns.choices(_person, product)


@st.cache_data(ttl=60, max_entries=50, show_spinner=False)
def _documents(database: str, _turns: AllTurns, _person: Person) -> tuple[str, ...]:
    return _turns.documents(_person)


def _address(turns: AllTurns) -> str:
    return str(turns.database.engine.url)


def _select(place: DeltaGenerator, label: str, options: Sequence[str], name: str) -> str | None:
    chosen: str | None = place.selectbox(
        label, options, index=None, placeholder="any", key=_key(name), bind=_KEPT
    )
    return chosen


def _between(days: Any) -> tuple[datetime | None, datetime | None]:
    """The moments from which and until which was asked; days are those of the browser."""
    chosen: tuple[date, ...] = days if isinstance(days, tuple) else (days,)
    # The browser counts minutes from its own time to UTC.
    midnight = time(tzinfo=timezone(timedelta(minutes=-(st.context.timezone_offset or 0))))
    moments = [datetime.combine(day, midnight) for day in chosen]
    since = moments[0] if moments else None
    # Between the choice of the first day and that of the last there is one.
    return since, moments[1] + timedelta(days=1) if len(moments) == 2 else None


_NAMES = (
    *("product", "release", "outcome", "asked", "seconds", "person", "route", "document"),
    *("superseded", "thumbs", "rating", "kept", "status", "assignee"),
)


def _key(name: str) -> str:
    return f"history-{name}"


def _label() -> str:
    used = sum(st.session_state.get(_key(name)) not in (None, (), "") for name in _NAMES)
    return f"Filters ({used})" if used else "Filters"


def _clear() -> None:
    for name in _NAMES:
        st.session_state[_key(name)] = () if name == "asked" else None
    st.session_state[_key("words")] = ""
