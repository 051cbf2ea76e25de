"""Keys for programs: create them, show them once, revoke them."""

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.accounts.program_keys import FOR_ADMINS, LONGEST_NAME, ProgramKeys, Scope
from corpora.database.history_tables import ProgramKeyRow
from ui.elements.frame import button, confirmed, failures_shown, use_new_widget, widget_round
from ui.elements.moments import when
from ui.elements.table import show_table
from ui.serving import services
from ui.wording.escaping import as_label

_MADE = "key made"
_MOST_PER_MINUTE = 10_000
_SCOPES = {
    Scope.ASK: "Ask questions",
    Scope.SEARCH: "Search and read pages",
    Scope.INGEST: "Upload documents",
    Scope.ADMIN: "Read metrics",
}


def show_keys(person: Person) -> None:
    """The keys of a person, those of everybody for an admin, and a form for a new one."""
    st.subheader("Keys for programs", anchor=False)
    st.caption(
        "A key lets a program, an editor or an agent ask in its own name. Its conversations are "
        "kept apart from yours."
    )
    keys = ProgramKeys(services.chatbot().database)
    _show_made()
    programs = keys.seen_by(person)
    if programs:
        _list(keys, person, programs)
    with st.popover("New key …", icon=":material/key:"), failures_shown():
        _make(keys, person)


def _list(keys: ProgramKeys, person: Person, programs: tuple[ProgramKeyRow, ...]) -> None:
    others = any(program.owner != person.id for program in programs)
    rows = [
        {
            "Name": program.name,
            "Scopes": ", ".join(sorted(program.scopes)),
            "Questions per minute": f"{program.questions_per_minute or 'no limit'}",
            "Made": when(program.created),
            "Last used": when(program.used) if program.used else "never",
            **({"Made by": program.owner} if others else {}),
        }
        for program in programs
    ]
    key = f"keys {len(programs)} {programs[0].id}"
    chosen = show_table(rows, key=key, name="Keys", choose="single-row")
    if not chosen:
        st.caption("Select a key to revoke it.")
    elif button("Revoke …", icon="delete", key="delete-key"):
        _ask_to_revoke(keys, person, programs[chosen[0]])


def _make(keys: ProgramKeys, person: Person) -> None:
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
        limit = st.number_input(
            "Questions per minute (0: no limit)", 0, _MOST_PER_MINUTE, usual, step=10
        )
        pressed = st.form_submit_button("Make the key", type="primary")
    if pressed:
        program, key = keys.make(person, name, scopes, int(limit))
        st.session_state[_MADE] = (program.name, key)
        use_new_widget("key")
        st.rerun()


def _show_made() -> None:
    """The key that was just made, until somebody says that it is copied."""
    if (made := st.session_state.get(_MADE)) is None:
        return
    name, key = made
    settings = services.chatbot().settings
    url = settings.public_url or f"http://{settings.host}:{settings.port}"
    with st.container(border=True, key="key-made"):
        st.markdown(f"**The key of {as_label(name)}.** Copy it now: it is not shown again.")
        st.code(key, language=None, wrap_lines=True)
        st.caption("For example:")
        st.code(
            f"STRATA_API_KEY={key} strata ask --server {url} QUESTION",
            language=None,
            wrap_lines=True,
        )
        if st.button("I have copied it"):
            del st.session_state[_MADE]
            st.rerun()


@st.dialog("Revoke a key")
def _ask_to_revoke(keys: ProgramKeys, person: Person, program: ProgramKeyRow) -> None:
    st.markdown(
        f"Programs that use the key **{as_label(program.name)}** will be refused at once. "
        "Their conversations are kept."
    )
    if confirmed("Revoke"):
        with failures_shown():
            keys.revoke(person, program.id)
            st.rerun()
