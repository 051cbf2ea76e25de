"""Actions on an answer: ask about another release, ask again, copy, rate."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chatbot.conversations.conversations import KeptTurn
from chatbot.conversations.export import reply_markdown
from chatbot.conversations.feedback import DOWN, LONGEST_COMMENT, REASONS, UP, reason_name
from chatbot.releases.rules import resolve_release
from chatbot.reply import Reply
from chatbot.text.languages import gettext
from chatbot.understanding.clarification import about_release, replace_unknown
from corpora.catalog.release import Product
from corpora.database.history_tables import FeedbackRow
from ui.answers.citations import place, source_button
from ui.elements.frame import button, failures_shown, in_a_row
from ui.serving import services
from ui.wording.escaping import as_label

_THUMBS = (DOWN, UP)
"""As `st.feedback` counts them."""

Ask = Callable[..., None]
"""Asks a question: `ask(text, product, release, instead_of=turn_id, afresh=True)`.

All but the text and the product may be left out.
"""


@dataclass(frozen=True)
class ChatTurn:
    """A turn, and how to `ask` in its conversation; only the last one can be replaced."""

    turn: KeptTurn
    conversation: str
    products: Sequence[Product]
    ask: Ask
    is_last: bool

    def ask_instead(self, text: str, *, afresh: bool = False) -> None:
        """Ask for an answer that replaces this one."""
        reply = self.turn.reply
        # The release that was chosen for the question, unless the question names it itself.
        chosen = reply.release_status == "stated" and not self._names_release(self.turn.question)
        release = reply.release if chosen else None
        self.ask(text, reply.product, release, instead_of=self.turn.id, afresh=afresh)

    def ask_afresh(self) -> None:
        """Ask the question again, without the memory.

        The last answer of a conversation is replaced. An earlier one stays, with all that follows
        it, and its question is asked again at the end, in a form that can be understood alone.
        """
        if self.is_last:
            self.ask_instead(self.turn.question, afresh=True)
            return
        reply = self.turn.reply
        text = reply.queries.base or self.turn.question
        release = None if self._names_release(text) else reply.release
        self.ask(text, reply.product, release, afresh=True)

    def ask_there(self, release: str) -> None:
        """Ask the question in another release of the product."""
        reply = self.turn.reply
        text = about_release(self.turn.question, release, reply.product, self.products)
        self.ask(text, reply.product, release)

    def _names_release(self, text: str) -> bool:
        product = self.turn.reply.product
        return bool(resolve_release(text, self.products, product=product).mentions)


def show_offers(shown: ChatTurn) -> None:
    """Show the offers of an answer that abstains, or asks for the release, as buttons."""
    turn, reply, product = shown.turn, shown.turn.reply, shown.turn.reply.product or ""
    if reply.abstained:
        there = {r.name for p in shown.products if p.name == product for r in p.releases}
        if documented_in := [release for release in reply.found_in if release in there]:
            with _row(gettext("Documented in"), f"found-in-{turn.id}"):
                for release in documented_in:
                    text = about_release(turn.question, release, product, shown.products)
                    key = f"found-in-{turn.id}-{release}"
                    _offer(shown, key, release, text, product, release)
        cited = {citation.page_id for citation in reply.citations}
        if pages := [page for page in reply.nearest if page.page_id not in cited]:
            with _row(gettext("Related pages"), f"nearest-{turn.id}"):
                for number, page in enumerate(pages):
                    source_button(place(page), product, page, f"near-{turn.id}-{number}")
    if offered := choices(reply, shown.products):
        with st.container(horizontal=True, key=f"choices-{turn.id}", gap="small"):
            for label, (of, release) in offered.items():
                text = with_chosen_release(turn.question, of, release, shown.products)
                _offer(shown, f"choose-{turn.id}-{of}-{release}", label, text, of, release)


def _row(heading: str, key: str) -> DeltaGenerator:
    row = in_a_row(key=key, gap="xsmall")
    row.caption(heading, width="content")
    return row


def _offer(shown: ChatTurn, key: str, label: str, *questions: str) -> None:
    name = as_label(label)
    button(
        name,
        shown.ask,
        *questions,
        icon="layers",
        key=key,
        help=gettext("Ask about {name}", name=name),
    )


def choices(reply: Reply, products: Sequence[Product]) -> Mapping[str, tuple[str, str]]:
    """The product and release behind each name that a reply offers to choose, if still there.

    Without a product the reply names both, as "product release". A list of the releases, which was
    asked for, is no offer.
    """
    if reply.route == "inventory":
        return {}
    there = {
        r.name if reply.product else f"{p.name} {r.name}": (p.name, r.name)
        for p in products
        if reply.product in (None, p.name)
        for r in p.releases
    }
    return {name: there[name] for name in reply.available_releases if name in there}


def with_chosen_release(
    question: str, product: str, release: str, products: Sequence[Product]
) -> str:
    """The question with an unknown release in it replaced by the chosen one.

    A release that a question names takes precedence over a chosen one, so it has to be replaced.
    """
    resolution = resolve_release(question, products, product=product)
    return replace_unknown(question, resolution, (release,))


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
            st.session_state[key] = _THUMBS.index(opinion.thumbs) if opinion else None
        st.feedback("thumbs", key=key, on_change=_rate, args=(turn.id,))
    if opinion and opinion.thumbs == DOWN:
        _show_reason(turn.id, opinion)


def _ask_anew(shown: ChatTurn) -> None:
    turn = shown.turn
    if button(
        gettext("Regenerate"),
        icon="refresh",
        type="tertiary",
        help=gettext("Answer again from the documents"),
        key=f"regenerate-{turn.id}",
    ):
        # The memory would only give the answer that is not wanted.
        shown.ask_afresh()
        st.rerun()
    with (
        st.popover(
            gettext("Edit the question"),
            icon=":material/edit:",
            type="tertiary",
            help=gettext("Edit the question"),
            key=f"edit-{turn.id}",
        ),
        st.form(f"edit-form-{turn.id}", border=False),
    ):
        edited = st.text_area(
            gettext("Your question"), turn.question, height=120, key=f"edited-{turn.id}"
        )
        if st.form_submit_button(gettext("Ask"), icon=":material/send:") and edited.strip():
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


def _show_reason(turn: int, opinion: FeedbackRow) -> None:
    if st.session_state.get(f"telling-{turn}"):
        _ask_for_reason(turn, opinion)
        return
    with in_a_row(key=f"told-{turn}"):
        note = gettext("Noted")
        if opinion.reason:
            note = gettext("Noted: {reason}", reason=reason_name(opinion.reason))
        comment = f" – “{as_label(opinion.comment, 200)}”" if opinion.comment else ""
        st.caption(note + comment, width="content")
        is_told = opinion.reason or opinion.comment
        label = gettext("Change") if is_told else gettext("What is wrong?")
        tell = partial(st.session_state.update, {f"telling-{turn}": True})
        button(label, tell, key=f"revise-{turn}", type="tertiary")


def _ask_for_reason(turn: int, opinion: FeedbackRow) -> None:
    with st.form(f"reasons-{turn}"):
        st.pills(
            gettext("What is wrong?"),
            REASONS,
            default=opinion.reason or None,
            format_func=reason_name,
            key=f"reason-{turn}",
        )
        st.text_area(
            gettext("Comment"),
            opinion.comment,
            max_chars=LONGEST_COMMENT,
            height=80,
            placeholder=gettext("What should it have said?"),
            key=f"comment-{turn}",
        )
        st.form_submit_button(gettext("Send feedback"), on_click=_keep_reason, args=(turn,))


def _rate(turn: int) -> None:
    chosen = st.session_state[f"thumbs-{turn}"]
    st.session_state[f"telling-{turn}"] = chosen == _THUMBS.index(DOWN)
    with failures_shown(as_toast=True):
        if chosen is None:
            services.feedback().withdraw(turn)
        else:
            services.feedback().give(turn, _THUMBS[chosen])


def _keep_reason(turn: int) -> None:
    reason = st.session_state[f"reason-{turn}"] or ""
    with failures_shown(as_toast=True):
        services.feedback().give(turn, DOWN, reason, st.session_state[f"comment-{turn}"])
        st.session_state[f"telling-{turn}"] = False
