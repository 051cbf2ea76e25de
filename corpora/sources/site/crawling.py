"""The pages of one release, one after the other: asked for, told apart, and saved."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from zlib import crc32

import httpx

from corpora.errors import NothingThere, SourceError
from corpora.sources.site.addresses import identity, parsed
from corpora.sources.site.fetching import Answer
from corpora.sources.site.frontier import Found, Frontier
from corpora.sources.site.hosts import ForbiddenHost, Refused
from corpora.sources.site.kinds import HTML, MARKDOWN, in_utf8, is_worth_asking, suffixes_of
from corpora.sources.site.markup import Markup, markdown_pictures, read_markup
from corpora.sources.site.pictures import Pictures
from corpora.sources.site.remarks import LeftOut
from corpora.sources.site.site import Site
from corpora.sources.site.states import Known, State, settled, shortened
from corpora.sources.source import FetchedFile
from ingestion.messages import message

LARGEST_PAGE = 50_000_000
_LONGEST_KIND = 80
SAMPLED, LEAST_SAMPLED = 20, 10
"""Of the pages that a sitemap calls unchanged, one in so many is asked for all the same."""


class Crawl:
    """Reads the pages of one release; `known` is what was read last."""

    def __init__(self, site: Site, known: Known, left_out: LeftOut) -> None:
        self._site, self._known, self._left_out = site, known, left_out
        self._frontier = Frontier(10 * site.options.max_pages + 1_000)
        self._most_asked = 4 * site.options.max_pages + 100
        self._asked = 0
        self._paths: set[str] = set()
        self._unread: list[Found] = []
        self._children: dict[str, list[str]] = {}
        self._sample: set[str] = set()
        self._trusts_sitemap = True
        self._follows = False
        self._ignores_canonical = False
        self._ahead: tuple[httpx.URL, Answer] | None = None
        self._bytes = 0
        self._pictures = Pictures(site, known.pictures, self._has_room)
        self.limit = ""
        """Which limit ended the reading, in words."""

    @property
    def progress(self) -> tuple[int, int | None]:
        """How many pages and pictures are done, and of how many, where that is known."""
        pictures, of = self._pictures.progress
        done = self._frontier.taken + pictures
        return done, None if self._follows else self._frontier.found + of

    @property
    def remarks(self) -> list[str]:
        """What there is to say about the reading as a whole."""
        said: list[str] = []
        if self.limit:
            said.append(
                message("the reading ended at {limit}; there may be more pages.", limit=self.limit)
            )
        if not self._trusts_sitemap:
            said.append(
                message(
                    "the sitemap calls pages unchanged that have changed, so every page was asked "
                    "for."
                )
            )
        return said + self._pictures.remarks + self._pictures.left_out.reasons

    def pictures(self) -> Iterator[FetchedFile]:
        """The pictures that the pages show which were read; to be asked for behind all of them."""
        return self._pictures.fetch(self._paths)

    def listed(self, found: list[Found]) -> Iterator[FetchedFile]:
        """The pages at these addresses, which are all that the release has."""
        self._look_ahead()
        for one in found:
            self._frontier.add(one)
        self._sample = self._sampled(found)
        self._frontier.first(self._sample)
        yield from self._visit()

    def linked(self) -> Iterator[FetchedFile]:
        """The pages that links lead to, from where the release begins."""
        self._follows = True
        start = self._site.place.start
        if not self._look_ahead():
            raise NothingThere(
                "The release begins at {start}, where there is no page that can be read: give "
                "the address of its first page.",
                start=start,
            )
        for key, state in self._known.states.items():
            self._children.setdefault(state.by, []).append(key)
        self._frontier.add(Found(str(start)))
        yield from self._visit()
        while not self.limit and self._look_again():
            yield from self._visit()

    def _visit(self) -> Iterator[FetchedFile]:
        for found in self._frontier:
            self._site.fetcher.check_stop()
            if self._frontier.taken >= self._site.options.max_pages:
                most = self._site.options.max_pages
                self.limit = message("{number:,} pages (max_pages)", number=most)
                return
            if self._asked >= self._most_asked:
                self.limit = message(
                    "{number:,} addresses asked for, of which most are no pages to take "
                    "(max_pages sets how many)",
                    number=self._most_asked,
                )
                return
            file = self._page(found)
            if self.limit:
                return
            if file is None:
                self._frontier.leave(found.address)
            else:
                yield file

    def _page(self, found: Found) -> FetchedFile | None:
        """The page at an address, if it is one and is to be taken."""
        state = self._known.states.get(identity(found.address))
        if state and self._trusts_sitemap and self._says_unchanged(found, state):
            return self._unchanged(found, found.address, state)
        url = httpx.URL(found.address)
        try:
            answer = self._get(url)
        except ForbiddenHost as error:
            raise SourceError("{url} is not read: {error}.", url=url, error=error) from error
        except Refused as error:
            self._left_out.add(str(error), url)
            return None
        if identity(answer.url) != identity(url):
            if not self._frontier.enter(answer.url):
                return None
            state = self._known.states.get(identity(answer.url))
        if answer.status == 304 and state:
            self._unread.append(found)
            return self._unchanged(found, answer.url, state)
        if answer.status == 200:
            return self._content(found, answer, state)
        if state and not answer.gone:
            raise SourceError(
                "{url} was read before, and now the site answers {status}. Nothing that is "
                "served changes. Have the page repaired or removed, or give the source a "
                "token.",
                url=url,
                status=answer.status,
            )
        answered = message("the site answered {status}", status=answer.status)
        self._left_out.add(answered, url)
        return None

    def _content(self, found: Found, answer: Answer, state: State | None) -> FetchedFile | None:
        """The file of an answer, unless it is a copy of another page or no page at all."""
        suffixes, file = suffixes_of(answer), self._site.folder / "page"
        base, written = answer.url, ""
        shows: tuple[str, ...] = ()
        if not suffixes:
            kind = answer.kind[:_LONGEST_KIND] or message("of no stated type")
            other = message("it is {kind}, not HTML, Markdown, text or PDF", kind=kind)
            self._left_out.add(other, answer.url)
            return None
        if suffixes == HTML:
            markup = read_markup(file, answer.charset)
            if (begins := parsed(markup.base, answer.url)) is not None:
                base, written = begins, markup.base
            self._follow(markup, base, answer.url)
            if self._is_copy(found, markup, base, answer.url):
                return None
            shows = tuple(markup.pictures)
        elif suffixes == MARKDOWN:
            shows = markdown_pictures(file.read_text("utf-8", errors="replace"))
        if not self._has_room(answer.size):
            return None
        path = self._site.place.path(answer.url, suffixes)
        if path in self._paths:
            self._left_out.add(message("another page has the same name"), answer.url)
            return None
        self._paths.add(path)
        self._frontier.take(answer.url)
        of = State.of(answer, self._site.place, found.lastmod, found.by, shows, written)
        digest, unchanged = str(of), state is not None and state.hash == answer.digest
        self._pictures.shown(path, base, shows, anew=not unchanged)
        if unchanged and self._known.paths[identity(answer.url)] == path:
            return FetchedFile(path, digest, str(answer.url), None)
        if identity(answer.url) in self._sample:
            self._trusts_sitemap = False
        if suffixes[0] != ".pdf":
            in_utf8(file, answer.charset)
        content = self._site.folder / f"{self._frontier.taken:07}{suffixes[0]}"
        return FetchedFile(path, digest, str(answer.url), file.rename(content))

    def _unchanged(self, found: Found, url: httpx.URL | str, state: State) -> FetchedFile | None:
        """A page that is as it was; so are its links."""
        path = self._known.paths[identity(url)]
        if path in self._paths or not self._has_room(state.size):
            return None
        self._paths.add(path)
        self._frontier.take(url)
        base = parsed(state.base, httpx.URL(url)) or httpx.URL(url)
        self._pictures.shown(path, base, state.shows or (), anew=False)
        for child in self._children.get(state.at, ()):
            self._frontier.add(Found(self._known.addresses[child], by=state.at))
        state = replace(state, lastmod=settled(found.lastmod), by=found.by)
        return FetchedFile(path, str(state), str(url), None)

    def _has_room(self, size: int) -> bool:
        if self._bytes + size > self._site.options.max_bytes:
            most = self._site.options.max_bytes
            self.limit = message("{number:,} bytes (max_bytes)", number=most)
            return False
        self._bytes += size
        return True

    def _follow(self, markup: Markup, base: httpx.URL, url: httpx.URL) -> None:
        if self._follows:
            by = shortened(url, self._site.place)
            for link in markup.links:
                to = self._site.place.page(link, base)
                if to is not None and is_worth_asking(to):
                    self._frontier.add(Found(str(to), by=by))

    def _is_copy(self, found: Found, markup: Markup, base: httpx.URL, url: httpx.URL) -> bool:
        """Say whether a page calls another address its own, under which it is to be found."""
        named = parsed(markup.canonical, base) if markup.canonical else None
        if named is None or found.kept or found.named:
            return False
        if (own := self._site.place.page(str(named))) is not None:
            return identity(own) != identity(url) and self._frontier.is_settled_copy(found, own)
        if self._ignores_canonical or not self._site.is_other(named):
            return False
        copied = message("it calls itself a copy of a page of another release")
        self._left_out.add(copied, url)
        return True

    def _get(self, url: httpx.URL, *, conditional: bool = True) -> Answer:
        if self._ahead and self._ahead[0] == url:
            answer, self._ahead = self._ahead[1], None
            (self._site.folder / "first").replace(self._site.folder / "page")
            return answer
        self._asked += 1
        return self._site.fetcher.get(
            url,
            self._site.folder / "page",
            most=LARGEST_PAGE,
            check=self._check,
            conditions=self._known.conditions if conditional else lambda url: {},
        )

    def _check(self, url: httpx.URL) -> None:
        if not self._site.place.holds(url):
            raise Refused("it leads out of the release")
        self._site.robots.check(url)

    def _look_ahead(self) -> bool:
        """Read the first page, which shows what canonical addresses are to this site.

        Where the first page of a release already names another release's as canonical, all pages
        do, for search engines; then it says nothing about copies.
        """
        start = self._site.place.start
        try:
            first = self._get(start, conditional=False)
        except Refused as error:
            if isinstance(error, ForbiddenHost) or self._follows:
                told = message("{start} cannot be read: {error}.", start=start, error=error)
                # One that leads to the newest release may have been removed.
                kind = SourceError if isinstance(error, ForbiddenHost) else NothingThere
                raise kind(told) from error
            return False
        if first.status != 200 or suffixes_of(first) == ():
            return False
        file = self._site.folder / "page"
        if suffixes_of(first) == HTML:
            markup = read_markup(file, first.charset)
            base = parsed(markup.base, first.url) or first.url
            named = parsed(markup.canonical, base) if markup.canonical else None
            own = named is not None and self._site.place.holds(named)
            self._ignores_canonical = named is not None and not own and self._site.is_other(named)
        file.rename(self._site.folder / "first")
        self._ahead = (start, first)
        return True

    def _look_again(self) -> bool:
        """Look for pages that nothing led to in the links of the pages that had not changed.

        Says whether more was found; nothing is asked unless one of those pages is still there.
        """
        lost = {key for key in self._known.states if key not in self._frontier}
        if not (lost and self._unread and any(map(self._is_there, lost))):
            return False
        unread, self._unread = self._unread, []
        for found in unread:
            try:
                answer = self._get(httpx.URL(found.address), conditional=False)
            except Refused:
                continue
            if answer.status == 200 and suffixes_of(answer) == HTML:
                markup = read_markup(self._site.folder / "page", answer.charset)
                base = parsed(markup.base, answer.url) or answer.url
                self._follow(markup, base, answer.url)
        return len(self._frontier) > 0

    def _is_there(self, key: str) -> bool:
        try:
            return self._get(httpx.URL(self._known.addresses[key])).status in (200, 304)
        except Refused:
            return False

    def _says_unchanged(self, found: Found, state: State) -> bool:
        """Say whether a sitemap tells that a page has not changed since it was read."""
        if state.shows is None or not state.lastmod or state.lastmod != found.lastmod:
            return False
        return identity(found.address) not in self._sample

    def _sampled(self, found: list[Found]) -> set[str]:
        """Some of the pages that the sitemap calls unchanged, others each day."""
        states, day = self._known.states, datetime.now(UTC).date().isoformat()
        keys = {
            key
            for one in found
            if (key := identity(one.address)) in states and self._says_unchanged(one, states[key])
        }
        by_chance = sorted(keys, key=lambda key: crc32(f"{day} {key}".encode()))
        return set(by_chance[: max(LEAST_SAMPLED, len(keys) // SAMPLED)])
