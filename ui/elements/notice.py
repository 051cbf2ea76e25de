"""One sentence on what was just done, shown once the page has been drawn anew."""

from __future__ import annotations

import streamlit as st

from ui.wording.escaping import as_label

_NOTICE = "notice"


def note(text: str) -> None:
    """Keep a sentence for the next run of the page."""
    st.session_state[_NOTICE] = text


def show_note() -> None:
    """Show the sentence that is kept, if there is one, and forget it."""
    text = st.session_state.pop(_NOTICE, None)
    if text:
        st.toast(as_label(text, 300), icon=":material/check:")
