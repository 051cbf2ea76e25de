"""What every route is given: the service, and who calls."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from ui.api.callers import Caller, caller_of
from ui.api.service import Service


def serving(request: Request) -> Service:
    """The service, which is opened with the first request."""
    opened: Service = request.app.state.service()
    return opened


Serving = Annotated[Service, Depends(serving)]


def calling(request: Request, service: Serving) -> Caller:
    """The caller; raises NotSignedIn."""
    return caller_of(request, service.chatbot.database, service.chatbot.settings)


Calling = Annotated[Caller, Depends(calling)]
