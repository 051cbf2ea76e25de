"""The account page: who one is, one's own data, keys for programs; and signing in and out."""

import json

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.accounts.program_keys import FOR_ADMINS, LONGEST_NAME, ProgramKeys, Scope
from chatbot.accounts.sign_in import groups_in
from chatbot.administration.in_use import in_use, larger_generator
from chatbot.conversations.personal_data import delete_person, export_person
from chatbot.errors import NobodySignedIn, NotAllowed, NotSignedIn, UnknownPerson
from chatbot.settings import Settings
from chatbot.text.languages import gettext, gettext_noop, ngettext
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
from ui.elements.language import offer_languages
from ui.elements.table import Cell, download, show_table
from ui.serving import services
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label, as_text

_MADE = "key made"
_MOST_PER_MINUTE = 10_000
_SCOPES = {
    Scope.ASK: gettext_noop("Ask questions"),
    Scope.SEARCH: gettext_noop("Search and read pages"),
    Scope.INGEST: gettext_noop("Upload documents"),
    Scope.ADMIN: gettext_noop("Administer"),
}


@page("centered")
def account(person: Person) -> None:
    """Show the page."""
    chatbot = services.chatbot()
    shown = len(chatbot.conversations.of(person.id).recent(limit=1))
    # What they may not see any more is theirs, too, to be deleted.
    kept = len(services.whole().conversations.of(person.id).recent(limit=10_000))
    st.title(gettext("Account"), anchor=False)
    _show_person(person, chatbot.settings)
    offer_languages(person)
    st.subheader(gettext("Your data"), anchor=False)
    st.markdown(_kept_summary(kept, chatbot.settings.keep_conversations))
    with st.container(horizontal=True, key="my-data"):
        download(
            gettext("Download as JSON"),
            lambda: json.dumps(
                export_person(chatbot.database, person.id), ensure_ascii=False, indent=1
            ),
            "strata-conversations.json",
            disabled=not shown,
        )
        if button(gettext("Delete all …"), icon="delete", key="delete-mine", disabled=not kept):
            _ask_to_delete(person, kept)
    _show_keys(person)
    if person.is_admin:
        _show_setup(chatbot.settings)


def _show_person(person: Person, settings: Settings) -> None:
    if settings.sign_in == "none":
        st.markdown(
            gettext(
                "Sign-in is off. Only this computer can reach Strata; everyone on it is an admin."
            )
        )
        return
    badge, role = "gray", gettext("user")
    if person.is_admin:
        badge, role = "primary", gettext("admin")
    also = f" ({as_label(person.id, 320)})" if person.id != person.name else ""
    name = f"**{as_label(person.name, 120)}**{also}"
    st.markdown(f"{gettext('Signed in as {name}', name=name)} :{badge}-badge[{role}]")
    st.caption(gettext("Only you and the admins can read your conversations."))
    if settings.questions_per_minute:
        limit = ngettext(
            "Limit: {number} question per minute.",
            "Limit: {number} questions per minute.",
            settings.questions_per_minute,
        )
        st.caption(limit)
    if settings.sign_in == "oidc":
        _offer_sign_out()
    else:
        st.caption(gettext("To sign out, use your organization's sign-in page."))


def _show_setup(settings: Settings) -> None:
    st.subheader(gettext("Setup"), anchor=False)
    for used in in_use(settings):
        st.markdown(f"{used.kind}: **{as_label(used.name, 200)}** ({as_text(used.why)})")
    if larger := larger_generator(settings):
        st.caption(as_text(larger))


def _offer_sign_out() -> None:
    if button(gettext("Sign out"), icon="logout"):
        st.logout()


def _kept_summary(kept: int, days: int) -> str:
    if not kept:
        return gettext("You have no conversations.")
    if days:
        count, wait = how_many(kept, "conversation"), how_many(days, "day")
        return gettext(
            "{conversations}, each deleted {days} after its last question.",
            conversations=count,
            days=wait,
        )
    return ngettext(
        "{number} conversation, kept until you delete it.",
        "{number} conversations, kept until you delete them.",
        kept,
    )


def _ask_to_delete(person: Person, kept: int) -> None:
    st.dialog(gettext("Delete all your conversations"))(_confirm_deletion)(person, kept)


