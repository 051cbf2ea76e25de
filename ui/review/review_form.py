"""The form for an admin's review of an answer: correction, note, assignee."""

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.review.regression_set import RegressionSet
from chatbot.review.turns import AllTurns, OpenedTurn
from chatbot.text.languages import gettext
from ui.elements.frame import button, done, failures_shown, use_new_widget, when, widget_round
from ui.serving import services
from ui.wording.escaping import as_label

_WRITTEN = ("corrected_answer", "corrected_release", "note", "assignee")


def review_form(turns: AllTurns, person: Person, opened: OpenedTurn) -> None:
    """Show the form of a turn, and store it; a change by another admin is reported."""
    turn, review = opened.turn, opened.review
    product = opened.reply.product or turn.product or ""
    name = f"review-{turn.id}"
    key = f"{name}-{widget_round(name)}"
    now = {field: getattr(review, field) for field in _WRITTEN}
    # What somebody else writes meanwhile does not come into a form that is being filled in.
    if f"{key}-note" not in st.session_state:
        st.session_state[f"{name}-seen"] = now
    seen = st.session_state[f"{name}-seen"]
    with st.form(name, border=True):
        corrected = st.text_area(
            gettext("Corrected answer"),
            seen["corrected_answer"],
            height=100,
            placeholder=gettext("What it should say, or “I don’t know” if it is not documented"),
            key=f"{key}-answer",
        )
        release = _one_of(
            gettext("Correct release"),
            services.releases(product),
            seen["corrected_release"],
            gettext("the release that was used"),
            f"{key}-release",
        )
        note = st.text_area(
            gettext("Note"),
            seen["note"],
            height=80,
            placeholder=gettext("Visible to admins only"),
            key=f"{key}-note",
        )
        people = [person.id or person.name, *turns.choices(person, "assignee")]
        assignee = _one_of(
            gettext("Assigned to"),
            people,
            seen["assignee"],
            gettext("nobody"),
            f"{key}-assignee",
            others=True,
        )
        if st.form_submit_button(gettext("Save"), icon=":material/save:", type="primary"):
            st.session_state[f"{name}-seen"] = now
            with failures_shown():
                services.ratings().change(
                    person,
                    turn.id,
                    seen,
                    corrected_answer=corrected,
                    corrected_release=release,
                    note=note,
                    assignee=assignee,
                )
                use_new_widget(name)
                done(gettext("Saved."))
    if review.reviewer:
        moment, name = as_label(when(review.updated)), as_label(review.reviewer)
        st.caption(gettext("Reviewed by {name}, {moment}", name=name, moment=moment))
    kept = RegressionSet(services.administered().database)
    label, icon, change = (
        (gettext("Remove from the regression set"), "remove", kept.remove)
        if review.in_regression_set
        else (gettext("Add to the regression set"), "add", kept.add)
    )
    if button(label, icon=icon, key="regression"):
        with failures_shown():
            change(person, turn.id)
            st.rerun()


def _one_of(
    label: str, names: list[str], chosen: str, none: str, key: str, *, others: bool = False
) -> str:
    offered = list(dict.fromkeys(filter(None, [*names, chosen])))
    index = offered.index(chosen) if chosen else None
    return (
        st.selectbox(
            label, offered, index=index, placeholder=none, accept_new_options=others, key=key
        )
        or ""
    )
