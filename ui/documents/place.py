"""Which product and which release are open, as the address says."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

_PLACE = "documents place"
_NEXT_TAB = "documents next tab"
TAB = "documents tab"
"""The key of the tabs of a product; its value is the name of the open one."""


@dataclass(frozen=True)
class Place:
    """A product and, if one is open, a release of it; empty where nothing is chosen."""

    product: str = ""
    release: str = ""


def place() -> Place:
    """What is open; at first what the address names, from then on what was gone to."""
    if _PLACE not in st.session_state:
        named = st.query_params
        st.session_state[_PLACE] = Place(named.get("product", ""), named.get("release", ""))
    found: Place = st.session_state[_PLACE]
    for name, value in (("product", found.product), ("release", found.release)):
        if not value:
            st.query_params.pop(name, None)
        elif st.query_params.get(name) != value:
            st.query_params[name] = value
    return found


def go(product: str, release: str = "", tab: str | None = None) -> None:
    """Open a product or one of its releases from the next run on."""
    st.session_state[_PLACE] = Place(product, release)
    st.session_state[_NEXT_TAB] = tab


def open_tab() -> None:
    """Open the tab that was gone to; before the tabs are drawn, since none is changed after."""
    tab = st.session_state.pop(_NEXT_TAB, None)
    if tab:
        st.session_state[TAB] = tab
