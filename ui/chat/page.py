"""The chat page: the open conversation, its open questions, and the input."""

import json
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from itertools import dropwhile, takewhile
from pathlib import Path

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.conversations.conversations import Conversations, KeptTurn
from chatbot.conversations.open_questions import Question, State
from chatbot.errors import UnknownConversation
from chatbot.text.languages import gettext, language
from corpora.catalog.release import Product
from ui.answers.actions import Ask, ChatTurn
from ui.answers.answer import show_answer, show_question, show_text
from ui.chat.page_script import listen
from ui.chat.sidebar import (
    choices,
    leave_turn,
    linked_turn,
    open_conversation,
    opened,
    show_sidebar,
)
from ui.elements.frame import button, in_a_row, page
from ui.serving import services
from ui.serving.asking import Pending
from ui.sources.source_view import show_source
from ui.wording.escaping import as_label, as_text

_LOOK_EVERY = 0.3
_BEGINS_WITHIN = 0.8
"""Seconds in which a question has most often asked its model, also one of ten at once."""
_WATCHED = "watched question"
_SAMPLES = Path(__file__).parents[2] / "examples" / "suggestions.jsonl"


@page("centered")
def chat(_: Person) -> None:
    """Show the page."""
    own = services.conversations()
    products = services.chatbot().products()
    # First the open questions, then the turns: a question that is answered between the two reads
    # is seen twice, and read again, instead of being missed.
    pending = services.open_questions().of(opened() or "", own.owner)
    turns = _turns(own)
    # The conversation may be gone, or about what this person sees no more.
    pending = pending if opened() else ()
    if not products:
        st.title(gettext("No documentation yet"))
        st.markdown(gettext("Add the documentation of a release, then reload this page:"))
        st.code("strata ingest FOLDER --product NAME --release RELEASE", language=None)
        return
    product, release = show_sidebar(own, products, turns, pending)
    _conversation(own, product, release, products, turns, pending)


def _turns(own: Conversations) -> tuple[KeptTurn, ...]:
    """The turns of the open conversation; none if it does not exist."""
    conversation = opened()
    if conversation is None:
        return ()
    try:
        turns = own.turns(conversation)
    except UnknownConversation:
        open_conversation(None)
        st.toast(gettext("This conversation no longer exists."))
        return ()
    if linked_turn() not in (None, *(turn.id for turn in turns)):
        leave_turn()
        st.toast(gettext("This answer is no longer part of the conversation."))
    return turns


def _conversation(
    own: Conversations,
    product: Product,
    release: str | None,
    products: tuple[Product, ...],
    turns: tuple[KeptTurn, ...],
    pending: tuple[Pending, ...],
) -> None:
    ask = partial(_ask, own)
    # Three containers that exist from the start of every run: a fragment that reruns by itself
    # needs its place while another run has not yet come that far.
    heading, past, present = st.container(), st.container(), st.container()
    with heading:
        st.title(gettext("Ask about {name}", name=as_label(product.name)), anchor=False)
        if not turns and not pending:
            _begin(product, ask)
    settled = tuple(takewhile(lambda question: not question.progress.is_running, pending))
    turns = _standing(turns, pending)
    with past:
        for number in range(len(turns) + 1):
            for question in settled:
                if min(question.after, len(turns)) == number:
                    _show_settled(own, question)
            if number < len(turns):
                turn = turns[number]
                show_question(turn.question)
                is_last = number == len(turns) - 1 and len(settled) == len(pending)
                shown = ChatTurn(turn, opened() or "", products, ask, is_last)
                show_answer(shown, is_linked=turn.id == linked_turn())
    with present:
        newest = f"answer-{turns[-1].id}" if turns and not linked_turn() else ""
        if len(settled) < len(pending):
            _watch(own, pending[len(settled)])
            newest = f"running-{pending[-1].id}"
        listen(partial(_open_source, turns), chosen=choices(), newest=newest)
    about = f"{product.name} {release or ''}".strip()
    # An input pinned to the bottom would scroll there, and not to the linked answer.
    with st.container() if linked_turn() else nullcontext():
        # In a callback, because a run that is interrupted never comes to its last line.
        st.chat_input(
            gettext("Ask about {name}", name=about),
            key="typed",
            on_submit=lambda: ask(st.session_state.typed, product.name, release),
        )


def _open_source(turns: tuple[KeptTurn, ...], turn: int, number: int) -> None:
    for reply in (kept.reply for kept in turns if kept.id == turn):
        for citation in reply.citations[number - 1 : number]:
            show_source(citation.product or reply.product or "", citation)


