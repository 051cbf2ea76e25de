"""The account page: who one is, one's own data, keys for programs; and signing in and out."""

import json

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.accounts.program_keys import FOR_ADMINS, LONGEST_NAME, ProgramKeys, Scope
from chatbot.administration.in_use import in_use, larger_generator
from chatbot.conversations.personal_data import delete_person, export_person
from chatbot.errors import NotAllowed, NotSignedIn, UnknownPerson
from chatbot.settings import Settings
from corpora.database.history_tables import ProgramKeyRow
from ui.elements.frame import (
    button,
    confirm,
    confirmed,
    failures_shown,
    page,
    use_new_widget,
    when,
    widget_round,
)
from ui.elements.table import Cell, download, show_table
from ui.serving import services
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label, as_text

_MADE = "key made"
_MOST_PER_MINUTE = 10_000
_SCOPES = {
    Scope.ASK: "Ask questions",
    Scope.SEARCH: "Search and read pages",
    Scope.INGEST: "Upload documents",
    Scope.ADMIN: "Read metrics",
}


@page("centered")
def account(person: Person) -> None:
    """Show the page."""
    chatbot = services.chatbot()
    shown = len(chatbot.conversations.of(person.id).recent(limit=1))
    # What they may not see any more is theirs, too, to be deleted.
    kept = len(services.whole().conversations.of(person.id).recent(limit=10_000))
    st.title("Account", anchor=False)
    _show_person(person, chatbot.settings)
    st.subheader("Your data", anchor=False)
    st.markdown(_kept_summary(kept, chatbot.settings.keep_conversations))
    with st.container(horizontal=True, key="my-data"):
        download(
            "Download as JSON",
            lambda: json.dumps(
                export_person(chatbot.database, person.id), ensure_ascii=False, indent=1
            ),
            "strata-conversations.json",
            disabled=not shown,
        )
        if button("Delete all …", icon="delete", key="delete-mine", disabled=not kept):
            _ask_to_delete(person, kept)
    _show_keys(person)
    if person.is_admin:
        _show_setup(chatbot.settings)


def _show_person(person: Person, settings: Settings) -> None:
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
        _offer_sign_out()
    else:
        st.caption("To sign out, use your organization's sign-in page.")


def _show_setup(settings: Settings) -> None:
    st.subheader("Setup", anchor=False)
    for used in in_use(settings):
        kind, name = used.kind.capitalize(), as_label(used.name, 200)
        st.markdown(f"{kind}: **{name}** ({as_text(used.why)})")
    if larger := larger_generator(settings):
        st.caption(as_text(larger))


def _offer_sign_out() -> None:
    if button("Sign out", icon="logout"):
        st.logout()


def _kept_summary(kept: int, days: int) -> str:
    if not kept:
        return "You have no conversations."
    count = how_many(kept, "conversation")
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
            delete_person(services.whole().database, person.id)
        except UnknownPerson:
            st.rerun()
        if services.chatbot().settings.sign_in == "oidc":
            st.logout()
        else:
            st.rerun()


def _show_keys(person: Person) -> None:
    st.subheader("Keys for programs", anchor=False)
    st.caption(
        "A key lets a program, an editor or an agent ask in its own name. Its conversations are "
        "kept apart from yours."
    )
    keys = ProgramKeys(services.chatbot().database)
    _show_made_key()
    if programs := keys.seen_by(person):
        _list_keys(keys, person, programs)
    with st.popover("New key …", icon=":material/key:"), failures_shown():
        _make_key(keys, person)


def _list_keys(keys: ProgramKeys, person: Person, programs: tuple[ProgramKeyRow, ...]) -> None:
    columns: dict[str, Cell[ProgramKeyRow]] = {
        "Name": lambda program: program.name,
        "Scopes": lambda program: ", ".join(sorted(program.scopes)),
        "Questions per minute": lambda program: f"{program.questions_per_minute or 'no limit'}",
        "Made": lambda program: when(program.created),
        "Last used": lambda program: when(program.used) if program.used else "never",
    }
    if any(program.owner != person.id for program in programs):
        columns["Made by"] = lambda program: program.owner
    key = f"keys {len(programs)} {programs[0].id}"
    chosen = show_table(programs, columns, key=key, name="Keys", choose="single-row")
    if not chosen:
        st.caption("Select a key to revoke it.")
    elif button("Revoke …", icon="delete", key="delete-key"):
        (program,) = chosen

        def revoke() -> None:
            keys.revoke(person, program.id)
            st.rerun()

        message = (
            f"Programs that use the key **{as_label(program.name)}** will be refused at once. "
            "Their conversations are kept."
        )
        confirm("Revoke a key", message, "Revoke", revoke)


def _make_key(keys: ProgramKeys, person: Person) -> None:
    offered = [scope for scope in Scope if person.is_admin or scope not in FOR_ADMINS]
    with st.form(f"key {widget_round('key')}", border=False):
        name = st.text_input("Name", max_chars=LONGEST_NAME, placeholder="e.g. editor of Ann")
        scopes = st.pills(
            "What it may do",
            offered,
            default=[Scope.ASK, Scope.SEARCH],
            selection_mode="multi",
            format_func=_SCOPES.__getitem__,
        )
        usual = services.chatbot().settings.questions_per_minute
        label, least, most = "Questions per minute (0: no limit)", 0, _MOST_PER_MINUTE
        if usual and not person.is_admin:
            label, least, most = "Questions per minute", 1, usual
        limit = st.number_input(label, least, most, usual, step=1 if least else 10)
        named = ""
        if person.is_admin:
            named = st.text_input(
                "Groups, with commas between",
                placeholder="those that you are in",
                help="What the key may see. What is for admins only needs the scope “admin”.",
            )
        pressed = st.form_submit_button("Create key", type="primary")
    if pressed:
        groups = named.split(",") if named.strip() else None
        program, key = keys.make(person, name, scopes, int(limit), usual=usual, groups=groups)
        st.session_state[_MADE] = (program.name, key)
        use_new_widget("key")
        st.rerun()


def _show_made_key() -> None:
    if (made := st.session_state.get(_MADE)) is None:
        return
    name, key = made
    settings = services.chatbot().settings
    url = settings.public_url or f"http://{settings.host}:{settings.port}"
    with st.container(border=True, key="key-made"):
        st.markdown(f"**The key of {as_label(name)}.** Copy it now: it is not shown again.")
        st.code(key, language=None, wrap_lines=True)
        st.caption("For example:")
        example = f"STRATA_API_KEY={key} strata ask --server {url} QUESTION"
        st.code(example, language=None, wrap_lines=True)
        if st.button("Done"):
            del st.session_state[_MADE]
            st.rerun()


def stay_outside(error: Exception) -> None:
    """Say why access is refused, and how to sign in."""
    message = as_text(str(error))
    with st.container(key="outside"):
        st.title("Strata", anchor=False)
        if not isinstance(error, NotAllowed):
            st.error(message, icon=":material/error:")
            return
        settings = services.whole().settings
        if not isinstance(error, NotSignedIn):
            st.markdown(message)
            if settings.sign_in == "oidc":
                _offer_sign_out()
        elif settings.sign_in == "oidc":
            st.markdown("Answers from the documentation of the right release, with citations.")
            if str(error) != "Nobody is signed in.":
                st.caption(message)
            if button("Sign in", icon="login", type="primary"):
                st.login()
        elif settings.sign_in == "proxy":
            st.markdown(f"Open {as_text(settings.public_url or '')} and sign in there.")
        else:
            st.markdown(message)
