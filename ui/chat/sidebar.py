"""The sidebar of the chat: the product, its releases, and the person's conversations.

The open conversation, and the answer that was linked to, are in the address:
`/?conversation=ID&turn=TURN_ID`.
"""

import math
import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import groupby

import streamlit as st

from chatbot.conversations.conversations import (
    LONGEST_TITLE,
    Conversations,
    KeptTurn,
    release_spoken_of,
)
from chatbot.conversations.export import conversation_json, conversation_markdown
from chatbot.text.languages import gettext, gettext_noop
from corpora.catalog.release import Product, Release
from corpora.database.history_tables import ConversationRow
from ui.elements.address import go, number_in_address
from ui.elements.frame import browser_zone, button, confirm, failures_shown, in_a_row
from ui.elements.scope import CHOSEN
from ui.elements.table import download
from ui.serving.asking import Pending
from ui.wording.escaping import as_label

_CONVERSATION, _TURN = "conversation", "turn"
_CHOICES = "choices"
_PRODUCT = "product"
"""The key of the chosen product in the session."""
_CHOICES_SHOWN = 6
_MORE = 30
_SHOWN = "conversations_shown"
_WANTED = "conversations_wanted"
_AGES = (
    (0, gettext_noop("Today")),
    (1, gettext_noop("Yesterday")),
    (6, gettext_noop("Last 7 days")),
    (29, gettext_noop("Last 30 days")),
    (math.inf, gettext_noop("Earlier")),
)
"""The groups of conversations, with the most days since the last question."""
_NAMED_RELEASES = 3
_LONGEST_NAME = 60


def opened() -> str | None:
    """The open conversation; at first the one that the address names.

    From then on the session decides: query parameters from the browser may be out of date.
    """
    if _CONVERSATION not in st.session_state:
        st.session_state[_CONVERSATION] = st.query_params.get(_CONVERSATION)
        st.session_state[_TURN] = number_in_address(_TURN)
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


def choices() -> int:
    """How many conversations, new ones included, this session chose in the sidebar."""
    number: int = st.session_state.get(_CHOICES, 0)
    return number


def _choose(conversation: str | None) -> None:
    st.session_state[_CHOICES] = choices() + 1
    open_conversation(conversation)


def show_sidebar(
    own: Conversations,
    products: tuple[Product, ...],
    turns: tuple[KeptTurn, ...],
    pending: tuple[Pending, ...],
) -> tuple[Product, str | None]:
    """The product that is chosen, and the release, if any.

    At first it is the product of the open conversation, else that chosen on another page, or that
    of the last conversation.
    """
    names = [product.name for product in products]
    recent = [*(t.reply.product for t in turns), *(p.question.product for p in pending)]
    if _PRODUCT not in st.session_state and not recent:
        last = st.session_state.get(CHOSEN)
        recent = [last] if last else [conversation.product for conversation in own.recent(1)]
    known = [name for name in recent if name in names]

    with st.sidebar:
        chosen = st.selectbox(
            gettext("Product"),
            names,
            index=names.index(known[-1]) if known else 0,
            key=_PRODUCT,
            on_change=open_conversation,
            args=(None,),
        )
        st.session_state[CHOSEN] = chosen
        product = products[names.index(chosen)]
        release = _choose_release(product, release_spoken_of(turn.reply for turn in turns))
        options = {"key": "new-conversation", "width": "stretch"}
        button(gettext("New conversation"), _choose, None, icon="add", **options)
        _show_conversations(own, names)
    return product, release


def _choose_release(product: Product, spoken_of: tuple[str, str] | None) -> str | None:
    """The release that questions are about which name none; None: that of the conversation."""
    newest_first = list(reversed(product.releases))
    today = datetime.now(UTC).date()

    def label(release: Release) -> str:
        notes = [gettext("latest")] * (release == product.newest)
        notes += [gettext("pre-release")] * release.prerelease
        if release.end_of_life and release.end_of_life <= today:
            notes.append(gettext("end of life"))
        return as_label(" · ".join([release.name, *notes]))

    labels = {release.name: label(release) for release in newest_first}
    rest = [as_label(name) for name in list(labels)[_CHOICES_SHOWN:]]
    others = gettext("Others, to be named in a question: {releases}", releases=", ".join(rest))
    chosen = st.pills(
        gettext("Release"),
        list(labels)[:_CHOICES_SHOWN],
        format_func=lambda name: labels.get(name, name),
        key=f"release of {product.name}",
        help=others if rest else None,
    )
    own = spoken_of[1] if spoken_of and spoken_of[0] == product.name else None
    if about := chosen or own:
        st.caption(
            gettext(
                "Questions are about {release} unless they name another release.",
                release=as_label(about),
            )
        )
    return chosen


