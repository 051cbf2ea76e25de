"""The form for one term of a glossary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ingestion.errors import StrataError
from ui.elements.notice import note
from ui.serving import services
from ui.wording.escaping import as_label, as_text

if TYPE_CHECKING:
    from corpora.catalog.glossary import Entry

_ROUND = "glossary round"


def edit(product: str, entry: Entry | None) -> None:
    """Change the term that is chosen, or add a new one; what is refused stays in the form."""
    term = entry.term if entry else ""
    # What was typed for one term is not offered for another, nor for the next new one.
    key = f"{product} {term} {st.session_state.get(_ROUND, 0)}"
    with st.container(border=True, key="glossary-form"):
        st.markdown(f"**Edit {as_label(term)}**" if entry else "**Add a term**")
        with st.form(f"term {key}", border=False):
            typed = st.text_input("Term", term, key=f"term of {key}")
            synonyms = st.text_area(
                "Synonyms, one per line",
                "\n".join(entry.synonyms) if entry else "",
                key=f"synonyms of {key}",
                height=140,
            )
            with st.container(horizontal=True):
                saved = st.form_submit_button("Save" if entry else "Add", type="primary")
                removed = entry and st.form_submit_button(
                    "Remove this term", icon=":material/delete:", key="delete-term"
                )
        if saved:
            _save(product, typed, synonyms, term)
        elif removed:
            _remove(product, term)
        if entry is None:
            st.caption("Select a term in the list to edit it.")


def _save(product: str, term: str, synonyms: str, instead_of: str) -> None:
    from corpora.catalog.glossary import Entry

    try:
        entry = Entry(term, tuple(synonyms.splitlines()))
        services.administration().put_term(product, entry, instead_of)
    except StrataError as error:
        _refused(error)
        return
    _done(f"Saved {term.strip()}.")


def _remove(product: str, term: str) -> None:
    try:
        services.administration().remove_term(product, term)
    except StrataError as error:
        _refused(error)
        return
    _done(f"Removed {term}.")


def _refused(error: Exception) -> None:
    text = str(error)
    st.error(as_text(text[:1].upper() + text[1:]) + "\\.", icon=":material/error:")


def _done(told: str) -> None:
    st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1
    note(told)
    st.rerun()
