"""The script of the chat page, which reports clicks on the marks in an answer.

It also closes the drawer of a phone once something was chosen in it, and keeps a new question and
the beginning of its answer in view.
"""

from collections.abc import Callable
from pathlib import Path

import streamlit as st
from streamlit.components.v1 import declare_component

from chatbot.text.languages import gettext

_HEARD = "mark_heard"
_script = declare_component("page_script", path=str(Path(__file__).parent))


def listen(open_source: Callable[[int, int], None], *, chosen: int, newest: str) -> None:
    """Call `open_source(turn, number)` when the mark of a citation was clicked.

    `chosen` counts what this session chose in the sidebar; once it grows, the drawer closes.
    `newest` is the key of the container that is to be seen: of the question that is being answered,
    or of the last answer; empty where another part of the page is looked at.
    """
    copies = {"copy-answer": gettext("Copy answer"), "copy-link": gettext("Copy link")}
    heard = _script(
        key="page-script",
        default=None,
        chosen=chosen,
        newest=newest,
        copies=copies,
    )
    # The browser sends the last click again in every run.
    if heard and heard != st.session_state.get(_HEARD):
        st.session_state[_HEARD] = heard
        turn, number, _ = heard
        open_source(turn, number)
