"""Every route and service, tried by everybody who may not use it.

The routes come from the application itself: one that no case stands for here fails the test.
"""

import asyncio
import runpy
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import httpx
import pytest
from starlette.routing import BaseRoute
from streamlit.web.server.starlette.starlette_app import create_streamlit_routes

from corpora.jobs.jobs import JobFile, JobKind, Jobs
from tests.ui.attacks.conftest import ADA, BO, CYD, Server, each
from ui.api.app import Api
from ui.api.mcp_server import mcp_server

pytestmark = pytest.mark.database

NEEDS = {
    "GET /api/v1/products": "search",
    "POST /api/v1/search": "search",
    "GET /api/v1/changes": "search",
    "POST /api/v1/upgrade-guide": "search",
    "GET /api/v1/release-gaps": "admin",
    "GET /api/v1/pages/{page}": "search",
    "GET /api/v1/pages/{page}/figures/{picture}": "search",
    "POST /api/v1/ask": "ask",
    "GET /api/v1/conversations": "ask",
    "GET /api/v1/conversations/{conversation}": "ask",
    "DELETE /api/v1/conversations/{conversation}": "ask",
    "PUT /api/v1/turns/{turn}/feedback": "ask",
    "GET /api/v1/turns/{turn}/still-true": "ask",
    "POST /api/v1/jobs": "ingest",
    "GET /api/v1/jobs": "ingest",
    "GET /api/v1/jobs/{job}": "ingest",
    "DELETE /api/v1/jobs/{job}": "ingest",
    "GET /api/v1/metrics": "admin",
    "GET /api/v1/checks": "admin",
    "POST /api/v1/checks": "admin",
    "GET /api/v1/packs/{job}": "admin",
    "POST /api/v1/packs": "admin",
    "PUT /api/v1/packs": "admin",
    "GET /api/v1/waiting": "admin",
    "POST /api/v1/waiting": "admin",
    "DELETE /api/v1/waiting": "admin",
    "PUT /api/v1/sources/{source}/schedule": "admin",
    "PUT /api/v1/sources/{source}/hook": "admin",
    "DELETE /api/v1/sources/{source}/hook": "admin",
    "GET /api/v1/sources": "admin",
    "POST /api/v1/sources": "admin",
    "POST /api/v1/sources/try": "admin",
    "GET /api/v1/sources/{source}": "admin",
    "POST /api/v1/sources/{source}/sync": "admin",
    "DELETE /api/v1/sources/{source}": "admin",
    "GET /docs/{product}/{release}/llms.txt": "search",
    "GET /docs/{product}/{release}/llms-full.txt": "search",
    "GET /docs/{product}/{release}/{file:path}/{number}.md": "search",
    "GET /v1/models": "search",
    "GET /v1/models/{name:path}": "search",
    "POST /v1/chat/completions": "ask",
}
OPEN = {"GET /api/v1/health", "GET /api/v1/ready", "GET /api/v1/openapi.json"}
HOOK = "POST /api/v1/sources/{source}/hook"
"""It needs the secret of a source in place of a key: `tests/ui/api/test_sources.py`."""
MCP = "/mcp"


TABLE = runpy.run_path(str(Path(__file__).parents[3] / "scripts" / "rights.py"))
"""What writes the table of rights."""


def routes(given: Iterable[BaseRoute]) -> Iterator[str]:
    """Method and path of every route, also of those inside others."""
    return (route for route, _ in TABLE["routes"](given))


def no_chatbot() -> Any:
    raise AssertionError("routes are listed without a chatbot")


def test_every_route_for_programs_has_its_cases() -> None:
    assert set(routes(Api(no_chatbot).routes)) == NEEDS.keys() | OPEN | {MCP, HOOK}


