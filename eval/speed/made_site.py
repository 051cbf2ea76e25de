"""A documentation site that is made up, and served on loopback by a process of its own."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_LINKS = 10
_FURNITURE = "<p>The interval of a lamp is the time between two flashes.</p>" * 100
"""What all pages have in common, which a reading sends and no ingest keeps."""


def page(number: int, pages: int) -> str:
    """A page of some 10 kB that links to ten others; about 800 characters are its own."""
    links = (
        f'<a href="p{(number * _LINKS + at + 1) % pages}.html">more</a>' for at in range(_LINKS)
    )
    text = " ".join(
        f"Lamp {number} of mast {at} flashes every {number * at % 97 + 2} s, unless it is "
        f"dimmed to {number % 89 + at} %."
        for at in range(10)
    )
    return (
        f"<!doctype html><html><head><title>Lamp {number}</title></head><body>"
        f"<nav>{_FURNITURE}{' '.join(links)}</nav>"
        f"<main><h1>Lamp {number}</h1><p>{text}</p></main></body></html>"
    )


def sitemap(port: int, pages: int, *, dated: bool) -> str:
    """The sitemap of all pages, with or without the time of their last change."""
    date = "<lastmod>2026-01-02T03:04:05+00:00</lastmod>" if dated else ""
    urls = (
        f"<url><loc>http://127.0.0.1:{port}/1.0/p{number}.html</loc>{date}</url>"
        for number in range(pages)
    )
    namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return f'<urlset xmlns="{namespace}">{"".join(urls)}</urlset>'


def serve(pages: int, dated: bool) -> None:
    """Serve the site until the process is ended; prints its port."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_GET(self) -> None:
            name, status, body = self.path.removeprefix("/1.0/"), 200, b""
            if name == "sitemap.xml":
                body = sitemap(server.server_port, pages, dated=dated).encode()
            elif name in ("", "index.html"):
                body = page(0, pages).encode()
            elif name.startswith("p") and name[1:-5].isdecimal():
                body = page(int(name[1:-5]), pages).encode()
            elif name != "/robots.txt":
                status = 404
            etag = f'"{sha256(body).hexdigest()[:16]}"'
            if status == 200 and self.headers.get("If-None-Match") == etag:
                status, body = 304, b""
            self.send_response(status)
            self.send_header("Content-Type", "text/xml" if name.endswith("xml") else "text/html")
            self.send_header("ETag", etag)
            if status != 304:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    sys.stdout.write(f"{server.server_port}\n")
    sys.stdout.flush()
    server.serve_forever()


@contextmanager
def served_site(pages: int, *, dated: bool) -> Iterator[int]:
    """Serve a site as long as the block goes on, and yield its port."""
    code = f"from eval.speed.made_site import serve; serve({pages}, {dated})"
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            if process.stdout is None:
                raise RuntimeError("the site has no output that its port could be read from")
            yield int(process.stdout.readline())
        finally:
            process.terminate()
