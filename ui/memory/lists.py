"""The lists of the memory page: groups, questions, and changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from chatbot.administration.overview import Change, KeptPair, Overview, PairFilter, Scope
from chatbot.memory.pairs import Happened, Store
from ui.elements.address import go
from ui.elements.moments import when
from ui.elements.table import in_pages, newest_first, search_box, show_table
from ui.wording.memory import vouched

_GOOD, _POOR, _SUSPENDED = "Good", "Poor", "Suspended"
_CHANGES_AT_ONCE = 50
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


def show_questions(overview: Overview, scope: Scope) -> None:
    """The groups of a store, the largest first; or the questions that a search finds."""
    with st.container(horizontal=True, vertical_alignment="center", key="memory-bar"):
        words = search_box("memory-words", "Search questions", "questions", live=False)
        chosen = st.segmented_control(
            "Show",
            [_GOOD, _POOR, _SUSPENDED],
            default=_GOOD,
            required=True,
            key="memory-show",
            label_visibility="collapsed",
        )
    name = f"memory page of {scope} {chosen} {words}"
    if chosen == _SUSPENDED:
        wanted = PairFilter(scope, suspended=True, words=words)
        show_pairs(overview, wanted, name, "No suspended answers.")
        return
    store = Store.LOW if chosen == _POOR else Store.HIGH
    if words:
        told = "No question matches. Search for fewer words or another group."
        show_pairs(overview, PairFilter(scope, store, words=words), name, told)
        return
    figures = overview.releases(scope)
    total = sum(f.low_clusters if store is Store.LOW else f.high_clusters for f in figures)
    if not total:
        st.markdown("No poor answers." if store is Store.LOW else "No good answers yet.")
        return

    def show(first: int, size: int) -> None:
        clusters = overview.clusters(scope, store, offset=first, limit=size)
        _table([_row(c.representative) | {"Questions": c.size} for c in clusters])

    in_pages(total, name, show, of="group")


def show_pairs(
    overview: Overview, wanted: PairFilter, name: str, if_none: str = "", *, size: int = 25
) -> None:
    """The questions that a filter leaves, page by page."""
    if total := overview.count(wanted):

        def show(first: int, size: int) -> None:
            _table([_row(pair) for pair in overview.pairs(wanted, offset=first, limit=size)])

        in_pages(total, name, show, of="question", size=size)
    else:
        st.markdown(if_none)


def _row(pair: KeptPair) -> dict[str, Any]:
    row = pair.row
    return {
        "Open": str(row.id),
        "Question": row.question,
        "Questions": None,
        "Score": row.score,
        "Rated by": vouched(row, to_admin=True),
        "Reused": row.reused,
        "Release": f"{pair.product} {pair.release}",
        "Suspended because": row.suspended,
    }


def _table(rows: Sequence[dict[str, Any]]) -> None:
    number = st.column_config.NumberColumn
    show_table(
        rows,
        {
            "Question": 360,
            "Questions": number(width=90, help="Number of similar questions"),
            "Score": number(width=70, format="%.2f"),
            "Rated by": 230,
            "Reused": number(width=90),
            "Release": 140,
            "Suspended because": 280,
        },
        key="memory-table",
        name="Questions",
        on_open=lambda pair: go(pair=pair),
    )


def show_changes(overview: Overview, scope: Scope) -> None:
    """The changes of answers, the newest first: which was replaced by which, and why."""
    chosen = st.segmented_control(
        "Changes", list(_KINDS), default="Replaced or removed", required=True, key="memory-kinds"
    )
    kinds = [Happened(kind) for kind in _KINDS[chosen or "Replaced or removed"]]

    def read(before: int | None) -> tuple[Sequence[Change], int | None]:
        found = overview.changes(scope, kinds, before=before, limit=_CHANGES_AT_ONCE + 1)
        changes = found[:_CHANGES_AT_ONCE]
        return changes, changes[-1].event.id if len(found) > len(changes) else None

    changes = newest_first("memory-changes", (scope, chosen), read)
    if not changes:
        st.markdown("No such changes.")
        return
    show_table(
        [_change(change) for change in changes],
        {"Question": 320, "Change": 110, "Reason": 420, "When": 150, "Release": 140},
        key="memory-changes",
        name="Changes",
        on_open=lambda pair: go(pair=pair),
    )


def _change(change: Change) -> dict[str, object]:
    """A row; for an answer that is gone it names the one that replaced it, which asks the same."""
    event = change.event
    there = event.pair_id if change.question else event.other_id if change.other_question else None
    return {
        "Open": str(there or ""),
        "Question": change.question or change.other_question or "",
        "Change": _TOLD.get(event.kind, event.kind),
        "Reason": event.reason,
        "When": when(event.at),
        "Release": f"{change.product} {change.release}",
    }
