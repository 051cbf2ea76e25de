"""Actions below an answer: regenerate, edit the question, copy, link, rate, give a reason."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from chatbot.conversations.conversations import KeptTurn
from chatbot.conversations.export import reply_markdown
from chatbot.conversations.feedback import DOWN, LONGEST_COMMENT, REASONS, UP
from corpora.catalog.release import Product
from corpora.database.history_tables import FeedbackRow
from ui.answers.offers import Ask
from ui.answers.remembered import ask_afresh, chosen_release
from ui.elements.frame import failures_shown
from ui.serving import services
from ui.wording.escaping import as_label

_THUMBS = {UP: 1, DOWN: 0}
"""What `st.feedback` calls a thumb."""
_SHOWN = {"wrong release": "This is from the wrong release"}


@st.fragment
def show_actions(
    turn: KeptTurn, conversation: str, products: Sequence[Product], ask: Ask, *, is_last: bool
) -> None:
    """Show a row of small buttons; only the last question of a conversation can be asked again."""
    opinion = services.feedback().of([turn.id]).get(turn.id)
    with st.container(
        horizontal=True, key=f"actions-{turn.id}", vertical_alignment="center", gap="xsmall"
    ):
        if is_last:
            _ask_anew(turn, products, ask)
        _copy(turn, conversation)
        _show_thumbs(turn.id, opinion)
    _show_reason(turn.id, opinion)


def _ask_anew(turn: KeptTurn, products: Sequence[Product], ask: Ask) -> None:
    if st.button(
        "Regenerate",
        icon=":material/refresh:",
        type="tertiary",
        help="Answer again from the documents",
        key=f"regenerate-{turn.id}",
    ):
        # The memory would only give the answer that is not wanted.
        ask_afresh(turn, products, ask, is_last=True)
        st.rerun()
    with (
        st.popover(
            "Edit the question",
            icon=":material/edit:",
            type="tertiary",
            help="Edit the question",
            key=f"edit-{turn.id}",
        ),
        st.form(f"edit-form-{turn.id}", border=False),
    ):
        edited = st.text_area("Your question", turn.question, height=120, key=f"edited-{turn.id}")
        if st.form_submit_button("Ask", icon=":material/send:") and edited.strip():
            release = chosen_release(turn.question, turn.reply, products)
            ask(edited, turn.reply.product, release, instead_of=turn.id)
            st.rerun()


def _copy(turn: KeptTurn, conversation: str) -> None:
    """Code blocks of which the style sheet shows nothing but the copy button."""
    for name, text in (
        ("copy-answer", reply_markdown(turn.reply)),
        ("copy-link", address(conversation, turn.id)),
    ):
        with st.container(key=f"{name}-{turn.id}", width="content"):
            st.code(text, language=None)


def address(conversation: str, turn: int) -> str:
    """The full address of an answer on this page."""
    page = urlsplit(st.context.url or "")
    query = urlencode({"conversation": conversation, "turn": turn})
    return urlunsplit((page.scheme, page.netloc, page.path or "/", query, ""))


def _reason_name(reason: str) -> str:
    return _SHOWN.get(reason, reason.capitalize())


def _show_thumbs(turn: int, opinion: FeedbackRow | None) -> None:
    """Thumbs up and down, with the one that was given."""
    key = _key("thumbs", turn)
    if key not in st.session_state:
        st.session_state[key] = _THUMBS[opinion.thumbs] if opinion else None
    st.feedback("thumbs", key=key, on_change=_rate, args=(turn,))


def _show_reason(turn: int, opinion: FeedbackRow | None) -> None:
    """After thumbs down: a form for what is wrong, or what was said of it."""
    if opinion is None or opinion.thumbs == UP:
        return
    if st.session_state.get(_key("telling", turn)):
        _ask_for_reason(turn, opinion)
        return
    with st.container(horizontal=True, key=_key("told", turn), vertical_alignment="center"):
        told = f"Noted: {_reason_name(opinion.reason).lower()}" if opinion.reason else "Noted"
        comment = f" – “{as_label(opinion.comment, 200)}”" if opinion.comment else ""
        st.caption(told + comment, width="content")
        label = "Change" if opinion.reason or opinion.comment else "What is wrong?"
        st.button(label, key=_key("revise", turn), type="tertiary", on_click=_tell, args=(turn,))


def _ask_for_reason(turn: int, opinion: FeedbackRow) -> None:
    with st.form(_key("reasons", turn)):
        st.pills(
            "What is wrong?",
            REASONS,
            default=opinion.reason or None,
            format_func=_reason_name,
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
    with failures_shown(as_toast=True):
        if chosen is None:
            services.feedback().withdraw(turn)
        else:
            services.feedback().give(turn, UP if chosen == _THUMBS[UP] else DOWN)


def _keep_reason(turn: int) -> None:
    reason = st.session_state[_key("reason", turn)] or ""
    with failures_shown(as_toast=True):
        services.feedback().give(turn, DOWN, reason, st.session_state[_key("comment", turn)])
        st.session_state[_key("telling", turn)] = False


def _tell(turn: int) -> None:
    st.session_state[_key("telling", turn)] = True


def _key(name: str, turn: int) -> str:
    return f"{name}-{turn}"
