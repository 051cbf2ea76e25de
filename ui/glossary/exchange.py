"""A glossary as a CSV file: taken out, and taken in after a look at what that changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from ingestion.errors import StrataError
from ui.elements.notice import note
from ui.serving import services
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label, as_text

if TYPE_CHECKING:
    from corpora.catalog.glossary import Changes, Entry

_NAMED = 12
_LARGEST_MB = 2
_ROUND = "glossary import round"


def exchange(product: str, entries: Sequence[Entry]) -> None:
    """Export the glossary, or make a file the whole of it."""
    from corpora.catalog.glossary_file import written_glossary

    with st.container(border=True, key="glossary-exchange"):
        st.markdown("**Import and export**")
        st.caption(
            "CSV: the first row is “term,synonyms”; each row below holds a term and its synonyms, "
            "one per cell."
        )
        st.download_button(
            "Export",
            # With the mark at its beginning, spreadsheets take the file for UTF-8.
            written_glossary(entries).encode("utf-8-sig"),
            file_name="glossary.csv",
            mime="text/csv",
            icon=":material/download:",
            on_click="ignore",
            disabled=not entries,
        )
        received = st.file_uploader(
            "Import a CSV file (replaces the whole glossary)",
            type="csv",
            max_upload_size=_LARGEST_MB,
            key=f"glossary file {st.session_state.get(_ROUND, 0)}",
        )
        if received is not None:
            _offer(product, received.getvalue(), received.name)


def _offer(product: str, data: bytes, file: str) -> None:
    from corpora.catalog.glossary import Glossaries
    from corpora.catalog.glossary_file import parse_glossary

    try:
        entries = parse_glossary(data, file)
        changes = Glossaries(services.chatbot().database).compare(product, entries)
    except StrataError as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    told = _told(changes)
    if not told:
        st.markdown("The glossary already matches this file.")
        return
    st.markdown(f"{how_many(len(entries), 'term')} in the file:\n\n" + "\n".join(told))
    if st.button("Replace the glossary", type="primary"):
        try:
            services.administration().replace_glossary(product, entries)
        except StrataError as error:
            st.error(as_text(str(error)), icon=":material/error:")
            return
        st.session_state[_ROUND] = st.session_state.get(_ROUND, 0) + 1
        note(f"The glossary of {product} now has {how_many(len(entries), 'term')}.")
        st.rerun()


def _told(changes: Changes) -> list[str]:
    """What an import changes, as lines of a Markdown list."""
    lines = []
    for done, terms in (
        ("added", changes.added),
        ("changed", changes.changed),
        ("removed", changes.removed),
    ):
        if terms:
            more = [f"and {len(terms) - _NAMED:,} more"] * (len(terms) > _NAMED)
            named = ", ".join([*terms[:_NAMED], *more])
            lines.append(f"- {len(terms):,} {done}: {as_label(named, 600)}")
    return lines
