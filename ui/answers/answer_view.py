"""A turn of a conversation on the page: question, release, answer, citations, what to do next."""

from collections.abc import Callable

import streamlit as st

from chatbot.conversations.origin import duration, origin
from chatbot.reply import Reply
from ui.answers.answer_actions import show_actions
from ui.answers.answer_text import show_text
from ui.answers.chat_turn import ChatTurn
from ui.answers.citations import show_citations
from ui.answers.offers import show_offers
from ui.answers.remembered import show_remembered
from ui.wording.escaping import as_label, as_text
from ui.wording.progress import done_without_model

_LONG = 600


def show_question(text: str) -> None:
    """What a person asked; a very long question is cut."""
    with st.chat_message("user", avatar=":material/person:"):
        st.markdown(as_text(text if len(text) <= _LONG else f"{text[:_LONG].rstrip()} …"))


def show_answer(shown: ChatTurn, *, is_linked: bool = False) -> None:
    """The answer of a turn of a conversation, with its actions.

    The one that the address names is scrolled to.
    """
    turn = shown.turn
    place = "linked-answer" if is_linked else "answer"
    with (
        st.container(key=f"{place}-{turn.id}"),
        st.chat_message("assistant", avatar=":material/layers:"),
    ):
        show_reply(turn.id, turn.reply, shown.ask_afresh)
        show_offers(shown)
        show_actions(shown)


def show_reply(turn: int, reply: Reply, afresh: Callable[[], None] | None = None) -> None:
    """Show the text of a reply with its release, its citations and how it was found.

    The only action is to ask `afresh` instead of a saved answer; where that is possible, the page
    also hears of clicks on the marks of citations.
    """
    if badge := _badge(reply):
        st.markdown(badge)
    show_remembered(turn, reply, afresh)
    linked = turn if afresh is not None else None
    show_text(reply.answer, len(reply.citations), linked)
    show_citations(turn, reply)
    for statement in reply.outside:
        st.caption(f":material/public: Not from the documentation – {as_label(statement, 300)}")
    for warning in reply.warnings:
        st.caption(f":material/info: {as_label(warning, 300)}")
    _show_way(reply)


def _badge(reply: Reply) -> str:
    """The product and release that the answer is from, why that one, and how long it took.

    Empty for small talk, which is from none.
    """
    where = origin(reply)
    if not where.name:
        return ""
    colour = "primary" if where.settled else "orange"
    badge = f":{colour}-badge[:material/layers: {as_label(where.name)}]"
    notes = " · ".join(filter(None, (as_label(where.explanation, 200), duration(reply))))
    return f"{badge} :small[:gray[{notes}]]" if notes else badge


def _show_way(reply: Reply) -> None:
    """How an answer from the documentation was found, in an expander."""
    without = done_without_model(reply.fallbacks)
    searched = reply.queries.versionless or reply.queries.filtered
    if not without and not (searched and reply.citations):
        return
    with st.expander("How this was found", type="compact"):
        if searched:
            st.caption(f"Searched for “{as_label(searched, 200)}”")
        for step, reason in without:
            st.caption(f"Without the language model\\: {as_label(step)} ({as_label(reason, 300)})")
