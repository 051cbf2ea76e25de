"""The end of a dialog that deletes something: a red button, and one that cancels."""

from __future__ import annotations

import streamlit as st


def confirmed(label: str, *, disabled: bool = False, in_form: bool = False) -> bool:
    """Show both buttons and return whether to go ahead; cancelling closes the dialog."""
    button = st.form_submit_button if in_form else st.button
    with st.container(horizontal=True, gap="small"):
        # The style sheet makes what is called `danger` red.
        yes = button(
            label, type="primary", icon=":material/delete:", key="danger", disabled=disabled
        )
        if button("Cancel", key="keep"):
            st.rerun()
    return yes