def _standing(turns: tuple[KeptTurn, ...], pending: tuple[Pending, ...]) -> tuple[KeptTurn, ...]:
    """The turns without the one that is being asked again, and those after it."""
    replaced = [p.question.instead_of for p in pending if p.progress.is_running]
    first = min((turn for turn in replaced if turn is not None), default=None)
    return tuple(turn for turn in turns if first is None or turn.id < first)


@st.fragment(run_every=_LOOK_EVERY)
def _watch(own: Conversations, first: Pending) -> None:
    """Show a running question and those after it, until it has ended."""
    questions = services.open_questions()
    if st.session_state.get(_WATCHED) == first.id:
        # Once it is shown; the first time the page below it waits to be drawn, too. Whoever still
        # waits at the next look would be stopped by it before anything is drawn.
        questions.wait_for_words(first.id, _LOOK_EVERY * 2 / 3)
    st.session_state[_WATCHED] = first.id
    pending = questions.of(first.question.conversation, own.owner)
    if not any(question.id == first.id and question.progress.is_running for question in pending):
        st.rerun()
    for question in dropwhile(lambda question: question.id != first.id, pending):
        if question.progress.is_running:
            _show_running(question)
        else:
            _show_settled(own, question)


def _show_settled(own: Conversations, pending: Pending) -> None:
    question, progress = pending.question, pending.progress
    edited = f"again-{pending.id}-text"

    def discard() -> None:
        services.open_questions().drop(pending.id)

    def ask_again() -> None:
        discard()
        text = st.session_state.get(edited, question.text)
        _ask(
            own,
            text,
            question.product,
            question.release,
            instead_of=question.instead_of,
            afresh=question.afresh,
        )

    show_question(question.text)
    with st.chat_message("assistant", avatar=":material/layers:"):
        if progress.state is State.STOPPED:
            why = f" {as_label(gettext(progress.message), 200)}" if progress.message else ""
            st.markdown(f":gray[{gettext('Stopped.')}{why}]")
        else:
            failed = gettext("No answer: {why}", why=as_text(progress.message))
            st.error(failed, icon=":material/error:")
        if progress.refused:
            st.text_area(gettext("Your question"), question.text, height=200, key=edited)
        with st.container(horizontal=True, gap="small"):
            button(gettext("Ask again"), ask_again, icon="refresh", key=f"again-{pending.id}")
            button(gettext("Discard"), discard, key=f"discard-{pending.id}", type="tertiary")


def _show_running(pending: Pending) -> None:
    progress, questions = pending.progress, services.open_questions()
    show_question(pending.question.text)
    with st.chat_message("assistant", avatar=":material/layers:"):
        with in_a_row(wrap=False, key=f"running-{pending.id}"):
            st.markdown(f":gray[{as_label(progress.now, 200)}]", width="stretch")
            key = f"stop-{pending.id}"
            is_stopping = progress.state is State.STOPPING
            stop = partial(questions.stop, pending.id)
            button(gettext("Stop"), stop, icon="stop_circle", key=key, disabled=is_stopping)
        if offer := progress.offer:
            with in_a_row(key=f"offer-{pending.id}"):
                asked = as_label(offer.question, 300)
                label = gettext("Answered before: “{question}”", question=asked)
                st.markdown(f":small[:material/history: {label}]", width="content")
                take = partial(questions.take_offer, pending.id, offer.id)
                key = f"take-{pending.id}"
                button(gettext("Show"), take, icon="visibility", key=key, type="tertiary")
        if progress.written:
            show_text(progress.written)


def _begin(product: Product, ask: Ask) -> None:
    st.markdown(
        gettext(
            "Answers come from one release and link to the exact passage. "
            "Name a release in your question, or leave it out to get the latest."
        )
    )
    for text in suggestions(product.name):
        button(as_label(text, 200), ask, text, product.name, key=f"suggested-{text}")


def suggestions(product: str, samples: Path = _SAMPLES, most: int = 6) -> tuple[str, ...]:
    """The sample questions about a product, if there are any."""
    if not samples.is_file():
        return ()
    lines = samples.read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    return tuple(row["question"] for row in rows if row["product"] == product)[:most]


def _ask(
    own: Conversations,
    text: str,
    product: str | None,
    release: str | None = None,
    *,
    instead_of: int | None = None,
    afresh: bool = False,
) -> None:
    """Ask in the open conversation, or in a new one if there is none or it is gone."""
    questions, conversation = services.open_questions(), opened() or ""
    of = own.owner, product, release, instead_of, afresh
    question = Question(text, conversation, *of, language=language())
    try:
        running = questions.ask(question, services.chatbot())
    except UnknownConversation:
        st.toast(gettext("The conversation no longer exists; your question starts a new one."))
        question = replace(question, conversation="")
        running = questions.ask(question, services.chatbot())
    open_conversation(running.question.conversation)
    questions.let_begin(_BEGINS_WITHIN)
