"""A small web server on this machine, for what the benchmark reads over the network."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Replies = Callable[[str, bytes], tuple[int, bytes]]
"""Status and body for a path and what was sent."""


@dataclass
class Loopback:
    """Where it listens, and the paths that it was asked for."""

    address: str
    asked: list[str] = field(default_factory=list)


@contextmanager
def serving(replies: Replies) -> Iterator[Loopback]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            sent = self.rfile.read(int(self.headers.get("content-length", 0)))
            here.asked.append(self.path)
            status, body = replies(self.path, sent)
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_GET  # noqa: N815 - as the library calls it

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        here = Loopback(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield here
        server.shutdown()
        thread.join(10)
