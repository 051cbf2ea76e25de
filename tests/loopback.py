"""A web server on this machine that replies as a function of the test says."""

import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Asked(NamedTuple):
    """A request; names of headers are in any case."""

    method: str
    path: str
    headers: Message
    body: bytes


class Reply(NamedTuple):
    """What is answered, with its length."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = {}


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """Whoever has read enough, or does not trust the certificate, hangs up."""


@contextmanager
def listening(reply: Callable[[Asked], Reply], tls: ssl.SSLContext | None = None) -> Iterator[str]:
    """Serve as long as the block goes on, and yield the address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body in one go: apart, the second waits until the first was acknowledged.
        wbufsize = -1
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            answer = reply(Asked(self.command, self.path, self.headers, self._body()))
            self.send_response(answer.status)
            length = {} if answer.status == 304 else {"Content-Length": str(len(answer.body))}
            for name, value in {**length, **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(answer.body)

        do_HEAD = do_POST = do_PUT = do_GET  # noqa: N815

        def _body(self) -> bytes:
            if self.headers.get("Transfer-Encoding") != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length", 0)))
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
            return body

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = _Server(("127.0.0.1", 0), Handler)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield f"http{'s' if tls else ''}://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
