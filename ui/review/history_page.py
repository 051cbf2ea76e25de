"""The history page: all questions, filtered, page by page; or one of them opened."""

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.review.exports import Exports
from chatbot.review.filters import ANY, TurnFilter
from chatbot.review.ratings import review_of
from chatbot.review.regression_set import RegressionSet
from chatbot.review.turns import MOST_COUNTED, AllTurns
from corpora.database.history_tables import TurnRow
from ui.elements.address import opened
from ui.elements.frame import admin_page
from ui.elements.moments import when
from ui.elements.table import download, export_buttons, newest_first, show_table
from ui.review.filter_bar import filter_bar
from ui.review.turn_page import turn_page
from ui.serving import services
from ui.wording.amounts import how_many

_PAGE_SIZE = 25


@admin_page
def history(person: Person) -> None:
    """Show everybody's answers, or the one that the address names."""
    turns = AllTurns(services.chatbot().database)
    st.title("History", anchor=False)
    wanted = filter_bar(turns, person)
    if (turn := opened("turn")) is not None:
        turn_page(turns, person, turn, wanted)
    else:
        _list(turns, person, wanted)


def _list(turns: AllTurns, person: Person, wanted: TurnFilter) -> None:
    number = turns.count(person, wanted)
    more = f"More than {MOST_COUNTED:,} answers"
    heading = more if number > MOST_COUNTED else how_many(number, "answer")
    found = newest_first(
        "history",
        wanted,
        lambda begin: turns.page(person, wanted, older_than=begin, size=_PAGE_SIZE),
        heading,
    )
    if not found:
        told = (
            "No questions yet. Questions and answers appear here as people ask."
            if wanted == ANY
            else "No answer matches. Remove a filter or search for fewer words."
        )
        st.info(told, icon=":material/history:")
        return
    number_column = st.column_config.NumberColumn(width=70, format="%.1f")
    show_table(
        [_row(turn) for turn in found],
        {
            "Question": 320,
            "Release": 130,
            "Outcome": 150,
            "Asked": 145,
            "Thumbs": 65,
            "Review": 125,
            "Seconds": number_column,
            "Assigned to": 140,
            "User": 160,
        },
        key="history-table",
        opens="turn",
    )
    with st.container(horizontal=True, key="history-files", gap="small"):
        exports = Exports(turns.database)
        export_buttons("history", lambda form: exports.turns(person, form, wanted))
        _regression_download(turns, person)


def _regression_download(turns: AllTurns, person: Person) -> None:
    """A button that hands out the regression set, once there is one."""
    if size := turns.count(person, TurnFilter(in_regression_set=True)):
        download(
            f"Regression set ({size:,})",
            # Made, and recorded in the audit log, when it is asked for.
            lambda: RegressionSet(turns.database).export(person).as_jsonl(),
            "regression-set.jsonl",
            help=f"{how_many(size, 'rated answer')} as test questions for `strata eval answers`",
        )


def _row(turn: TurnRow) -> dict[str, object]:
    review, thumbs = review_of(turn), turn.feedback.thumbs if turn.feedback else 0
    return {
        "Open": str(turn.id),
        "Question": turn.question,
        "Release": f"{turn.product or ''} {turn.release or ''}".strip(),
        "Outcome": _outcome(turn),
        "Asked": when(turn.created),
        "Thumbs": {1: "up", -1: "down"}.get(thumbs, ""),
        "Review": ", ".join(filter(None, (review.rating, "done" * (review.status == "done")))),
        "Seconds": turn.seconds,
        "Assigned to": review.assignee,
        "User": turn.owner,
    }


def _outcome(turn: TurnRow) -> str:
    """The outcome of a question, in a word or two."""
    if turn.superseded:
        return "asked again"
    if turn.route == "clarify":
        return "clarification needed"
    if turn.abstained and turn.route != "chat":
        return "I don't know"
    named = {
        "compare": "compared",
        "inventory": "catalog",
        "chat": "small talk",
        "graph": "parameters",
        "model": "by the model alone",
    }
    return named.get(turn.route, "answered")
