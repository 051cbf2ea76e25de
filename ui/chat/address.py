"""Which conversation is open, and at which answer: `/?conversation=ID&turn=TURN_ID`."""

import streamlit as st

from ui.elements.address import go
from ui.elements.address import opened as number_in

_CONVERSATION = "conversation"
_TURN = "turn"


def opened() -> str | None:
    """The open conversation; at first the one that the address names.

    From then on the session decides: query parameters from the browser may be out of date.
    """
    if _CONVERSATION not in st.session_state:
        st.session_state[_CONVERSATION] = st.query_params.get(_CONVERSATION)
        st.session_state[_TURN] = number_in(_TURN)
    conversation: str | None = st.session_state[_CONVERSATION]
    if st.query_params.get(_CONVERSATION) != conversation:
        go(conversation=conversation)
    return conversation


def linked_turn() -> int | None:
    """The turn that was linked to, until something else is opened or asked."""
    turn: int | None = st.session_state.get(_TURN)
    return turn


def open_conversation(conversation: str | None) -> None:
    """Open a conversation, or a new one, and set it in the address."""
    st.session_state[_CONVERSATION] = conversation
    leave_turn()
    go(conversation=conversation)


def leave_turn() -> None:
    """Forget the turn that was linked to."""
    st.session_state[_TURN] = None
    go(turn=None)