REFUSED: dict[str, tuple[str, str | None, str | None, int]] = {
    **{
        f"{who} {route}": (route, key, person, 401)
        for route in NEEDS
        for who, key, person in (
            ("nobody", None, None),
            ("made-up-key", "strata_" + "A" * 43, None),
            ("revoked-key", "revoked", None),
            ("admin-signed-in", None, ADA.id),
        )
    },
    **{
        f"all-but-{scope} {route}": (route, f"all but {scope}", None, 403)
        for route, scope in NEEDS.items()
    },
    **{
        f"another-s {route}": (route, "all", None, 404)
        for route in (
            "GET /api/v1/conversations/{conversation}",
            "DELETE /api/v1/conversations/{conversation}",
            "PUT /api/v1/turns/{turn}/feedback",
            "GET /api/v1/turns/{turn}/still-true",
        )
    },
    **{
        f"another-s {route}": (route, "another's", None, 422)
        for route in ("GET /api/v1/jobs/{job}", "DELETE /api/v1/jobs/{job}")
    },
}
"""The route, the key, the person whom the proxy names, and the refusal."""
BODIES = {
    "POST /api/v1/search": '{"query": "x"}',
    "POST /api/v1/ask": '{"question": "x"}',
    "POST /api/v1/upgrade-guide": '{"product": "valve", "older": "1.0", "newer": "2.0"}',
    "PUT /api/v1/turns/{turn}/feedback": '{"thumbs": 1}',
    "POST /api/v1/sources": '{"kind": "git", "product": "valve", "options": {"url": "x"}}',
    "PUT /api/v1/sources/{source}/schedule": '{"schedule": "daily"}',
    "POST /api/v1/sources/try": '{"kind": "git", "options": {"url": "x"}}',
    "POST /v1/chat/completions": '{"model": "strata/valve", "messages": [{"role": "user"}]}',
}


@each(REFUSED)
def test_who_may_not_is_refused(server: Server, case: Any) -> None:
    route, key, person, refusal = case
    method, path = route.replace("{name:path}", "strata/valve").split()
    path = path.replace("{file:path}", "reference.html").format(
        page=server.page,
        picture="0" * 64,
        conversation=server.conversation,
        turn=server.turn,
        job=server.job,
        source=1,
        product="valve",
        release="1.0",
        number=1,
    )
    if path in ("/api/v1/checks", "/api/v1/waiting") and route != "GET /api/v1/waiting":
        path += "?product=valve&release=1.0"
    if route == "POST /api/v1/jobs":
        path += "?product=valve&release=9.9"
    key = server.keys.get(key, key)
    assert server.ask(method, path, key, person, BODIES.get(route, "{}")) == refusal


def test_the_same_routes_answer_who_may(server: Server) -> None:
    assert (
        called(server, "releases", {}, server.keys["search"]).json()["result"]["isError"] is False
    )
    for route in ("GET /api/v1/products", "GET /api/v1/pages/{page}", "GET /api/v1/jobs/{job}"):
        method, path = route.format(page=server.page, job=server.job).split()
        assert server.ask(method, path, server.keys[NEEDS[route]]) == 200
    assert server.ask("GET", "/api/v1/metrics", server.keys["admin"]) == 200


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("route", sorted(OPEN))
def test_who_has_no_key_may_ask_whether_it_runs(server: Server, route: str, method: str) -> None:
    assert server.ask(method, route.split()[1]) == 200


def test_a_program_that_uploads_sees_the_jobs_of_its_owner(server: Server) -> None:
    def seen(key: str) -> list[int]:
        headers = {"Authorization": f"Bearer {server.keys[key]}"}
        jobs = httpx.get(f"{server.address}/api/v1/jobs", headers=headers, timeout=30).json()
        return [job["id"] for job in jobs]

    jobs = Jobs(server.database)
    own = jobs.add(JobKind.UPLOAD, "valve", "9.1", CYD.id, [JobFile("x.md")])
    assert seen("another's") == [own]
    assert {server.job} <= set(seen("ingest"))
    assert own not in seen("ingest")
    assert {own, server.job} <= set(seen("all"))
    for job, told in ((own, 200), (server.job, 422), (9_999, 422)):
        assert server.ask("DELETE", f"/api/v1/jobs/{job}", server.keys["another's"]) == told
    assert jobs.get(server.job).state == "waiting"


