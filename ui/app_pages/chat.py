"""The chat: a product, a conversation about it, answers with their releases and sources."""

import streamlit as st

from ui.chat.page import chat

st.set_page_config(layout="centered")
chat()
