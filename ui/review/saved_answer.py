"""An opened saved answer with its sources, to edit or delete."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from chatbot.accounts.people import Person
from chatbot.administration.curation import Curation
from chatbot.administration.overview import KeptPair, Overview
from chatbot.errors import UnknownPair
from chatbot.memory.scoring import is_vouched
from chatbot.reply import Reply
from chatbot.text.languages import gettext, ngettext
from chatbot.text.markdown import without_marks
from corpora.database.memory_tables import MemoryPairRow
from ui.answers.answer import show_text
from ui.answers.citations import show_citations
from ui.answers.still_true import show_still_true
from ui.elements.address import go
from ui.elements.frame import button, confirm, done, failures_shown, when
from ui.serving import services
from ui.wording.escaping import as_label, as_text
from ui.wording.memory import vouched


def saved_answer(person: Person, pair_id: int) -> bool:
    """Show everything about one pair; False if it is gone, which a toast says."""
    try:
        pair = Overview(services.administered().database, person).pair(pair_id)
    except UnknownPair as error:
        go(pair=None)
        st.toast(as_label(str(error), 300))
        return False
    row, citations = pair.row, pair.row.answer.get("citations", [])
    button(gettext("All saved answers"), partial(go, pair=None), icon="arrow_back", type="tertiary")
    st.title(as_label(pair.asked.words, 300), anchor=False)
    if pair.asked.after:
        st.caption(as_label(pair.asked.asked_after, 300))
    of_release = as_label(f"{pair.product} {pair.release}")
    good, poor = gettext("good"), gettext("poor")
    worth = f":green-badge[{good}]" if row.store == "high" else f":orange-badge[{poor}]"
    badge = worth if is_vouched(row) else f":gray-badge[{gettext('not rated')}]"
    saved = gettext("saved {moment}", moment=when(row.created))
    reused = ngettext("reused {number} time", "reused {number} times", row.reused)
    facts = f"{vouched(row)} · {saved} · {reused}"
    st.markdown(
        f":primary-badge[:material/layers: {of_release}] {badge} "
        f":small[:gray[{as_label(facts, 300)}]]"
    )
    if row.suspended:
        suspended = gettext("Suspended: {reason}", reason=as_text(row.suspended))
        st.warning(
            f"{suspended}\\. {gettext('It is used again when these pages are back.')}",
            icon=":material/pause_circle:",
        )
    with st.container(border=True, key="memory-answer"):
        show_text(row.answer["text"], len(citations))
        reply = Reply(
            answer=row.answer["text"],
            product=pair.product,
            release=pair.release,
            citations=citations,
        )
        show_citations(row.id, reply)
        show_still_true(row.id, reply)
        if not citations:
            st.caption(gettext("No citations."))
    _edit(row)
    if button(gettext("Delete …"), icon="delete", key="delete-memory"):
        retire(pair)
    return True


def _edit(row: MemoryPairRow) -> None:
    title, icon = gettext("Edit"), ":material/edit:"
    with st.expander(title, icon=icon), st.form("memory-edit", border=False):
        written = st.text_area(gettext("Answer"), without_marks(row.answer["text"]), height=220)
        st.caption(
            gettext(
                "The answer becomes curated and cites the pages that support it; no measure, "
                "feedback or other answer changes it. The previous text is not kept."
            )
        )
        if st.form_submit_button(gettext("Save"), icon=":material/save:", type="primary"):
            said = gettext("The answer is saved.")
            _change(lambda curation: curation.edit(row.id, written).row.id, said)


def retire(pair: KeptPair) -> None:
    """Ask whether to delete an answer."""
    consequences = gettext(
        "This saved answer will be deleted. Conversations that contain it stay as they are. This "
        "cannot be undone."
    )
    confirm(
        gettext("Delete the answer"),
        f"**{as_label(pair.title, 300)}**\n\n{consequences}",
        gettext("Delete"),
        lambda: _change(lambda curation: curation.retire(pair.row.id), gettext("Answer deleted.")),
    )


def _change(change: Callable[[Curation], int | None], message: str) -> None:
    """Make a change, say so, and open the resulting pair."""
    with failures_shown():
        go(pair=change(Curation(services.administered(), services.current_person())))
        done(message)
