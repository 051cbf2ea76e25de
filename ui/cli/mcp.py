"""`strata mcp`: the tools for an editor or agent that starts this command."""

from __future__ import annotations

from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING

from ui.cli.terminal import open_chatbot

if TYPE_CHECKING:
    from ui.api.service import Service


def mcp() -> None:
    """Serve an editor or agent over standard input and output (MCP).

    It starts this command itself. A running server has the same tools at /mcp.
    """
    from ui.api.mcp_server import mcp_server

    mcp_server(_service, metadata.version("strata-docs")).run("stdio")


@cache
def _service() -> Service:
    from ui.api.service import Service

    return Service(open_chatbot())
