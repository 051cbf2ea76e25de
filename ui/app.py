"""The web page: a router over the pages in `app_pages`; admins have more of them."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from ingestion.errors import StrataError
from ui.account.outside import stay_outside
from ui.serving.services import current_person

_HERE = Path(__file__).parent
_PAGES = _HERE / "app_pages"

# The pages say how wide they are: said here first, they would change their width in every run.
st.set_page_config(page_title="Strata", page_icon=_HERE / "mark.svg")
st.html(_HERE / "page.css")
st.logo(_HERE / "wordmark.svg", size="large")

try:
    person = current_person()
except StrataError as error:
    stay_outside(error)
    st.stop()

pages = {
    "": [
        st.Page(_PAGES / "chat.py", title="Chat", icon=":material/forum:", default=True),
        st.Page(_PAGES / "account.py", title="Account", icon=":material/person:"),
    ]
}
if person.is_admin:
    pages["Admin"] = [
        st.Page(_PAGES / "documents.py", title="Documents", icon=":material/folder_open:"),
        st.Page(_PAGES / "glossary.py", title="Glossary", icon=":material/translate:"),
        st.Page(_PAGES / "history.py", title="History", icon=":material/history:"),
        st.Page(_PAGES / "gaps.py", title="Gaps", icon=":material/help_center:"),
        # A file called numbers.py would stand in the way of the standard module of that name.
        st.Page(
            _PAGES / "usage.py", title="Numbers", icon=":material/bar_chart:", url_path="numbers"
        ),
        st.Page(_PAGES / "memory.py", title="Memory", icon=":material/psychology:"),
        st.Page(_PAGES / "audit.py", title="Audit log", icon=":material/fact_check:"),
    ]
st.navigation(pages, position="top").run()
