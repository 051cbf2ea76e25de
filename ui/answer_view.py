"""A turn of a conversation on the page: question, release, answer, citations, choices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from ui.answer_text import answer_markdown
from ui.choices import Choice, asked_for, choices
from ui.escaping import as_label, as_text
from ui.sides import Compared, compared
from ui.source_view import show_source
from ui.step_names import done_without_model

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
        if apart := compared(reply):
            _show_sides(number, reply, apart)
        else:
            st.markdown(_text(reply["answer"], reply))
            _show_citations(number, reply, range(1, len(reply["citations"]) + 1))
        _show_notes(reply)
        if offered := choices(reply, products):
            _offer(number, question, offered, products, ask)


def _badge(reply: Mapping[str, Any]) -> str:
    """The product and release that the answer is from, and why that one."""
    names = reply["release"] or ", ".join(reply["compared_releases"])
    explanation = reply["release_explanation"]
    colour = "primary"
    match reply["route"]:
        case "inventory" if not names:
            names = "" if reply["product"] else "catalog"
            explanation = "from the catalog"
        case "compare":
            explanation = "compared"
        case _ if not names:
            names = _UNRESOLVED.get(reply["release_status"], reply["release_status"])
            # The answer says it, and asks.
            explanation = ""
            colour = "orange"
    label = as_label(f"{reply['product'] or ''} {names}".strip())
    badge = f":{colour}-badge[:material/layers: {label}]"
    return f"{badge} :small[:gray[{as_label(explanation, 200)}]]" if explanation else badge


def _text(text: str, reply: Mapping[str, Any]) -> str:
    return answer_markdown(text, len(reply["citations"]))


def _show_sides(number: int, reply: Mapping[str, Any], apart: Compared) -> None:
    """The sides next to each other; on a phone below each other."""
    st.markdown(_text(apart.before, reply))
    with st.container(key=f"sides-{number}"):
        columns = st.columns(len(apart.sides), border=any(s.value or s.text for s in apart.sides))
    for side, column in zip(apart.sides, columns, strict=True):
        with column:
            value = f" **{as_label(side.value, 300)}**" if side.value else ""
            st.markdown(f":gray-badge[{as_label(side.release)}]{value}")
            if side.text:
                st.markdown(_text(side.text, reply))
            _show_citations(number, reply, side.citations, of_release=True)
    if apart.after.strip():
        st.markdown(_text(apart.after, reply))


def _show_notes(reply: Mapping[str, Any]) -> None:
    """What was withheld, and which steps were done without the model."""
    for warning in reply["warnings"]:
        st.caption(f":material/info: {as_label(warning, 300)}")
    # Answers of earlier versions do not say which.
    without = done_without_model(reply.get("fallbacks", ()))
    if not without:
        return
    steps = ", ".join(dict.fromkeys(step for step, _ in without))
    with st.expander(f"Done without the language model: {as_label(steps)}", type="compact"):
        for step, reason in without:
            st.caption(f"{as_label(step)}\\: {as_label(reason, 300)}")


def _show_citations(
    number: int, reply: Mapping[str, Any], shown: Iterable[int], *, of_release: bool = False
) -> None:
    """A button for each quote shown; those from one page stand together, the page named once.

    `of_release` says that the release is told already.
    """
    several = bool(reply["compared_releases"]) and not of_release
    pages: dict[tuple[str, int], list[int]] = {}
    for i in shown:
        citation = reply["citations"][i - 1]
        pages.setdefault((citation["release"], citation["page_id"]), []).append(i)
    for quotes in pages.values():
        with st.container(horizontal=True, key=f"citations-{number}-{quotes[0]}", gap="xsmall"):
            for i in quotes:
                citation = reply["citations"][i - 1]
                name = _place(citation, with_release=several) if i == quotes[0] else ""
                if st.button(
                    f"\\[{i}\\] {name}".strip(),
                    key=f"cite-{number}-{i}",
                    help=as_label(citation["section"], 200) or None,
                ):
                    show_source(reply["product"], citation)


def _place(citation: Mapping[str, Any], *, with_release: bool) -> str:
    parts = [citation["release"]] if with_release else []
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
