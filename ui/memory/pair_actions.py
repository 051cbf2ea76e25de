"""What an admin does with a remembered answer: edit it, make it a curated one, retire it."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from chatbot.administration.curation import Curation
from chatbot.administration.overview import KeptPair
from chatbot.text.citation_markers import without_marks
from ui.elements.address import go
from ui.elements.frame import confirmed, done, failures_shown
from ui.serving import services
from ui.serving.services import current_person
from ui.wording.escaping import as_label


def show_actions(pair: KeptPair) -> None:
    """A button for each; what cannot be undone is asked for once more."""
    with st.container(horizontal=True, key="memory-actions", gap="small"):
        if st.button("Edit …", icon=":material/edit:", key="memory-edit"):
            edit(pair)
        # What is suspended is edited, so that it rests on the pages of today.
        if (
            pair.row.origin != "curated"
            and not pair.row.suspended
            and st.button("Promote …", icon=":material/verified:", key="memory-promote")
        ):
            promote(pair)
        if st.button("Delete …", icon=":material/delete:", key="delete-memory"):
            retire(pair)


@st.dialog("Edit the answer", width="large", icon=":material/edit:")
def edit(pair: KeptPair) -> None:
    """Ask for another wording of an answer."""
    st.markdown(f"**{as_label(pair.row.question, 300)}**")
    written = st.text_area(
        "Answer",
        without_marks(pair.row.answer["text"]),
        height=220,
        key=f"memory-edited-{pair.row.id}",
    )
    st.caption(
        "The answer becomes curated and cites the pages that support it. The previous text is not "
        "kept."
    )
    if st.button("Save", type="primary", icon=":material/save:", key="memory-save"):
        make_change(
            lambda curation: curation.edit(pair.row.id, written).row.id, "The answer is saved."
        )


@st.dialog("Promote to a curated answer", icon=":material/verified:")
def promote(pair: KeptPair) -> None:
    """Ask whether an answer shall be a curated one."""
    st.markdown(f"**{as_label(pair.row.question, 300)}**")
    st.markdown(
        "A curated answer has the highest score. Neither measurements nor feedback change it, and "
        "no other answer replaces it, until an admin edits or deletes it."
    )
    if st.button("Promote", type="primary", icon=":material/verified:", key="memory-do-promote"):
        make_change(
            lambda curation: curation.promote(pair.row.id).row.id, "The answer is now curated."
        )


@st.dialog("Delete the answer", icon=":material/delete:")
def retire(pair: KeptPair) -> None:
    """Ask whether an answer shall go, and why."""
    st.markdown(f"**{as_label(pair.row.question, 300)}**")
    st.markdown(
        "This saved answer will be deleted. Conversations that contain it stay as they are. This "
        "cannot be undone."
    )
    reason = st.text_input("Reason (for the list of changes)", max_chars=300)
    if confirmed("Delete"):
        make_change(lambda curation: curation.retire(pair.row.id, reason), "Answer deleted.")


def make_change(change: Callable[[Curation], int | None], told: str) -> None:
    """Make a change, tell it, and open what has come of it."""
    with failures_shown():
        go(pair=change(Curation(services.chatbot(), current_person())))
        done(told)
