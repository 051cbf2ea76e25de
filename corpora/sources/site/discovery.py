"""What names the pages of a release: a sitemap, or llms.txt."""

from collections.abc import Iterator

import httpx

from corpora.errors import NothingThere
from corpora.sources.site.addresses import parsed
from corpora.sources.site.frontier import Found
from corpora.sources.site.hosts import Refused
from corpora.sources.site.markup import markdown_links
from corpora.sources.site.site import Site
from corpora.sources.site.sitemaps import sitemap_entries

_LARGEST_LIST = 10_000_000
_SPARE = 1_000
"""So many more addresses than pages are noted, as some turn out to be none."""


def pages_of_sitemap(site: Site) -> list[Found]:
    """The pages of a release, from the sitemap nearest to it that has any.

    It is looked for in the folder of the release, in those above it, and in robots.txt.
    """
    for start in _sitemaps(site):
        found: dict[str, Found] = {}
        for entry in sitemap_entries(site.fetcher, site.place.hosts, [start], site.folder):
            url = site.place.page(entry.address, start)
            if url is not None:
                found.setdefault(str(url), Found(str(url), entry.lastmod))
            if len(found) > site.options.max_pages + _SPARE:
                break
        if found:
            return list(found.values())
    raise NothingThere(
        "No sitemap lists pages below {start}: take them by links or llms.txt (option "
        "discover), or give an address that the sitemap has.",
        start=site.place.start,
    )


def pages_of_llms(site: Site) -> list[Found]:
    """The pages that llms.txt links to, or llms-full.txt itself where it links to none."""
    start = site.place.start
    if start.path.endswith(".txt"):
        lists = [start]
    else:
        lists = [above.join("llms.txt") for above in folders_above(start, site.place.folder)]
    for address in lists:
        text = _text(site, address)
        links = (site.place.page(link, address) for link in markdown_links(text or ""))
        if pages := [Found(str(url)) for url in links if url is not None]:
            return pages
        if text is not None and address == start:
            return [Found(str(start))]
    whole = start.join(site.place.folder).join("llms-full.txt")
    if _text(site, whole) is not None:
        return [Found(str(whole))]
    raise NothingThere(
        "Neither llms.txt nor llms-full.txt is there for {start}, or they link to no page "
        "below it: take the pages by sitemap or links (option discover).",
        start=start,
    )


def folders_above(url: httpx.URL, folder: str) -> Iterator[httpx.URL]:
    """A folder on the host of an address, and those above it up to the root."""
    while True:
        yield url.join(folder)
        if folder == "/":
            return
        folder = folder[: folder.rstrip("/").rfind("/") + 1]


def _sitemaps(site: Site) -> Iterator[httpx.URL]:
    start = site.place.start
    if start.path.endswith((".xml", ".xml.gz")):
        yield start
        return
    for above in folders_above(start, site.place.folder):
        yield above.join("sitemap.xml")
    for address in site.robots.sitemaps(start):
        if (url := parsed(address)) is not None:
            yield url


def _text(site: Site, url: httpx.URL) -> str | None:
    """The text at an address, or None where there is none."""
    file = site.folder / "llms.txt"
    try:
        answer = site.fetcher.get(url, file, most=_LARGEST_LIST, check=site.robots.check)
    except Refused:
        return None
    if answer.status != 200 or answer.kind == "text/html":
        return None
    return file.read_text("utf-8", "replace")
