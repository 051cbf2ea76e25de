"""What a run or a trial of a source left out."""

from collections.abc import Sequence

import streamlit as st

from chatbot.text.languages import figure, gettext
from ui.elements.table import bullets

_REMARKS = 50


def show_left_out(remarks: Sequence[str]) -> None:
    """The remarks, which say file and reason, to unfold; nothing where there are none."""
    if remarks:
        with st.expander(gettext("Left out ({number})", number=figure(len(remarks)))):
            st.markdown(bullets(remarks, _REMARKS))
