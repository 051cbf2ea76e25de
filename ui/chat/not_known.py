"""What "I don't know" offers: what was searched, the nearest pages, releases that know it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import streamlit as st

from ui.chat.citations import place
from ui.escaping import as_label
from ui.sources.source_view import show_source

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from chatbot.conversations import KeptTurn
    from corpora.release import Product
    from ui.chat.answer_view import Ask

_SAYS_IT = "I searched"


def show_not_known(turn: KeptTurn, products: Sequence[Product], ask: Ask) -> None:
    """Where an answer abstains: what was looked for, and where to go on from there."""
    reply = turn.reply
    if not reply["abstained"]:
        return
    if searched := _searched(reply):
        st.caption(searched)
    _offer_pages(turn.id, reply)
    _offer_releases(turn, products, ask)


def _searched(reply: Mapping[str, Any]) -> str:
    """What was searched, unless the answer says it or nothing was."""
    queries = reply["queries"]
    words = queries.get("versionless") or queries.get("filtered")
    if not words or not reply["release"] or _SAYS_IT in reply["answer"]:
        return ""
    where = as_label(f"{reply['product']} {reply['release']}")
    return f":material/search: Searched {where} for “{as_label(words, 200)}”"


def _offer_pages(turn: int, reply: Mapping[str, Any]) -> None:
    cited = {citation["page_id"] for citation in reply["citations"]}
    # Answers of earlier versions do not name them.
    pages = [page for page in reply.get("nearest", ()) if page["page_id"] not in cited]
    if not pages:
        return
    with _offered("The nearest pages", f"nearest-{turn}"):
        for number, page in enumerate(pages):
            if st.button(
                place(page),
                key=f"near-{turn}-{number}",
                icon=":material/description:",
                help=as_label(page["section"], 200) or None,
                wrap=True,
            ):
                show_source(reply["product"], page)


def _offered(heading: str, key: str) -> DeltaGenerator:
    """A row of buttons under its heading."""
    with st.container(gap="xxsmall"):
        st.caption(heading)
        return st.container(horizontal=True, key=key, gap="xsmall")


def _offer_releases(turn: KeptTurn, products: Sequence[Product], ask: Ask) -> None:
    from chatbot.choice import about_release

    product = turn.reply["product"]
    there = {release.name for p in products if p.name == product for release in p.releases}
    found = [release for release in turn.reply.get("found_in", ()) if release in there]
    if not found:
        return
    with _offered("Documented in other releases", f"found-in-{turn.id}"):
        for release in found:
            st.button(
                f"Ask in {as_label(release)}",
                key=f"found-in-{turn.id}-{release}",
                icon=":material/layers:",
                on_click=ask,
                args=(about_release(turn.question, release, product, products), product, release),
            )
