"""What an answer that abstains, or asks for the release, offers next: releases, related pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chatbot.conversations.conversations import KeptTurn
from chatbot.queries.clarification import about_release, replace_unknown
from chatbot.releases.rules import resolve_release
from chatbot.reply import Reply
from corpora.catalog.release import Product
from ui.answers.citations import place
from ui.sources.source_view import show_source
from ui.wording.escaping import as_label

Ask = Callable[..., None]
"""Asks a question: `ask(text, product, release, instead_of=turn_id, afresh=True)`.

All but the text and the product may be left out.
"""


def show_offers(turn: KeptTurn, products: Sequence[Product], ask: Ask) -> None:
    """Show these offers as buttons."""
    reply = turn.reply
    if reply.abstained:
        _offer_documented(turn, products, ask)
        _offer_pages(turn)
    if offered := choices(reply, products):
        with st.container(horizontal=True, key=f"choices-{turn.id}", gap="small"):
            for label, (of, release) in offered.items():
                st.button(
                    as_label(label),
                    key=f"choose-{turn.id}-{of}-{release}",
                    icon=":material/layers:",
                    on_click=ask,
                    args=(asked_for(turn.question, of, release, products), of, release),
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


def asked_for(question: str, product: str, release: str, products: Sequence[Product]) -> str:
    """The question with an unknown release in it replaced by the chosen one.

    A release that a question names takes precedence over a chosen one, so it has to be replaced.
    """
    asked = resolve_release(question, products, product=product)
    return replace_unknown(question, asked, (release,), product)


def _offer_documented(turn: KeptTurn, products: Sequence[Product], ask: Ask) -> None:
    product = turn.reply.product or ""
    there = {release.name for p in products if p.name == product for release in p.releases}
    found = [release for release in turn.reply.found_in if release in there]
    if not found:
        return
    with _row("Documented in", f"found-in-{turn.id}"):
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
    cited = {citation.page_id for citation in reply.citations}
    pages = [page for page in reply.nearest if page.page_id not in cited]
    if not pages:
        return
    with _row("Related pages", f"nearest-{turn.id}"):
        for number, page in enumerate(pages):
            section = as_label(page.section, 200) or None
            if st.button(place(page), key=f"near-{turn.id}-{number}", help=section):
                show_source(reply.product or "", page)


def _row(heading: str, key: str) -> DeltaGenerator:
    """A row for buttons, after a heading."""
    row = st.container(horizontal=True, key=key, gap="xsmall", vertical_alignment="center")
    row.caption(heading, width="content")
    return row
