"""Strata served as `strata serve` does, and a model's server that writes what a function says."""

import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import httpx

PATIENCE = 300.0
"""Seconds in which anything has to have come."""
_END_SECONDS = 10.0
Served = tuple[str, subprocess.Popen[bytes]]
"""The address of a server, and its process."""


@contextmanager
def copied(data: Path) -> Iterator[Path]:
    """A copy of a data folder, for as long as the block goes on."""
    with TemporaryDirectory(prefix="strata-bench-") as folder:
        yield Path(shutil.copytree(data, Path(folder) / "data"))


@contextmanager
def served(data: Path, model: str, **settings: str) -> Iterator[Served]:
    """Serve a data folder on a free port, answering by the server of a model."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    given = {"data_dir": str(data), "backend": "server", "model": "slow", "server_url": model}
    settings = {**given, **settings}
    environment = [f"STRATA_{name.upper()}={value}" for name, value in settings.items()]
    command = [sys.executable, "-m", "ui.cli.main", "serve", "--port", str(port)]
    address = f"http://127.0.0.1:{port}"
    server = subprocess.Popen(["env", *environment, *command], stdout=subprocess.DEVNULL)
    try:
        until(lambda: httpx.get(f"{address}/api/v1/ready").status_code == 200)
        yield address, server
    finally:
        server.terminate()
        try:
            server.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            # It lets an answer be finished.
            server.kill()


def until(holds: Callable[[], bool]) -> None:
    """Wait for what has to come; raises TimeoutError."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with suppress(httpx.TransportError):
            if holds():
                return
        time.sleep(0.1)
    raise TimeoutError(f"nothing came of it in {PATIENCE:.0f} s")


@contextmanager
def served_model(write: Callable[[dict[str, Any]], Generator[str, None, None]]) -> Iterator[str]:
    """Serve as much of OpenAI's protocol as a chat needs; yields the address.

    `write` gets what is asked and yields the reply in pieces, each sent as soon as it is there.
    """

    class Model(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            with suppress(OSError), closing(write(asked)) as pieces:
                for piece in pieces:
                    self._send({"index": 0, "delta": {"content": piece}})
                self._send({"delta": {}, "finish_reason": "stop"})
                self.wfile.write(b"data: [DONE]\n\n")

        def _send(self, choice: dict[str, Any]) -> None:
            self.wfile.write(f"data: {json.dumps({'choices': [choice]})}\n\n".encode())
            self.wfile.flush()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        # As many may connect at the same moment; of more than five some would wait a second.
        request_queue_size = 128

    server = Server(("127.0.0.1", 0), Model)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
