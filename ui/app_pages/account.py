"""Who one is here, and what is kept of one."""

import streamlit as st

from ui.account.page import account

st.set_page_config(layout="centered")
account()
