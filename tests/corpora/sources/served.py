"""A small site on loopback, for tests: pages by path, and the requests that came."""

from __future__ import annotations

import gzip
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from mimetypes import guess_type


@dataclass
class Page:
    """What is answered; one of status 200 has an ETag and may be asked for conditionally."""

    body: bytes | str = b""
    kind: str = ""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def data(self) -> bytes:
        return self.body.encode() if isinstance(self.body, str) else self.body


@dataclass
class Site:
    """The pages of a site by path, and for several hosts by `host/path`."""

    port: int
    pages: dict[str, Page | bytes | str]
    scheme: str = "http"
    requests: list[tuple[str, str, int]] = field(default_factory=list)
    """Host, path and status of each."""
    headers: list[dict[str, str]] = field(default_factory=list)

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        return f"{self.scheme}://{host}:{self.port}{path}"

    def asked(self, status: int | None = None) -> list[str]:
        """The paths that were asked for, robots.txt and sitemaps aside."""
        return [
            path
            for _, path, answered in self.requests
            if status in (None, answered) and not path.endswith(("robots.txt", ".xml", ".txt"))
        ]

    def forget(self) -> None:
        self.requests.clear()
        self.headers.clear()


@contextmanager
def serving(
    pages: Mapping[str, Page | bytes | str], tls: ssl.SSLContext | None = None
) -> Iterator[Site]:
    """Serve pages on a port of 127.0.0.1."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(lambda: site))
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    site = Site(server.server_port, dict(pages), "https" if tls else "http")
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _handler(site_of: object) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # Head and body in one go: apart, the second waits until the first was acknowledged.
        wbufsize = -1
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            site: Site = site_of()  # type: ignore[operator]
            host = (self.headers.get("Host") or "").partition(":")[0]
            found = site.pages.get(f"{host}{self.path}", site.pages.get(self.path))
            page = found if isinstance(found, Page) else Page(found if found is not None else b"")
            status = page.status if found is not None else 404
            etag = f'"{sha256(page.data).hexdigest()[:12]}"'
            if status == 200 and self.headers.get("If-None-Match") == etag:
                status = 304
            site.requests.append((host, self.path, status))
            site.headers.append({key.lower(): value for key, value in self.headers.items()})
            sent = page.data if status != 304 else b""
            self.send_response(status)
            name = self.path.rpartition("/")[2]
            kind = page.kind or (guess_type(name)[0] if "." in name else "") or "text/html"
            headers = {"Content-Type": kind, "ETag": etag, **page.headers}
            if headers.get("Content-Encoding") == "gzip":
                sent = gzip.compress(sent)
            if status != 304:
                headers.setdefault("Content-Length", str(len(sent)))
            for key, value in headers.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(sent)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


def html(title: str, *links: str, head: str = "", text: str = "") -> str:
    """A page with a heading, a sentence and links."""
    listed = "".join(f'<li><a href="{link}">{link}</a></li>' for link in links)
    return (
        f"<!doctype html><html><head><title>{title}</title>{head}</head><body><main>"
        f"<h1>{title}</h1><p>{text or f'This is the page {title}.'}</p>"
        f"<ul>{listed}</ul></main></body></html>"
    )


def sitemap(*addresses: str, lastmod: str = "") -> str:
    changed = f"<lastmod>{lastmod}</lastmod>" if lastmod else ""
    urls = "".join(f"<url><loc>{address}</loc>{changed}</url>" for address in addresses)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{urls}</urlset>'
    )
