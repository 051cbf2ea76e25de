"""Opening a product and one of its tabs; the tab Jobs opens when a job is ordered."""

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
    """Select the tab that is to be open; only possible before the tabs are drawn."""
    if tab := st.session_state.pop(_NEXT_TAB, None):
        st.session_state[TAB] = tab


def start(order: Callable[[Administration], int], product: str, told: str) -> None:
    """Order a job and open the list of jobs; a refusal is shown right here."""
    with failures_shown():
        order(services.administration())
        open_product(product, "Jobs")
        done(told)
