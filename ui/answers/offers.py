"""What an answer that abstains, or asks for the release, offers next: releases, related pages."""

from collections.abc import Mapping, Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chatbot.conversations.conversations import KeptTurn
from chatbot.queries.clarification import about_release, replace_unknown
from chatbot.releases.rules import resolve_release
from chatbot.reply import Reply
from corpora.catalog.release import Product
from ui.answers.chat_turn import ChatTurn
from ui.answers.citations import place
from ui.elements.frame import button, in_a_row
from ui.sources.source_view import show_source
from ui.wording.escaping import as_label


def show_offers(shown: ChatTurn) -> None:
    """Show these offers as buttons."""
    turn, reply = shown.turn, shown.turn.reply
    if reply.abstained:
        _offer_documented(shown)
        _offer_pages(turn)
    if offered := choices(reply, shown.products):
        with st.container(horizontal=True, key=f"choices-{turn.id}", gap="small"):
            for label, (of, release) in offered.items():
                text = asked_for(turn.question, of, release, shown.products)
                key = f"choose-{turn.id}-{of}-{release}"
                button(as_label(label), shown.ask, text, of, release, icon="layers", key=key)


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


def _offer_documented(shown: ChatTurn) -> None:
    turn, product = shown.turn, shown.turn.reply.product or ""
    there = {release.name for p in shown.products if p.name == product for release in p.releases}
    found = [release for release in turn.reply.found_in if release in there]
    if not found:
        return
    with _row("Documented in", f"found-in-{turn.id}"):
        for release in found:
            label, key = as_label(release), f"found-in-{turn.id}-{release}"
            text = about_release(turn.question, release, product, shown.products)
            asked = (text, product, release)
            button(label, shown.ask, *asked, icon="layers", key=key, help=f"Ask about {label}")


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
    row = in_a_row(key=key, gap="xsmall")
    row.caption(heading, width="content")
    return row
