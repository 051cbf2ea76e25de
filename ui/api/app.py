"""The routes for programs, put together for the web server."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from http import HTTPStatus
from importlib import metadata
from typing import Any

from anyio import to_thread
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from mcp.server.transport_security import TransportSecuritySettings
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from chatbot.accounts.limits import LimitReached
from chatbot.accounts.people import NotAllowed, NotSignedIn
from chatbot.assembly import Chatbot
from chatbot.conversations.conversations import UnknownConversation
from chatbot.models.errors import GeneratorError
from chatbot.runtime.concurrency import Stopped
from corpora.catalog.catalog import NoCorpus, UnknownRelease
from corpora.database.engine import DatabaseFull, UnusableDatabase
from corpora.generations.disk import DiskFull
from ingestion.errors import StrataError
from ui.api import chat_completions, operating, rest
from ui.api.callers import caller_of
from ui.api.mcp_server import mcp_server
from ui.api.service import NotThere, Service
from ui.wording.escaping import visible

_CLIENT_CLOSED = 499
_STATUS: tuple[tuple[type[Exception], int], ...] = (
    (NotSignedIn, HTTPStatus.UNAUTHORIZED),
    (NotAllowed, HTTPStatus.FORBIDDEN),
    (LimitReached, HTTPStatus.TOO_MANY_REQUESTS),
    (UnknownConversation, HTTPStatus.NOT_FOUND),
    (UnknownRelease, HTTPStatus.NOT_FOUND),
    (NoCorpus, HTTPStatus.NOT_FOUND),
    (NotThere, HTTPStatus.NOT_FOUND),
    (GeneratorError, HTTPStatus.BAD_GATEWAY),
    (UnusableDatabase, HTTPStatus.SERVICE_UNAVAILABLE),
    (DatabaseFull, HTTPStatus.INSUFFICIENT_STORAGE),
    (DiskFull, HTTPStatus.INSUFFICIENT_STORAGE),
    (StrataError, HTTPStatus.UNPROCESSABLE_ENTITY),
    (Stopped, _CLIENT_CLOSED),
)


class Api:
    """The routes for programs, and what has to run while they are served."""

    def __init__(self, chatbot: Callable[[], Chatbot]) -> None:
        self._chatbot = chatbot

        def service() -> Service:
            return Service(chatbot())

        version = metadata.version("strata-docs")
        self._mcp = mcp_server(service, version)
        # Without sessions any of several servers can answer the next request. The gate before
        # all of Strata looks at Host and Origin.
        mcp = self._mcp.streamable_http_app(
            stateless_http=True,
            json_response=True,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        (endpoint,) = (route.app for route in mcp.routes if isinstance(route, Route))
        self._rest = _application("Strata", service, version, openapi_url="/openapi.json")
        self._rest.include_router(rest.router)
        self._rest.include_router(operating.router)
        openai = _application("Strata, OpenAI-compatible", service, version)
        openai.include_router(chat_completions.router)
        self.routes: list[BaseRoute] = [
            Mount("/api/v1", self._rest),
            Mount("/v1", openai),
            Route("/mcp", _Keyed(endpoint, chatbot)),
        ]

    @asynccontextmanager
    async def lifespan(self, app: object) -> AsyncIterator[None]:
        """Open the documentation before anybody asks; serve MCP as long as the server runs."""
        # Where that fails, whoever asks first is told.
        with suppress(StrataError):
            await to_thread.run_sync(self._chatbot)
        async with self._mcp.session_manager.run():
            yield

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document of REST."""
        return self._rest.openapi()


def _application(
    title: str, service: Callable[[], Service], version: str, openapi_url: str | None = None
) -> FastAPI:
    """An application without FastAPI's own pages, which would fetch scripts from elsewhere."""
    app = FastAPI(
        title=title,
        version=version,
        openapi_url=openapi_url,
        docs_url=None,
        redoc_url=None,
        # A redirect would go to whatever host the request names.
        redirect_slashes=False,
    )
    app.state.service = service
    for error, status in _STATUS:
        app.add_exception_handler(error, partial(_failed, status=status))
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _refused)
    return app


def _failed(request: Request, error: Exception, status: int) -> JSONResponse:
    headers = {"WWW-Authenticate": "Bearer"} if status == HTTPStatus.UNAUTHORIZED else None
    told = {"message": visible(str(error)), "type": type(error).__name__}
    return JSONResponse({"error": told}, status, headers)


def _malformed(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    wrong = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
    told = {"message": visible(f"The request is not understood: {wrong}"), "type": "BadRequest"}
    return JSONResponse({"error": told}, HTTPStatus.UNPROCESSABLE_ENTITY)


def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    told = {"message": error.detail, "type": "BadRequest"}
    return JSONResponse({"error": told}, error.status_code, error.headers)


class _Keyed:
    """Refuses requests without a valid key before MCP reads them."""

    def __init__(self, app: ASGIApp, chatbot: Callable[[], Chatbot]) -> None:
        self._app = app
        self._chatbot = chatbot

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer that a key is needed."""
        request = Request(scope)
        try:
            opened = await to_thread.run_sync(self._chatbot)
            await to_thread.run_sync(caller_of, request, opened.database, opened.settings)
        except NotSignedIn as error:
            refused = _failed(request, error, HTTPStatus.UNAUTHORIZED)
            await refused(scope, receive, send)
            return
        await self._app(scope, receive, send)
