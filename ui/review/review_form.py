"""What an admin writes of an answer: what is right, a note, who sees to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ingestion.errors import StrataError
from ui.elements.moments import when
from ui.serving import services
from ui.wording.escaping import as_label, as_text

if TYPE_CHECKING:
    from chatbot.accounts.people import Person
    from chatbot.review.turns import OpenedTurn


def review_form(person: Person, opened: OpenedTurn) -> None:
    """A form for the review of an answer, and whether it is in the regression set."""
    turn, review = opened.listed.id, opened.listed.review
    ratings = services.ratings()
    with st.form(f"review-{turn}", border=True):
        corrected = st.text_area(
            "Corrected answer",
            review.corrected_answer,
            height=100,
            placeholder="What it should say, or “I don’t know” if it is not documented",
        )
        releases = _releases(opened)
        chosen = review.corrected_release
        release = st.selectbox(
            "Correct release",
            list(dict.fromkeys([*releases, *([chosen] if chosen else [])])),
            index=None if not chosen else list(dict.fromkeys([*releases, chosen])).index(chosen),
            placeholder="the release that was used",
        )
        note = st.text_area("Note", review.note, height=80, placeholder="Visible to admins only")
        people = list(
            dict.fromkeys(
                name
                for name in (person.id or person.name, *ratings.assignees(person), review.assignee)
                if name
            )
        )
        assignee = st.selectbox(
            "Assigned to",
            people,
            index=people.index(review.assignee) if review.assignee else None,
            placeholder="nobody",
            accept_new_options=True,
        )
        if st.form_submit_button("Save", icon=":material/save:", type="primary"):
            try:
                ratings.change(
                    person,
                    turn,
                    corrected_answer=corrected,
                    corrected_release=release or "",
                    note=note,
                    assignee=assignee or "",
                )
            except StrataError as error:
                st.error(as_text(str(error)), icon=":material/error:")
            else:
                st.rerun()
    if review.updated:
        st.caption(f"Reviewed by {as_label(review.reviewer)}, {as_label(when(review.updated))}")
    _membership(person, opened)


def _releases(opened: OpenedTurn) -> list[str]:
    """The releases of the product, the newest first."""
    named = opened.reply["product"] or opened.product
    return [
        release.name
        for product in services.chatbot().products()
        if product.name == named
        for release in reversed(product.releases)
    ]


def _membership(person: Person, opened: OpenedTurn) -> None:
    from chatbot.review.regression_set import RegressionSet

    kept = RegressionSet(services.chatbot().database)
    turn, inside = opened.listed.id, opened.listed.review.in_regression_set
    label, icon = (
        ("Remove from the regression set", ":material/remove:")
        if inside
        else ("Add to the regression set", ":material/add:")
    )
    if not st.button(label, icon=icon, key="regression"):
        return
    try:
        if inside:
            kept.remove(person, turn)
        else:
            kept.add(person, turn)
    except StrataError as error:
        st.warning(as_text(str(error)), icon=":material/info:")
        return
    st.rerun()
