"""A documentation site as a source: its releases, and the pages of each."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

from corpora.errors import NothingThere, SourceError
from corpora.sources.options import RELEASE, SiteOptions
from corpora.sources.run_report import of_release
from corpora.sources.site.addresses import Hosts, parent_of, parsed
from corpora.sources.site.crawling import LARGEST_PAGE, Crawl
from corpora.sources.site.discovery import pages_of_llms, pages_of_sitemap
from corpora.sources.site.fetching import Fetcher
from corpora.sources.site.hosts import CheckedConnections, CheckedTransport, Refused
from corpora.sources.site.releases import Others, found_releases, place_of, starts_of
from corpora.sources.site.remarks import LeftOut
from corpora.sources.site.robots import Robots
from corpora.sources.site.site import Site
from corpora.sources.site.states import Known
from corpora.sources.source import FetchedFile, FoundRelease, Secrets


class SiteReader:
    """Reads a site. Raises SourceError, when it is made too, for options that cannot be used."""

    def __init__(self, options: SiteOptions, secrets: Secrets) -> None:
        self.remarks: list[str] = []
        self._options = options
        self._token = secrets.token(options.token, options.url) if options.token else ""
        self._certificates = str(secrets.file(options.ca)) if options.ca else None
        self._private = frozenset(map(_host, options.private_hosts))
        self._answers = False
        for name in starts_of(options):
            self._is_safe_to_sign_in(place_of(name, options).start)

    def releases(self, check_stop: Callable[[], None] = lambda: None) -> list[FoundRelease]:
        """Those that the options list, or else those found at the site."""
        if self._options.releases:
            return [FoundRelease(name, "") for name in self._options.releases]
        parent = parent_of(self._options.url)
        hosts = Hosts.of([parent], self._options.hosts)
        start = parsed(parent)
        with (
            TemporaryDirectory(prefix="strata-site-") as folder,
            self._fetcher(hosts, start) as fetcher,
        ):
            fetcher.check_stop = check_stop
            robots = Robots(fetcher, Path(folder), obeyed=self._options.robots)
            names = found_releases(self._options, fetcher, robots, hosts, Path(folder))
        self._answers = True
        return [FoundRelease(name, "") for name in names]

    def is_gone(self, release: str, check_stop: Callable[[], None]) -> bool:
        """Whether the site answers 404 or 410 where a release begins, and not so everywhere.

        Something else has to be there: another release, or the page above this one.
        """
        place = place_of(release, self._options)
        above = parent_of(self._options.url) if RELEASE in self._options.url else ".."
        with (
            TemporaryDirectory(prefix="strata-site-") as folder,
            self._fetcher(place.hosts, place.start) as fetcher,
        ):
            fetcher.check_stop = check_stop
            robots = Robots(fetcher, Path(folder), obeyed=self._options.robots)

            def is_nowhere(url: httpx.URL) -> bool:
                file = Path(folder) / "page"
                return fetcher.get(url, file, most=LARGEST_PAGE, check=robots.check).gone

            try:
                return is_nowhere(place.start) and (
                    self._answers or not is_nowhere(place.start.join(place.folder).join(above))
                )
            except Refused:
                return False

    def fetch(
        self,
        release: FoundRelease,
        known: Mapping[str, str],
        folder: Path,
        check_stop: Callable[[], None],
        progress: Callable[[int, int | None], None],
    ) -> Iterator[FetchedFile]:
        """Yield every page of a release, as `SourceReader` says."""
        place, left_out = place_of(release.name, self._options), LeftOut()
        with self._fetcher(place.hosts, place.start) as fetcher:
            fetcher.check_stop = check_stop
            robots = Robots(fetcher, folder, obeyed=self._options.robots)
            site = Site(self._options, place, Others(place, self._options), fetcher, robots, folder)
            crawl = Crawl(site, Known(known, place), left_out)
            try:
                for file in self._pages(site, crawl):
                    progress(*crawl.progress)
                    yield file
                for file in crawl.pictures():
                    progress(*crawl.progress)
                    yield file
            finally:
                self._answers |= crawl.progress[0] > 0
                self.remarks += left_out.sentences(release.name)
                self.remarks += [of_release(release.name, remark) for remark in crawl.remarks]
        if not crawl.progress[0]:
            raise NothingThere(
                "No page of {release} was found at {start}. Nothing that is served changes. "
                "Check the address. {why}"
                if self.remarks
                else "No page of {release} was found at {start}. Nothing that is served changes. "
                "Check the address.",
                release=release.name,
                start=place.start,
                why=self.remarks[-1] if self.remarks else "",
            )

    def _pages(self, site: Site, crawl: Crawl) -> Iterator[FetchedFile]:
        if self._options.discover == "links":
            return crawl.linked()
        find = pages_of_sitemap if self._options.discover == "sitemap" else pages_of_llms
        return crawl.listed(find(site))

    @contextmanager
    def _fetcher(self, hosts: Hosts, start: httpx.URL | None) -> Iterator[Fetcher]:
        if start is None:
            raise SourceError(
                "{address} is no address that can be read: correct it.", address=self._options.url
            )
        self._is_safe_to_sign_in(start)
        connections = CheckedConnections(self._private)
        fetcher = Fetcher(
            CheckedTransport(connections, self._certificates),
            hosts.check,
            delay=self._options.delay,
            token=self._token,
            signs_in=lambda url: (url.scheme, url.netloc) == (start.scheme, start.netloc),
        )
        try:
            yield fetcher
        finally:
            fetcher.close()

    def _is_safe_to_sign_in(self, start: httpx.URL) -> None:
        if self._token and start.scheme == "http" and start.host not in self._private:
            raise SourceError(
                "The token would go to {start} for everybody on the way to read: use https, "
                "or leave out the token.",
                start=start,
            )


def _host(name: str) -> str:
    """A host as connections are made to it, without its port. Raises SourceError."""
    url = parsed(f"https://{name}")
    if url is None:
        raise SourceError("{name!r} in private_hosts is no host: give its name alone.", name=name)
    return url.raw_host.decode()
