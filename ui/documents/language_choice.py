"""The language of documents as an administrator chooses it."""

import streamlit as st

from chatbot.text.languages import gettext, language_name
from corpora.catalog.languages import LANGUAGES
from corpora.catalog.release_settings import ReleaseAdministration
from corpora.errors import UnknownRelease
from ui.serving import services


def choose_language(said: str, key: str) -> str:
    """A field with what is said now; returns a code, or "" where nothing is said."""
    codes = ["", *LANGUAGES]
    return st.selectbox(
        gettext("Language of the documents"),
        codes,
        index=codes.index(said),
        format_func=lambda code: language_name(code) if code else gettext("Not set"),
        key=key,
        help=gettext(
            "Words are searched for by the rules of this language, from the next upload or "
            "reprocessing on. If it is not set, a release takes that of its product; if that is "
            "not set either, the language of each document is detected."
        ),
    )


def language_said_of(product: str, release: str) -> str:
    """What is said of the language of a release, which may be new."""
    try:
        administration = ReleaseAdministration(services.administered().database)
        return administration.settings(product, release).language
    except UnknownRelease:
        return ""
