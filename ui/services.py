"""What the pages work with, opened once for the whole process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from chatbot.assembly import Chatbot
    from ui.asking import OpenQuestions


@st.cache_resource(show_spinner="Opening the documentation …")
def chatbot() -> Chatbot:
    """The chatbot over the data folder of the settings."""
    from chatbot.assembly import open_chatbot
    from chatbot.settings import read_settings

    return open_chatbot(read_settings())


@st.cache_resource(show_spinner=False)
def open_questions() -> OpenQuestions:
    """The questions that have no answer yet."""
    from ui.asking import OpenQuestions

    return OpenQuestions(chatbot())
