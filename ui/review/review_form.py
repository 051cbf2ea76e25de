"""What an admin thinks of an answer: a rating, what is right, a note, who sees to it."""

from __future__ import annotations

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.review.regression_set import NoGold, RegressionSet
from chatbot.review.turns import AllTurns, Neighbours, OpenedTurn
from ui.elements.address import go
from ui.elements.frame import failures_shown
from ui.elements.moments import when
from ui.serving import services
from ui.wording.escaping import as_label, as_text

_RATINGS = {
    "good": ("Good", "G", ":material/check:"),
    "bad": ("Bad", "B", ":material/close:"),
    "wrong release": ("Wrong release", "W", ":material/layers_clear:"),
    "incomplete": ("Incomplete", "I", ":material/incomplete_circle:"),
}
"""What a button for a rating says, its key, and its icon."""


def rating_bar(person: Person, opened: OpenedTurn, beside: Neighbours) -> None:
    """The buttons above an opened answer; each shows the key that presses it."""
    review, turn = opened.review, opened.turn.id
    with st.container(horizontal=True, key="rating-bar", gap="small"):
        for label, key, icon, to, disabled in (
            ("All answers", "A", "list", None, False),
            ("Previous", "P", "chevron_left", beside.newer, beside.newer is None),
            ("Next", "N", "chevron_right", beside.older, beside.older is None),
        ):
            st.button(
                label,
                icon=f":material/{icon}:",
                shortcut=key,
                disabled=disabled,
                on_click=go,
                kwargs={"turn": to},
            )
        for rating, (label, key, icon) in _RATINGS.items():
            chosen = review.rating == rating
            if st.button(
                label,
                icon=icon,
                shortcut=key,
                key=f"rate-{rating}",
                type="primary" if chosen else "secondary",
                help="Press again to remove the rating." if chosen else None,
            ):
                _change(person, turn, turn, rating="" if chosen else rating)
        if review.status == "done":
            if st.button("Reopen", icon=":material/undo:", shortcut="D", key="reopen"):
                _change(person, turn, turn, status="open")
        elif st.button(
            "Done",
            icon=":material/done_all:",
            shortcut="D",
            key="done",
            help="Mark as done and open the next answer.",
        ):
            _change(person, turn, beside.older or turn, status="done")


def _change(person: Person, turn: int, then: int, **changes: str) -> None:
    """Change the review, and open `then` another turn, or this one anew."""
    with failures_shown():
        services.ratings().change(person, turn, **changes)
        go(turn=then)
        st.rerun()


def review_form(turns: AllTurns, person: Person, opened: OpenedTurn) -> None:
    """A form for the review of an answer, and whether it is in the regression set."""
    turn, review = opened.turn, opened.review
    product = opened.reply.product or turn.conversation.product
    releases = [
        release.name
        for known in services.chatbot().products()
        if known.name == product
        for release in reversed(known.releases)
    ]
    with st.form(f"review-{turn.id}", border=True):
        corrected = st.text_area(
            "Corrected answer",
            review.corrected_answer,
            height=100,
            placeholder="What it should say, or “I don’t know” if it is not documented",
        )
        release = _one_of(
            "Correct release", releases, review.corrected_release, "the release that was used"
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
    _membership(person, opened)


def _one_of(label: str, names: list[str], chosen: str, none: str, *, others: bool = False) -> str:
    """A widget for one of some names, among which is the chosen one; or for none, or another."""
    offered = list(dict.fromkeys(filter(None, [*names, chosen])))
    index = offered.index(chosen) if chosen else None
    return (
        st.selectbox(label, offered, index=index, placeholder=none, accept_new_options=others) or ""
    )


def _membership(person: Person, opened: OpenedTurn) -> None:
    kept = RegressionSet(services.chatbot().database)
    label, icon, change = (
        ("Remove from the regression set", ":material/remove:", kept.remove)
        if opened.review.in_regression_set
        else ("Add to the regression set", ":material/add:", kept.add)
    )
    if not st.button(label, icon=icon, key="regression"):
        return
    with failures_shown():
        try:
            change(person, opened.turn.id)
        except NoGold as reason:
            st.warning(as_text(str(reason)), icon=":material/info:")
        else:
            st.rerun()
