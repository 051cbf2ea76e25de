"""A bucket on loopback that speaks as much of S3 as keeping files takes."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import md5
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

SECRET = {
    "AWS_ACCESS_KEY_ID": "somebody",
    "AWS_SECRET_ACCESS_KEY": "secret",
    "AWS_REGION": "eu-central-1",
    "AWS_ALLOW_HTTP": "true",
}


@contextmanager
def bucket() -> Iterator[tuple[str, dict[str, bytes]]]:
    """Serve all buckets; yield the address, and what they hold by its path."""
    held: dict[str, bytes] = {}

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_PUT(self) -> None:
            held[self.path] = self.rfile.read(int(self.headers["content-length"]))
            self._send(200)

        def do_GET(self) -> None:
            path = urlsplit(self.path)
            if "list-type=2" in path.query:
                self._send(200, b"<ListBucketResult><KeyCount>0</KeyCount></ListBucketResult>")
            elif path.path in held:
                self._send(200, held[path.path])
            else:
                self._send(404, b"<Error><Code>NoSuchKey</Code></Error>")

        do_HEAD = do_GET  # noqa: N815

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"])).decode()
            keys = re.findall("<Key>(.*?)</Key>", body)
            for key in keys:
                held.pop(f"{urlsplit(self.path).path}/{key}", None)
            gone = "".join(f"<Deleted><Key>{key}</Key></Deleted>" for key in keys)
            self._send(200, f"<DeleteResult>{gone}</DeleteResult>".encode())

        def _send(self, status: int, body: bytes = b"") -> None:
            if "AWS4-HMAC-SHA256" not in self.headers.get("authorization", ""):
                status, body = 403, b"<Error><Code>AccessDenied</Code></Error>"
            self.send_response(status)
            self.send_header("content-length", str(len(body)))
            self.send_header("etag", f'"{md5(body, usedforsecurity=False).hexdigest()}"')
            self.send_header("last-modified", "Thu, 26 Nov 2026 12:00:00 GMT")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", held
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
