"""The gate before Streamlit's server, over an inner application that tells what reached it."""

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit.runtime.secrets import secrets_singleton
from streamlit.web.server.starlette.starlette_app_utils import create_signed_value

from chatbot.accounts.people import Account
from chatbot.settings import Settings, read_settings
from tests.chatbot.test_sign_in import OIDC, PROXY
from ui.serving.gate import PROXY_GROUPS, PROXY_PERSON, Gate

HOME = "https://strata.example.org"
SECRET = "s" * 32
PRIVATE = ["/_stcore/upload_file/session/file", "/media/abc.png", "/_stcore/metrics"]


async def _told(request: Request) -> Response:
    response = JSONResponse(dict(request.headers))
    response.set_cookie("a", "b", httponly=True)
    return response


async def _socket(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.send_json(dict(websocket.headers))
    await websocket.close()


def through(settings: Settings, client: str = "10.0.0.9", base: str = HOME) -> TestClient:
    """A client behind the gate that connects from an address."""
    routes = [
        WebSocketRoute("/_stcore/stream", _socket),
        Route("/{path:path}", _told, methods=["GET", "PUT", "DELETE", "POST"]),
    ]
    app = Starlette(routes=routes, middleware=[Middleware(Gate, settings=settings)])
    return TestClient(app, base_url=base, client=(client, 4711))


def socket_opens(client: TestClient, **headers: str) -> bool:
    try:
        with client.websocket_connect("/_stcore/stream", headers=headers) as socket:
            socket.receive_json()
    except WebSocketDisconnect:
        return False
    return True


@pytest.fixture
def provider() -> Iterator[Settings]:
    """Sign-in with OIDC, as the server sets Streamlit up for it."""
    secrets_singleton.merge_programmatic_secrets({"auth": {"cookie_secret": SECRET}})
    yield read_settings(**OIDC)
    secrets_singleton._reset()
    secrets_singleton._programmatic_secrets = None


def cookie(secret: str = SECRET, name: str = "_streamlit_user", **claims: Any) -> dict[str, str]:
    said = {"iss": "i", "sub": "7", "iat": time.time(), "is_logged_in": True} | claims
    return {"_streamlit_user": create_signed_value(secret, name, json.dumps(said)).decode()}


@pytest.mark.parametrize("path", PRIVATE)
def test_only_who_signed_in_reaches_media_and_only_admins_uploads_and_metrics(
    provider: Settings, path: str
) -> None:
    def status(cookies: dict[str, str]) -> int:
        client = through(provider)
        client.cookies.update(cookies)
        return client.get(path).status_code

    assert status({}) == 401
    assert status(cookie()) == (200 if path.startswith("/media") else 403)
    assert status(cookie(email="ada@example.org")) == 200
    assert status({"_streamlit_user": "forged"}) == 401
    assert status(cookie(secret="t" * 32)) == 401
    payload, stamp, signature = cookie()["_streamlit_user"].rsplit(".", 2)
    assert status({"_streamlit_user": f"{payload[:-2]}AA.{stamp}.{signature}"}) == 401
    assert status(cookie(name="_streamlit_user_tokens")) == 401
    assert status(cookie(is_logged_in=False)) == 401
    assert status(cookie(sub="")) == 401
    assert status(cookie(iat=time.time() - 25 * 3600)) == 401


def test_a_link_from_elsewhere_leads_to_the_page_and_to_nothing_for_programs() -> None:
    client = through(Settings(), "127.0.0.1", "http://127.0.0.1:8501")
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert client.get("/", headers=link).status_code == 200
    for path in ("/api/v1/pages/1", "/v1/models", "/mcp"):
        assert client.get(path, headers=link).status_code == 403
        for own in ("same-origin", "none"):
            assert client.get(path, headers={"sec-fetch-site": own}).status_code == 200


@pytest.mark.parametrize(
    ("host", "reached"),
    [
        ("127.0.0.1:8501", True),
        ("localhost:9000", True),
        ("[::1]:8501", True),
        ("evil.org", False),
        ("127.0.0.1.evil.org", False),
        ("localhost@evil.org", False),
        ("[::1", False),
        ("evil.org@127.0.0.1", False),
        ("127.0.0.1:8501/evil", False),
        ("127.0.0.1:port", False),
        ("[::1::]", False),
        ("", False),
    ],
)
def test_without_sign_in_only_this_machine_s_names_lead_in(host: str, reached: bool) -> None:
    client = through(Settings(), "127.0.0.1", "http://127.0.0.1:8501")
    own = {"host": host, "origin": f"http://{host}"}
    assert (client.get("/", headers={"host": host}).status_code == 200) is reached
    assert (client.put("/", headers=own).status_code == 200) is reached
    assert socket_opens(client, **own) is reached
    assert not socket_opens(client, host=host, origin="http://localhost:3000")
    assert client.get("/_stcore/health", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("settings", [Settings(), read_settings(**PROXY)])
def test_a_request_for_two_hosts_is_for_none(settings: Settings) -> None:
    client = through(settings, "127.0.0.1", "http://127.0.0.1:8501")
    for hosts in (["127.0.0.1:8501", "evil.org"], ["127.0.0.1", "127.0.0.1"]):
        assert client.get("/", headers=[("host", host) for host in hosts]).status_code == 400


def test_nobody_keeps_a_copy_of_what_is_private() -> None:
    client = through(Settings(), "127.0.0.1", "http://127.0.0.1:8501")
    for path in (*PRIVATE, "/api/v1/conversations", "/v1/models", "/mcp", "/oauth2callback"):
        assert client.get(path).headers["cache-control"] == "no-store"
    assert "cache-control" not in client.get("/static/page.js").headers


@pytest.mark.parametrize("header", ["X-Forwarded-Email", "x-forwarded-EMAIL"])
def test_a_proxy_s_header_is_believed_from_the_proxy_alone(header: str) -> None:
    settings = read_settings(**PROXY)

    def named(client: str, **more: str) -> str | None:
        headers = {header: "ada@example.org"} | more
        reply = through(settings, client).get("/", headers=headers).json()
        assert "x-forwarded-email" not in reply
        found: str | None = reply.get(PROXY_PERSON.lower())
        return found

    assert named("10.0.0.5") == "ada@example.org"
    assert named("192.168.7.33") == "ada@example.org"
    assert named("10.0.0.6") is None
    assert named("127.0.0.1") is None
    assert (
        named("127.0.0.1", **{"X-Forwarded-For": "10.0.0.5", "Forwarded": "for=10.0.0.5"}) is None
    )


def test_nobody_else_says_whom_the_proxy_named() -> None:
    forged = {PROXY_PERSON: "ada@example.org"}
    for settings in (read_settings(**PROXY), read_settings(**OIDC), Settings()):
        for client in ("10.0.0.5", "127.0.0.1"):
            behind = through(settings, client, HOME if settings.public_url else "http://127.0.0.1")
            assert PROXY_PERSON.lower() not in behind.get("/", headers=forged).json()


def test_a_header_that_comes_twice_names_nobody() -> None:
    client = through(read_settings(**PROXY), "10.0.0.5")
    twice = [("X-Forwarded-Email", "bo@example.org"), ("X-Forwarded-Email", "ada@example.org")]
    assert PROXY_PERSON.lower() not in client.get("/", headers=twice).json()


def test_answers_are_hardened() -> None:
    local = through(Settings(), "127.0.0.1", "http://127.0.0.1:8501").get("/")
    assert local.headers["x-content-type-options"] == "nosniff"
    assert local.headers["x-frame-options"] == "SAMEORIGIN"
    assert local.headers["cross-origin-resource-policy"] == "same-origin"
    assert "Secure" not in local.headers["set-cookie"]
    behind_tls = through(read_settings(**OIDC)).get("/")
    assert behind_tls.headers["set-cookie"].endswith("; Secure")


def test_only_the_proxy_names_groups() -> None:
    settings = read_settings(**PROXY, proxy_groups_header="X-Forwarded-Groups")
    named = {"x-forwarded-email": "bo@example.org", "origin": HOME}
    groups = {"x-forwarded-groups": "staff"}

    def told(client: str, headers: Any) -> dict[str, str]:
        reached: dict[str, str] = through(settings, client).get("/a/b", headers=headers).json()
        return {k: v for k, v in reached.items() if "groups" in k}

    by_proxy, elsewhere = "10.0.0.5", "10.0.0.9"
    assert told(by_proxy, named | groups) == {PROXY_GROUPS.lower(): "staff"}
    assert told(elsewhere, named | groups) == {}
    assert told(by_proxy, groups | {"origin": HOME}) == {}
    assert told(by_proxy, named | {PROXY_GROUPS: "staff"}) == {}
    assert told(by_proxy, named | {PROXY_GROUPS: "x"} | groups) == {PROXY_GROUPS.lower(): "staff"}
    twice = [*named.items(), ("x-forwarded-groups", "staff"), ("x-forwarded-groups", "x")]
    assert told(by_proxy, twice) == {}


def test_an_admin_of_products_uploads() -> None:
    settings = read_settings(**PROXY, proxy_groups_header="X-Forwarded-Groups")
    asked: list[Account] = []

    def administers(account: Account) -> bool:
        asked.append(account)
        return "writers" in account.groups

    app = Starlette(
        routes=[Route("/{path:path}", _told, methods=["GET", "PUT"])],
        middleware=[Middleware(Gate, settings=settings, administers=administers)],
    )
    client = TestClient(app, base_url=HOME, client=("10.0.0.5", 4711))
    named = {"x-forwarded-email": "bo@example.org", "origin": HOME}
    writer = named | {"x-forwarded-groups": "writers"}
    upload, metrics = PRIVATE[0], PRIVATE[2]
    assert client.put(upload, headers=named).status_code == 403
    assert client.put(upload, headers=writer).status_code == 200
    assert len(asked) == 2
    assert client.get(metrics, headers=writer).status_code == 403
    assert len(asked) == 2
