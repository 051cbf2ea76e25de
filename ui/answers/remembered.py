"""What the memory contributed to an answer: a saved answer given again, or one used as help."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from chatbot.conversations.conversations import KeptTurn
from chatbot.releases.rules import resolve_release
from chatbot.reply import Reply
from corpora.catalog.release import Product
from ui.answers.offers import Ask
from ui.wording.escaping import as_label
from ui.wording.memory import saved, vouched

_HELPED = {
    "reference": "A saved answer to a similar question helped to write this one",
    "avoid": "An earlier answer was rated poorly; this is a new answer",
}


def show_remembered(turn: int, reply: Reply, afresh: Callable[[], None] | None = None) -> None:
    """Say that an answer is a saved one, or that a saved one helped; else show nothing.

    With `afresh`, a button beside a saved answer asks for a new one.
    """
    role, pairs = reply.memory.role, reply.memory.pairs
    if role in _HELPED and pairs:
        by = f" · {as_label(vouched(pairs[0]), 160)}" if role == "reference" else ""
        st.caption(f":material/history: {_HELPED[role]}{by}")
    if role != "reuse" or not pairs:
        return
    pair = pairs[0]
    with st.container(key=f"reused-{turn}", gap="xxsmall"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(
                f":small[:gray[:material/history: {as_label(saved(pair), 200)}]]",
                width="content",
            )
            if afresh is not None:
                st.button(
                    "Answer again from the documents",
                    icon=":material/refresh:",
                    key=f"afresh-{turn}",
                    type="tertiary",
                    on_click=afresh,
                )
        queries = reply.queries
        if pair.question not in (queries.base, queries.filtered, queries.versionless):
            st.caption(f"Saved for “{as_label(pair.question, 300)}”")


def ask_afresh(turn: KeptTurn, products: Sequence[Product], ask: Ask, *, is_last: bool) -> None:
    """Ask the question of a turn again, without the memory.

    The last answer of a conversation is replaced. An earlier one stays, with all that follows it,
    and its question is asked again at the end, in a form that can be understood alone.
    """
    reply = turn.reply
    if is_last:
        release = chosen_release(turn.question, reply, products)
        ask(turn.question, reply.product, release, instead_of=turn.id, afresh=True)
        return
    text = reply.queries.base or turn.question
    named = _names_release(text, reply, products)
    ask(text, reply.product, None if named else reply.release, afresh=True)


def chosen_release(question: str, reply: Reply, products: Sequence[Product]) -> str | None:
    """The release that was chosen for a question; None if the question names it itself."""
    if reply.release_status != "stated" or _names_release(question, reply, products):
        return None
    return reply.release


def _names_release(text: str, reply: Reply, products: Sequence[Product]) -> bool:
    return bool(resolve_release(text, products, product=reply.product).mentions)
