"""The chat page: which conversation is open, what is shown of it, what is asked next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ui import services
from ui.answer_view import Ask, show_answer, show_open, show_progress, show_question
from ui.asking import Asking, Question, State
from ui.escaping import as_label, as_text
from ui.failures import expected_failures
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
        pending = services.open_questions().of(st.query_params.get(_CONVERSATION, ""))
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

    conversation = st.query_params.get(_CONVERSATION)
    if conversation is None:
        return ()
    try:
        return services.chatbot().conversations.turns(conversation)
    except UnknownConversation:
        del st.query_params[_CONVERSATION]
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
    st.query_params.pop(_CONVERSATION, None)


def _conversation(
    product: Product,
    products: tuple[Product, ...],
    turns: tuple[KeptTurn, ...],
    pending: tuple[Asking, ...],
) -> None:
    def ask(text: str, of: str = product.name, release: str | None = None) -> None:
        _ask(text, of, release)

    st.title(f"Ask about {as_label(product.name)}", anchor=False)
    if not turns and not pending:
        _begin(product, ask)
    for number in range(len(turns) + 1):
        for asking in pending:
            if min(asking.question.after, len(turns)) == number:
                _show_pending(asking)
        if number < len(turns):
            turn = turns[number]
            show_question(turn.question)
            show_answer(number, turn.question, turn.reply, products=products, ask=ask)
    # In a callback, because a run that another one interrupts never comes to its last line.
    st.chat_input(
        f"Ask about {product.name}",
        key="typed",
        on_submit=lambda: ask(st.session_state.typed),
    )


def _show_pending(asking: Asking) -> None:
    def ask_again(text: str) -> None:
        services.open_questions().drop(asking)
        _ask(text, asking.question.product, asking.question.release)

    show_question(asking.question.text)
    if asking.progress.state in (State.RUNNING, State.ANSWERED):
        _watch(asking)
    else:
        show_open(asking, ask_again)


def _begin(product: Product, ask: Ask) -> None:
    st.markdown(
        "Every answer comes from the documentation of one release, and shows where it stands. "
        "Name the release in your question, or get the latest."
    )
    for text in suggestions(product.name):
        st.button(as_label(text, 200), key=f"suggested-{text}", on_click=ask, args=(text,))


def _ask(text: str, product: str | None, release: str | None) -> None:
    chatbot = services.chatbot()
    conversation = st.query_params.get(_CONVERSATION)
    if conversation is None:
        conversation = chatbot.conversations.start(product, text)
        st.query_params[_CONVERSATION] = conversation
    after = len(chatbot.conversations.turns(conversation))
    services.open_questions().ask(Question(text, conversation, after, product, release))


@st.fragment(run_every=_LOOK_EVERY)
def _watch(asking: Asking) -> None:
    if not asking.is_running:
        st.rerun()
    show_progress(asking)
