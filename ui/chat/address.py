"""Which conversation is open, and at which answer: `/?conversation=ID&turn=TURN_ID`."""

from __future__ import annotations

import streamlit as st

_CONVERSATION = "conversation"
_TURN = "turn"


def opened() -> str | None:
    """The conversation that is open; at first the one that the address names.

    From then on the session knows better: what the browser sends may be older than its address.
    """
    if _CONVERSATION not in st.session_state:
        st.session_state[_CONVERSATION] = st.query_params.get(_CONVERSATION)
        st.session_state[_TURN] = _number(st.query_params.get(_TURN))
    conversation: str | None = st.session_state[_CONVERSATION]
    if st.query_params.get(_CONVERSATION) != conversation:
        _tell(conversation)
    return conversation


def linked_turn() -> int | None:
    """The turn that the address names, until something else is opened or asked."""
    turn: int | None = st.session_state.get(_TURN)
    return turn


def open_conversation(conversation: str | None) -> None:
    """Open a conversation, or a new one, and let the address name it."""
    st.session_state[_CONVERSATION] = conversation
    leave_turn()
    _tell(conversation)


def leave_turn() -> None:
    """Name no turn any more."""
    st.session_state[_TURN] = None
    st.query_params.pop(_TURN, None)


def _tell(conversation: str | None) -> None:
    if conversation is None:
        st.query_params.pop(_CONVERSATION, None)
    else:
        st.query_params[_CONVERSATION] = conversation


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else None
