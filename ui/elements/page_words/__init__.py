"""Streamlit's own words in the language of the page, where that is not English.

Streamlit has them in English alone, and most of them cannot be given to it. Its script finds them
by the letter, so that one which a later version words anew is English again, and nothing breaks.
"""

from pathlib import Path

import streamlit as st
from streamlit.components.v1 import declare_component

from chatbot.text.languages import ENGLISH, gettext, gettext_noop, language

_SPOKEN = "page words"
_script = declare_component("page_words", path=str(Path(__file__).parent))

# `{name}` is whatever stands there.
_WORDS = (
    gettext_noop("Skip to main content"),
    gettext_noop("Logo"),
    gettext_noop("Sidebar"),
    gettext_noop("Collapse sidebar"),
    gettext_noop("Expand sidebar"),
    gettext_noop("App pages"),
    gettext_noop("Navigate to home page"),
    gettext_noop("Notifications"),
    gettext_noop("Close"),
    gettext_noop("progress"),
    gettext_noop("Help"),
    gettext_noop("Help for {name}"),
    gettext_noop("Running..."),
    gettext_noop("Connecting"),
    gettext_noop("Connection error"),
    gettext_noop("Streamlit server is not responding. Are you connected to the internet?"),
    gettext_noop(
        "Is Streamlit still running? If you accidentally stopped Streamlit, just restart it in "
        "your terminal:"
    ),
    gettext_noop("Choose an option"),
    gettext_noop("Choose options"),
    gettext_noop("Choose or add an option"),
    gettext_noop("Choose or add options"),
    gettext_noop("Add options"),
    gettext_noop("No options to select"),
    gettext_noop("No results"),
    gettext_noop("Add: {name}"),
    gettext_noop("Remove {name}"),
    gettext_noop("Select all"),
    gettext_noop("Clear all"),
    gettext_noop("Clear value"),
    gettext_noop("Dismiss"),
    gettext_noop("{name} option available."),
    gettext_noop("{name} options available."),
    gettext_noop("Clear entry"),
    gettext_noop("Open"),
    gettext_noop("Press Enter to apply"),
    gettext_noop("Press Enter to submit form"),
    gettext_noop("Press Ctrl+Enter to apply"),
    gettext_noop("Press Ctrl+Enter to submit form"),
    gettext_noop("Decrement"),
    gettext_noop("Increment"),
    gettext_noop("Choose date"),
    gettext_noop("Clear date"),
    gettext_noop("Send message"),
    gettext_noop("Chat message from user"),
    gettext_noop("Chat message from assistant"),
    gettext_noop("Feedback rating"),
    gettext_noop("Thumbs up"),
    gettext_noop("Thumbs down"),
    gettext_noop("Upload"),
    gettext_noop("Upload directories"),
    gettext_noop("Add files"),
    gettext_noop("file upload"),
    gettext_noop("{name} per file"),
    gettext_noop("Drag and drop a file here"),
    gettext_noop("Drag and drop files here"),
    gettext_noop("Drag and drop directories here"),
    gettext_noop("Error:"),
    gettext_noop("{name} files are not allowed."),
    gettext_noop("File must be {name} or smaller."),
    gettext_noop("Pagination"),
    gettext_noop("Previous page"),
    gettext_noop("Next page"),
    gettext_noop("Page {name}"),
    gettext_noop("Search"),
    gettext_noop("Search: {name}"),
    gettext_noop("Close Search"),
    gettext_noop("Previous Result"),
    gettext_noop("Next Result"),
    gettext_noop("Show/hide columns"),
    gettext_noop("Show/hide columns: {name}"),
    gettext_noop("Download as {name}"),
    gettext_noop("Show data"),
    gettext_noop("Show data: {name}"),
    gettext_noop("Show chart"),
    gettext_noop("Show chart: {name}"),
    gettext_noop("Copy Vega-Lite spec"),
    gettext_noop("Copy Vega-Lite spec: {name}"),
    gettext_noop("Fullscreen"),
    gettext_noop("Fullscreen: {name}"),
    gettext_noop("Close fullscreen"),
    gettext_noop("Close fullscreen: {name}"),
    gettext_noop("Clear selection"),
    gettext_noop("Clear selection: {name}"),
    gettext_noop("Sort ascending"),
    gettext_noop("Sort descending"),
    gettext_noop("Statistics"),
    gettext_noop("Format"),
    gettext_noop("Autosize"),
    gettext_noop("Pin column"),
    gettext_noop("Unpin column"),
    gettext_noop("Hide column"),
    gettext_noop("Copy column name"),
    gettext_noop("Copy to clipboard"),
    gettext_noop("Copied"),
)


def speak_to_browser() -> None:
    """Tell the browser the language of the page, and Streamlit's words in it."""
    # Who has chosen English again has the words of another language in the page.
    if language() != ENGLISH or _SPOKEN in st.session_state:
        st.session_state[_SPOKEN] = True
        words = [(word, gettext(word)) for word in _WORDS]
        _script(key="page-words", default=None, language=language(), words=words)
