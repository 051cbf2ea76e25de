"""A turn opened by an admin: the conversation around it, what is thought of it, its trace."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.review.filters import TurnFilter
from chatbot.review.ratings import UnknownTurn
from chatbot.review.turns import AllTurns, OpenedTurn
from corpora.database.history_tables import TurnRow
from ui.answers.answer_text import show_text
from ui.answers.answer_view import show_question, show_reply
from ui.elements.address import go
from ui.elements.moments import when
from ui.review.review_form import rating_bar, review_form
from ui.review.trace_view import show_trace
from ui.wording.escaping import as_label, as_text


def turn_page(turns: AllTurns, person: Person, turn: int, wanted: TurnFilter) -> None:
    """Show a turn; the queue to go through are the turns that are wanted."""
    try:
        opened = turns.open(person, turn)
    except UnknownTurn as error:
        st.error(as_text(str(error)), icon=":material/error:")
        st.button("All answers", icon=":material/arrow_back:", on_click=go, kwargs={"turn": None})
        return
    rating_bar(person, opened, turns.neighbours(person, turn, wanted))
    said, thought = st.columns([5, 3], gap="large")
    with said:
        _conversation(opened)
    with thought:
        _facts(opened)
        review_form(turns, person, opened)
    show_trace(opened)


def _conversation(opened: OpenedTurn) -> None:
    _others(opened.before)
    show_question(opened.turn.question)
    with st.chat_message("assistant", avatar=":material/layers:"):
        if opened.turn.superseded:
            st.caption(
                ":material/history: This question was asked again; this answer is no longer "
                "part of the conversation."
            )
        show_reply(opened.turn.id, opened.reply)
    _others(opened.after)


def _others(turns: Sequence[TurnRow]) -> None:
    for turn in turns:
        anew = " · asked again since" if turn.superseded else ""
        with st.expander(f"{as_label(turn.question, 110)}{anew}", type="compact"):
            st.markdown(as_text(turn.question))
            show_text(turn.answer["answer"])
            st.button(
                "Open this answer",
                key=f"open-{turn.id}",
                icon=":material/arrow_forward:",
                on_click=go,
                kwargs={"turn": turn.id},
            )


def _facts(opened: OpenedTurn) -> None:
    """Who asked, when, in which conversation; what answered; what the person thinks of it."""
    turn = opened.turn
    lines = {
        "Asked": when(turn.created),
        "User": turn.owner or "anonymous",
        "Conversation": turn.conversation.title or "untitled",
        "Took": f"{turn.seconds:.1f} s",
        "Profile": turn.profile or "not recorded",
        "Model": turn.model or "not used",
    }
    st.markdown("  \n".join(f":gray[{k}:] {as_label(v, 120)}" for k, v in lines.items()))
    said = turn.feedback
    if said is None:
        st.caption("No user feedback.")
        return
    icon = ":material/thumb_up:" if said.thumbs > 0 else ":material/thumb_down:"
    with st.container(border=True, key="said-of-it"):
        reason = f" {as_label(said.reason)}" if said.reason else ""
        st.markdown(f"{icon}{reason} :small[:gray[{as_label(when(said.created))}]]")
        if said.comment:
            st.markdown(as_text(said.comment))
