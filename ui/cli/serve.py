"""`strata serve`, `worker` and `mcp`: the pages, what does their work, the tools of an editor."""

import logging
import os
import socket
import sys
from functools import cache
from pathlib import Path
from typing import Annotated

from typer import Option

from chatbot.administration.in_use import in_use, larger_generator
from chatbot.settings import prepare_process, read_settings
from ingestion.errors import StrataError
from ui.cli.terminal import open_chatbot, output


def serve(
    host: Annotated[
        str | None,
        Option(help="The address to listen on; without sign-in it must be a local one."),
    ] = None,
    port: Annotated[int | None, Option(help="The port of the page.")] = None,
    worker: Annotated[bool, Option(help="Start a worker that processes uploads.")] = True,
) -> None:
    """Start the web pages; stop them with Ctrl-C."""
    settings = read_settings(host=host, port=port)
    if settings.backend == "embedded":
        # A problem with the model is reported here, not to the first person who asks.
        _ = settings.generator_file, settings.adapter_file
    for used in in_use(settings):
        output.print(f"{used.kind}: {used.name} ({used.why}).")
    if larger := larger_generator(settings):
        output.print(larger, style="dim")
    _require_free(settings.host, settings.port)
    url = settings.public_url or f"http://{settings.host}:{settings.port}"
    output.print(f"Strata starts, and will be at [bold]{url}[/] in a moment (stop with Ctrl-C)")
    server = Path(__file__).parents[1] / "serving" / "server.py"
    environment = {**os.environ, "STRATA_HOST": settings.host, "STRATA_PORT": str(settings.port)}
    command = [sys.executable, str(server), *(["--worker"] if worker else [])]
    os.execve(sys.executable, command, environment)  # noqa: S606


def worker(
    parent: Annotated[
        int | None,
        Option(hidden=True, help="Stop when this is no longer the parent process."),
    ] = None,
) -> None:
    """Process uploads and other jobs; stop it with Ctrl-C.

    `strata serve` starts one by itself. The next worker continues a job that was interrupted.
    """
    from ui.serving.worker import run_worker

    prepare_process()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    for chatty in ("httpx", "chromadb", "alembic"):
        logging.getLogger(chatty).setLevel(logging.WARNING)
    run_worker(read_settings(), parent)


def mcp() -> None:
    """Serve an editor or agent over standard input and output (MCP).

    It starts this command itself. A running server has the same tools at /mcp.
    """
    from ui.api.mcp_server import mcp_server

    mcp_server(cache(open_chatbot)).run("stdio")


def _require_free(host: str, port: int) -> None:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise StrataError(
                f"cannot listen on {host}:{port} ({error.strerror}). Stop what runs there, or "
                f"choose another port with `strata serve --port {port + 1}` or STRATA_PORT."
            ) from error
