"""Which product and tab are open, and the way to the jobs whenever one is ordered."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from chatbot.administration.administration import Administration
from ui.elements.address import go
from ui.elements.frame import done, failures_shown
from ui.serving import services

_NEXT_TAB = "documents next tab"
TAB = "documents tab"
"""The key of the tabs of a product; its value is the name of the open one."""


def open_product(product: str, tab: str | None = None) -> None:
    """Open a product from the next run on."""
    go(product=product, release=None)
    st.session_state[_NEXT_TAB] = tab


def open_tab() -> None:
    """Open the tab that was gone to; before the tabs are drawn, since none is changed after."""
    if tab := st.session_state.pop(_NEXT_TAB, None):
        st.session_state[TAB] = tab


def start(order: Callable[[Administration], int], product: str, told: str) -> None:
    """Order a job and show the page anew where it is listed; a refusal is told right here."""
    with failures_shown():
        order(services.administration())
        open_product(product, "Jobs")
        done(told)