def _show_conversations(own: Conversations, products: Sequence[str]) -> None:
    """The last conversations, or those that the search finds; the open one stands out.

    Opening one also chooses its product, if that is one of the `products`.
    """
    wanted = st.session_state.get(_WANTED, "")
    shown = st.session_state.get(_SHOWN, _MORE)
    conversations = own.recent(shown + 1, wanted)
    if not conversations and not wanted:
        st.caption(gettext("Your conversations will appear here."))
        return
    st.text_input(
        gettext("Search conversations"),
        key=_WANTED,
        placeholder=gettext("Search conversations"),
        icon=":material/search:",
        label_visibility="collapsed",
        on_change=lambda: st.session_state.pop(_SHOWN, None),
    )
    if not conversations:
        st.caption(gettext("No conversations found. Try fewer words."))
        return
    with st.container(key="conversations", gap=None):
        for heading, group in by_age(conversations[:shown], datetime.now(browser_zone())):
            st.caption(gettext(heading))
            for conversation in group:
                _row(own, conversation, products)
        if len(conversations) > shown:
            more = partial(st.session_state.update, {_SHOWN: shown + _MORE})
            button(gettext("Show more"), more, icon="expand_more", type="tertiary")


def by_age(
    conversations: Iterable[ConversationRow], now: datetime
) -> list[tuple[str, list[ConversationRow]]]:
    """The conversations, newest first, in groups by the days since: "Today", "Yesterday" …

    Days begin at midnight where `now` is.
    """

    def heading(conversation: ConversationRow) -> str:
        updated = conversation.updated.replace(tzinfo=UTC).astimezone(now.tzinfo)
        days = (now.date() - updated.date()).days
        return next(name for most, name in _AGES if days <= most)

    return [(name, list(group)) for name, group in groupby(conversations, key=heading)]


def _row(own: Conversations, conversation: ConversationRow, products: Sequence[str]) -> None:
    releases = conversation.releases
    names = ", ".join(releases[:_NAMED_RELEASES]) + " …" * (len(releases) > _NAMED_RELEASES)
    about = as_label(f"{conversation.product} {names}".strip()) or gettext("new conversation")

    def open_this() -> None:
        _choose(conversation.id)
        if conversation.product in products:
            st.session_state[_PRODUCT] = conversation.product

    state = "open" if conversation.id == opened() else "other"
    with in_a_row(wrap=False, gap=None, key=f"{state}-conversation-{conversation.id}"):
        label, key = f"{_title(conversation)} :small[{about}]", f"conversation-{conversation.id}"
        button(label, open_this, key=key, type="tertiary", width="stretch")
        actions = {
            gettext("Rename"): _rename,
            gettext("Export"): _export,
            gettext("Delete"): _delete,
        }
        chosen = st.menu_button(
            gettext("Rename, export, delete"),
            list(actions),
            key=f"change-{conversation.id}",
            type="tertiary",
            icon=":material/more_horiz:",
        )
    if chosen:
        actions[chosen](own, conversation)


def _title(conversation: ConversationRow) -> str:
    return as_label(conversation.title, 120) or gettext("Untitled")


def _rename(own: Conversations, conversation: ConversationRow) -> None:
    st.dialog(gettext("Rename conversation"))(_ask_for_title)(own, conversation)


def _ask_for_title(own: Conversations, conversation: ConversationRow) -> None:
    with st.form("rename", border=False):
        title = st.text_input(gettext("Title"), conversation.title, max_chars=LONGEST_TITLE)
        renamed = st.form_submit_button(gettext("Rename"), type="primary")
    if renamed:
        with failures_shown(as_toast=True):
            own.rename(conversation.id, title)
        st.rerun()


def _delete(own: Conversations, conversation: ConversationRow) -> None:
    def delete() -> None:
        with failures_shown(as_toast=True):
            own.delete(conversation.id)
        if opened() == conversation.id:
            open_conversation(None)
        st.rerun()

    lost = gettext("Its questions, answers and your ratings will be deleted for good.")
    about = f"**{_title(conversation)}**\n\n{lost}"
    confirm(gettext("Delete conversation?"), about, gettext("Delete"), delete)


def _export(own: Conversations, conversation: ConversationRow) -> None:
    st.dialog(gettext("Export conversation"))(_offer_export)(own, conversation)


def _offer_export(own: Conversations, conversation: ConversationRow) -> None:
    """Offer a conversation as Markdown and as JSON; the file is made when it is wanted."""
    st.markdown(f"**{_title(conversation)}**")
    # A file name that every file system accepts.
    words = re.sub(r"[^a-z0-9.]+", "-", conversation.title.lower())[:_LONGEST_NAME].strip("-.")
    for label, write, suffix in (
        (gettext("Export as Markdown"), conversation_markdown, "md"),
        (gettext("Export as JSON"), conversation_json, "json"),
    ):
        download(
            label,
            partial(write, own, conversation.id),
            f"{words or 'conversation'}.{suffix}",
            key=f"export-{suffix}-{conversation.id}",
            width="stretch",
        )
