"""A turn opened by an admin: the conversation around it, its rating and review, its trace."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.review.ratings import UnknownTurn
from chatbot.review.regression_set import RegressionSet
from chatbot.review.turns import AllTurns, Neighbours, OpenedTurn, TurnFilter
from corpora.database.history_tables import TurnRow
from ui.answers.answer import show_question, show_reply, show_text
from ui.elements.address import go
from ui.elements.frame import button, failures_shown, show_facts, when
from ui.review.trace_view import show_trace
from ui.serving import services
from ui.wording.escaping import as_label, as_text

_RATINGS = {
    "good": ("Good", "G", "check"),
    "bad": ("Bad", "B", "close"),
    "wrong release": ("Wrong release", "W", "layers_clear"),
    "incomplete": ("Incomplete", "I", "incomplete_circle"),
}
"""Label, key and icon of the button for each rating."""


def turn_page(turns: AllTurns, person: Person, turn: int, wanted: TurnFilter) -> None:
    """Show a turn; previous and next go through the turns that the filter leaves."""
    try:
        opened = turns.open(person, turn)
    except UnknownTurn as error:
        st.error(as_text(str(error)), icon=":material/error:")
        button("All answers", partial(go, turn=None), icon="arrow_back")
        return
    _rating_bar(person, opened, turns.neighbours(person, turn, wanted))
    said, thought = st.columns([5, 3], gap="large")
    with said:
        _conversation(opened)
    with thought:
        _facts(opened)
        _review_form(turns, person, opened)
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
            open_it, key = partial(go, turn=turn.id), f"open-{turn.id}"
            button("Open this answer", open_it, icon="arrow_forward", key=key)


def _facts(opened: OpenedTurn) -> None:
    turn = opened.turn
    show_facts(
        {
            "Asked": when(turn.created),
            "User": turn.owner or "anonymous",
            "Conversation": turn.conversation.title or "untitled",
            "Took": f"{turn.seconds:.1f} s",
            "Profile": turn.profile or "not recorded",
            "Model": turn.model or "not used",
        }
    )
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


def _rating_bar(person: Person, opened: OpenedTurn, beside: Neighbours) -> None:
    review, turn = opened.review, opened.turn.id
    with st.container(horizontal=True, key="rating-bar", gap="small"):
        for label, key, icon, to, disabled in (
            ("All answers", "A", "list", None, False),
            ("Previous", "P", "chevron_left", beside.newer, beside.newer is None),
            ("Next", "N", "chevron_right", beside.older, beside.older is None),
        ):
            button(label, partial(go, turn=to), icon=icon, shortcut=key, disabled=disabled)
        for rating, (label, key, icon) in _RATINGS.items():
            options: dict[str, Any] = {"icon": icon, "shortcut": key, "key": f"rate-{rating}"}
            if review.rating == rating:
                options |= {"type": "primary", "help": "Press again to remove the rating."}
            if button(label, **options):
                _change(person, turn, turn, rating="" if review.rating == rating else rating)
        if review.status == "done":
            if button("Reopen", icon="undo", shortcut="D", key="reopen"):
                _change(person, turn, turn, status="open")
        else:
            told = "Mark as done and open the next answer."
            if button("Done", icon="done_all", shortcut="D", key="done", help=told):
                _change(person, turn, beside.older or turn, status="done")


def _change(person: Person, turn: int, then: int, **changes: str) -> None:
    with failures_shown():
        services.ratings().change(person, turn, **changes)
        go(turn=then)
        st.rerun()


def _review_form(turns: AllTurns, person: Person, opened: OpenedTurn) -> None:
    turn, review = opened.turn, opened.review
    product = opened.reply.product or turn.conversation.product
    with st.form(f"review-{turn.id}", border=True):
        corrected = st.text_area(
            "Corrected answer",
            review.corrected_answer,
            height=100,
            placeholder="What it should say, or “I don’t know” if it is not documented",
        )
        release = _one_of(
            "Correct release",
            services.releases(product),
            review.corrected_release,
            "the release that was used",
        )
        note = st.text_area("Note", review.note, height=80, placeholder="Visible to admins only")
        people = [person.id or person.name, *turns.choices(person, "assignee")]
        assignee = _one_of("Assigned to", people, review.assignee, "nobody", others=True)
        if st.form_submit_button("Save", icon=":material/save:", type="primary"):
            _change(
                *(person, turn.id, turn.id),
                corrected_answer=corrected,
                corrected_release=release,
                note=note,
                assignee=assignee,
            )
    if review.reviewer:
        st.caption(f"Reviewed by {as_label(review.reviewer)}, {as_label(when(review.updated))}")
    kept = RegressionSet(services.chatbot().database)
    label, icon, change = (
        ("Remove from the regression set", "remove", kept.remove)
        if review.in_regression_set
        else ("Add to the regression set", "add", kept.add)
    )
    if button(label, icon=icon, key="regression"):
        with failures_shown():
            change(person, turn.id)
            st.rerun()


def _one_of(label: str, names: list[str], chosen: str, none: str, *, others: bool = False) -> str:
    offered = list(dict.fromkeys(filter(None, [*names, chosen])))
    index = offered.index(chosen) if chosen else None
    return (
        st.selectbox(label, offered, index=index, placeholder=none, accept_new_options=others) or ""
    )
