"""Saved answers: their lists and changes, and one of them opened to edit, promote or delete."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st
from streamlit.column_config import NumberColumn

from chatbot.administration.curation import Curation
from chatbot.administration.overview import Change, KeptPair, Overview, PairFilter, Scope
from chatbot.memory.pairs import Happened, Store
from chatbot.reply import Reply
from chatbot.text.markdown import without_marks
from corpora.database.memory_tables import MemoryPairRow
from ui.answers.answer import show_text
from ui.answers.citations import show_citations
from ui.elements.address import go, page_link
from ui.elements.frame import (
    button,
    choose_one,
    confirm,
    confirmed,
    done,
    failures_shown,
    in_a_row,
    show_facts,
    when,
)
from ui.elements.table import newest_first, search_box, show_table, table_in_pages
from ui.serving import services
from ui.wording.amounts import how_many
from ui.wording.escaping import as_code, as_label, as_text
from ui.wording.memory import vouched

_GOOD, _POOR, _SUSPENDED = "Good", "Poor", "Suspended"
_CHANGES_AT_ONCE = 50
_KINDS = {
    "Replaced or removed": ("replaced", "outdone", "evicted", "retired", "forgotten"),
    "Changed": ("moved", "edited", "promoted", "suspended", "restored"),
    "Added": ("added", "imported"),
}
_TOLD = {
    "outdone": "not saved",
    "evicted": "removed for space",
    "moved": "rated good or poor",
    "restored": "in use again",
}
_ROLES = {
    "source": "first given here",
    "reuse": "reused",
    "reference": "used as an example",
    "avoid": "avoided (rated poor)",
}


def show_questions(overview: Overview, scope: Scope) -> None:
    """The questions of a store that a search finds, the newest first."""
    with in_a_row(key="memory-bar"):
        words = search_box("memory-words", "Search questions", "questions", live=False)
        chosen = choose_one("Show", (_GOOD, _POOR, _SUSPENDED), "memory-show", labelled=False)
    if chosen == _SUSPENDED:
        wanted, if_none = PairFilter(scope, suspended=True, words=words), "No suspended answers."
    else:
        wanted = PairFilter(scope, Store.LOW if chosen == _POOR else Store.HIGH, words=words)
        if_none = "No poor answers." if chosen == _POOR else "No good answers yet."
    if not (total := overview.count(wanted)):
        st.markdown("No question matches. Search for fewer words." if words else if_none)
        return
    table_in_pages(
        total,
        f"answers of {scope} {chosen} {words}",
        lambda first, size: overview.pairs(wanted, offset=first, limit=size),
        {
            "Open": lambda pair: str(pair.row.id),
            "Question": (360, lambda pair: pair.row.question),
            "Score": (NumberColumn(width=70, format="%.2f"), lambda pair: pair.row.score),
            "Rated by": (230, lambda pair: vouched(pair.row, to_admin=True)),
            "Reused": (NumberColumn(width=90), lambda pair: pair.row.reused),
            "Release": (140, lambda pair: f"{pair.product} {pair.release}"),
            "Suspended because": (280, lambda pair: pair.row.suspended),
        },
        opens="pair",
        name="Questions",
        of="question",
    )


def show_changes(overview: Overview, scope: Scope) -> None:
    """The changes of answers, the newest first: which was replaced by which, and why."""
    chosen = choose_one("Changes", list(_KINDS), "memory-kinds")
    kinds = [Happened(kind) for kind in _KINDS[chosen]]

    def read(before: int | None) -> tuple[Sequence[Change], int | None]:
        found = overview.changes(scope, kinds, before=before, limit=_CHANGES_AT_ONCE + 1)
        changes = found[:_CHANGES_AT_ONCE]
        return changes, changes[-1].event.id if len(found) > len(changes) else None

    changes = newest_first("memory-changes", (scope, chosen), read)
    if not changes:
        st.markdown("No such changes.")
        return
    show_table(
        changes,
        {
            "Open": _there,
            "Question": (320, lambda change: change.question or change.other_question or ""),
            "Change": (110, lambda change: _TOLD.get(change.event.kind, change.event.kind)),
            "Reason": (420, lambda change: change.event.reason),
            "When": (150, lambda change: when(change.event.at)),
            "Release": (140, lambda change: f"{change.product} {change.release}"),
        },
        key="memory-changes",
        name="Changes",
        opens="pair",
    )


def _there(change: Change) -> str:
    """The answer to open: if it is gone, the one that replaced it, which asks the same."""
    event = change.event
    there = event.pair_id if change.question else event.other_id if change.other_question else None
    return str(there or "")


def show_pair(overview: Overview, pair_id: int) -> None:
    """Show everything about one pair; raises UnknownPair if it is gone."""
    pair = overview.pair(pair_id)
    row, of = pair.row, Scope(pair.product, pair.release)
    with st.container(gap="small", key="memory-heading"):
        button("All questions", partial(go, pair=None), icon="arrow_back", type="tertiary")
        st.title(as_label(row.question, 300), anchor=False)
        badge = f":primary-badge[:material/layers: {as_label(f'{of.product} {of.release}')}]"
        store = ":green-badge[good]" if row.store == "high" else ":orange-badge[poor]"
        curated = " :blue-badge[:material/verified: curated]" if row.origin == "curated" else ""
        st.markdown(f"{badge} {store}{curated}")
    if row.suspended:
        st.warning(
            f"Suspended: {as_text(row.suspended)}\\. It is used again when these pages are back.",
            icon=":material/pause_circle:",
        )
    answer, facts = st.columns([5, 3], gap="large")
    with answer:
        _answer(pair)
        _actions(row)
    with facts:
        _facts(row)
    _uses(overview, pair_id)


def _answer(pair: KeptPair) -> None:
    row, citations = pair.row, pair.row.answer.get("citations", [])
    with st.container(border=True, key="memory-answer"):
        show_text(row.answer["text"], len(citations))
        reply = Reply(answer=row.answer["text"], product=pair.product, citations=citations)
        show_citations(row.id, reply)
        if not citations:
            st.caption("No citations.")
        for link in row.links:
            st.markdown(f":small[:material/link: {as_code(link)}]")


def _facts(row: MemoryPairRow) -> None:
    measures = {"faithfulness": row.faithfulness, "relevancy": row.relevancy}
    measured = ", ".join(f"{k} {value:.2f}" for k, value in measures.items() if value is not None)
    last = f", last on {when(row.last_used)}" if row.last_used else ""
    show_facts(
        {
            "Score": f"{row.score:.2f}",
            "Rated by": vouched(row, to_admin=True),
            "Measured": measured or "not measured",
            "Saved": when(row.created),
            "Reused": how_many(row.reused, "time") + last,
        }
    )


def _uses(overview: Overview, pair_id: int) -> None:
    found, total = overview.uses(pair_id)
    if not found:
        st.caption("Not used by any answer yet.")
        return
    st.subheader(f"Used in answers: {total:,}", anchor=False)
    with st.container(gap="xsmall", key="memory-uses"):
        for use in found:
            turn = use.turn
            anew = ", asked again since" if turn.superseded else ""
            told = f"{_ROLES[use.role]}{anew} · {when(turn.created)} · “{turn.question}”"
            page_link("history", as_label(told, 160), turn=turn.id)
    if total > len(found):
        st.caption(f"Showing the newest {len(found)}.")


def _actions(row: MemoryPairRow) -> None:
    with st.container(horizontal=True, key="memory-actions", gap="small"):
        if button("Edit …", icon="edit", key="memory-edit"):
            edit(row)
        # A suspended answer has to be edited, so that it rests on current pages.
        can_be_promoted = row.origin != "curated" and not row.suspended
        if can_be_promoted and button("Promote …", icon="verified", key="memory-promote"):
            promote(row)
        if button("Delete …", icon="delete", key="delete-memory"):
            retire(row)


@st.dialog("Edit the answer", width="large", icon=":material/edit:")
def edit(row: MemoryPairRow) -> None:
    """Ask for the new text of an answer."""
    st.markdown(f"**{as_label(row.question, 300)}**")
    text = without_marks(row.answer["text"])
    written = st.text_area("Answer", text, height=220, key=f"memory-edited-{row.id}")
    st.caption(
        "The answer becomes curated and cites the pages that support it. The previous text is not "
        "kept."
    )
    if button("Save", icon="save", type="primary", key="memory-save"):
        make_change(lambda curation: curation.edit(row.id, written).row.id, "The answer is saved.")


def promote(row: MemoryPairRow) -> None:
    """Ask whether to make an answer a curated one."""
    told = (
        "A curated answer has the highest score. Neither measurements nor feedback change it, and "
        "no other answer replaces it, until an admin edits or deletes it."
    )
    confirm(
        "Promote to a curated answer",
        f"**{as_label(row.question, 300)}**\n\n{told}",
        "Promote",
        lambda: make_change(
            lambda curation: curation.promote(row.id).row.id, "The answer is now curated."
        ),
        icon="verified",
    )


@st.dialog("Delete the answer", icon=":material/delete:")
def retire(row: MemoryPairRow) -> None:
    """Ask whether to delete an answer, and for the reason."""
    st.markdown(f"**{as_label(row.question, 300)}**")
    st.markdown(
        "This saved answer will be deleted. Conversations that contain it stay as they are. This "
        "cannot be undone."
    )
    reason = st.text_input("Reason (for the list of changes)", max_chars=300)
    if confirmed("Delete"):
        make_change(lambda curation: curation.retire(row.id, reason), "Answer deleted.")


def make_change(change: Callable[[Curation], int | None], told: str) -> None:
    """Make a change, say so, and open the resulting pair."""
    with failures_shown():
        go(pair=change(Curation(services.chatbot(), services.current_person())))
        done(told)
