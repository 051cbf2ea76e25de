"""Jobs are ordered here, and the page goes to where their progress is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from ui.documents.place import go
from ui.elements.notice import note
from ui.serving import services
from ui.wording.escaping import as_text
from ui.wording.failures import expected_failures

if TYPE_CHECKING:
    from chatbot.administration.administration import Administration


def start(order: Callable[[Administration], int], product: str, told: str) -> None:
    """Order a job and show the page anew where it is listed; a refusal is told right here."""
    try:
        order(services.administration())
    except expected_failures() as error:
        st.error(as_text(str(error)), icon=":material/error:")
        return
    note(told)
    go(product, "", "Jobs")
    st.rerun()
