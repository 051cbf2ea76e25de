"""The chat page: which conversation is open, what is shown of it, what is asked next."""

from __future__ import annotations

from itertools import dropwhile, takewhile
from typing import TYPE_CHECKING

import streamlit as st

from ui import services
from ui.answer_view import Ask, show_answer, show_question
from ui.asking import Asking, Question
from ui.escaping import as_label, as_text
from ui.failures import expected_failures
from ui.open_view import show_open, show_progress
from ui.progress import State
from ui.suggestions import suggestions

if TYPE_CHECKING:
    from chatbot.conversations import KeptTurn
    from corpora.release import Product

_CONVERSATION = "conversation"
_LOOK_EVERY = 0.3


def chat() -> None:
    """Show the page; a failure is one clear message."""
    try:
        products = services.chatbot().products()
        # First what is open, then what is answered: a question that is answered between the two
        # is seen twice, and looked at again, instead of not at all.
        pending = services.open_questions().of(_opened() or "")
        turns = _turns()
    except expected_failures() as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    if not products:
        _nothing_yet()
        return
    product = _sidebar(products, turns)
    _conversation(product, products, turns, pending)


def _turns() -> tuple[KeptTurn, ...]:
    """The turns of the conversation that the address names; none for one that is not there."""
    from chatbot.conversations import UnknownConversation

    conversation = _opened()
    if conversation is None:
        return ()
    try:
        return services.chatbot().conversations.turns(conversation)
    except UnknownConversation:
        _open(None)
        st.toast("This conversation is not there any more; a new one begins.")
        return ()


def _nothing_yet() -> None:
    st.title("No documentation yet")
    st.markdown("Ingest the documentation of a release, then reload this page:")
    st.code("strata ingest FOLDER --product NAME --release RELEASE", language=None)


def _sidebar(products: tuple[Product, ...], turns: tuple[KeptTurn, ...]) -> Product:
    names = [product.name for product in products]
    asked = [turn.reply["product"] for turn in turns if turn.reply["product"] in names]
    with st.sidebar:
        chosen = st.selectbox(
            "Product",
            names,
            index=names.index(asked[-1]) if asked else 0,
            key="product",
            on_change=_start_anew,
        )
        product = products[names.index(chosen)]
        st.caption("Releases, the newest first")
        st.markdown(_releases(product))
        st.button("New conversation", icon=":material/add:", on_click=_start_anew, width="stretch")
    return product


def _releases(product: Product) -> str:
    badges = []
    for release in reversed(product.releases):
        notes = ["latest"] * (release == product.newest) + ["pre-release"] * release.prerelease
        colour = "primary" if release == product.newest else "gray"
        badges.append(f":{colour}-badge[{as_label(' · '.join([release.name, *notes]))}]")
    return " ".join(badges)


def _start_anew() -> None:
    _open(None)


def _opened() -> str | None:
    """The conversation that is open; at first the one that the address names.

    From then on the session knows better: what the browser sends may be older than its address.
    """
    if _CONVERSATION not in st.session_state:
        st.session_state[_CONVERSATION] = st.query_params.get(_CONVERSATION)
    conversation: str | None = st.session_state[_CONVERSATION]
    if st.query_params.get(_CONVERSATION) != conversation:
        _open(conversation)
    return conversation


def _open(conversation: str | None) -> None:
    """Open a conversation, or a new one, and let the address name it."""
    st.session_state[_CONVERSATION] = conversation
    if conversation is None:
        st.query_params.pop(_CONVERSATION, None)
    else:
        st.query_params[_CONVERSATION] = conversation


def _conversation(
    product: Product,
    products: tuple[Product, ...],
    turns: tuple[KeptTurn, ...],
    pending: tuple[Asking, ...],
) -> None:
    def ask(text: str, of: str = product.name, release: str | None = None) -> None:
        _ask(text, of, release)

    # Three places that are there from the first moment of every run: what is drawn anew by itself
    # would otherwise look for its place among things that another run has not come to yet.
    heading, past, present = st.container(), st.container(), st.container()
    with heading:
        st.title(f"Ask about {as_label(product.name)}", anchor=False)
        if not turns and not pending:
            _begin(product, ask)
    settled = tuple(takewhile(_is_settled, pending))
    with past:
        for number in range(len(turns) + 1):
            for asking in settled:
                if min(asking.question.after, len(turns)) == number:
                    _show_settled(asking)
            if number < len(turns):
                turn = turns[number]
                show_question(turn.question)
                show_answer(number, turn.question, turn.reply, products=products, ask=ask)
    with present:
        if len(settled) < len(pending):
            _watch(pending[len(settled)])
    # In a callback, because a run that another one interrupts never comes to its last line.
    st.chat_input(
        f"Ask about {product.name}",
        key="typed",
        on_submit=lambda: ask(st.session_state.typed),
    )


@st.fragment(run_every=_LOOK_EVERY)
def _watch(first: Asking) -> None:
    """Show a running question and those behind it, until it is settled or answered."""
    pending = services.open_questions().of(first.question.conversation)
    if not first.is_running:
        st.rerun()
    for asking in dropwhile(lambda asking: asking is not first, pending):
        if _is_settled(asking):
            _show_settled(asking)
        else:
            show_question(asking.question.text)
            show_progress(asking)


def _show_settled(asking: Asking) -> None:
    def ask_again(text: str) -> None:
        services.open_questions().drop(asking)
        _ask(text, asking.question.product, asking.question.release)

    show_question(asking.question.text)
    show_open(asking, ask_again)


def _is_settled(asking: Asking) -> bool:
    return asking.progress.state in (State.STOPPED, State.FAILED)


def _begin(product: Product, ask: Ask) -> None:
    st.markdown(
        "Every answer comes from the documentation of one release, and shows where it stands. "
        "Name the release in your question, or get the latest."
    )
    for text in suggestions(product.name):
        st.button(as_label(text, 200), key=f"suggested-{text}", on_click=ask, args=(text,))


def _ask(text: str, product: str | None, release: str | None) -> None:
    chatbot = services.chatbot()
    conversation = _opened()
    if conversation is None:
        conversation = chatbot.conversations.start(product, text)
        _open(conversation)
    after = len(chatbot.conversations.turns(conversation))
    services.open_questions().ask(Question(text, conversation, after, product, release))
