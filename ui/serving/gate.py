"""The gate before Streamlit's server: access to its addresses, by person and by origin.

Streamlit itself asks for no sign-in before its own addresses (uploads, media, metrics), believes
what a proxy's header says from anywhere, and looks for its own address on the internet to judge
where a page comes from. So all that is settled here, before Streamlit sees a request.
"""

import json
import re
from collections.abc import Callable
from functools import cache
from http import HTTPStatus
from pathlib import Path
from urllib.parse import urlsplit

from anyio import to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.routing import Match
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import file_util
from streamlit.auth_util import get_cookie_with_chunks
from streamlit.web.server.server_util import get_cookie_secret
from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

from chatbot.accounts.people import Account
from chatbot.accounts.settings import LOOPBACK
from chatbot.accounts.sign_in import account_of_claims, account_of_header, comes_from_proxy
from chatbot.errors import NotAllowed
from chatbot.settings import Settings

PROXY_PERSON = "X-Strata-Person"
"""The header in which the gate passes on whom the proxy named; nobody else can set it."""
PROXY_GROUPS = "X-Strata-Groups"
"""The same for the groups of that person."""

PAGES = frozenset(
    (
        *("", "releases", "account", "documents", "sources", "glossary"),
        *("history", "gaps", "numbers", "evaluation", "audit"),
    )
)
"""The addresses of the pages."""

