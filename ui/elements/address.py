"""What is open on a page, as its address says."""

from __future__ import annotations

import streamlit as st


def opened(name: str) -> int | None:
    """The number that the address has under a name."""
    named = st.query_params.get(name, "")
    return int(named) if named.isascii() and named.isdigit() and len(named) < 19 else None


def go(**to: int | str | None) -> None:
    """Let the address say this; what is None is taken out of it."""
    for name, value in to.items():
        if value is None:
            st.query_params.pop(name, None)
        else:
            st.query_params[name] = str(value)
