"""The routes for programs, put together for the web server."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from importlib import metadata

from anyio import to_thread
from fastapi import APIRouter, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from chatbot.chatbot import Chatbot
from chatbot.errors import (
    AnsweringEnded,
    GeneratorError,
    LimitReached,
    NotAllowed,
    NotSignedIn,
    TookTooLong,
    UnknownConversation,
)
from chatbot.runtime.concurrency import Stopped
from chatbot.settings import Settings
from chatbot.text.languages import chosen_from, spoken
from corpora.errors import (
    DatabaseFull,
    DiskFull,
    NoCorpus,
    NoSuchSource,
    NothingWaits,
    UnknownRelease,
    UnusableDatabase,
)
from ingestion.errors import StrataError
from ui.api import (
    chat_completions,
    documentation,
    operating,
    release_checks,
    release_packs,
    rest,
    sources,
)
from ui.api.mcp_server import mcp_server
from ui.api.service import NotThere, service_of, settings_of
from ui.api.streaming import failure
from ui.wording.escaping import visible
from ui.wording.failures import objections

_CLIENT_CLOSED = 499
_POST_ALONE = HTTPStatus.METHOD_NOT_ALLOWED, {"Allow": "POST"}
_STATUS: dict[type[Exception], int] = {
    NotSignedIn: HTTPStatus.UNAUTHORIZED,
    NotAllowed: HTTPStatus.FORBIDDEN,
    LimitReached: HTTPStatus.TOO_MANY_REQUESTS,
    UnknownConversation: HTTPStatus.NOT_FOUND,
    UnknownRelease: HTTPStatus.NOT_FOUND,
    NoCorpus: HTTPStatus.NOT_FOUND,
    NotThere: HTTPStatus.NOT_FOUND,
    NothingWaits: HTTPStatus.CONFLICT,
    NoSuchSource: HTTPStatus.NOT_FOUND,
    GeneratorError: HTTPStatus.BAD_GATEWAY,
    TookTooLong: HTTPStatus.GATEWAY_TIMEOUT,
    AnsweringEnded: HTTPStatus.SERVICE_UNAVAILABLE,
    UnusableDatabase: HTTPStatus.SERVICE_UNAVAILABLE,
    DatabaseFull: HTTPStatus.INSUFFICIENT_STORAGE,
    DiskFull: HTTPStatus.INSUFFICIENT_STORAGE,
    StrataError: HTTPStatus.UNPROCESSABLE_ENTITY,
    Exception: HTTPStatus.INTERNAL_SERVER_ERROR,
}


class Api:
    """The routes for programs, and what has to run while they are served."""

    def __init__(self, chatbot: Callable[[], Chatbot]) -> None:
        self._chatbot = chatbot
        self._mcp = mcp_server(chatbot)
        # Without sessions any of several servers can answer the next request. The gate before
        # all of Strata looks at Host and Origin.
        mcp = self._mcp.streamable_http_app(
            stateless_http=True,
            json_response=True,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )
        (endpoint,) = (route.app for route in mcp.routes if isinstance(route, Route))
        described = _application(
            chatbot,
            "/openapi.json",
            rest.router,
            release_checks.router,
            release_packs.router,
            sources.router,
            sources.hooks,
            operating.router,
        )
        openai = _application(chatbot, None, chat_completions.router)
        documentation_app = _application(chatbot, None, documentation.router)
        openai.add_exception_handler(RequestValidationError, _malformed_as_openai)
        self.routes: list[BaseRoute] = [
            Mount("/api/v1", described, middleware=[Middleware(_Heads), Middleware(_Spoken)]),
            Mount("/v1", openai, middleware=[Middleware(_Heads), Middleware(_Spoken)]),
            Mount(documentation.PLACE, documentation_app, middleware=[Middleware(_Heads)]),
            Route("/mcp", _Keyed(endpoint, chatbot)),
        ]

    @asynccontextmanager
    async def lifespan(self, app: object) -> AsyncIterator[None]:
        """Open the documentation before anybody asks; serve MCP as long as the server runs."""
        # Where that fails, the first question reports it.
        with suppress(StrataError):
            await to_thread.run_sync(self._chatbot)
        async with self._mcp.session_manager.run():
            yield


def _application(
    chatbot: Callable[[], Chatbot], openapi_url: str | None, *routers: APIRouter
) -> FastAPI:
    """An application without FastAPI's own pages, which would fetch scripts from elsewhere."""
    app = FastAPI(
        title="Strata",
        version=metadata.version("strata-docs"),
        openapi_url=openapi_url,
        docs_url=None,
        redoc_url=None,
        # A redirect would go to whatever host the request names.
        redirect_slashes=False,
    )
    app.state.chatbot = chatbot
    for router in routers:
        app.include_router(router)
    app.add_exception_handler(StrataError, _failed)
    app.add_exception_handler(Stopped, _left)
    app.add_exception_handler(ClientDisconnect, _left)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(Exception, _failed)
    return app


def _failed(request: Request, error: Exception) -> JSONResponse:
    return _of_failure(error, settings_of(request.app.state.chatbot))


def _left(request: Request, error: Exception) -> JSONResponse:
    return _error_response("The question was stopped.", "Stopped", _CLIENT_CLOSED)


def _of_failure(error: Exception, settings: Settings | None) -> JSONResponse:
    status = next(_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS)
    headers = {"WWW-Authenticate": "Bearer"} if status == HTTPStatus.UNAUTHORIZED else None
    return JSONResponse({"error": failure(error, settings)}, status, headers)


def _malformed(
    request: Request, error: Exception, status: HTTPStatus = HTTPStatus.UNPROCESSABLE_ENTITY
) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    within = [{**one, "loc": one["loc"][1:]} for one in error.errors()]
    message = f"The request cannot be understood: {objections(within)}."
    return _error_response(message, "BadRequest", status)


def _malformed_as_openai(request: Request, error: Exception) -> JSONResponse:
    return _malformed(request, error, HTTPStatus.BAD_REQUEST)


def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    return _error_response(error.detail, "BadRequest", error.status_code, error.headers)


def _error_response(
    message: str, kind: str, status: int, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    return JSONResponse({"error": {"message": visible(message), "type": kind}}, status, headers)


class _Heads:
    """Answers HEAD as GET, for monitors and proxies; the server leaves out the body."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] == "http" and scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}
        await self._app(scope, receive, send)


class _Spoken:
    """Answers in the language that the header Accept-Language asks for, of those there are.

    What a reply says is in the language of the question, where its words tell it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        with spoken(chosen_from(Headers(scope=scope).get("accept-language", ""))):
            await self._app(scope, receive, send)


class _Keyed:
    """Refuses requests without a valid key before MCP reads them.

    Every call is a POST: there are no sessions to end, and a stream would never say anything.
    """

    def __init__(self, app: ASGIApp, chatbot: Callable[[], Chatbot]) -> None:
        self._app = app
        self._chatbot = chatbot

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer that a key is needed."""
        request = Request(scope)
        app = self._app
        try:
            await to_thread.run_sync(lambda: service_of(request, self._chatbot()))
            if request.method != "POST":
                app = _error_response("Send calls by POST.", "BadRequest", *_POST_ALONE)
        except StrataError as error:
            app = _of_failure(error, None)
        await app(scope, receive, send)
