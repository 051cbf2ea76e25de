"""What became of remembered answers: which was replaced by which, and why."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from ui.elements.moments import when
from ui.memory.place import go

if TYPE_CHECKING:
    from chatbot.administration.kept import Change
    from chatbot.administration.overview import Overview, Scope
    from chatbot.memory.pairs import Happened

_AT_ONCE = 50
_OPENED = "memory_change_opened"
_KINDS = {
    "Replaced or removed": ("replaced", "outdone", "evicted", "retired", "forgotten"),
    "Changed": ("moved", "edited", "promoted", "suspended", "restored"),
    "Added": ("added", "imported"),
}
_TOLD = {
    "replaced": "replaced",
    "outdone": "not saved",
    "evicted": "removed for space",
    "moved": "rated good or poor",
    "restored": "in use again",
    "suspended": "suspended",
}


def show_changes(overview: Overview, scope: Scope) -> None:
    """The changes of a kind, the newest first."""
    chosen = st.segmented_control(
        "Changes", list(_KINDS), default="Replaced or removed", required=True, key="memory-kinds"
    )
    place = f"memory-before-{scope}-{chosen}"
    before = st.session_state.get(place)
    found = overview.changes(scope, _kinds(chosen), before=before, limit=_AT_ONCE + 1)
    changes = found[:_AT_ONCE]
    if not changes:
        st.markdown("No such changes.")
        return
    _table(changes)

    def turn_to(before: int | None) -> None:
        st.session_state[place] = before

    if before is not None or len(found) > _AT_ONCE:
        with st.container(horizontal=True, key="memory-changes-foot"):
            st.button(
                "Newest",
                icon=":material/first_page:",
                disabled=before is None,
                on_click=turn_to,
                args=(None,),
            )
            st.button(
                "Older",
                icon=":material/chevron_right:",
                disabled=len(found) <= _AT_ONCE,
                on_click=turn_to,
                args=(changes[-1].id,),
            )


def _kinds(chosen: str | None) -> list[Happened]:
    from chatbot.memory.pairs import Happened

    return [Happened(kind) for kind in _KINDS[chosen or "Replaced or removed"]]


def _table(changes: Sequence[Change]) -> None:
    """The cells of a table show text of any origin as text."""
    column = st.column_config
    st.dataframe(
        [_row(change) for change in changes],
        hide_index=True,
        height="content",
        row_height=36,
        key="memory-changes",
        alt="Changes",
        column_config={
            "Open": column.ButtonColumn(
                width=70, pinned=True, type="secondary", key=_OPENED, on_click=_open_row
            ),
            "Question": column.TextColumn(width=320),
            "Change": column.TextColumn(width=110),
            "Reason": column.TextColumn(width=420),
            "When": column.TextColumn(width=150),
            "Release": column.TextColumn(width=140),
        },
    )


def _row(change: Change) -> dict[str, object]:
    """Of an answer that is gone the one is named that took its place: it asks the same."""
    there = change.pair if change.question else change.other if change.other_question else None
    return {
        "Open": str(there or ""),
        "Question": change.question or change.other_question,
        "Change": _TOLD.get(change.kind, str(change.kind)),
        "Reason": change.reason,
        "When": when(change.at),
        "Release": f"{change.product} {change.release}",
    }


def _open_row() -> None:
    label = st.session_state[_OPENED].label
    if label:
        go(int(label))
