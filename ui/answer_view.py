"""A turn of a conversation on the page: question, release, answer, citations, choices."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from ui.answer_text import answer_markdown
from ui.asking import Asking, Progress, State
from ui.choices import Choice, asked_for, choices
from ui.escaping import as_label, as_text
from ui.source_view import show_source
from ui.step_names import step_name

if TYPE_CHECKING:
    from corpora.release import Product

Ask = Callable[..., None]
"""Asks a question: its text, and a product and a release if they are chosen."""

_LONG = 600
_UNRESOLVED = {"unknown": "unknown release", "ambiguous": "several releases", "none": "no release"}


def show_question(text: str) -> None:
    """What a person asked; a very long question is cut."""
    with st.chat_message("user", avatar=":material/person:"):
        st.markdown(as_text(text if len(text) <= _LONG else f"{text[:_LONG].rstrip()} …"))


def show_answer(
    number: int,
    question: str,
    reply: Mapping[str, Any],
    *,
    products: Sequence[Product],
    ask: Ask,
) -> None:
    """An answered turn; where it leaves the release open, `ask` asks for the one that is chosen."""
    with st.chat_message("assistant", avatar=":material/layers:"):
        st.markdown(_badge(reply))
        st.markdown(answer_markdown(reply["answer"]))
        for warning in reply["warnings"]:
            st.caption(f":material/info: {as_label(warning, 300)}")
        _show_citations(number, reply)
        if offered := choices(reply, products):
            _offer(number, question, offered, products, ask)


def show_open(asking: Asking, ask_again: Callable[[str], None]) -> None:
    """A question that was stopped or failed, kept so that it can be asked again."""
    progress = asking.progress
    key = f"again-{id(asking)}"
    text = asking.question.text
    with st.chat_message("assistant", avatar=":material/layers:"):
        if progress.state is State.STOPPED:
            st.markdown(":gray[Stopped. The question is kept.]")
        else:
            st.error(f"No answer: {as_text(progress.message)}", icon=":material/error:")
        if progress.refused:
            text = st.text_area("Your question", text, height=200, key=f"{key}-text")
        st.button(
            "Ask again",
            icon=":material/refresh:",
            key=key,
            on_click=lambda: ask_again(st.session_state.get(f"{key}-text", text)),
        )


def show_progress(asking: Asking) -> None:
    """A question that is being answered: its steps, what the model writes, a button to stop it."""
    progress = asking.progress
    with st.chat_message("assistant", avatar=":material/layers:"):
        with st.container(
            horizontal=True, vertical_alignment="center", key=f"running-{id(asking)}"
        ):
            st.markdown(_steps(progress), width="stretch")
            st.button(
                "Stop",
                icon=":material/stop_circle:",
                key=f"stop-{id(asking)}",
                on_click=asking.stop,
                disabled=progress.stopping,
            )
        if progress.written:
            st.markdown(as_text(progress.written))


def _steps(progress: Progress) -> str:
    if progress.stopping:
        return ":gray[Stopping …]"
    done = [
        f":gray[:material/check: {step_name(step)}]"
        for step in dict.fromkeys(progress.done)
        if step != "comparison"
    ]
    now = [f"**{step_name(progress.step)} …**"] if progress.step else []
    return "  ".join([*done, *now]) or ":gray[One moment …]"


def _badge(reply: Mapping[str, Any]) -> str:
    releases = reply["release"] or ", ".join(reply["compared_releases"])
    if reply["route"] == "inventory" and not reply["available_releases"]:
        releases = releases or "catalog"
    resolved = bool(releases)
    name = releases or _UNRESOLVED.get(reply["release_status"], reply["release_status"])
    label = as_label(f"{reply['product'] or ''} {name}".strip())
    badge = f":{'primary' if resolved else 'orange'}-badge[:material/layers: {label}]"
    return f"{badge} :small[:gray[{as_label(reply['release_explanation'], 200)}]]"


def _show_citations(number: int, reply: Mapping[str, Any]) -> None:
    """A button for each quote; those from one page stand together, the page named once."""
    pages: dict[int, list[int]] = {}
    for i, citation in enumerate(reply["citations"], 1):
        pages.setdefault(citation["page_id"], []).append(i)
    for page, quotes in pages.items():
        with st.container(horizontal=True, key=f"citations-{number}-{page}", gap="xsmall"):
            for i in quotes:
                citation = reply["citations"][i - 1]
                name = _place(citation, reply) if i == quotes[0] else ""
                if st.button(
                    f"\\[{i}\\] {name}".strip(),
                    key=f"cite-{number}-{i}",
                    help=as_label(citation["section"], 200) or None,
                ):
                    show_source(reply["product"], citation)


def _place(citation: Mapping[str, Any], reply: Mapping[str, Any]) -> str:
    parts = [citation["release"]] if reply["compared_releases"] else []
    parts.append(citation["document"])
    if citation["file"].lower().endswith(".pdf"):
        parts.append(f"page {citation['page']}")
    elif (section := citation["section"].rsplit(" › ", 1)[-1]) != citation["document"]:
        parts.append(section)
    return " · ".join(as_label(part, 48) for part in parts if part)


def _offer(
    number: int,
    question: str,
    offered: Sequence[Choice],
    products: Sequence[Product],
    ask: Ask,
) -> None:
    with st.container(horizontal=True, key=f"choices-{number}", gap="small"):
        for choice in offered:
            st.button(
                as_label(choice.label),
                key=f"choose-{number}-{choice.product}-{choice.release}",
                icon=":material/layers:",
                on_click=ask,
                args=(asked_for(question, choice, products), choice.product, choice.release),
            )