def _confirm_deletion(person: Person, kept: int) -> None:
    st.markdown(
        ngettext(
            "{number} conversation will be deleted with all answers, your feedback and the "
            "admins' notes. This cannot be undone.",
            "{number} conversations will be deleted with all answers, your feedback and the "
            "admins' notes. This cannot be undone.",
            kept,
        )
    )
    sure = st.checkbox(gettext("Yes, delete all of my conversations"))
    if confirmed(gettext("Delete"), disabled=not sure):
        try:
            delete_person(services.whole().database, person.id)
        except UnknownPerson:
            st.rerun()
        if services.chatbot().settings.sign_in == "oidc":
            st.logout()
        else:
            st.rerun()


def _show_keys(person: Person) -> None:
    st.subheader(gettext("Keys for programs"), anchor=False)
    st.caption(
        gettext(
            "A key lets a program, an editor or an agent ask in its own name. Its conversations "
            "are kept apart from yours."
        )
    )
    keys = ProgramKeys(services.chatbot().database)
    _show_made_key()
    if programs := keys.seen_by(person):
        _list_keys(keys, person, programs)
    with st.popover(gettext("New key …"), icon=":material/key:"), failures_shown():
        _make_key(keys, person)


def _list_keys(keys: ProgramKeys, person: Person, programs: tuple[ProgramKeyRow, ...]) -> None:
    columns: dict[str, Cell[ProgramKeyRow]] = {
        gettext("Name"): lambda program: program.name,
        gettext("Scopes"): lambda program: ", ".join(sorted(program.scopes)),
        gettext("Questions per minute"): lambda program: (
            f"{program.questions_per_minute}"
            if program.questions_per_minute
            else gettext("no limit")
        ),
        gettext("Made"): lambda program: when(program.created),
        gettext("Last used"): lambda program: (
            when(program.used) if program.used else gettext("never")
        ),
    }
    if any(program.owner != person.id for program in programs):
        columns[gettext("Made by")] = lambda program: program.owner
    key = f"keys {len(programs)} {programs[0].id}"
    chosen = show_table(programs, columns, key=key, name=gettext("Keys"), choose="single-row")
    if not chosen:
        st.caption(gettext("Select a key to revoke it."))
    elif button(gettext("Revoke …"), icon="delete", key="delete-key"):
        (program,) = chosen

        def revoke() -> None:
            keys.revoke(person, program.id)
            st.rerun()

        message = gettext(
            "Programs that use the key **{name}** will be refused at once. "
            "Their conversations are kept.",
            name=as_label(program.name),
        )
        confirm(gettext("Revoke a key"), message, gettext("Revoke"), revoke)


def _make_key(keys: ProgramKeys, person: Person) -> None:
    may_grant = person.is_admin or services.administers(person)
    offered = [scope for scope in Scope if may_grant or scope not in FOR_ADMINS]
    with st.form(f"key {widget_round('key')}", border=False):
        example = gettext("e.g. editor of Ann")
        name = st.text_input(gettext("Name"), max_chars=LONGEST_NAME, placeholder=example)
        scopes = st.pills(
            gettext("What it may do"),
            offered,
            default=[Scope.ASK, Scope.SEARCH],
            selection_mode="multi",
            format_func=lambda scope: gettext(_SCOPES[scope]),
        )
        usual = services.chatbot().settings.questions_per_minute
        label, least, most = gettext("Questions per minute (0: no limit)"), 0, _MOST_PER_MINUTE
        if usual and not person.is_admin:
            label, least, most = gettext("Questions per minute"), 1, usual
        limit = st.number_input(label, least, most, usual, step=1 if least else 10)
        named = ""
        if person.is_admin:
            named = st.text_input(
                gettext("Groups, with commas between"),
                placeholder=gettext("those that you are in"),
                help=gettext(
                    "What the key may see. What is for admins only needs the scope “admin”."
                ),
            )
        pressed = st.form_submit_button(gettext("Create key"), type="primary")
    if pressed:
        groups = groups_in(named) if named.strip() else None
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
        st.markdown(
            gettext(
                "**The key of {name}.** Copy it now: it is not shown again.", name=as_label(name)
            )
        )
        st.code(key, language=None, wrap_lines=True)
        st.caption(gettext("For example:"))
        example = f"STRATA_API_KEY={key} strata ask --server {url} QUESTION"
        st.code(example, language=None, wrap_lines=True)
        if st.button(gettext("Done")):
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
            st.markdown(
                gettext("Answers from the documentation of the right release, with citations.")
            )
            if not isinstance(error, NobodySignedIn):
                st.caption(message)
            if button(gettext("Sign in"), icon="login", type="primary"):
                st.login()
        elif settings.sign_in == "proxy":
            address = as_text(settings.public_url or "")
            st.markdown(gettext("Open {address} and sign in there.", address=address))
        else:
            st.markdown(message)
