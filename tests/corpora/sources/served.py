"""A small site on loopback, for tests: pages by path, and the requests that came."""

import gzip
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from mimetypes import guess_type

from tests.loopback import Asked, Reply, listening


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
    site = Site(0, dict(pages), "https" if tls else "http")

    def reply(asked: Asked) -> Reply:
        host = (asked.headers.get("Host") or "").partition(":")[0]
        found = site.pages.get(f"{host}{asked.path}", site.pages.get(asked.path))
        page = found if isinstance(found, Page) else Page(found if found is not None else b"")
        status = page.status if found is not None else 404
        etag = f'"{sha256(page.data).hexdigest()[:12]}"'
        if status == 200 and asked.headers.get("If-None-Match") == etag:
            status = 304
        site.requests.append((host, asked.path, status))
        site.headers.append({key.lower(): value for key, value in asked.headers.items()})
        sent = page.data if status != 304 else b""
        name = asked.path.rpartition("/")[2]
        kind = page.kind or (guess_type(name)[0] if "." in name else "") or "text/html"
        headers = {"Content-Type": kind, "ETag": etag, **page.headers}
        if headers.get("Content-Encoding") == "gzip":
            sent = gzip.compress(sent)
        return Reply(status, sent, headers)

    with listening(reply, tls) as address:
        site.port = int(address.rpartition(":")[2])
        yield site


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
