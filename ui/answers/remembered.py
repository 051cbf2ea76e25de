"""What the memory contributed to an answer: a saved answer given again, or one used as help."""

from collections.abc import Callable

import streamlit as st

from chatbot.reply import Reply
from ui.elements.frame import button, in_a_row
from ui.wording.escaping import as_label
from ui.wording.memory import saved, vouched

_HELPED = {
    "reference": "A saved answer to a similar question helped to write this one",
    "avoid": "An earlier answer was rated poorly; this is a new answer",
}


def show_remembered(turn: int, reply: Reply, afresh: Callable[[], None] | None = None) -> None:
    """Say that an answer is a saved one, or that a saved one helped; else show nothing.

    With `afresh`, a button beside a saved answer asks for a new one.
    """
    role, pairs = reply.memory.role, reply.memory.pairs
    if role in _HELPED and pairs:
        by = f" · {as_label(vouched(pairs[0]), 160)}" if role == "reference" else ""
        st.caption(f":material/history: {_HELPED[role]}{by}")
    if role != "reuse" or not pairs:
        return
    pair = pairs[0]
    with st.container(key=f"reused-{turn}", gap="xxsmall"):
        with in_a_row():
            st.markdown(
                f":small[:gray[:material/history: {as_label(saved(pair), 200)}]]",
                width="content",
            )
            if afresh is not None:
                button(
                    "Answer again from the documents",
                    afresh,
                    icon="refresh",
                    key=f"afresh-{turn}",
                    type="tertiary",
                )
        queries = reply.queries
        if pair.question not in (queries.base, queries.filtered, queries.versionless):
            st.caption(f"Saved for “{as_label(pair.question, 300)}”")
