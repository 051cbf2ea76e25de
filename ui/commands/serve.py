"""`strata serve`: the chat page on a loopback address."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import Annotated

import typer

from ui.terminal import errors, output


def serve(
    host: Annotated[str | None, typer.Option(help="A loopback address.")] = None,
    port: Annotated[int | None, typer.Option(help="The port of the page.")] = None,
) -> None:
    """Open the chat page; stop it with Ctrl-C."""
    import os

    from chatbot.settings import read_settings

    settings = read_settings(host=host, port=port)
    _require_free(settings.host, settings.port)
    url = f"http://{settings.host}:{settings.port}"
    output.print(f"Strata is at [bold]{url}[/] (stop with Ctrl-C)", highlight=False)
    page = Path(__file__).parents[1] / "app.py"
    arguments = [
        *(sys.executable, "-m", "streamlit", "run", str(page)),
        *(f"--server.address={settings.host}", f"--server.port={settings.port}"),
    ]
    os.execv(sys.executable, arguments)  # noqa: S606


def _require_free(host: str, port: int) -> None:
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            errors.print(
                f"[bold red]strata:[/] {host}:{port} cannot be used ({error.strerror}): stop what "
                f"runs there, or choose another port with `strata serve --port {port + 1}` "
                "or STRATA_PORT"
            )
            raise typer.Exit(1) from error
