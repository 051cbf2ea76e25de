"""A remembered answer opened: what it says, who vouches for it, its group, what used it."""

from __future__ import annotations

import streamlit as st

from chatbot.administration.overview import KeptPair, Overview, PairFilter, Scope
from chatbot.memory.pairs import Store
from chatbot.reply import Reply
from corpora.database.memory_tables import MemoryPairRow
from ui.answers.answer_text import show_text
from ui.answers.citations import show_citations
from ui.elements.address import go, page_link
from ui.elements.moments import when
from ui.memory.lists import show_pairs
from ui.memory.pair_actions import show_actions
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
    """Everything on one pair; raises UnknownPair if it is gone."""
    pair = overview.pair(pair_id)
    row = pair.row
    with st.container(gap="small", key="memory-heading"):
        st.button(
            "All questions",
            icon=":material/arrow_back:",
            type="tertiary",
            on_click=go,
            kwargs={"pair": None},
        )
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
        show_actions(pair)
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
