"""A remembered answer opened: what it says, who vouches for it, its group, what used it."""

from __future__ import annotations

import streamlit as st

from chatbot.administration.kept import KeptPair
from chatbot.administration.overview import Overview, PairFilter
from chatbot.administration.use_list import Uses
from chatbot.reply import Reply
from ui.answers.answer_text import show_text
from ui.answers.citations import show_citations
from ui.elements.address import go, page_link
from ui.elements.moments import day, when
from ui.memory.lists import show_pairs
from ui.memory.pair_actions import show_actions
from ui.serving import services
from ui.serving.services import current_person
from ui.wording.amounts import how_many
from ui.wording.escaping import as_code, as_label, as_text
from ui.wording.memory import vouched_by

_ROLES = {
    "source": "first given here",
    "reuse": "reused",
    "reference": "used as an example",
    "avoid": "avoided (rated poor)",
}


def show_pair(overview: Overview, pair_id: int) -> None:
    """Everything on one pair; raises UnknownPair if it is gone."""
    pair = overview.pair(pair_id)
    with st.container(gap="small", key="memory-heading"):
        st.button(
            "All questions",
            icon=":material/arrow_back:",
            type="tertiary",
            on_click=go,
            kwargs={"pair": None},
        )
        st.title(as_label(pair.question, 300), anchor=False)
        st.markdown(_badges(pair))
    if pair.suspended:
        st.warning(
            f"Suspended: {as_text(pair.suspended)}\\. It is used again when these pages are back.",
            icon=":material/pause_circle:",
        )
    answer, facts = st.columns([5, 3], gap="large")
    with answer:
        _answer(pair)
        show_actions(pair)
    with facts:
        _facts(pair)
    members = PairFilter(cluster=pair.cluster)
    if (total := overview.count(members)) > 1:
        st.subheader(f"Similar questions: {total:,}", anchor=False)
        show_pairs(overview, members, f"members of {pair.cluster}", size=10)
    _uses(pair)


def _badges(pair: KeptPair) -> str:
    release = as_label(f"{pair.product} {pair.release}")
    store = ":green-badge[good]" if pair.store == "high" else ":orange-badge[poor]"
    curated = " :blue-badge[:material/verified: curated]" if pair.origin == "curated" else ""
    return f":primary-badge[:material/layers: {release}] {store}{curated}"


def _answer(pair: KeptPair) -> None:
    with st.container(border=True, key="memory-answer"):
        show_text(pair.answer, len(pair.citations))
        reply = Reply(answer=pair.answer, product=pair.product, citations=pair.citations)
        show_citations(pair.id, reply)
        if not pair.citations:
            st.caption("No citations.")
        for link in pair.links:
            st.markdown(f":small[:material/link: {as_code(link)}]")


def _facts(pair: KeptPair) -> None:
    vouched = vouched_by(pair.origin, pair.score, pair.rated_by, pair.rated, to_admin=True, day=day)
    measured = ", ".join(
        f"{name} {value:.2f}"
        for name, value in (("faithfulness", pair.faithfulness), ("relevancy", pair.relevancy))
        if value is not None
    )
    used = how_many(pair.reused, "time")
    if pair.last_used:
        used += f", last on {when(pair.last_used)}"
    lines = {
        "Score": f"{pair.score:.2f}",
        "Rated by": vouched,
        "Measured": measured or "not measured",
        "Saved": when(pair.created),
        "Reused": used,
    }
    st.markdown("  \n".join(f":gray[{k}:] {as_label(v, 160)}" for k, v in lines.items()))


def _uses(pair: KeptPair) -> None:
    uses = Uses(services.chatbot().database, current_person())
    found = uses.of(pair.id)
    if not found:
        st.caption("Not used by any answer yet.")
        return
    total = uses.count(pair.id)
    st.subheader(f"Used in answers: {total:,}", anchor=False)
    with st.container(gap="xsmall", key="memory-uses"):
        for use in found:
            anew = ", asked again since" if use.superseded else ""
            told = f"{_ROLES[use.role]}{anew} · {when(use.asked)} · “{use.question}”"
            page_link("history", as_label(told, 160), turn=use.turn)
    if total > len(found):
        st.caption(f"Showing the newest {len(found)}.")
