"""Who looks at the page."""

from __future__ import annotations

import streamlit as st

from chatbot.accounts.people import LOCAL, Account, NotSignedIn, People, Person
from chatbot.accounts.sign_in import account_of_claims, account_of_header
from chatbot.settings import Settings
from corpora.database.engine import Database
from ui.serving.gate import PROXY_PERSON


def person_of_session(database: Database, settings: Settings) -> Person:
    """The person of this session.

    Raises NotSignedIn where there is none, and NotAllowed where somebody signed in who may not
    come in.
    """
    if settings.sign_in == "none":
        return _local()
    return People(database).person(_account(settings))


def _local() -> Person:
    # The server listens on this machine alone, unless somebody started it in a way of their own.
    if st.context.ip_address is not None:
        raise NotSignedIn(
            "This Strata has no sign-in, and can be used on its own machine only. "
            "Start it with `strata serve`."
        )
    return LOCAL


def _account(settings: Settings) -> Account:
    if settings.sign_in == "proxy":
        return account_of_header(str(st.user.get(PROXY_PERSON) or ""), settings)
    if st.user.get("is_logged_in") is not True:
        raise NotSignedIn("Nobody is signed in.")
    return account_of_claims(st.user.to_dict(), settings)