_HEALTH = "/_stcore/health"
_UPLOAD = "/_stcore/upload_file/"
_UPLOADS = ("/api/v1/jobs", "/api/v1/packs", _UPLOAD)
_LARGEST_BODY = 2_000_000
"""Bytes of what is no upload: it is read before it is known whether its sender has a key."""
_FOR_PROGRAMS = ("/api/", "/v1/", "/mcp", "/docs/")
FOR_SIGNED_IN = ("/media", "/_stcore/upload_file", "/_stcore/metrics", "/_stcore/agent")
_FOR_ADMINS = ("/_stcore/upload_file", "/_stcore/metrics", "/_stcore/agent")
_PRIVATE = (*_FOR_PROGRAMS, *FOR_SIGNED_IN, "/auth/", "/oauth2callback")
"""Addresses whose replies no shared browser and no proxy may cache."""
_HOST = re.compile(r"(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?", re.ASCII | re.IGNORECASE)
# The browser's own wall behind the escaping of text: whatever a page came to hold, nothing is
# fetched from elsewhere or sent there, and no script runs that does not lie on this server.
# Charts compile their expressions, and Streamlit styles its elements one by one; the hash is of
# the one line of script in its page, which is for crawlers.
_CONTENT = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-eval' "
    "'sha256-THxz9J9+wf7rhwR2YkXJoSZ13UCmYyC+3lNDv2+8ugA='; "
    "img-src 'self' data: blob:; media-src 'self' data: blob:; font-src 'self' data:; "
    "worker-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; "
    "frame-ancestors 'self'"
)
_HARDENING = {
    "Content-Security-Policy": _CONTENT,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "SAMEORIGIN",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Gate:
    """ASGI middleware that refuses what does not come from Strata's own pages and people.

    `administers` says whether somebody is an admin of products, who uploads to these.
    """

    def __init__(
        self,
        app: ASGIApp,
        settings: Settings,
        administers: Callable[[Account], bool] = lambda account: False,
    ) -> None:
        self._app = app
        self._settings = settings
        self._administers = administers
        self._secure = (settings.public_url or "").startswith("https:")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it with a refusal."""
        if scope["type"] not in {"http", "websocket"}:
            await self._app(scope, receive, send)
            return
        named = self._named_by_proxy(scope, self._settings.proxy_user_header)
        if (refusal := await self._refusal(scope, named)) is not None:
            status, message = refusal
            # While a websocket is not open yet, this is a plain refusal of its opening request.
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008, "reason": message})
            else:
                await PlainTextResponse(message, status)(scope, receive, send)
            return
        if not scope["path"].startswith(_UPLOADS):
            receive = _bounded(receive)
        is_private = scope["path"].startswith(_PRIVATE)
        await self._app(self._marked(scope, named), receive, self._hardened(send, is_private))

    async def _refusal(self, scope: Scope, named: str) -> tuple[HTTPStatus, str] | None:
        path: str = scope["path"]
        headers = Headers(scope=scope)
        if path == _HEALTH:
            return None
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not _HOST.fullmatch(hosts[0]):
            return HTTPStatus.BAD_REQUEST, "The request does not say which host it is meant for."
        reads = scope["type"] == "http" and scope["method"] in {"GET", "HEAD", "OPTIONS"}
        # Browsers send the origin of a request that changes something; programs need not.
        changes = not reads and not path.startswith(_FOR_PROGRAMS)
        # A picture, a frame or a link on a foreign page is asked for without an origin.
        is_shown_elsewhere = headers.get("sec-fetch-site") == "cross-site"
        if is_shown_elsewhere and path.startswith((*_FOR_PROGRAMS, "/auth/")):
            return HTTPStatus.FORBIDDEN, "No page on another site may ask for this."
        if not self._is_at_home(headers, changes):
            return HTTPStatus.FORBIDDEN, "This page is not one of Strata's."
        if path.startswith(FOR_SIGNED_IN) and self._settings.sign_in != "none":
            try:
                account = self._account(scope, named)
            except NotAllowed as error:
                return HTTPStatus.UNAUTHORIZED, str(error)
            if path.startswith(_FOR_ADMINS) and not account.is_admin:
                uploads = path.startswith(_UPLOAD)
                if not (uploads and await to_thread.run_sync(self._administers, account)):
                    return HTTPStatus.FORBIDDEN, "Only admins can do this."
        if scope["type"] == "http" and _leads_nowhere(scope):
            return HTTPStatus.NOT_FOUND, "There is no such page."
        return None

    def _is_at_home(self, headers: Headers, changes: bool) -> bool:
        """Whether a request comes from one of our pages, and is meant for us.

        Without sign-in whoever reaches the server is the admin, so the name it is reached by has
        to be this machine's: else a page from elsewhere could let its own name point here.
        """
        origin, host = headers.get("origin"), headers["host"]
        if self._settings.sign_in == "none":
            if not _is_this_machine(host):
                return False
            return origin == f"http://{host}" or (origin is None and not changes)
        return origin == self._settings.public_url or (origin is None and not changes)

    def _account(self, scope: Scope, named: str) -> Account:
        if self._settings.sign_in == "proxy":
            groups = self._named_by_proxy(scope, self._settings.proxy_groups_header)
            return account_of_header(named, self._settings, groups)
        return account_of_claims(_claims(HTTPConnection(scope).cookies), self._settings)

    def _named_by_proxy(self, scope: Scope, header: str | None) -> str:
        """What a header of the proxy says, if it stands there once and the proxy sent it."""
        client = scope.get("client")
        if not header or not client or not comes_from_proxy(client[0], self._settings):
            return ""
        values = Headers(scope=scope).getlist(header)
        return values[0] if len(values) == 1 else ""

    def _marked(self, scope: Scope, named: str) -> Scope:
        marked = dict(scope)
        marked["headers"] = list(scope["headers"])
        headers = MutableHeaders(scope=marked)
        groups = self._named_by_proxy(scope, self._settings.proxy_groups_header)
        of_proxy = self._settings.proxy_user_header, self._settings.proxy_groups_header
        for header in (PROXY_PERSON, PROXY_GROUPS, *of_proxy):
            if header:
                del headers[header]
        if named:
            headers[PROXY_PERSON] = named
        if named and groups:
            headers[PROXY_GROUPS] = groups
        return marked

    def _hardened(self, send: Send, is_private: bool) -> Send:
        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(_HARDENING)
                if is_private:
                    headers["Cache-Control"] = "no-store"
                if self._secure:
                    cookies = headers.getlist("set-cookie")
                    del headers["set-cookie"]
                    for cookie in cookies:
                        secure = "" if "; secure" in cookie.lower() else "; Secure"
                        headers.append("set-cookie", cookie + secure)
            await send(message)

        return sending


def _bounded(receive: Receive) -> Receive:
    """A receiver that refuses a body larger than a question can be."""
    size = 0

    async def receiving() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > _LARGEST_BODY:
            reason = (
                f"The request is larger than {_LARGEST_BODY // 1_000_000} MB: send less at once."
            )
            raise HTTPException(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, reason)
        return message

    return receiving


def _leads_nowhere(scope: Scope) -> bool:
    """Whether Streamlit would show its page at an address that no page has.

    A program would take that for an answer. It redirects what has only a slash too much.
    """
    place = {**scope, "path": scope["path"].rstrip("/") or "/"}
    for route in scope["app"].routes:
        if route.matches(place)[0] is not Match.NONE:
            name = place["path"].removeprefix("/")
            is_page = name in PAGES or name in _files_of_pages()
            return isinstance(getattr(route, "app", None), StaticFiles) and not is_page
    return False


@cache
def _files_of_pages() -> frozenset[str]:
    place = Path(file_util.get_static_dir())
    return frozenset(f.relative_to(place).as_posix() for f in place.rglob("*") if f.is_file())


def _is_this_machine(host: str) -> bool:
    try:
        return urlsplit(f"//{host}").hostname in LOOPBACK
    except ValueError:
        return False


def _claims(cookies: dict[str, str]) -> dict[str, object]:
    """The claims in Streamlit's signed cookie; none if its signature is not valid."""

    def signed(name: str) -> bytes | None:
        return decode_signed_value(get_cookie_secret(), name, cookies.get(name, ""))

    genuine = get_cookie_with_chunks(signed, USER_COOKIE_NAME)
    claims: dict[str, object] = json.loads(genuine) if genuine else {}
    return claims if claims.get("is_logged_in") is True else {}
