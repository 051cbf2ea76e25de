"""The account page, and the page shown to people who are not signed in or not allowed."""

import json

import streamlit as st

from chatbot.accounts.people import NotAllowed, NotSignedIn, Person
from chatbot.conversations.personal_data import UnknownPerson, delete_person, export_person
from chatbot.settings import Settings
from ui.account.keys import show_keys
from ui.elements.frame import button, confirmed, failures_shown
from ui.elements.table import download
from ui.serving import services
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label, as_text


def account() -> None:
    """Show the page; a failure is one clear message."""
    st.set_page_config(layout="centered")
    with failures_shown():
        _show(services.current_person())


def _show(person: Person) -> None:
    chatbot = services.chatbot()
    kept = len(chatbot.conversations.of(person.id).recent(limit=10_000))
    st.title("Account", anchor=False)
    _who(person, chatbot.settings)
    st.subheader("Your data", anchor=False)
    st.markdown(_what_is_kept(kept, chatbot.settings))
    with st.container(horizontal=True, key="my-data"):
        download(
            "Download as JSON",
            lambda: json.dumps(
                export_person(chatbot.database, person.id), ensure_ascii=False, indent=1
            ),
            "strata-conversations.json",
            disabled=not kept,
        )
        if button("Delete all …", icon="delete", key="delete-mine", disabled=not kept):
            _ask_to_delete(person, kept)
    show_keys(person)


def _who(person: Person, settings: Settings) -> None:
    if settings.sign_in == "none":
        st.markdown(
            "Sign-in is off. Only this computer can reach Strata; everyone on it is an admin."
        )
        return
    role = ":primary-badge[admin]" if person.is_admin else ":gray-badge[user]"
    also = f" ({as_label(person.id, 320)})" if person.id != person.name else ""
    st.markdown(f"Signed in as **{as_label(person.name, 120)}**{also} {role}")
    st.caption("Only you and the admins can read your conversations.")
    if settings.questions_per_minute:
        st.caption(f"Limit: {how_many(settings.questions_per_minute, 'question')} per minute.")
    if settings.sign_in == "oidc":
        if button("Sign out", icon="logout"):
            st.logout()
    else:
        st.caption("To sign out, use your organization's sign-in page.")


def _what_is_kept(kept: int, settings: Settings) -> str:
    if not kept:
        return "You have no conversations."
    count = how_many(kept, "conversation")
    days = settings.keep_conversations
    if days:
        return f"{count}, each deleted {how_many(days, 'day')} after its last question."
    return f"{count}, kept until you delete {'it' if kept == 1 else 'them'}."


@st.dialog("Delete all your conversations")
def _ask_to_delete(person: Person, kept: int) -> None:
    st.markdown(
        f"{how_many(kept, 'conversation')} will be deleted with all answers, your feedback and the "
        "admins' notes. This cannot be undone."
    )
    sure = st.checkbox("Yes, delete all of my conversations")
    if confirmed("Delete", disabled=not sure):
        try:
            delete_person(services.chatbot().database, person.id)
        except UnknownPerson:
            st.rerun()
        if services.chatbot().settings.sign_in == "oidc":
            st.logout()
        else:
            st.rerun()


def stay_outside(error: Exception) -> None:
    """Say why access is refused, and how to sign in."""
    with st.container(key="outside"):
        st.title("Strata", anchor=False)
        if not isinstance(error, NotAllowed):
            st.error(as_text(str(error)), icon=":material/error:")
            return
        settings = services.chatbot().settings
        if not isinstance(error, NotSignedIn):
            st.markdown(as_text(str(error)))
            if settings.sign_in == "oidc" and button("Sign out", icon="logout"):
                st.logout()
        elif settings.sign_in == "oidc":
            st.markdown("Answers from the documentation of the right release, with citations.")
            if str(error) != "Nobody is signed in.":
                st.caption(as_text(str(error)))
            if button("Sign in", icon="login", type="primary"):
                st.login()
        elif settings.sign_in == "proxy":
            st.markdown(f"Open {as_text(settings.public_url or '')} and sign in there.")
        else:
            st.markdown(as_text(str(error)))
