"""The questions of the memory: groups with the one that stands for each, or those searched for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from ui.elements.moments import day
from ui.memory.place import go
from ui.wording.amounts import how_many
from ui.wording.memory import vouched_by

if TYPE_CHECKING:
    from chatbot.administration.kept import KeptPair
    from chatbot.administration.overview import Cluster, Overview, PairFilter, Scope

_AT_ONCE = 25
_GOOD, _POOR, _NOT_USED = "Good", "Poor", "Suspended"
_OPENED = "memory_opened"


def show_questions(overview: Overview, scope: Scope) -> None:
    """Groups of a store, the largest first; with words to search for, single questions."""
    with st.container(horizontal=True, vertical_alignment="center", key="memory-bar"):
        words = st.text_input(
            "Search questions",
            key="memory-words",
            type="search",
            placeholder="Search in questions",
            label_visibility="collapsed",
            width=360,
        )
        shown = st.segmented_control(
            "Show",
            [_GOOD, _POOR, _NOT_USED],
            default=_GOOD,
            required=True,
            key="memory-show",
            label_visibility="collapsed",
        )
    if words or shown == _NOT_USED:
        _show_pairs(overview, scope, words or "", shown or _GOOD)
    else:
        _show_groups(overview, scope, shown or _GOOD)


def _show_groups(overview: Overview, scope: Scope, shown: str) -> None:
    from chatbot.memory.pairs import Store

    store = Store.HIGH if shown == _GOOD else Store.LOW
    figures = overview.releases(scope)
    total = sum(f.high_clusters if store is Store.HIGH else f.low_clusters for f in figures)
    if not total:
        st.markdown("No good answers yet." if shown == _GOOD else "No poor answers.")
        return
    above = st.container()
    page = _page(total, f"{scope} {shown}")
    clusters = overview.clusters(scope, store, offset=page * _AT_ONCE, limit=_AT_ONCE)
    with above:
        _table([_group_row(cluster) for cluster in clusters])
        _counted(page, len(clusters), total, "group")


def _show_pairs(overview: Overview, scope: Scope, words: str, shown: str) -> None:
    wanted = _filter(scope, words, shown)
    total = overview.count(wanted)
    if not total:
        st.markdown(
            "No question matches. Search for fewer words or another group."
            if words
            else "No suspended answers."
        )
        return
    above = st.container()
    page = _page(total, f"{scope} {shown} {words}")
    pairs = overview.pairs(wanted, offset=page * _AT_ONCE, limit=_AT_ONCE)
    with above:
        _table([_row(pair) for pair in pairs])
        _counted(page, len(pairs), total, "question")


def _filter(scope: Scope, words: str, shown: str) -> PairFilter:
    from chatbot.administration.overview import PairFilter
    from chatbot.memory.pairs import Store

    if shown == _NOT_USED:
        return PairFilter(scope, suspended=True, words=words)
    return PairFilter(scope, Store.HIGH if shown == _GOOD else Store.LOW, words=words)


def _page(total: int, of: str) -> int:
    """The number of the page that is open, from 0; pages to choose from where there are several."""
    pages = -(-total // _AT_ONCE)
    return st.pagination(pages, key=f"memory page of {of}") - 1 if pages > 1 else 0


def _counted(page: int, shown: int, total: int, what: str) -> None:
    first = page * _AT_ONCE + 1
    st.caption(f"{first:,}–{first + shown - 1:,} of {how_many(total, what)}")


def show_members(pairs: Sequence[KeptPair]) -> None:
    """The questions of a group."""
    _table([_row(pair) for pair in pairs])


def _group_row(cluster: Cluster) -> dict[str, object]:
    return {**_row(cluster.representative), "Questions": cluster.size}


def _row(pair: KeptPair) -> dict[str, object]:
    return {
        "Open": str(pair.id),
        "Question": pair.question,
        "Questions": None,
        "Score": pair.score,
        "Rated by": vouched_by(
            pair.origin, pair.score, pair.rated_by, pair.rated, to_admin=True, day=day
        ),
        "Reused": pair.reused,
        "Release": f"{pair.product} {pair.release}",
        "Suspended because": pair.suspended,
    }


def _table(rows: Sequence[dict[str, object]]) -> None:
    """The cells of a table show text of any origin as text."""
    empty = {name for name in rows[0] if not any(row[name] for row in rows)} - {"Reused"}
    column = st.column_config
    st.dataframe(
        [{name: cell for name, cell in row.items() if name not in empty} for row in rows],
        hide_index=True,
        height="content",
        row_height=36,
        key="memory-table",
        alt="Questions",
        column_config={
            "Open": column.ButtonColumn(
                width=70, pinned=True, type="secondary", key=_OPENED, on_click=_open_row
            ),
            "Question": column.TextColumn(width=360),
            "Questions": column.NumberColumn(width=90, help="Number of similar questions"),
            "Score": column.NumberColumn(width=70, format="%.2f"),
            "Rated by": column.TextColumn(width=230),
            "Reused": column.NumberColumn(width=90),
            "Release": column.TextColumn(width=140),
            "Suspended because": column.TextColumn(width=280),
        },
    )


def _open_row() -> None:
    go(int(st.session_state[_OPENED].label))
