"""The language of the page: the one that the person chose, else the browser's."""

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from chatbot.accounts.people import Person
from chatbot.accounts.preferences import choose_language, chosen_language
from chatbot.text.languages import LANGUAGES, chosen_from, gettext, use_language_of
from ui.serving import services

_CHOSEN, _ASKED = "language", "language of the browser"
_BROWSER = ""
"""The choice of the browser's language."""


def language_of_page() -> str | None:
    """The language of the page that asks; None outside of one."""
    if get_script_run_ctx(suppress_warning=True) is None:
        return None
    chosen: str = st.session_state.get(_CHOSEN, _BROWSER)
    return chosen or language_of_browser()


use_language_of(language_of_page)


def language_of_browser() -> str:
    """The language that the browser asks for, of those there are."""
    if _ASKED not in st.session_state:
        accepted = st.context.headers.get("Accept-Language") or st.context.locale or ""
        st.session_state[_ASKED] = chosen_from(accepted)
    asked: str = st.session_state[_ASKED]
    return asked


def speak_with(person: Person) -> None:
    """Speak the language that the person chose from now on in this session."""
    if _CHOSEN not in st.session_state:
        st.session_state[_CHOSEN] = chosen_language(services.chatbot().database, person.id)


def offer_languages(person: Person) -> None:
    """A select box with the languages, which is kept as the person's own choice."""
    own, before = LANGUAGES[language_of_browser()], st.session_state.get(_CHOSEN, _BROWSER)
    options = [_BROWSER, *LANGUAGES]
    chosen = st.selectbox(
        gettext("Language"),
        options,
        index=options.index(before),
        format_func=lambda code: (
            LANGUAGES.get(code) or gettext("As in the browser: {language}", language=own)
        ),
        help=gettext("Answers are in the language of the question."),
        key="chosen language",
        width=320,
    )
    if chosen != before:
        choose_language(services.chatbot().database, person.id, chosen)
        st.session_state[_CHOSEN] = chosen
        st.rerun()
