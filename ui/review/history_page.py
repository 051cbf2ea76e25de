"""The history: everything that was asked, filtered, page by page; and a turn of it opened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from ui.elements.admin_page import admin_page
from ui.elements.export_buttons import export_buttons
from ui.elements.moments import when
from ui.review.filter_bar import filter_bar
from ui.review.regression_download import regression_download
from ui.review.turn_page import turn_page
from ui.serving import services
from ui.wording.amounts import how_many

if TYPE_CHECKING:
    from chatbot.accounts.people import Person
    from chatbot.review.exports import Format
    from chatbot.review.filters import TurnFilter
    from chatbot.review.turns import AllTurns, ListedTurn, Place

_TURN = "turn"
_PAGE_SIZE = 25
_OLDER_THAN, _NEWER_THAN, _FILTERED = "history_older_than", "history_newer_than", "history_filter"
_OPENED = "history_opened"


def history() -> None:
    """Show the page; a failure is one clear message."""
    admin_page(_history)


def _history(person: Person) -> None:
    from chatbot.review.turns import AllTurns

    turns = AllTurns(services.chatbot().database)
    opened = st.query_params.get(_TURN, "")
    st.title("History", anchor=False)
    wanted = filter_bar(turns, person)
    if opened.isdecimal():
        turn_page(turns, person, int(opened), wanted, go=_go)
    else:
        _list(turns, person, wanted)


def _go(turn: int | None) -> None:
    """Open a turn, or the list."""
    if turn is None:
        st.query_params.pop(_TURN, None)
    else:
        st.query_params[_TURN] = str(turn)


def _list(turns: AllTurns, person: Person, wanted: TurnFilter) -> None:
    if st.session_state.get(_FILTERED) != wanted:
        st.session_state[_FILTERED] = wanted
        _turn_over()
    page = turns.page(
        person,
        wanted,
        older_than=st.session_state.get(_OLDER_THAN),
        newer_than=st.session_state.get(_NEWER_THAN),
        size=_PAGE_SIZE,
    )
    if not page.turns:
        _nothing(wanted)
        return
    with st.container(horizontal=True, vertical_alignment="center", key="history-pages"):
        st.markdown(_counted(turns, person, wanted))
        st.space("stretch")
        st.button(
            "Newer",
            icon=":material/chevron_left:",
            disabled=not page.newer,
            on_click=_turn_over,
            kwargs={"newer_than": page.turns[0].place},
            shortcut="P",
        )
        st.button(
            "Older",
            icon=":material/chevron_right:",
            disabled=not page.older,
            on_click=_turn_over,
            kwargs={"older_than": page.turns[-1].place},
            shortcut="N",
        )
    _table(page.turns)
    with st.container(horizontal=True, key="history-files", gap="small"):
        export_buttons("history", lambda form: _exported(person, form, wanted))
        regression_download(person)


def _exported(person: Person, form: Format, wanted: TurnFilter) -> Iterator[str]:
    from chatbot.review.exports import Exports

    return Exports(services.chatbot().database).turns(person, form, wanted)


def _turn_over(older_than: Place | None = None, newer_than: Place | None = None) -> None:
    st.session_state[_OLDER_THAN] = older_than
    st.session_state[_NEWER_THAN] = newer_than


def _counted(turns: AllTurns, person: Person, wanted: TurnFilter) -> str:
    from chatbot.review.turns import MOST_COUNTED

    number = turns.count(person, wanted)
    if number > MOST_COUNTED:
        return f"More than {MOST_COUNTED:,} answers"
    return how_many(number, "answer")


def _nothing(wanted: TurnFilter) -> None:
    from chatbot.review.filters import ANY

    if wanted == ANY:
        st.info(
            "No questions yet. Questions and answers appear here as people ask.",
            icon=":material/history:",
        )
    else:
        st.info(
            "No answer matches. Remove a filter or search for fewer words.",
            icon=":material/filter_list_off:",
        )


def _table(turns: Sequence[ListedTurn]) -> None:
    """The turns as a table; its cells show text of any origin as text."""
    column = st.column_config
    st.dataframe(
        [_row(turn) for turn in turns],
        hide_index=True,
        height="content",
        row_height=36,
        key="history-table",
        column_config={
            "Open": column.ButtonColumn(
                width=70, pinned=True, type="secondary", key=_OPENED, on_click=_open_row
            ),
            "Question": column.TextColumn(width=320),
            "Release": column.TextColumn(width=130),
            "Outcome": column.TextColumn(width=150),
            "Asked": column.TextColumn(width=145),
            "Thumbs": column.TextColumn(width=65),
            "Review": column.TextColumn(width=125),
            "Seconds": column.NumberColumn(width=70, format="%.1f"),
            "Assigned to": column.TextColumn(width=140),
            "User": column.TextColumn(width=160),
        },
    )


def _row(turn: ListedTurn) -> dict[str, object]:
    review = turn.review
    return {
        "Open": str(turn.id),
        "Question": turn.question,
        "Release": f"{turn.product or ''} {turn.release or ''}".strip(),
        "Outcome": outcome(turn),
        "Asked": when(turn.created),
        "Thumbs": {1: "up", -1: "down"}.get(turn.thumbs, ""),
        "Review": ", ".join(filter(None, (review.rating, "done" * (review.status == "done")))),
        "Seconds": turn.seconds,
        "Assigned to": review.assignee,
        "User": turn.owner,
    }


def outcome(turn: ListedTurn) -> str:
    """What has come of a question, in a word or two."""
    if turn.superseded:
        return "asked again"
    if turn.route == "clarify":
        return "clarification needed"
    if turn.abstained and turn.route != "chat":
        return "I don't know"
    named = {"compare": "compared", "inventory": "catalog", "chat": "small talk"}
    return named.get(turn.route, "answered")


def _open_row() -> None:
    _go(int(st.session_state[_OPENED].label))
