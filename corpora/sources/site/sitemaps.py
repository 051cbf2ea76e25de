"""sitemap.xml: the pages of a site with the times of their changes, as sitemaps.org defines it."""

import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.parsers import expat

import httpx

from corpora.errors import SourceError
from corpora.sources.site.addresses import Hosts, parsed
from corpora.sources.site.fetching import Fetcher
from corpora.sources.site.hosts import Refused

LARGEST = 50_000_000
"""The bytes of one file, unpacked, by the protocol."""
MOST_FILES = 500
_BLOCK = 64 << 10
_LONGEST = 2_000


@dataclass(frozen=True, slots=True)
class Entry:
    """An address in a sitemap, and when it changed last, as it is written there or ""."""

    address: str
    lastmod: str


@dataclass(frozen=True, slots=True)
class _Listed:
    entry: Entry
    is_sitemap: bool


def sitemap_entries(
    fetcher: Fetcher, hosts: Hosts, starts: Iterable[httpx.URL], folder: Path
) -> Iterator[Entry]:
    """The pages that sitemaps list, and those in the sitemaps that they list.

    Nothing is listed where there is no file at any of the `starts`.

    Raises:
        SourceError: where one cannot be read, so that what it lists is not taken for gone.
    """
    queue = deque((url, False) for url in starts)
    seen = set()
    while queue:
        url, named = queue.popleft()
        if str(url) in seen:
            continue
        seen.add(str(url))
        if len(seen) > MOST_FILES:
            raise SourceError(
                "{url} is one of more than {most_files} sitemaps: begin the source further "
                "below, or take its pages by links.",
                url=url,
                most_files=MOST_FILES,
            )
        file = folder / "sitemap.xml"
        if not _fetched(fetcher, url, file, named=named):
            continue
        for listed in _entries(file, url):
            if not listed.is_sitemap:
                yield listed.entry
            elif (child := _child(listed.entry.address, url, hosts)) is not None:
                queue.append((child, True))
        file.unlink()


def _fetched(fetcher: Fetcher, url: httpx.URL, file: Path, *, named: bool) -> bool:
    try:
        answer = fetcher.get(url, file, most=LARGEST)
    except Refused as error:
        if not named:
            return False
        raise _unreadable(url, str(error)) from error
    if answer.status == 200 and (named or answer.kind != "text/html"):
        return True
    if not named and answer.status < 500:
        return False
    raise _unreadable(url, f"the site answered {answer.status}")


def _child(address: str, url: httpx.URL, hosts: Hosts) -> httpx.URL | None:
    child = parsed(address, url)
    if child is not None and child.scheme == "http" and url.scheme == "https":
        child = child.copy_with(scheme="https")
    try:
        if child is not None:
            hosts.check(child)
    except Refused:
        return None
    return child


def _entries(file: Path, url: httpx.URL) -> Iterator[_Listed]:
    """Read a file block by block; it is never held as a whole."""
    reader = _Reader()
    try:
        for block in _unpacked(file):
            reader.feed(block, last=False)
            yield from reader.taken()
        reader.feed(b"", last=True)
    except (expat.ExpatError, zlib.error, EOFError, ValueError) as error:
        raise _unreadable(url, str(error)) from error
    yield from reader.taken()


def _unpacked(file: Path) -> Iterator[bytes]:
    """The bytes of a file, unpacked if it is gzip data, in blocks of bounded size."""
    size = 0
    with file.open("rb") as packed:
        start = packed.read(2)
        packed.seek(0)
        unpacking = zlib.decompressobj(31) if start == b"\x1f\x8b" else None
        while data := packed.read(_BLOCK):
            while data:
                block = unpacking.decompress(data, _BLOCK) if unpacking else data
                data = unpacking.unconsumed_tail if unpacking else b""
                size += len(block)
                if size > LARGEST:
                    raise ValueError(f"it has more than {LARGEST:,} bytes")
                yield block
        if unpacking and not unpacking.eof:
            raise EOFError("it ends too early")


class _Reader:
    """Takes `loc` and `lastmod` of each entry; knows no entities but those of XML itself."""

    def __init__(self) -> None:
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = self._doctype
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._inside: list[str] = []
        self._fields: dict[str, str] = {}
        self._listed: list[_Listed] = []

    def feed(self, data: bytes, *, last: bool) -> None:
        self._parser.Parse(data, last)

    def taken(self) -> Iterator[_Listed]:
        listed, self._listed = self._listed, []
        yield from listed

    def _doctype(self, *_: object) -> None:
        raise ValueError("it declares a document type, which no sitemap has")

    def _start(self, name: str, _: object) -> None:
        self._inside.append(name.rpartition(":")[2] if not self._inside else name)
        if len(self._inside) > 20:
            raise ValueError("its elements are nested too deeply")
        if len(self._inside) == 1 and self._inside[0] not in ("urlset", "sitemapindex"):
            raise ValueError(f"it is no sitemap but {name[:40]!r}")
        if len(self._inside) == 2:
            self._fields = {}

    def _text(self, text: str) -> None:
        if len(self._inside) == 3:
            name = self._inside[-1].rpartition(":")[2]
            self._fields[name] = (self._fields.get(name, "") + text)[: _LONGEST + 1]

    def _end(self, name: str) -> None:
        if len(self._inside) == 2 and (address := self._fields.get("loc", "").strip()):
            entry = Entry(address, self._fields.get("lastmod", "").strip()[:40])
            self._listed.append(_Listed(entry, self._inside[0] == "sitemapindex"))
        self._inside.pop()


def _unreadable(url: httpx.URL, reason: str) -> SourceError:
    return SourceError(
        "The sitemap {url} cannot be read: {reason}. Nothing that is served changes. Have it "
        "mended, or take the pages by links.",
        url=url,
        reason=reason,
    )
