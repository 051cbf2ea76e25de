"""What can be done with an answer: ask anew, edit the question, copy, link, rate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from ui.answers.answer_feedback import show_reason, show_thumbs
from ui.answers.remembered import ask_afresh, chosen_release
from ui.serving import services

if TYPE_CHECKING:
    from chatbot.conversations.conversations import KeptTurn
    from corpora.catalog.release import Product
    from ui.answers.choices import Ask


@st.fragment
def show_actions(
    turn: KeptTurn, conversation: str, products: Sequence[Product], ask: Ask, *, is_last: bool
) -> None:
    """A row of small buttons; the last question of a conversation can be asked anew."""
    opinion = services.feedback().of([turn.id]).get(turn.id)
    with st.container(
        horizontal=True, key=f"actions-{turn.id}", vertical_alignment="center", gap="xsmall"
    ):
        if is_last:
            _ask_anew(turn, products, ask)
        _copy(turn, conversation)
        show_thumbs(turn.id, opinion)
    show_reason(turn.id, opinion)


def _ask_anew(turn: KeptTurn, products: Sequence[Product], ask: Ask) -> None:
    if st.button(
        "Regenerate",
        icon=":material/refresh:",
        type="tertiary",
        help="Answer again from the documents",
        key=f"regenerate-{turn.id}",
    ):
        # What the memory has on this question is just the answer that is not wanted.
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
            ask(edited, turn.reply["product"], release, instead_of=turn.id)
            st.rerun()


def _copy(turn: KeptTurn, conversation: str) -> None:
    """Listings of which nothing but the button to copy them is seen."""
    from chatbot.conversations.export import reply_markdown

    for name, text in (
        ("copy-answer", reply_markdown(turn.reply)),
        ("copy-link", address(conversation, turn.id)),
    ):
        with st.container(key=f"{name}-{turn.id}", width="content"):
            st.code(text, language=None)


def address(conversation: str, turn: int) -> str:
    """The address of an answer, as the browser names this page."""
    page = urlsplit(st.context.url or "")
    query = urlencode({"conversation": conversation, "turn": turn})
    return urlunsplit((page.scheme, page.netloc, page.path or "/", query, ""))
