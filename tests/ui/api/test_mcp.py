"""The official client of the Model Context Protocol uses Strata, over HTTP and over stdio."""

import os
import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import httpx
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from mcp.types import TextResourceContents

from chatbot.accounts.program_keys import Scope
from chatbot.chatbot import Chatbot
from tests.ui.api.conftest import MakeKey

ROOT = Path(__file__).parents[3]
TOOLS = {
    *("releases", "which_release", "ask", "compare", "search", "read_page", "upgrade_guide"),
}

QUESTION = "What is the default of hold_time?"
PROJECT = {"requirements.txt": "valve==1.0"}
CALLS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("ask", {"question": QUESTION, "product": "valve", "release": 1.0}, "20 s"),
    ("ask", {"question": QUESTION, "product": "valve", "release": 1}, "20 s"),
    ("ask", {"question": QUESTION, "product": "valve", "release": "1.0"}, "20 s"),
    ("ask", {"question": QUESTION, "product": "valve", "release": ""}, "45 s"),
    ("ask", {"question": QUESTION, "product": "valve", "release": None}, "45 s"),
    ("ask", {"question": QUESTION, "product": "valve", "release": "Latest"}, "45 s"),
    ("ask", {"question": f"{QUESTION} (1.0)", "product": "latest", "release": "latest"}, "20 s"),
    ("ask", {"question": f"{QUESTION} (1.0)", "product": ""}, "20 s"),
    ("ask", {"question": QUESTION, "product": "valve", "release": 7.5}, "no release .*7.5"),
    ("ask", {"question": QUESTION, "product": "valve", "release": True}, "^.*release has to be"),
    ("ask", {"question": QUESTION, "product": "valve", "release": [1.0]}, "release has to be"),
    ("ask", {"question": QUESTION, "version": "1.0"}, "ask does not know version: it has question"),
    ("ask", {"question": QUESTION, "releases": ["1.0"], "x": 1}, "does not know releases, x"),
    ("ask", {"product": "valve"}, "question is missing"),
    ("ask", {"question": ""}, "the question is empty"),
    ("search", {"query": "cover screw", "release": 2.0, "limit": "2"}, "4.5 N m"),
    ("search", {"query": 4.5, "product": "valve", "limit": ""}, "passages"),
    ("search", {"query": "x", "limit": 99}, "limit has to be less than or equal to 20"),
    ("search", {"query": "x", "versions": "1.0"}, "search does not know versions"),
    ("compare", {"topic": "hold_time", "first": 1.0, "second": "latest"}, "20 s.*45 s"),
    ("compare", {"topic": "hold_time", "first": "1.0"}, "second is missing"),
    (
        "upgrade_guide",
        {"product": "valve", "older": 1.0, "newer": "latest", "uses": "hold_time = 5"},
        "default: 20 s → 45 s",
    ),
    ("upgrade_guide", {"product": "valve", "older": "2.0", "newer": "1.0"}, "older release first"),
    ("upgrade_guide", {"product": "valve", "older": "1.0"}, "newer is missing"),
    ("read_page", {"page_id": "1", "quote": None}, "document.*section"),
    ("read_page", {"page_id": "one"}, "page_id has to be a whole number"),
    ("releases", {"product": "valve"}, "releases does not know product: it has none"),
    ("ask", {"question": QUESTION, "project": PROJECT}, "20 s"),
    ("ask", {"question": f"{QUESTION} (2.0)", "project": PROJECT}, "45 s"),
    ("which_release", {"project": PROJECT}, "release.*1.0.*requirements.txt has valve 1.0"),
    ("which_release", {"project": {"requirements.txt": "valve>=1"}}, "no lock file says which"),
    ("answers", {}, "There is no tool answers. Available: releases, ask"),
)
"""Arguments as agents send them, and what they hear."""

Use = Callable[[Client], Awaitable[None]]


def over_http(address: str, key: str | None, use: Use) -> None:
    """Use the tools of a server that runs."""

    async def main() -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else None
        async with create_mcp_http_client(headers=headers) as http:
            transport = streamable_http_client(f"{address}/mcp", http_client=http)
            async with Client(transport) as client:
                await use(client)

    anyio.run(main)


