"""The lists of the memory page: groups, questions, and changes."""

from collections.abc import Sequence
from typing import Any

import streamlit as st
from streamlit.column_config import NumberColumn

from chatbot.administration.overview import (
    Change,
    KeptPair,
    Overview,
    PairFilter,
    ReleaseFigures,
    Scope,
)
from chatbot.memory.pairs import Happened, Store
from ui.elements.frame import in_a_row
from ui.elements.moments import when
from ui.elements.table import newest_first, search_box, show_table, table_in_pages
from ui.wording.memory import vouched

_GOOD, _POOR, _SUSPENDED = "Good", "Poor", "Suspended"
_CHANGES_AT_ONCE = 50
_KINDS = {
    "Replaced or removed": ("replaced", "outdone", "evicted", "retired", "forgotten"),
    "Changed": ("moved", "edited", "promoted", "suspended", "restored"),
    "Added": ("added", "imported"),
}
_COLUMNS: dict[str, Any] = {
    "Question": 360,
    "Questions": NumberColumn(width=90, help="Number of similar questions"),
    "Score": NumberColumn(width=70, format="%.2f"),
    "Rated by": 230,
    "Reused": NumberColumn(width=90),
    "Release": 140,
    "Suspended because": 280,
}
_TOLD = {
    "outdone": "not saved",
    "evicted": "removed for space",
    "moved": "rated good or poor",
    "restored": "in use again",
}


def show_questions(overview: Overview, scope: Scope) -> None:
    """The groups of a store, the largest first; or the questions that a search finds."""
    with in_a_row(key="memory-bar"):
        words = search_box("memory-words", "Search questions", "questions", live=False)
        chosen = st.segmented_control(
            "Show",
            [_GOOD, _POOR, _SUSPENDED],
            default=_GOOD,
            required=True,
            key="memory-show",
            label_visibility="collapsed",
        )
    store = Store.LOW if chosen == _POOR else Store.HIGH
    name = f"answers of {scope} {chosen} {words}"
    if chosen == _SUSPENDED:
        wanted = PairFilter(scope, suspended=True, words=words)
        show_pairs(overview, wanted, name, "No suspended answers.")
    elif words:
        told = "No question matches. Search for fewer words or another group."
        show_pairs(overview, PairFilter(scope, store, words=words), name, told)
    elif groups := sum(_groups(store, found) for found in overview.releases(scope)):
        table_in_pages(
            groups,
            name,
            lambda first, size: overview.clusters(scope, store, offset=first, limit=size),
            lambda cluster: _row(cluster.representative) | {"Questions": cluster.size},
            _COLUMNS,
            of="group",
            opens="pair",
            name="Questions",
        )
    else:
        st.markdown("No poor answers." if store is Store.LOW else "No good answers yet.")


def _groups(store: Store, found: ReleaseFigures) -> int:
    return found.low_clusters if store is Store.LOW else found.high_clusters


def show_pairs(
    overview: Overview, wanted: PairFilter, key: str, if_none: str = "", *, size: int = 25
) -> None:
    """The questions that a filter leaves, page by page."""
    if total := overview.count(wanted):
        table_in_pages(
            total,
            key,
            lambda first, size: overview.pairs(wanted, offset=first, limit=size),
            _row,
            _COLUMNS,
            of="question",
            size=size,
            opens="pair",
            name="Questions",
        )
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
        opens="pair",
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
