"""The page Review: all questions, filtered, page by page, and the saved answers; or one opened.

What an admin filters by is kept in the address of the page, to bookmark or to share.
"""

from datetime import date, datetime, time, timedelta
from typing import Any, Literal

import streamlit as st

from chatbot.accounts.people import LOCAL, Person
from chatbot.memory.pairs import Rating
from chatbot.review.exports import Exports
from chatbot.review.ratings import Status, review_of
from chatbot.review.turns import ANY, MOST_COUNTED, NOT_RATED, AllTurns, TurnFilter
from chatbot.text.languages import figure, gettext, gettext_noop
from chatbot.turn import Route
from corpora.database.history_tables import TurnRow
from ui.elements.address import number_in_address
from ui.elements.frame import Access, browser_zone, button, open_tab, page, show_tabs, when
from ui.elements.scope import any_of
from ui.elements.table import Columns, Number, export_buttons, newest_first, show_table
from ui.review.saved_answer import saved_answer
from ui.review.saved_answers import saved_answers
from ui.review.turn_page import turn_page
from ui.serving import services
from ui.wording.amounts import how_many
from ui.wording.reviews import name_of

_PAGE_SIZE = 25
_OUTCOMES: dict[str, dict[str, Any]] = {
    "answered": {"abstained": False},
    "I don't know": {"abstained": True, "clarified": False},
    "clarification needed": {"clarified": True},
}
_YES = {"yes": True, "no": False}
_NO_DAYS: Any = ()
_NO_NAME = LOCAL.name
_KEPT: Literal["query-params"] = "query-params"
_FILTERS: dict[str, tuple[str, dict[str, Any] | None]] = {
    "product": (gettext_noop("Product"), None),
    "release": (gettext_noop("Release"), None),
    "outcome": (gettext_noop("Outcome"), _OUTCOMES),
    "thumbs": (gettext_noop("Thumbs"), {"up": 1, "down": -1}),
    "route": (gettext_noop("Route"), {str(route): str(route) for route in Route}),
    "document": (gettext_noop("Cited document"), None),
    "rating": (
        gettext_noop("Rating"),
        {"not rated": NOT_RATED, **{str(rating): str(rating) for rating in Rating}},
    ),
    "status": (gettext_noop("Status"), {str(status): str(status) for status in Status}),
    "assignee": (gettext_noop("Assigned to"), None),
    "in_regression_set": (gettext_noop("In the regression set"), _YES),
    "owner": (gettext_noop("User"), None),
    "superseded": (gettext_noop("Asked again since"), _YES),
}
"""For each name of `TurnFilter` the label of its widget, and what the options mean.

Without options those are offered that `AllTurns` finds. An outcome is several things at once.
"""
_NAMES = (*_FILTERS, "asked", "seconds")


@page("wide", Access.PRODUCT_ADMINS)
def history(person: Person) -> None:
    """Show everybody's questions and the saved answers, or the one that the address names."""
    turns = AllTurns(services.administered().database)
    if (pair := number_in_address("pair")) is not None and saved_answer(person, pair):
        open_tab("review-tab", gettext("Saved answers"))
        return
    st.title(gettext("Review"), anchor=False)
    if (turn := number_in_address("turn")) is not None:
        turn_page(turns, person, turn, _filter_bar(turns, person))
        return
    show_tabs(
        "review-tab",
        {
            gettext("Questions"): lambda: _list(turns, person, _filter_bar(turns, person)),
            gettext("Saved answers"): lambda: saved_answers(person),
        },
    )


