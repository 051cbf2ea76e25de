"""The router over the pages; admins have more of them."""

from contextlib import nullcontext
from pathlib import Path

import streamlit as st

from chatbot.text.languages import gettext
from ingestion.errors import StrataError
from ui.account import account, stay_outside
from ui.chat.page import chat
from ui.documents.page import documents
from ui.elements.address import name_pages
from ui.elements.language import speak_with
from ui.elements.page_words import speak_to_browser
from ui.evaluation.page import evaluation
from ui.glossary import glossary
from ui.releases import releases
from ui.review.audit_page import audit
from ui.review.gaps_page import gaps
from ui.review.history_page import history
from ui.review.numbers_page import numbers
from ui.serving.services import administers, current_person, is_open
from ui.syncing.page import sources

_HERE = Path(__file__).parent

# The pages say how wide they are: said here first, they would change their width in every run.
st.set_page_config(page_title="Strata", page_icon=_HERE / "mark.svg")
st.html(_HERE / "page.css")
st.logo(_HERE / "wordmark.svg", size="large")

try:
    opening = st.spinner(gettext("Opening the documentation …"))
    with nullcontext() if is_open() else opening:
        person = current_person()
    speak_with(person)
except StrataError as error:
    speak_to_browser()
    stay_outside(error)
    st.stop()

speak_to_browser()

# A page's address is the name of its function.
pages = {
    "": [
        st.Page(chat, title=gettext("Chat"), icon=":material/forum:", default=True),
        st.Page(releases, title=gettext("Releases"), icon=":material/layers:"),
        st.Page(account, title=gettext("Account"), icon=":material/person:"),
    ]
}
if administers(person):
    pages[gettext("Admin")] = [
        st.Page(documents, title=gettext("Documents"), icon=":material/folder_open:"),
        st.Page(sources, title=gettext("Sources"), icon=":material/sync:"),
        st.Page(glossary, title=gettext("Glossary"), icon=":material/translate:"),
        st.Page(history, title=gettext("Review"), icon=":material/rate_review:"),
        st.Page(gaps, title=gettext("Gaps"), icon=":material/help_center:"),
        st.Page(numbers, title=gettext("Numbers"), icon=":material/bar_chart:"),
        st.Page(evaluation, title=gettext("Evaluation"), icon=":material/science:"),
    ]
if person.is_admin:
    audit_log = st.Page(audit, title=gettext("Audit log"), icon=":material/fact_check:")
    pages[gettext("Admin")].append(audit_log)
name_pages(page for group in pages.values() for page in group)
st.navigation(pages, position="top").run()
