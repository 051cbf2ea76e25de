"""A question on the page that has no answer yet: waiting, running, stopped or failed."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from ui.answers.answer_text import show_text
from ui.serving.asking import Pending
from ui.wording.escaping import as_label, as_text
from ui.wording.progress import Progress, State


def show_open(
    pending: Pending, ask_again: Callable[[str], None], discard: Callable[[], None]
) -> None:
    """A question that was stopped or failed, kept so that it can be asked again."""
    progress = pending.progress
    key = f"again-{pending.id}"
    text = pending.question.text
    with st.chat_message("assistant", avatar=":material/layers:"):
        if progress.state is State.STOPPED:
            why = f" {as_label(progress.message, 200)}" if progress.message else ""
            st.markdown(f":gray[Stopped.{why}]")
        else:
            st.error(f"No answer: {as_text(progress.message)}", icon=":material/error:")
        if progress.refused:
            text = st.text_area("Your question", text, height=200, key=f"{key}-text")
        with st.container(horizontal=True, gap="small"):
            st.button(
                "Ask again",
                icon=":material/refresh:",
                key=key,
                on_click=lambda: ask_again(st.session_state.get(f"{key}-text", text)),
            )
            st.button("Discard", key=f"discard-{pending.id}", type="tertiary", on_click=discard)


def show_progress(pending: Pending, stop: Callable[[], None]) -> None:
    """A question that is being answered: what is done, what is written, a button to stop it."""
    progress = pending.progress
    with st.chat_message("assistant", avatar=":material/layers:"):
        with st.container(
            horizontal=True, wrap=False, vertical_alignment="center", key=f"running-{pending.id}"
        ):
            st.markdown(f":gray[{as_label(_now(progress), 200)}]", width="stretch")
            st.button(
                "Stop",
                icon=":material/stop_circle:",
                key=f"stop-{pending.id}",
                on_click=stop,
                disabled=progress.stopping,
            )
        if progress.written:
            show_text(progress.written)


def _now(progress: Progress) -> str:
    if progress.stopping:
        return "Stopping…"
    return "Another server is answering this…" if progress.on_other_server else progress.now
