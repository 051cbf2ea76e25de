"""What differs between a page and the same page of another release, both sides cited."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chatbot.comparison.pages import differences
from chatbot.turn import Record
from corpora.indexing.corpus import Corpus
from corpora.indexing.pages import StoredPage
from ui.sources.page_blocks import marked_text
from ui.sources.page_views import place_of
from ui.wording.amounts import how_many
from ui.wording.escaping import as_label
from ui.wording.marking import Span, differing_spans

_SHOWN = 40
_GONE, _COME = "red", "green"


def show_differences(older: tuple[Corpus, StoredPage], newer: tuple[Corpus, StoredPage]) -> None:
    """Passages that changed, with their words marked, then those that only one side has."""
    found = differences(older, newer)
    old, new = older[0].release, newer[0].release
    unchanged = f"{how_many(len(found.same), 'passage')} unchanged."
    if not found.found:
        told = f"No changes from {as_label(old)} to {as_label(new)}\\: {unchanged}"
        st.success(told, icon=":material/check:")
        return
    if found.changed:
        _heading(f"Changed from {old} to {new}", len(found.changed))
    for pair in found.changed[:_SHOWN]:
        assert pair.before is not None
        assert pair.after is not None
        before, after = _text(pair.before), _text(pair.after)
        gone, come = differing_spans(before, after)
        with st.container(border=True, gap="xsmall"):
            _passage(old, pair.before, before, gone, _GONE)
            _passage(new, pair.after, after, come, _COME)
    _only(new, found.added, _COME)
    _only(old, found.removed, _GONE)
    if found.same:
        st.caption(unchanged)


def _only(release: str, records: Sequence[Record], colour: str) -> None:
    if records:
        _heading(f"Only in {release}", len(records))
    for record in records[:_SHOWN]:
        text = _text(record)
        with st.container(border=True, gap="xsmall"):
            _passage(release, record, text, [(0, len(text))], colour)


def _heading(text: str, count: int) -> None:
    shown = f"the first {_SHOWN} of {count}" if count > _SHOWN else f"{count}"
    st.markdown(f"**{as_label(text, 200)}** :gray[({shown})]")


def _passage(release: str, record: Record, text: str, marks: Sequence[Span], colour: str) -> None:
    where = as_label(place_of(record.page).rsplit(" › ", 1)[-1] or record.label, 60)
    st.markdown(f":gray-badge[{as_label(release)}] :small[:gray[{where}]]")
    st.markdown(marked_text(text, marks, colour))


def _text(record: Record) -> str:
    """A row of a table with its headers, anything else as it stands."""
    return record.reading if record.cells else record.quote
