"""The sidebar of the chat: the product and its releases, the conversations about it."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from chatbot.conversations.conversations import Conversations, KeptTurn
from corpora.catalog.release import Product
from ui.chat.address import open_conversation
from ui.chat.conversation_list import PRODUCT, show_conversations
from ui.serving.asking import Pending
from ui.wording.escaping import as_label

_BADGES = 6


def show_sidebar(
    own: Conversations,
    products: tuple[Product, ...],
    turns: tuple[KeptTurn, ...],
    pending: tuple[Pending, ...],
) -> Product:
    """Show the sidebar; return the product that is chosen, at first that of the conversation."""
    names = [product.name for product in products]
    asked = [*(t.reply.product for t in turns), *(p.question.product for p in pending)]
    known = [name for name in asked if name in names]

    with st.sidebar:
        chosen = st.selectbox(
            "Product",
            names,
            index=names.index(known[-1]) if known else 0,
            key=PRODUCT,
            on_change=open_conversation,
            args=(None,),
        )
        product = products[names.index(chosen)]
        _show_releases(product)
        st.button(
            "New conversation",
            key="new-conversation",
            icon=":material/add:",
            on_click=open_conversation,
            args=(None,),
            width="stretch",
        )
        show_conversations(own, names)
    return product


def _show_releases(product: Product) -> None:
    """The releases, the newest first; of many the rest is told when pointed at."""
    newest_first = list(reversed(product.releases))
    today = datetime.now(UTC).date()
    badges = []
    for release in newest_first[:_BADGES]:
        notes = ["latest"] * (release == product.newest) + ["pre-release"] * release.prerelease
        if release.end_of_life and release.end_of_life <= today:
            notes.append("end of life")
        colour = "primary" if release == product.newest else "gray"
        badges.append(f":{colour}-badge[{as_label(' · '.join([release.name, *notes]))}]")
    rest = [as_label(release.name) for release in newest_first[_BADGES:]]
    if rest:
        badges.append(f":gray-badge[{len(rest)} more]")
    st.markdown(" ".join(badges), help=", ".join(rest) or None)
