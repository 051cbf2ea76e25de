"""Which pair is open on the memory page, as the address says: `memory?pair=ID`."""

from __future__ import annotations

import streamlit as st

_PAIR = "pair"


def opened() -> int | None:
    """The pair that the address names."""
    named = st.query_params.get(_PAIR, "")
    return int(named) if named.isascii() and named.isdigit() and len(named) < 19 else None


def go(pair: int | None) -> None:
    """Open a pair, or with None the list."""
    if pair is None:
        st.query_params.pop(_PAIR, None)
    else:
        st.query_params[_PAIR] = str(pair)


def address_of(pair: int) -> dict[str, str]:
    """What the address of a pair says, for a link from another page."""
    return {_PAIR: str(pair)}
