"""Who calls: a program with a key, or whoever is on this computer where sign-in is off."""

from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import SecurityScopes
from starlette.requests import HTTPConnection

from chatbot.accounts.people import NotAllowed, NotSignedIn
from chatbot.accounts.program_keys import ProgramKeys, Scope, person_of
from chatbot.assembly import Chatbot
from ui.api.service import Service


def service_of(connection: HTTPConnection, chatbot: Chatbot, *needed: str) -> Service:
    """The service of who sends a request, by the key in its Authorization header.

    A key never travels in a URL, which ends up in logs, and a person's sign-in is none: what a
    browser sends by itself must not let a foreign page ask. Raises NotSignedIn, and NotAllowed
    where the key lacks a scope that is needed.
    """
    scheme, _, key = connection.headers.get("authorization", "").partition(" ")
    if key and scheme.lower() == "bearer":
        program = ProgramKeys(chatbot.database).program(key.strip())
        for scope in needed:
            if scope not in program.scopes:
                raise NotAllowed(f"This key may not do that: it lacks the scope “{scope}”.")
        return Service(chatbot, person_of(program), program.questions_per_minute)
    if chatbot.settings.sign_in == "none" and not key:
        return Service(chatbot)
    raise NotSignedIn(
        "A key is needed: make one on the Account page and send it as “Authorization: Bearer KEY”."
    )


def opened(request: Request) -> Chatbot:
    """The chatbot, which is opened with the first request."""
    chatbot: Chatbot = request.app.state.chatbot()
    return chatbot


Opened = Annotated[Chatbot, Depends(opened)]


def _serving(request: Request, chatbot: Opened, scopes: SecurityScopes) -> Service:
    return service_of(request, chatbot, *scopes.scopes)


Searching = Annotated[Service, Security(_serving, scopes=[Scope.SEARCH])]
Asking = Annotated[Service, Security(_serving, scopes=[Scope.ASK])]
Ingesting = Annotated[Service, Security(_serving, scopes=[Scope.INGEST])]
Operating = Annotated[Service, Security(_serving, scopes=[Scope.ADMIN])]
"""The service of a caller who has the scope."""
