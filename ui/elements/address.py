"""The query parameters that say what is open on a page, and links to other pages."""

from collections.abc import Iterable

import streamlit as st
from streamlit.navigation.page import StreamlitPage

_PAGES = "pages"
_LARGEST = 2**31 - 1


def number_in_address(name: str) -> int | None:
    """The number that a query parameter has; None without one that can be a row's."""
    named = st.query_params.get(name, "")
    number = int(named) if named.isascii() and named.isdigit() and len(named) < 19 else _LARGEST + 1
    return number if number <= _LARGEST else None


def go(**to: int | str | None) -> None:
    """Set query parameters; those that are None are removed."""
    for name, value in to.items():
        if value is None:
            st.query_params.pop(name, None)
        else:
            st.query_params[name] = str(value)


def name_pages(pages: Iterable[StreamlitPage]) -> None:
    """Remember the pages of this person, for `page_link`."""
    st.session_state[_PAGES] = {page.url_path: page for page in pages}


def page_link(page: str, label: str, **opened: int | str) -> None:
    """A link to another page, with query parameters that say what is open there."""
    to = {name: str(value) for name, value in opened.items()}
    st.page_link(st.session_state[_PAGES][page], label=label, query_params=to)
