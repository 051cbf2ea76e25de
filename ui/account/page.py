"""The account page: who one is here, what is kept, and how to take it along or delete it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import streamlit as st

from ui import services
from ui.escaping import as_label, as_text
from ui.failures import expected_failures
from ui.identity import current_person, sign_out

if TYPE_CHECKING:
    from chatbot.people import Person
    from chatbot.settings import Settings


def account() -> None:
    """Show the page; a failure is one clear message."""
    try:
        person = current_person()
        chatbot = services.chatbot()
        kept = len(chatbot.conversations.of(person.id).recent(limit=10_000))
    except expected_failures() as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    st.title("Account", anchor=False)
    _who(person, chatbot.settings)
    st.subheader("What is kept", anchor=False)
    st.markdown(_what_is_kept(kept, chatbot.settings))
    with st.container(horizontal=True, key="my-data"):
        st.download_button(
            "Download as JSON",
            data=lambda: _exported(person),
            file_name="strata-conversations.json",
            mime="application/json",
            icon=":material/download:",
            on_click="ignore",
            disabled=not kept,
        )
        if st.button("Delete all …", icon=":material/delete:", disabled=not kept):
            _ask_to_delete(person, kept)


def _who(person: Person, settings: Settings) -> None:
    if settings.sign_in == "none":
        st.markdown(
            "Nobody has to sign in: this Strata can be reached from its own machine only, and "
            "whoever uses it there is its admin."
        )
        return
    role = ":primary-badge[admin]" if person.is_admin else ":gray-badge[user]"
    also = f" ({as_label(person.id, 320)})" if person.id != person.name else ""
    st.markdown(f"Signed in as **{as_label(person.name, 120)}**{also} {role}")
    st.caption("Only you and the admins of this Strata can read your conversations.")
    if settings.questions_per_minute:
        st.caption(f"You may ask {settings.questions_per_minute} questions a minute.")
    if settings.sign_in == "oidc":
        if st.button("Sign out", icon=":material/logout:"):
            sign_out()
    else:
        st.caption("Sign out at the proxy that signed you in.")


def _what_is_kept(kept: int, settings: Settings) -> str:
    if not kept:
        return "There are no conversations of yours."
    count = f"{kept:,} conversation{'s' * (kept > 1)} of yours"
    days = settings.keep_conversations
    if days:
        return f"{count}, each until {days} day{'s' * (days > 1)} after its last turn."
    return f"{count}, until you delete them."


def _exported(person: Person) -> str:
    from chatbot.personal_data import export_person

    exported = export_person(services.chatbot().database, person.id)
    return json.dumps(exported, ensure_ascii=False, indent=1)


@st.dialog("Delete all your conversations")
def _ask_to_delete(person: Person, kept: int) -> None:
    from chatbot.personal_data import UnknownPerson, delete_person

    st.markdown(
        f"{kept:,} conversation{'s' * (kept > 1)} will be deleted, with their answers, what you "
        "said of them and what admins noted. This cannot be undone."
    )
    sure = st.checkbox("I do not need them any more")
    if st.button("Delete", type="primary", icon=":material/delete:", disabled=not sure):
        try:
            delete_person(services.chatbot().database, person.id)
        except UnknownPerson:
            st.rerun()
        if services.chatbot().settings.sign_in == "oidc":
            sign_out()
        else:
            st.rerun()
