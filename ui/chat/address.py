"""Which conversation is open, and at which answer: `/?conversation=ID&turn=TURN_ID`."""

from __future__ import annotations

import streamlit as st

from ui.elements.address import go
from ui.elements.address import opened as number_in

_CONVERSATION = "conversation"
_TURN = "turn"


def opened() -> str | None:
    """The conversation that is open; at first the one that the address names.

    From then on the session knows better: what the browser sends may be older than its address.
    """
    if _CONVERSATION not in st.session_state:
        st.session_state[_CONVERSATION] = st.query_params.get(_CONVERSATION)
        st.session_state[_TURN] = number_in(_TURN)
    conversation: str | None = st.session_state[_CONVERSATION]
    if st.query_params.get(_CONVERSATION) != conversation:
        go(conversation=conversation)
    return conversation


def linked_turn() -> int | None:
    """The turn that the address names, until something else is opened or asked."""
    turn: int | None = st.session_state.get(_TURN)
    return turn


def open_conversation(conversation: str | None) -> None:
    """Open a conversation, or a new one, and let the address name it."""
    st.session_state[_CONVERSATION] = conversation
    leave_turn()
    go(conversation=conversation)


def leave_turn() -> None:
    """Name no turn any more."""
    st.session_state[_TURN] = None
    go(turn=None)
