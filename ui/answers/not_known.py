"""What an answer that was not found offers: releases that document it, and the nearest pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from ui.answers.citations import place
from ui.sources.source_view import show_source
from ui.wording.escaping import as_label

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

    from chatbot.conversations.conversations import KeptTurn
    from corpora.catalog.release import Product
    from ui.answers.choices import Ask


def show_not_known(turn: KeptTurn, products: Sequence[Product], ask: Ask) -> None:
    """Where an answer abstains: where to go on from there."""
    if turn.reply["abstained"]:
        _offer_releases(turn, products, ask)
        _offer_pages(turn)


def _offer_releases(turn: KeptTurn, products: Sequence[Product], ask: Ask) -> None:
    from chatbot.queries.clarification import about_release

    product = turn.reply["product"]
    there = {release.name for p in products if p.name == product for release in p.releases}
    found = [release for release in turn.reply.get("found_in", ()) if release in there]
    if not found:
        return
    with _offered("Documented in", f"found-in-{turn.id}"):
        for release in found:
            st.button(
                as_label(release),
                key=f"found-in-{turn.id}-{release}",
                icon=":material/layers:",
                help=f"Ask about {as_label(release)}",
                on_click=ask,
                args=(about_release(turn.question, release, product, products), product, release),
            )


def _offer_pages(turn: KeptTurn) -> None:
    reply = turn.reply
    cited = {citation["page_id"] for citation in reply["citations"]}
    # Answers of earlier versions do not name them.
    pages = [page for page in reply.get("nearest", ()) if page["page_id"] not in cited]
    if not pages:
        return
    with _offered("Related pages", f"nearest-{turn.id}"):
        for number, page in enumerate(pages):
            if st.button(
                place(page),
                key=f"near-{turn.id}-{number}",
                help=as_label(page["section"], 200) or None,
            ):
                show_source(reply["product"], page)


def _offered(heading: str, key: str) -> DeltaGenerator:
    """A row of buttons behind its heading."""
    row = st.container(horizontal=True, key=key, gap="xsmall", vertical_alignment="center")
    row.caption(heading, width="content")
    return row
