"""Addresses of a site: in one written form, inside a release or not, and as paths of files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from urllib.parse import quote, unquote

import httpx

from corpora.errors import SourceError
from corpora.sources.options import RELEASE
from corpora.sources.site.hosts import Refused, is_plain_host

PORTS = {"http": 80, "https": 443}
_LONGEST = 2_000
_LONGEST_NAME = 120
_INDEX = ("index.html", "index.htm")
_FILES = (".html", ".htm", ".xhtml", ".md", ".txt", ".xml")
_KEPT = "!$&'()*+,;=:@~"
_WHOLE = re.compile(r"https?://[^/?#]", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_UNUSABLE = re.compile(r'[\x00-\x1f\x7f\\:*?"<>|]')


def parsed(address: str, base: httpx.URL | None = None) -> httpx.URL | None:
    """An address in the form in which it is compared and asked for, or None if it is no page's.

    Query and fragment are left out: pages are told apart by their path.
    """
    if len(address) > _LONGEST:
        return None
    try:
        base = None if _WHOLE.match(address) else base
        url = base.join(address) if base is not None else httpx.URL(address)
        if url.scheme not in PORTS or not url.host:
            return None
        port = None if url.port == PORTS[url.scheme] else url.port
        if port is not None and not 0 < port < 65_536:
            return None
        segments = [unquote(segment) for segment in url.raw_path.decode().split("?")[0].split("/")]
        if any(s in (".", "..") or "/" in s or "\\" in s or _CONTROL.search(s) for s in segments):
            return None
        path = "/".join(quote(segment, safe=_KEPT) for segment in segments) or "/"
        # Most addresses are in that form already, and making another one takes longest.
        if url.port == port and url.raw_path == path.encode() and "#" not in address:
            return url
        return url.copy_with(port=port, raw_path=path.encode(), fragment=None)
    except (httpx.InvalidURL, ValueError):
        return None


def identity(url: httpx.URL | str) -> str:
    """What two parsed addresses of one page have in common: a folder and its index are one page."""
    start, _, last = str(url).rpartition("/")
    return f"{start}/" if last.lower() in _INDEX else str(url)


@dataclass(frozen=True)
class Hosts:
    """The hosts that a source names; with their port where it is not the usual one."""

    named: frozenset[tuple[str, int | None]]

    @classmethod
    def of(cls, addresses: Iterable[str], hosts: Iterable[str]) -> Hosts:
        """Those of addresses, and others by name or `name:port`. Raises SourceError."""
        named = set()
        for address in (*addresses, *(f"https://{host}" for host in hosts)):
            url = parsed(address)
            if url is None or url.userinfo or not is_plain_host(url.host):
                raise SourceError(
                    "{address} names no host that can be read: give it as a name, such as "
                    "docs.example.com, without a user or a password.",
                    address=address,
                )
            named.add((url.host, url.port))
        return cls(frozenset(named))

    def check(self, url: httpx.URL) -> None:
        """Raise Refused where an address is none of these hosts', or holds a user name."""
        usual = url.port is None and any(host == url.host for host, _ in self.named)
        if url.userinfo or not (usual or (url.host, url.port) in self.named):
            raise Refused("the source does not name the host {host}", host=url.netloc.decode())


@dataclass(frozen=True)
class Place:
    """Where one release lies: below the folder of `start`, on any host of the source.

    `others` are the folders of other releases, which may lie inside it.
    """

    start: httpx.URL
    hosts: Hosts
    others: tuple[str, ...] = ()

    @cached_property
    def folder(self) -> str:
        """The path that those of all its pages begin with; ends with "/"."""
        path = self.start.raw_path.decode()
        if path.endswith("/"):
            return path
        return path.rpartition("/")[0] + "/" if path.lower().endswith(_FILES) else f"{path}/"

    @cached_property
    def inner(self) -> tuple[str, ...]:
        """The folders of those other releases that lie inside this one's."""
        return tuple(other for other in self.others if other.startswith(self.folder))

    def page(self, address: str, base: httpx.URL | None = None) -> httpx.URL | None:
        """The address of a page of this release, or None."""
        url = parsed(address, base)
        url = url and self.own(url)
        return url if url is not None and self.holds(url) else None

    def own(self, url: httpx.URL) -> httpx.URL | None:
        """The address as it is asked for, or None where it is at none of the source's hosts."""
        if url.scheme == "http" and self.start.scheme == "https" and url.port is None:
            url = url.copy_with(scheme="https")
        try:
            self.hosts.check(url)
        except Refused:
            return None
        return url

    def holds(self, url: httpx.URL) -> bool:
        """Say whether an address lies below the folder."""
        path = f"{url.raw_path.decode().rstrip('/')}/"
        return path.startswith(self.folder) and not path.startswith(self.inner)

    def path(self, url: httpx.URL, suffixes: tuple[str, ...]) -> str:
        """The path of the file that a page is ingested as.

        `suffixes` are those that may stay; the first is added where the address has none of them.
        """
        tail = identity(url).split("/", 3)[3][len(self.folder) - 1 :]
        names = [_file_name(unquote(name)) for name in tail.split("/")]
        names[-1] = names[-1] or "index"
        if not names[-1].lower().endswith(suffixes):
            names[-1] += suffixes[0]
        if url.host != self.start.host:
            names.insert(0, _file_name(url.host))
        return "/".join(name or "_" for name in names)


def start_of(template: str, value: str) -> str:
    """The address where a release begins, whose name in the address is `value`."""
    return template.replace(RELEASE, quote(value, safe=""))


def pattern_of(template: str) -> re.Pattern[str]:
    """What finds the name of a release at the beginning of an address of one of its pages."""
    before, after = template.split(RELEASE)
    in_host = "/" not in before.partition("://")[2]
    name = "[A-Za-z0-9][A-Za-z0-9.-]*?" if in_host else "[^/]+?"
    path = (after if in_host else after.partition("/")[0]).rstrip("/")
    return re.compile(f"{re.escape(before)}({name}){re.escape(path)}(?=/|$)")


def parent_of(template: str) -> str:
    """The address above all releases: the folder that holds `{release}`, or the domain."""
    before, after = template.split(RELEASE)
    scheme, _, rest = before.partition("://")
    if "/" in rest:
        return before.rpartition("/")[0] + "/"
    domain = after.partition("/")[0].lstrip(".-")
    return f"{scheme}://{domain}/"


def _file_name(name: str) -> str:
    name = _UNUSABLE.sub("_", name)
    if len(name.encode()) <= _LONGEST_NAME:
        return name
    return f"{name[:60]}-{sha256(name.encode()).hexdigest()[:12]}"
