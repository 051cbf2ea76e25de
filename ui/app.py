"""The web page: a router over the pages in `app_pages`."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

_HERE = Path(__file__).parent

st.set_page_config(page_title="Strata", page_icon=_HERE / "mark.svg", layout="centered")
st.html(_HERE / "page.css")
st.logo(_HERE / "mark.svg", size="large")
st.navigation([st.Page(_HERE / "app_pages" / "chat.py", title="Strata", default=True)]).run()
