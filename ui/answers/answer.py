"""A turn of a conversation on the page: question, release, answer, citations, what to do next."""

from collections.abc import Callable

import streamlit as st

from chatbot.answering.citing import QUESTIONED
from chatbot.answering.whole_answer import doubted
from chatbot.conversations.release_badge import duration, release_badge
from chatbot.reply import Reply
from chatbot.text.languages import gettext, gettext_noop, ngettext
from chatbot.text.markdown import AnswerMarkdown
from ui.answers.actions import ChatTurn, show_actions, show_offers
from ui.answers.citations import show_citations
from ui.answers.figures import show_figures
from ui.answers.still_true import show_still_true
from ui.elements.address import page_link
from ui.elements.frame import button, in_a_row
from ui.wording.escaping import as_code, as_label, as_text, as_title, inline, visible
from ui.wording.memory import saved, vouched
from ui.wording.progress import without_models

_LONG = 600
_ROWS = 10
"""Rows of a table that are shown before a click."""
_HELPED = {
    "reference": gettext_noop("A saved answer to a similar question helped to write this one"),
    "avoid": gettext_noop("An earlier answer was rated poorly; this is a new answer"),
}


def show_question(text: str) -> None:
    """Show a question; a very long one is cut."""
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
        _link_upgrade_guide(turn.reply)
        show_still_true(turn.id, turn.reply, shown.ask_there)
        show_offers(shown)
        show_actions(shown)


def _link_upgrade_guide(reply: Reply) -> None:
    """What a comparison cannot list in an answer stands in the guide for the same releases."""
    if len(reply.compared_releases) < 2 or not reply.product:
        return
    older, newer = reply.compared_releases[0], reply.compared_releases[-1]
    of = {"older": as_label(older), "newer": as_label(newer)}
    label = gettext("Upgrade guide from {older} to {newer}", **of)
    chosen = {"releases-product": reply.product, "releases-from": older, "releases-to": newer}
    page_link("releases", label, **chosen, view="upgrade")


def show_reply(turn: int, reply: Reply, afresh: Callable[[], None] | None = None) -> None:
    """Show the text of a reply with its release, its citations and how it was found.

    The only action is to ask `afresh` instead of a saved answer; where that is possible, the page
    also hears of clicks on the marks of citations.
    """
    if badge := _badge(reply):
        st.markdown(badge)
    _show_remembered(turn, reply, afresh)
    doubt = doubted(reply.warnings)
    show_text(reply.answer, len(reply.citations), turn if afresh else None, doubt)
    show_citations(turn, reply)
    show_figures(turn, reply)
    for statement in reply.outside:
        said = gettext("Not from the documentation – {words}", words=as_label(statement, 300))
        st.caption(f":material/public: {said}")
    for warning in reply.warnings:
        st.caption(f":material/info: {as_label(warning.replace('`', ''), 300)}")
    _show_way(reply)


def show_text(text: str, citations: int = 0, turn: int | None = None, doubt: str = "") -> None:
    """Show the text of an answer (`chatbot.text.markdown`), with listings to copy.

    The marks up to the number of its `citations` stand out; those of a `turn` are links that
    `ui.chat.page_script` hears of. What is marked as unsupported says the `doubt` on hover.
    """
    doubted = f'[{inline(QUESTIONED)}](#unsupported "{as_title(doubt)}")'

    def escape(run: str) -> str:
        return inline(run).replace(inline(QUESTIONED), doubted) if doubt else inline(run)

    def mark(number: int) -> str:
        if turn is None:
            return f":primary[\\[{number}\\]]"
        return f"[\\[{number}\\]](#source-{turn}-{number})"

    markdown = AnswerMarkdown(escape, as_code, mark, citations)
    for part, is_listing in markdown.pieces(visible(text)):
        if is_listing:
            st.code(part, language=None, wrap_lines=True)
        else:
            _show_folded(part)


def _show_folded(markdown: str) -> None:
    """Show Markdown with the rows of its tables that are too many folded."""
    shown: list[str] = []
    for block in markdown.split("\n\n"):
        head, rows = block.split("\n")[:2], block.split("\n")[2:]
        is_long = block.startswith("| ") and len(rows) > _ROWS
        shown.append("\n".join([*head, *rows[:_ROWS]]) if is_long else block)
        if is_long:
            st.markdown("\n\n".join(shown))
            shown = []
            more = ngettext("{number} more row", "{number} more rows", len(rows) - _ROWS)
            with st.expander(more, type="compact"):
                st.markdown("\n".join([*head, *rows[_ROWS:]]))
    if shown:
        st.markdown("\n\n".join(shown))


def _badge(reply: Reply) -> str:
    """The product and release that the answer is from, why that one, and how long it took.

    Empty for small talk, which is from none.
    """
    where = release_badge(reply)
    if not where.name:
        return ""
    colour = "primary" if where.settled else "orange"
    badge = f":{colour}-badge[:material/layers: {as_label(where.name)}]"
    notes = " · ".join(filter(None, (as_label(where.explanation, 200), duration(reply))))
    return f"{badge} :small[:gray[{notes}]]" if notes else badge


def _show_remembered(turn: int, reply: Reply, afresh: Callable[[], None] | None) -> None:
    role, pairs = reply.memory.role, reply.memory.pairs
    if not pairs or reply.abstained:
        return
    if role in _HELPED:
        by = f" · {as_label(vouched(pairs[0]), 160)}" if role == "reference" else ""
        st.caption(f":material/history: {gettext(_HELPED[role])}{by}")
    elif role == "reuse":
        with st.container(key=f"reused-{turn}", gap="xxsmall"):
            source = as_label(saved(pairs[0]), 200)
            with in_a_row():
                st.markdown(f":small[:gray[:material/history: {source}]]", width="content")
                if afresh:
                    label, key = gettext("Answer again from the documents"), f"afresh-{turn}"
                    button(label, afresh, icon="refresh", key=key, type="tertiary")
            queries, question = reply.queries, pairs[0].question
            if question not in (queries.base, queries.filtered, queries.versionless):
                st.caption(gettext("Saved for “{question}”", question=as_label(question, 300)))


def _show_way(reply: Reply) -> None:
    without = without_models(reply.fallbacks)
    searched = reply.queries.versionless or reply.queries.filtered
    if not without and not (searched and reply.citations):
        return
    with st.expander(gettext("How this was found"), type="compact"):
        if searched:
            st.caption(gettext("Searched for “{words}”", words=as_label(searched, 200)))
        for step, reason in without:
            of = {"step": as_label(step), "reason": as_label(reason, 300)}
            st.caption(gettext("Without its model: {step} ({reason})", **of))
