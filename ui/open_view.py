"""A question on the page that has no answer yet: waiting, running, stopped or failed."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from ui.asking import Asking
from ui.escaping import as_text
from ui.progress import Progress, State


def show_open(asking: Asking, ask_again: Callable[[str], None]) -> None:
    """A question that was stopped or failed, kept so that it can be asked again."""
    progress = asking.progress
    key = f"again-{id(asking)}"
    text = asking.question.text
    with st.chat_message("assistant", avatar=":material/layers:"):
        if progress.state is State.STOPPED:
            st.markdown(":gray[Stopped. The question is kept.]")
        else:
            st.error(f"No answer: {as_text(progress.message)}", icon=":material/error:")
        if progress.refused:
            text = st.text_area("Your question", text, height=200, key=f"{key}-text")
        st.button(
            "Ask again",
            icon=":material/refresh:",
            key=key,
            on_click=lambda: ask_again(st.session_state.get(f"{key}-text", text)),
        )


def show_progress(asking: Asking) -> None:
    """A question that is being answered: its steps, what the model writes, a button to stop it."""
    progress = asking.progress
    with st.chat_message("assistant", avatar=":material/layers:"):
        with st.container(horizontal=True, wrap=False, key=f"running-{id(asking)}"):
            st.markdown(_steps(progress), width="stretch")
            st.button(
                "Stop",
                icon=":material/stop_circle:",
                key=f"stop-{id(asking)}",
                on_click=asking.stop,
                disabled=progress.stopping,
            )
        if progress.written:
            st.markdown(as_text(progress.written))


def _steps(progress: Progress) -> str:
    if progress.stopping:
        return ":gray[Stopping …]"
    if progress.place:
        return f":gray[{progress.now.capitalize()}]"
    # A check mark stays with its step at the end of a line.
    done = [f":gray[:material/check: {name}]".replace(" ", "\u00a0") for name in progress.finished]
    now = [f"**{progress.now} …**"] if progress.now else []
    return "  ".join([*done, *now]) or ":gray[One moment …]"
