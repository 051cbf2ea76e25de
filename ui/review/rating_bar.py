"""Going through a queue of answers with the keyboard: previous, next, a rating, done."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from ingestion.errors import StrataError
from ui.serving import services
from ui.wording.escaping import as_text

if TYPE_CHECKING:
    from chatbot.accounts.people import Person
    from chatbot.review.turns import Neighbours, OpenedTurn

_RATINGS = {
    "good": ("Good", "G", ":material/check:"),
    "bad": ("Bad", "B", ":material/close:"),
    "wrong release": ("Wrong release", "W", ":material/layers_clear:"),
    "incomplete": ("Incomplete", "I", ":material/incomplete_circle:"),
}
"""What a button for a rating says, its key, and its icon."""


def rating_bar(
    person: Person, opened: OpenedTurn, beside: Neighbours, *, go: Callable[[int | None], None]
) -> None:
    """The buttons above an opened answer; each shows the key that presses it."""
    review, turn = opened.listed.review, opened.listed.id
    with st.container(horizontal=True, key="rating-bar", gap="small"):
        st.button("All answers", icon=":material/list:", on_click=go, args=(None,), shortcut="A")
        for label, key, icon, to in (
            ("Previous", "P", ":material/chevron_left:", beside.newer),
            ("Next", "N", ":material/chevron_right:", beside.older),
        ):
            st.button(label, icon=icon, shortcut=key, disabled=to is None, on_click=go, args=(to,))
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
                _change(person, turn, rating="" if chosen else rating)
        if review.status == "done":
            if st.button("Reopen", icon=":material/undo:", shortcut="D", key="reopen"):
                _change(person, turn, status="open")
        elif st.button(
            "Done",
            icon=":material/done_all:",
            shortcut="D",
            key="done",
            help="Mark as done and open the next answer.",
        ):
            _change(person, turn, status="done", then=lambda: go(beside.older or turn))


def _change(
    person: Person, turn: int, *, then: Callable[[], None] = lambda: None, **changes: str
) -> None:
    """Change the review, do what comes `then`, and draw the page anew."""
    try:
        services.ratings().change(person, turn, **changes)
    except StrataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    then()
    st.rerun()
