"""A page that shows hostile texts in every way in which the chat page shows text."""

import streamlit as st

from tests.ui.payloads import PAYLOADS
from ui.answers.answer import show_text
from ui.wording.escaping import as_label, as_text

for i, payload in enumerate(PAYLOADS):
    with st.container(key=f"text-{i}"):
        st.markdown(as_text(payload))
    with st.container(key=f"quote-{i}"):
        st.markdown("> " + as_text(payload).replace("\n", "\n> "))
    with st.container(key=f"mark-{i}"):
        st.markdown(f"before :yellow-background[{as_label(payload, 9999)}] after")
    with st.container(key=f"cell-{i}"):
        st.markdown(f"| head | other |\n| --- | --- |\n| {as_label(payload, 9999)} | end |")
    with st.container(key=f"button-{i}"):
        st.button(as_label(payload, 9999), key=f"b{i}")
    with st.container(key=f"error-{i}"):
        st.error(f"No answer: {as_text(payload)}")
    with st.container(key=f"answer-{i}"):
        forms = (
            "{0} [1]\n| a | b |\n| - | - |\n| {0} [1]\n\n1. {0} [2]\n   - {0}\n```\n{0}\n```\n{0}"
        )
        show_text(forms.format(payload), 9)
st.title("All are shown", anchor=False)