TOOLS = {
    "releases": ({}, "search"),
    "ask": ({"question": "x"}, "ask"),
    "compare": ({"topic": "x", "first": "1.0", "second": "2.0"}, "ask"),
    "search": ({"query": "x"}, "search"),
    "read_page": ({"page_id": 1}, "search"),
    "which_release": ({}, "search"),
    "upgrade_guide": ({"product": "valve", "older": "1.0", "newer": "2.0"}, "search"),
}
RESOURCES = {"strata://pages/{page_id}", "strata://docs/{product}/{release}"}
OF_MCP = {
    f"{who} mcp {tool}": (tool, key.format(scope), refusal.format(scope))
    for tool, (_, scope) in TOOLS.items()
    for who, key, refusal in (
        ("nobody", "", ""),
        ("revoked", "revoked", ""),
        ("all-but-one", "all but {}", "lacks the scope “{}”"),
    )
}


@each(OF_MCP)
def test_a_tool_is_refused(server: Server, case: tuple[str, str, str]) -> None:
    tool, key, refusal = case
    told = called(server, tool, TOOLS[tool][0], server.keys.get(key))
    if not refusal:
        assert told.status_code == 401
    else:
        result = told.json()["result"]
        assert result["isError"]
        assert refusal in str(result["content"])


def called(server: Server, tool: str, arguments: Any, key: str | None) -> httpx.Response:
    return sent(server, "tools/call", {"name": tool, "arguments": arguments}, key)


def sent(server: Server, method: str, params: Any, key: str | None) -> httpx.Response:
    headers = {"Accept": "application/json, text/event-stream"}
    headers |= {"Authorization": f"Bearer {key}"} if key else {}
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return httpx.post(f"{server.address}/mcp", json=body, headers=headers, timeout=30)


def test_every_tool_has_its_cases() -> None:
    made = mcp_server(no_chatbot)
    assert {tool.name for tool in asyncio.run(made.list_tools())} == TOOLS.keys()
    templates = asyncio.run(made.list_resource_templates())
    assert {template.uri_template for template in templates} == RESOURCES


@pytest.mark.parametrize("resource", sorted(RESOURCES))
def test_a_resource_is_refused_to_a_key_without_its_scope(server: Server, resource: str) -> None:
    uri = resource.format(page_id=server.page, product="valve", release="1.0")
    told = sent(server, "resources/read", {"uri": uri}, server.keys["all but search"])
    assert "lacks the scope “search”" in told.text
    assert "result" in sent(server, "resources/read", {"uri": uri}, server.keys["search"]).json()


# Streamlit's own addresses, beside which test_doors tries every page

ADDRESSES: dict[str, tuple[str, ...]] = {
    "GET /_stcore/health": (),
    "GET /_stcore/metrics": ("nobody", "user"),
    "GET /_stcore/host-config": (),
    "GET /media/{file_id:path}": ("nobody",),
    "PUT /_stcore/upload_file/{session_id}/{file_id}": ("nobody", "user"),
    "DELETE /_stcore/upload_file/{session_id}/{file_id}": ("nobody", "user"),
    "GET /component/{path:path}": (),
    "GET /_stcore/bidi-components/{path:path}": (),
    "/_stcore/stream": (),
    "GET /auth/login": (),
    "GET /auth/logout": (),
    "GET /oauth2callback": (),
    **{
        f"{method} /_stcore/agent/{name}": ("nobody", "user")
        for name in ("interact", "openapi.json", "mcp")
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE")
    },
}
"""Streamlit's routes, and who may not reach them; nobody where they hold nothing of anybody's."""
GUARDED = {
    f"{who} {route}": (route, who)
    for route, refused in ADDRESSES.items()
    for who in refused
    if "agent" not in route or route.startswith("POST")
}


@each(GUARDED)
def test_an_address_of_the_page_is_refused(server: Server, case: tuple[str, str]) -> None:
    route, who = case
    method, path = route.replace(":path", "").split()
    path = path.format(file_id="x", session_id="a")
    told = server.ask(method, path, None, BO.id if who == "user" else None)
    assert told == (401 if who == "nobody" else 403)


def test_every_address_of_the_page_has_its_cases() -> None:
    # What is served does not matter here, only where.
    assert set(routes(create_streamlit_routes(MagicMock()))) == ADDRESSES.keys()
