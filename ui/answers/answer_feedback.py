"""What the person who asked thinks of an answer: thumbs, and what is wrong."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from chatbot.conversations.feedback import DOWN, LONGEST_COMMENT, REASONS, UP, Opinion
from ui.serving import services
from ui.wording.escaping import as_label, as_text
from ui.wording.failures import expected_failures

_THUMBS = {UP: 1, DOWN: 0}
"""What `st.feedback` calls a thumb."""
_SHOWN = {"wrong release": "This is from the wrong release"}


def reason_name(reason: str) -> str:
    """What a reason is called on the page."""
    return _SHOWN.get(reason, reason.capitalize())


def show_thumbs(turn: int, opinion: Opinion | None) -> None:
    """Thumbs up and down, as they were given."""
    key = _key("thumbs", turn)
    if key not in st.session_state:
        st.session_state[key] = _THUMBS[opinion.thumbs] if opinion else None
    st.feedback("thumbs", key=key, on_change=_rate, args=(turn,))


def show_reason(turn: int, opinion: Opinion | None) -> None:
    """After thumbs down: what is wrong, to be told, or as it was told."""
    if opinion is None or opinion.thumbs == UP:
        return
    if st.session_state.get(_key("telling", turn)):
        _ask_for_reason(turn, opinion)
        return
    with st.container(horizontal=True, key=_key("told", turn), vertical_alignment="center"):
        told = f"Noted: {reason_name(opinion.reason).lower()}" if opinion.reason else "Noted"
        comment = f" – “{as_label(opinion.comment, 200)}”" if opinion.comment else ""
        st.caption(told + comment, width="content")
        label = "Change" if opinion.reason or opinion.comment else "What is wrong?"
        st.button(label, key=_key("revise", turn), type="tertiary", on_click=_tell, args=(turn,))


def _ask_for_reason(turn: int, opinion: Opinion) -> None:
    with st.form(_key("reasons", turn)):
        st.pills(
            "What is wrong?",
            REASONS,
            default=opinion.reason or None,
            format_func=reason_name,
            key=_key("reason", turn),
        )
        st.text_area(
            "Comment",
            opinion.comment,
            max_chars=LONGEST_COMMENT,
            height=80,
            placeholder="What should it have said?",
            key=_key("comment", turn),
        )
        st.form_submit_button("Send feedback", on_click=_keep_reason, args=(turn,))


def _rate(turn: int) -> None:
    chosen = st.session_state[_key("thumbs", turn)]
    st.session_state[_key("telling", turn)] = chosen == _THUMBS[DOWN]
    feedback = services.feedback()
    if chosen is None:
        _told(feedback.withdraw, turn)
    else:
        _told(feedback.give, turn, UP if chosen == _THUMBS[UP] else DOWN)


def _keep_reason(turn: int) -> None:
    reason = st.session_state[_key("reason", turn)] or ""
    comment = st.session_state[_key("comment", turn)]
    if _told(services.feedback().give, turn, DOWN, reason, comment):
        st.session_state[_key("telling", turn)] = False


def _tell(turn: int) -> None:
    st.session_state[_key("telling", turn)] = True


def _told(say: Callable[..., None], *told: int | str) -> bool:
    """Say whether an opinion could be kept or withdrawn; where not, show why."""
    try:
        say(*told)
    except expected_failures() as error:
        st.toast(as_text(str(error)), icon=":material/error:")
        return False
    return True


def _key(name: str, turn: int) -> str:
    return f"{name}-{turn}"
