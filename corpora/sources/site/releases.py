"""The releases that a site has: those that are listed, or those found where `{release}` stands."""

import json
import re
from collections.abc import Iterator, Mapping
from mimetypes import guess_type
from pathlib import Path
from urllib.parse import unquote

import httpx

from corpora.errors import NothingThere, SourceError
from corpora.sources.options import RELEASE, SiteOptions
from corpora.sources.site.addresses import (
    Hosts,
    Place,
    parent_of,
    parsed,
    pattern_of,
    start_of,
)
from corpora.sources.site.discovery import folders_above
from corpora.sources.site.fetching import Fetcher
from corpora.sources.site.hosts import ForbiddenHost, Refused
from corpora.sources.site.kinds import HTML, suffixes_of
from corpora.sources.site.markup import read_markup
from corpora.sources.site.robots import Robots
from corpora.sources.site.sitemaps import sitemap_entries

_LARGEST = 10_000_000
_MOST = 1_000
_DIGIT = re.compile(r"\d")


def starts_of(options: SiteOptions) -> dict[str, str]:
    """Where each release begins that the options name. Raises SourceError."""
    starts = {}
    for name, value in options.releases.items():
        if "://" in value:
            starts[name] = value
        elif RELEASE in options.url:
            starts[name] = start_of(options.url, value)
        else:
            raise SourceError(
                "The release {name} has {value!r}, and the url holds no {{release}}: give the "
                "release an address that begins with https://.",
                name=name,
                value=value,
            )
    return starts


def place_of(name: str, options: SiteOptions) -> Place:
    """Where a release lies. Raises SourceError for a host that cannot be named."""
    starts = starts_of(options)
    address = starts.get(name) or start_of(options.url, name)
    hosts = Hosts.of([address], options.hosts)
    start = parsed(address)
    if start is None:
        raise SourceError(
            "{address} is no address where a release could begin: correct it.", address=address
        )
    others = [parsed(other) for key, other in starts.items() if key != name]
    folders = [Place(url, hosts).folder for url in others if url and url.host == start.host]
    own = Place(start, hosts).folder
    return Place(start, hosts, tuple(folder for folder in folders if folder != own))


class Others:
    """Says of addresses whether they are those of a release other than the one at `place`."""

    def __init__(self, place: Place, options: SiteOptions) -> None:
        self._place = place
        self._pattern = pattern_of(options.url) if RELEASE in options.url else None
        starts = (parsed(start) for start in starts_of(options).values())
        self._places = [Place(url, place.hosts) for url in starts if url and url != place.start]

    def __call__(self, url: httpx.URL) -> bool:
        """Say whether an address is that of a page of another release."""
        if self._place.holds(url) and url.host == self._place.start.host:
            return False
        if self._pattern is not None and self._pattern.match(str(url)):
            return True
        return any(url.host == other.start.host and other.holds(url) for other in self._places)


def found_releases(
    options: SiteOptions, fetcher: Fetcher, robots: Robots, hosts: Hosts, folder: Path
) -> Mapping[str, None]:
    """The names that stand where the url has `{release}`, in the order in which they are found.

    They are looked for in the links, the menus and the file versions.json of the page above the
    releases, and in its sitemap. A name has a digit; others are given by the option releases.

    Raises:
        SourceError: where there are none, or the site does not answer.
    """
    pattern, parent = pattern_of(options.url), parsed(parent_of(options.url))
    if parent is None:
        raise SourceError(
            "{address} has no page above its releases: list the releases with their addresses "
            "(option releases).",
            address=options.url,
        )
    names: dict[str, None] = {}
    for url in _addresses(parent, fetcher, robots, hosts, folder):
        match = pattern.match(str(url))
        if match and (name := unquote(match[1])) and _is_release(name):
            names.setdefault(name)
        if len(names) >= _MOST:
            break
    if not names:
        raise NothingThere(
            "No release was found in the links and the sitemap of {parent}: list the releases "
            "with their addresses (option releases).",
            parent=parent,
        )
    return names


def _addresses(
    parent: httpx.URL, fetcher: Fetcher, robots: Robots, hosts: Hosts, folder: Path
) -> Iterator[httpx.URL]:
    yield from _linked(parent, fetcher, robots, folder)
    for above in folders_above(parent, parent.path):
        for entry in sitemap_entries(fetcher, hosts, [above.join("sitemap.xml")], folder):
            if (url := parsed(entry.address, above)) is not None:
                yield _like(url, parent)
    named = (parsed(address) for address in robots.sitemaps(parent))
    for entry in sitemap_entries(fetcher, hosts, [url for url in named if url], folder):
        if (url := parsed(entry.address)) is not None:
            yield _like(url, parent)


def _linked(
    parent: httpx.URL, fetcher: Fetcher, robots: Robots, folder: Path
) -> Iterator[httpx.URL]:
    """Where the page above the releases leads to."""
    for address in (parent, parent.join("versions.json")):
        file = folder / "above"
        try:
            answer = fetcher.get(address, file, most=_LARGEST, check=robots.check)
        except ForbiddenHost as error:
            raise SourceError(
                "{address} cannot be read: {error}.", address=address, error=error
            ) from error
        except Refused:
            continue
        yield answer.url
        if answer.status != 200:
            continue
        if address != parent:
            links, base = _versions(file), parent
        elif suffixes_of(answer) == HTML:
            markup = read_markup(file, answer.charset)
            links, base = markup.links, parsed(markup.base, answer.url) or answer.url
        else:
            continue
        for link in links:
            if (url := parsed(link, base)) is not None:
                yield _like(url, parent)


def _versions(file: Path) -> list[str]:
    """The addresses in a list of versions, as mike and Sphinx themes keep it beside the pages."""
    try:
        listed = json.loads(file.read_bytes())
    except (ValueError, RecursionError):
        return []
    entries = (
        [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    )
    links = (entry.get("url") or f"{entry.get('version', '')}/" for entry in entries)
    return [link for link in links if isinstance(link, str)]


def _like(url: httpx.URL, parent: httpx.URL) -> httpx.URL:
    """An address with https where its site is read so; sitemaps often have the old one."""
    is_old = url.scheme == "http" and parent.scheme == "https" and url.port is None
    return url.copy_with(scheme="https") if is_old else url


def _is_release(name: str) -> bool:
    return bool(_DIGIT.search(name)) and guess_type(name) == (None, None)
