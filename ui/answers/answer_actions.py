"""Actions below an answer: regenerate, edit the question, copy, link, rate, give a reason."""

from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from chatbot.conversations.conversations import KeptTurn
from chatbot.conversations.export import reply_markdown
from chatbot.conversations.feedback import DOWN, LONGEST_COMMENT, REASONS, UP
from corpora.database.history_tables import FeedbackRow
from ui.answers.chat_turn import ChatTurn
from ui.elements.frame import button, failures_shown, in_a_row
from ui.serving import services
from ui.wording.escaping import as_label

_THUMBS = {UP: 1, DOWN: 0}
"""What `st.feedback` calls a thumb."""
_SHOWN = {"wrong release": "This is from the wrong release"}


@st.fragment
def show_actions(shown: ChatTurn) -> None:
    """Show a row of small buttons; only the last question of a conversation can be asked again."""
    turn = shown.turn
    opinion = services.feedback().of([turn.id]).get(turn.id)
    with in_a_row(key=f"actions-{turn.id}", gap="xsmall"):
        if shown.is_last:
            _ask_anew(shown)
        _copy(turn, shown.conversation)
        key = f"thumbs-{turn.id}"
        if key not in st.session_state:
            st.session_state[key] = _THUMBS[opinion.thumbs] if opinion else None
        st.feedback("thumbs", key=key, on_change=_rate, args=(turn.id,))
    _show_reason(turn.id, opinion)


def _ask_anew(shown: ChatTurn) -> None:
    turn = shown.turn
    if button(
        "Regenerate",
        icon="refresh",
        type="tertiary",
        help="Answer again from the documents",
        key=f"regenerate-{turn.id}",
    ):
        # The memory would only give the answer that is not wanted.
        shown.ask_afresh()
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
            shown.ask_instead(edited)
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


def _show_reason(turn: int, opinion: FeedbackRow | None) -> None:
    """After thumbs down: a form for what is wrong, or what was said of it."""
    if opinion is None or opinion.thumbs == UP:
        return
    if st.session_state.get(f"telling-{turn}"):
        _ask_for_reason(turn, opinion)
        return
    with in_a_row(key=f"told-{turn}"):
        told = f"Noted: {_reason_name(opinion.reason).lower()}" if opinion.reason else "Noted"
        comment = f" – “{as_label(opinion.comment, 200)}”" if opinion.comment else ""
        st.caption(told + comment, width="content")
        label = "Change" if opinion.reason or opinion.comment else "What is wrong?"
        button(label, _tell, turn, key=f"revise-{turn}", type="tertiary")


def _ask_for_reason(turn: int, opinion: FeedbackRow) -> None:
    with st.form(f"reasons-{turn}"):
        st.pills(
            "What is wrong?",
            REASONS,
            default=opinion.reason or None,
            format_func=_reason_name,
            key=f"reason-{turn}",
        )
        st.text_area(
            "Comment",
            opinion.comment,
            max_chars=LONGEST_COMMENT,
            height=80,
            placeholder="What should it have said?",
            key=f"comment-{turn}",
        )
        st.form_submit_button("Send feedback", on_click=_keep_reason, args=(turn,))


def _rate(turn: int) -> None:
    chosen = st.session_state[f"thumbs-{turn}"]
    st.session_state[f"telling-{turn}"] = chosen == _THUMBS[DOWN]
    with failures_shown(as_toast=True):
        if chosen is None:
            services.feedback().withdraw(turn)
        else:
            services.feedback().give(turn, UP if chosen == _THUMBS[UP] else DOWN)


def _keep_reason(turn: int) -> None:
    reason = st.session_state[f"reason-{turn}"] or ""
    with failures_shown(as_toast=True):
        services.feedback().give(turn, DOWN, reason, st.session_state[f"comment-{turn}"])
        st.session_state[f"telling-{turn}"] = False


def _tell(turn: int) -> None:
    st.session_state[f"telling-{turn}"] = True