async def answer_of(client: Client, tool: str, **arguments: str) -> dict[str, Any]:
    """What a tool returns."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return result.structured_content


async def use_all(client: Client) -> None:
    """Ask, compare, search and read as an editor would."""
    assert {tool.name for tool in (await client.list_tools()).tools} == TOOLS
    (valve,) = (await answer_of(client, "releases"))["products"]
    assert [release["name"] for release in valve["releases"]] == ["1.0", "2.0"]

    told = await answer_of(
        client, "ask", question="default of hold_time?", product="valve", release="1.0"
    )
    assert "20 s" in told["answer"]
    (source,) = told["sources"]
    assert (source["release"], source["file"]) == ("1.0", "reference.html")

    resource = (await client.read_resource(source["uri"])).contents[0]
    assert isinstance(resource, TextResourceContents)
    assert "drain_time" in resource.text
    assert "\nvalve 1.0: " in resource.text

    listed = (await client.read_resource("strata://docs/valve/1.0")).contents[0]
    assert isinstance(listed, TextResourceContents)
    assert re.search(r"# valve 1\\?\.0[^$]*\(strata://pages/\d+\): page 1", listed.text)

    both = await answer_of(client, "compare", topic="hold_time", first="1.0", second="2.0")
    assert both["compared_releases"] == ["1.0", "2.0"]
    assert {s["release"] for s in both["sources"]} == {"1.0", "2.0"}

    found = await answer_of(client, "search", query="cover screw torque", release="2.0")
    (passage, *_) = found["passages"]
    assert "4.5 N m" in passage["text"]
    read = await client.call_tool("read_page", {"page_id": passage["page_id"], "quote": "4.5 N m"})
    assert read.structured_content is not None
    assert read.structured_content["marks"]

    for tool, arguments, told in CALLS:
        result = await client.call_tool(tool, arguments)
        assert re.search(told, str(result.content)), (tool, arguments, result.content)
        assert not re.search("validation error|Input should|Error executing", str(result.content))

    failed = await client.call_tool("ask", {"question": "x", "product": "pump"})
    assert failed.is_error
    assert "Available: valve" in str(failed.content)


def test_an_agent_hears_what_other_releases_say_instead(address: str, chatbot: Chatbot) -> None:
    async def asks(client: Client) -> None:
        asked = {"question": "default of hold_time?", "product": "valve", "release": "1.0"}
        told = await answer_of(client, "ask", **asked)
        (other,) = told["still_true"]
        assert (other["release"], other["verdict"]) == ("2.0", "changed")
        assert "45" in other["words"][0]
        assert "45" not in told["answer"]

    chatbot.still_true.prepare("valve")
    assert chatbot.still_true.indexes.wait(30)
    over_http(address, None, asks)


def test_an_agent_uses_every_tool_over_http(address: str, make_key: MakeKey) -> None:
    async def reads_folder(client: Client) -> None:
        refused = await client.call_tool("which_release", {"folder": str(ROOT)})
        assert refused.is_error
        assert "send the files as project" in str(refused.content)

    over_http(address, None, reads_folder)
    over_http(address, make_key(Scope.ASK, Scope.SEARCH), use_all)
    over_http(address, None, use_all)


def test_who_has_no_valid_key_is_told_that_one_is_needed(address: str) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    wrong = httpx.post(f"{address}/mcp", json=call, headers={"authorization": "Bearer strata_x"})
    assert (wrong.status_code, wrong.headers["www-authenticate"]) == (401, "Bearer")


def test_a_stream_that_would_say_nothing_is_refused(address: str) -> None:
    for method in ("GET", "HEAD", "DELETE"):
        told = httpx.request(method, f"{address}/mcp", headers={"accept": "text/event-stream"})
        assert (told.status_code, told.headers["allow"]) == (405, "POST")


def test_an_editor_starts_it_as_a_command(chatbot: Chatbot, tmp_path: Path) -> None:
    (tmp_path / "uv.lock").write_text('[[package]]\nname = "valve"\nversion = "1.0"')
    settings = chatbot.settings
    parameters = StdioServerParameters(
        command=sys.executable,
        args=["-m", "ui.cli.main", "mcp"],
        cwd=str(ROOT),
        env={
            "PATH": os.environ["PATH"],
            "STRATA_DATA_DIR": str(settings.data_dir),
            "STRATA_DATABASE_URL": settings.database,
            "STRATA_MODELS_DIR": str(settings.models_dir),
            "STRATA_GENERATOR": "none",
        },
    )

    async def main() -> None:
        async with Client(stdio_client(parameters)) as client:
            await use_all(client)
            has = await answer_of(client, "which_release", folder=str(tmp_path))
            assert [one["release"] for one in has["installed"]] == ["1.0"]
            told = await answer_of(client, "ask", question=QUESTION, folder=str(tmp_path))
            assert "20 s" in told["answer"]

    anyio.run(main)
