"""A site read twice: `python -m eval.speed.crawling`.

A site is made up and served on loopback by a process of its own. A second process reads all of its
pages, and then again with nothing changed; its highest memory is told, and how many requests each
reading took. No documents are ingested: what an ingest adds to the first reading is not in here.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

PAGES = (1_000, 5_000, 10_000)
WAYS = ("sitemap with dates", "sitemap without", "links")
READ = """
import json, resource, sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from corpora.sources.options import SiteOptions
from corpora.sources.site import open_site
from corpora.sources.source import FoundRelease, Secrets
port, discover = sys.argv[1:]
options = SiteOptions(
    url=f"http://127.0.0.1:{port}/{{release}}/", discover=discover, delay=0,
    private_hosts=("127.0.0.1",), max_pages=100_000, max_bytes=10**10,
)
known, told = {}, []
for turn in range(2):
    began, busy, changed, now = perf_counter(), process_time(), 0, {}
    with TemporaryDirectory() as folder:
        reader = open_site(options, Secrets())
        for file in reader.fetch(
            FoundRelease("1.0", ""), known, Path(folder), lambda: None, lambda *_: None
        ):
            now[file.path] = file.digest
            if file.content is not None:
                changed += 1
                file.content.unlink()
    known = now
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    told.append({"seconds": perf_counter() - began, "pages": len(now), "changed": changed,
                 "busy": process_time() - busy, "peak": peak})
print(json.dumps(told))
"""
_FILLER = "The interval of a lamp is the time between two flashes, in seconds. " * 120
_LINKS = 10


def page(number: int, pages: int) -> str:
    """A page of some 10 kB with links to ten others."""
    links = (
        f'<a href="p{(number * _LINKS + at + 1) % pages}.html">more</a>' for at in range(_LINKS)
    )
    return (
        f"<!doctype html><html><head><title>Page {number}</title></head><body><main>"
        f"<h1>Page {number}</h1><p>{_FILLER}</p>{' '.join(links)}</main></body></html>"
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
def _served(pages: int, *, dated: bool) -> Iterator[int]:
    code = f"from eval.speed.crawling import serve; serve({pages}, {dated})"
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            if process.stdout is None:
                raise RuntimeError("the site has no output that its port could be read from")
            yield int(process.stdout.readline())
        finally:
            process.terminate()


def main(
    sizes: Annotated[list[int] | None, typer.Argument(help="Pages of a site.")] = None,
    by: Annotated[list[str] | None, typer.Option(help="What names the pages.")] = None,
) -> None:
    """Print both readings, the share of the second, processor time, and memory in MB."""
    table = Table(
        *("site", "pages", "first, s", "second, s", "of the first"),
        *("first, CPU s", "second, CPU s", "peak, MB"),
    )
    for size in sizes or PAGES:
        for way in by or WAYS:
            with _served(size, dated=way == WAYS[0]) as port:
                discover = way.partition(" ")[0]
                command = [sys.executable, "-c", READ, str(port), discover]
                done = subprocess.run(command, check=True, capture_output=True)
            first, second = json.loads(done.stdout)
            if second["changed"] or second["pages"] != first["pages"]:
                raise RuntimeError(f"the second reading of {size} pages by {way} found changes")
            peak = max(first["peak"], second["peak"])
            share = second["seconds"] / first["seconds"]
            seconds = (f"{reading['seconds']:.1f}" for reading in (first, second))
            busy = (f"{reading['busy']:.1f}" for reading in (first, second))
            table.add_row(way, f"{first['pages']:,}", *seconds, f"{share:.1%}", *busy, str(peak))
    Console().print(table)


if __name__ == "__main__":
    typer.run(main)
