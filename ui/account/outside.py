"""What somebody sees who is not, or may not come, in: this page and no other."""

from __future__ import annotations

import streamlit as st

from chatbot.accounts.people import NotAllowed, NotSignedIn
from ui.serving import services
from ui.wording.escaping import as_text


def stay_outside(error: Exception) -> None:
    """Say why there is nothing to see, and how to come in."""
    with st.container(key="outside"):
        st.title("Strata", anchor=False)
        if not isinstance(error, NotAllowed):
            st.error(as_text(str(error)), icon=":material/error:")
            return
        settings = services.chatbot().settings
        if not isinstance(error, NotSignedIn):
            st.markdown(as_text(str(error)))
            if settings.sign_in == "oidc" and st.button("Sign out", icon=":material/logout:"):
                st.logout()
        elif settings.sign_in == "oidc":
            st.markdown("Answers from the documentation of the right release, with citations.")
            if str(error) != "Nobody is signed in.":
                st.caption(as_text(str(error)))
            if st.button("Sign in", type="primary", icon=":material/login:"):
                st.login()
        elif settings.sign_in == "proxy":
            st.markdown(f"Open {as_text(settings.public_url or '')} and sign in there.")
        else:
            st.markdown(as_text(str(error)))
