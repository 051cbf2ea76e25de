"""The glossary page: the terms of a product, one of them to edit, import and export."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ui.elements.admin_page import admin_page
from ui.glossary.editing import edit
from ui.glossary.exchange import exchange
from ui.serving import services
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label

if TYPE_CHECKING:
    from corpora.catalog.glossary import Entry

_PRODUCT = "glossary product"


def glossary() -> None:
    """Show the page; a failure is one clear message."""
    admin_page(lambda _: _show())


def _show() -> None:
    from corpora.catalog.glossary import Glossaries
    from corpora.catalog.release_settings import ReleaseAdministration

    database = services.chatbot().database
    products = ReleaseAdministration(database).products()
    if not products:
        st.title("Glossary", anchor=False)
        st.markdown("Each product has its own glossary. Upload documents of a product first.")
        return
    with st.container(horizontal=True, vertical_alignment="center", key="glossary-heading"):
        st.title("Glossary", anchor=False)
        product = st.selectbox(
            "Product", products, key=_PRODUCT, width=320, label_visibility="collapsed"
        )
    st.markdown(
        f"Terms and their synonyms in {as_label(product)}: a question that uses one of them also "
        "finds documents that use the others. Changes apply from the next question."
    )
    entries = Glossaries(database).entries(product)
    listed, edited = st.columns([3, 2], gap="large")
    with listed:
        chosen = _list(product, entries)
    with edited:
        edit(product, chosen)
        exchange(product, entries)


def _list(product: str, entries: tuple[Entry, ...]) -> Entry | None:
    """The terms that hold what is searched for; returns the one that is chosen."""
    if not entries:
        st.markdown("No terms yet. Add the first one, or import a file.")
        return None
    words = (
        st.text_input(
            "Search terms",
            type="search",
            live=True,
            placeholder="Search in terms and synonyms",
            label_visibility="collapsed",
            key="glossary words",
        )
        or ""
    )
    found = [entry for entry in entries if _holds(entry, words)]
    if not found:
        st.markdown("No term or synonym matches.")
        return None
    table = st.dataframe(
        [{"Term": entry.term, "Synonyms": ", ".join(entry.synonyms)} for entry in found],
        column_config={
            "Term": st.column_config.TextColumn(width="medium"),
            "Synonyms": st.column_config.TextColumn(width="large"),
        },
        hide_index=True,
        alt="Terms",
        # A change of the glossary makes another table, in which nothing is chosen yet.
        key=f"terms of {product} {words} {hash(entries)}",
        on_select="rerun",
        selection_mode="single-row",
        height=min(560, 35 * (len(found) + 1) + 2),
    )
    st.caption(how_many(len(found), "term"))
    rows = table["selection"]["rows"]
    return found[rows[0]] if rows else None


def _holds(entry: Entry, words: str) -> bool:
    text = " ".join(entry.wordings).casefold()
    return all(word in text for word in words.casefold().split())
