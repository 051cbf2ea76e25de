"""The dependencies of the routes: the service and the caller."""

from typing import Annotated

from fastapi import Depends, Request, Security
from fastapi.security import SecurityScopes

from chatbot.accounts.program_keys import Scope
from ui.api.callers import Caller, caller_of
from ui.api.service import Service


def serving(request: Request) -> Service:
    """The service, which is opened with the first request."""
    opened: Service = request.app.state.service()
    return opened


Serving = Annotated[Service, Depends(serving)]


def calling(request: Request, service: Serving, scopes: SecurityScopes) -> Caller:
    """The caller, who has the scopes that a route names; raises NotSignedIn and NotAllowed."""
    caller = caller_of(request, service.chatbot.database, service.chatbot.settings)
    for scope in scopes.scopes:
        caller.require(Scope(scope))
    return caller


Searching = Annotated[Caller, Security(calling, scopes=[Scope.SEARCH])]
Asking = Annotated[Caller, Security(calling, scopes=[Scope.ASK])]
Ingesting = Annotated[Caller, Security(calling, scopes=[Scope.INGEST])]
Operating = Annotated[Caller, Security(calling, scopes=[Scope.ADMIN])]
