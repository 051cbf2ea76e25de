"""One saved answer: its text, score and uses; editing, promoting and deleting it."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from chatbot.administration.curation import Curation
from chatbot.administration.overview import KeptPair, Overview, PairFilter, Scope
from chatbot.memory.pairs import Store
from chatbot.reply import Reply
from chatbot.text.citation_markers import without_marks
from corpora.database.memory_tables import MemoryPairRow
from ui.answers.answer_text import show_text
from ui.answers.citations import show_citations
from ui.elements.address import go, page_link
from ui.elements.frame import button, confirmed, done, failures_shown
from ui.elements.moments import when
from ui.memory.lists import show_pairs
from ui.serving import services
from ui.wording.amounts import how_many
from ui.wording.escaping import as_code, as_label, as_text
from ui.wording.memory import vouched

_ROLES = {
    "source": "first given here",
    "reuse": "reused",
    "reference": "used as an example",
    "avoid": "avoided (rated poor)",
}


def show_pair(overview: Overview, pair_id: int) -> None:
    """Show everything about one pair; raises UnknownPair if it is gone."""
    pair = overview.pair(pair_id)
    row = pair.row
    with st.container(gap="small", key="memory-heading"):
        button("All questions", partial(go, pair=None), icon="arrow_back", type="tertiary")
        st.title(as_label(row.question, 300), anchor=False)
        st.markdown(_badges(pair))
    if row.suspended:
        st.warning(
            f"Suspended: {as_text(row.suspended)}\\. It is used again when these pages are back.",
            icon=":material/pause_circle:",
        )
    answer, facts = st.columns([5, 3], gap="large")
    with answer:
        _answer(pair)
        _actions(pair)
    with facts:
        _facts(row)
    of = Scope(pair.product, pair.release)
    members = PairFilter(of, Store(row.store), cluster=row.cluster)
    if (total := overview.count(members)) > 1:
        st.subheader(f"Similar questions: {total:,}", anchor=False)
        show_pairs(overview, members, f"members of {of} {row.store} {row.cluster}", size=10)
    _uses(overview, pair_id)


def _badges(pair: KeptPair) -> str:
    release = as_label(f"{pair.product} {pair.release}")
    store = ":green-badge[good]" if pair.row.store == "high" else ":orange-badge[poor]"
    curated = " :blue-badge[:material/verified: curated]" if pair.row.origin == "curated" else ""
    return f":primary-badge[:material/layers: {release}] {store}{curated}"


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
    measured = ", ".join(
        f"{name} {value:.2f}"
        for name, value in (("faithfulness", row.faithfulness), ("relevancy", row.relevancy))
        if value is not None
    )
    used = how_many(row.reused, "time")
    if row.last_used:
        used += f", last on {when(row.last_used)}"
    lines = {
        "Score": f"{row.score:.2f}",
        "Rated by": vouched(row, to_admin=True),
        "Measured": measured or "not measured",
        "Saved": when(row.created),
        "Reused": used,
    }
    st.markdown("  \n".join(f":gray[{k}:] {as_label(v, 160)}" for k, v in lines.items()))


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


def _actions(pair: KeptPair) -> None:
    """A button for each action, which opens a dialog."""
    with st.container(horizontal=True, key="memory-actions", gap="small"):
        if button("Edit …", icon="edit", key="memory-edit"):
            edit(pair)
        # A suspended answer has to be edited, so that it rests on current pages.
        if (
            pair.row.origin != "curated"
            and not pair.row.suspended
            and button("Promote …", icon="verified", key="memory-promote")
        ):
            promote(pair)
        if button("Delete …", icon="delete", key="delete-memory"):
            retire(pair)


@st.dialog("Edit the answer", width="large", icon=":material/edit:")
def edit(pair: KeptPair) -> None:
    """Ask for the new text of an answer."""
    st.markdown(f"**{as_label(pair.row.question, 300)}**")
    written = st.text_area(
        "Answer",
        without_marks(pair.row.answer["text"]),
        height=220,
        key=f"memory-edited-{pair.row.id}",
    )
    st.caption(
        "The answer becomes curated and cites the pages that support it. The previous text is not "
        "kept."
    )
    if button("Save", icon="save", type="primary", key="memory-save"):
        make_change(
            lambda curation: curation.edit(pair.row.id, written).row.id, "The answer is saved."
        )


@st.dialog("Promote to a curated answer", icon=":material/verified:")
def promote(pair: KeptPair) -> None:
    """Ask whether to make an answer a curated one."""
    st.markdown(f"**{as_label(pair.row.question, 300)}**")
    st.markdown(
        "A curated answer has the highest score. Neither measurements nor feedback change it, and "
        "no other answer replaces it, until an admin edits or deletes it."
    )
    if button("Promote", icon="verified", type="primary", key="memory-do-promote"):
        make_change(
            lambda curation: curation.promote(pair.row.id).row.id, "The answer is now curated."
        )


@st.dialog("Delete the answer", icon=":material/delete:")
def retire(pair: KeptPair) -> None:
    """Ask whether to delete an answer, and for the reason."""
    st.markdown(f"**{as_label(pair.row.question, 300)}**")
    st.markdown(
        "This saved answer will be deleted. Conversations that contain it stay as they are. This "
        "cannot be undone."
    )
    reason = st.text_input("Reason (for the list of changes)", max_chars=300)
    if confirmed("Delete"):
        make_change(lambda curation: curation.retire(pair.row.id, reason), "Answer deleted.")


def make_change(change: Callable[[Curation], int | None], told: str) -> None:
    """Make a change, say so, and open the resulting pair."""
    with failures_shown():
        go(pair=change(Curation(services.chatbot(), services.current_person())))
        done(told)
