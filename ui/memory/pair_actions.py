"""What an admin does with a remembered answer: edit it, make it a curated one, retire it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from chatbot.text.citation_markers import without_marks
from ingestion.errors import StrataError
from ui.elements.danger import confirmed
from ui.elements.notice import note
from ui.memory.place import go
from ui.serving import services
from ui.serving.services import current_person
from ui.wording.escaping import as_label, as_text

if TYPE_CHECKING:
    from chatbot.administration.curation import Curation
    from chatbot.administration.kept import KeptPair

_LONGEST_REASON = 300


def show_actions(pair: KeptPair) -> None:
    """A button for each; what cannot be undone is asked for once more."""
    with st.container(horizontal=True, key="memory-actions", gap="small"):
        if st.button("Edit …", icon=":material/edit:", key="memory-edit"):
            edit(pair)
        # What is suspended is edited, so that it rests on the pages of today.
        if (
            pair.origin != "curated"
            and not pair.suspended
            and st.button("Promote …", icon=":material/verified:", key="memory-promote")
        ):
            promote(pair)
        if st.button("Delete …", icon=":material/delete:", key="delete-memory"):
            retire(pair)


@st.dialog("Edit the answer", width="large", icon=":material/edit:")
def edit(pair: KeptPair) -> None:
    """Ask for another wording of an answer."""
    st.markdown(f"**{as_label(pair.question, 300)}**")
    written = st.text_area(
        "Answer", without_marks(pair.answer), height=220, key=f"memory-edited-{pair.id}"
    )
    st.caption(
        "The answer becomes curated and cites the pages that support it. The previous text is not "
        "kept."
    )
    if st.button("Save", type="primary", icon=":material/save:", key="memory-save"):

        def do(curation: Curation) -> int:
            return curation.edit(pair.id, written).id

        make_change(do, "The answer is saved.")


@st.dialog("Promote to a curated answer", icon=":material/verified:")
def promote(pair: KeptPair) -> None:
    """Ask whether an answer shall be a curated one."""
    st.markdown(f"**{as_label(pair.question, 300)}**")
    st.markdown(
        "A curated answer has the highest score. Neither measurements nor feedback change it, and "
        "no other answer replaces it, until an admin edits or deletes it."
    )
    if st.button("Promote", type="primary", icon=":material/verified:", key="memory-do-promote"):

        def do(curation: Curation) -> int:
            return curation.promote(pair.id).id

        make_change(do, "The answer is now curated.")


@st.dialog("Delete the answer", icon=":material/delete:")
def retire(pair: KeptPair) -> None:
    """Ask whether an answer shall go, and why."""
    st.markdown(f"**{as_label(pair.question, 300)}**")
    st.markdown(
        "This saved answer will be deleted. Conversations that contain it stay as they are. This "
        "cannot be undone."
    )
    reason = st.text_input("Reason (for the list of changes)", max_chars=_LONGEST_REASON)
    if confirmed("Delete"):

        def do(curation: Curation) -> None:
            curation.retire(pair.id, reason)

        make_change(do, "Answer deleted.")


def make_change(change: Callable[[Curation], int | None], told: str) -> None:
    """Make a change, tell it, and open what has come of it."""
    from chatbot.administration.curation import Curation

    try:
        left = change(Curation(services.chatbot(), current_person()))
    except StrataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    note(told)
    go(left)
    st.rerun()
