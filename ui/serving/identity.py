"""Who looks at the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from ui.serving.gate import PROXY_PERSON

if TYPE_CHECKING:
    from chatbot.accounts.people import Account, Person
    from chatbot.settings import Settings
    from corpora.database.engine import Database


def person_of_session(database: Database, settings: Settings) -> Person:
    """The person of this session.

    Raises NotSignedIn where there is none, and NotAllowed where somebody signed in who may not
    come in.
    """
    from chatbot.accounts.people import People

    if settings.sign_in == "none":
        return _local()
    return People(database).person(_account(settings))


def _local() -> Person:
    from chatbot.accounts.people import LOCAL, NotSignedIn

    # The server listens on this machine alone, unless somebody started it in a way of their own.
    if st.context.ip_address is not None:
        raise NotSignedIn(
            "This Strata has no sign-in, and can be used on its own machine only. "
            "Start it with `strata serve`."
        )
    return LOCAL


def _account(settings: Settings) -> Account:
    from chatbot.accounts.people import NotSignedIn
    from chatbot.accounts.sign_in import account_of_claims, account_of_header

    if settings.sign_in == "proxy":
        return account_of_header(str(st.user.get(PROXY_PERSON) or ""), settings)
    if st.user.get("is_logged_in") is not True:
        raise NotSignedIn("Nobody is signed in.")
    return account_of_claims(st.user.to_dict(), settings)