def _list(turns: AllTurns, person: Person, wanted: TurnFilter) -> None:
    number = turns.count(person, wanted)
    more = gettext("More than {number} answers", number=figure(MOST_COUNTED))
    heading = more if number > MOST_COUNTED else how_many(number, "answer")
    turns_shown = newest_first(
        "history",
        wanted,
        lambda begin: turns.page(person, wanted, older_than=begin, size=_PAGE_SIZE),
        heading,
    )
    if not turns_shown:
        message = gettext("No answer matches. Remove a filter or search for fewer words.")
        if wanted == ANY:
            message = gettext("No questions yet. Questions and answers appear here as people ask.")
        st.info(message, icon=":material/history:")
        return
    columns: Columns[TurnRow] = {
        gettext("Open"): lambda turn: str(turn.id),
        gettext("Question"): (320, lambda turn: turn.question),
        gettext("Release"): (130, _release),
        gettext("Outcome"): (150, _outcome),
        gettext("Asked"): (145, lambda turn: when(turn.created)),
        gettext("Thumbs"): (65, _thumbs),
        gettext("Review"): (125, _review),
        gettext("Seconds"): (Number(1, width=70), lambda turn: turn.seconds),
        gettext("Assigned to"): (140, lambda turn: review_of(turn).assignee),
        gettext("User"): (160, lambda turn: turn.owner),
    }
    show_table(turns_shown, columns, key="history-table", opens="turn")
    with st.container(horizontal=True, key="history-files", gap="small"):
        exports = Exports(turns.database)
        export_buttons("history", lambda form: exports.turns(person, form, wanted))


def _release(turn: TurnRow) -> str:
    return f"{turn.product or ''} {turn.release or ''}".strip()


def _thumbs(turn: TurnRow) -> str:
    if turn.feedback is None:
        return ""
    return gettext("up") if turn.feedback.thumbs > 0 else gettext("down")


def _review(turn: TurnRow) -> str:
    review = review_of(turn)
    codes = review.rating, review.status if review.status == Status.DONE else ""
    return ", ".join(map(name_of, filter(None, codes)))


def _outcome(turn: TurnRow) -> str:
    if turn.superseded:
        return gettext("asked again")
    if turn.abstained and turn.route not in (Route.CLARIFY, Route.CHAT):
        return gettext("I don't know")
    is_plain = turn.route in ("", Route.DOCUMENTS, Route.REFERENCE)
    return gettext("answered") if is_plain else name_of(turn.route)


def _filter_bar(turns: AllTurns, person: Person) -> TurnFilter:
    with st.container(horizontal=True, vertical_alignment="bottom", key="history-filter"):
        words = st.text_input(
            gettext("Search questions and answers"),
            key=_key("words"),
            bind=_KEPT,
            icon=":material/search:",
            placeholder=gettext("Search (last word may be partial)"),
        )
        used = sum(st.session_state.get(_key(name)) not in (None, (), "") for name in _NAMES)
        label = gettext("Filters ({number})", number=used) if used else gettext("Filters")
        popover = st.popover(label, icon=":material/filter_list:")
    chosen_filters: dict[str, Any] = {}
    with popover:
        for number, (name, (label, meanings)) in enumerate(_FILTERS.items()):
            if number % 2 == 0:
                places = st.columns(2)
            shown = str if meanings is None else name_of
            if meanings is None:
                product = chosen_filters.get("product") if name == "release" else None
                meanings = _choices(
                    repr((turns.database.engine.url, turns.database.sight)),
                    name,
                    product,
                    turns,
                    person,
                )
            place = places[number % 2]
            chosen = any_of(place, gettext(label), list(meanings), _key(name), shown=shown)
            if chosen is not None:
                meant: Any = meanings[chosen]
                chosen_filters |= meant if name == "outcome" else {name: meant}
        chosen_filters |= _of_time()
        button(gettext("Clear all filters"), _clear, icon="filter_list_off", key=_key("clear"))
    return TurnFilter(words=words, **chosen_filters)


def _of_time() -> dict[str, Any]:
    left, right = st.columns(2)
    # The type of `value` knows no empty range, which its documentation offers.
    range_chosen: Any = left.date_input(
        gettext("Asked between"), value=_NO_DAYS, key=_key("asked"), bind=_KEPT
    )
    seconds = right.number_input(
        gettext("Took at least (seconds)"),
        min_value=0.0,
        value=None,
        key=_key("seconds"),
        bind=_KEPT,
    )
    days: tuple[date, ...] = range_chosen if isinstance(range_chosen, tuple) else (range_chosen,)
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
