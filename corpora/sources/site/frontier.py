"""The addresses of a release that are still to be asked for, each once."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

import httpx

from corpora.sources.site.addresses import identity


@dataclass(frozen=True, slots=True)
class Found:
    """An address that may be a page of the release, as `Place.page` gives it.

    `by` is the page that linked to it, `lastmod` what a sitemap says; `named` says that a page
    calls it its canonical address, `kept` that the page is taken though it calls another one so.
    """

    address: str
    lastmod: str = ""
    by: str = ""
    named: bool = False
    kept: bool = False


class Frontier:
    """A queue of addresses, in which none is twice; it takes no more than `most` of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._queue: deque[Found] = deque()
        self._seen: set[str] = set()
        self._waiting: set[str] = set()
        self._taken: set[str] = set()
        self._copies: dict[str, list[Found]] = {}

    def __len__(self) -> int:
        return len(self._queue)

    def __contains__(self, key: str) -> bool:
        return key in self._seen

    def __iter__(self) -> Iterator[Found]:
        """Yield one after the other, those that are added meanwhile too."""
        while self._queue:
            found = self._queue.popleft()
            self._waiting.discard(identity(found.address))
            yield found

    @property
    def found(self) -> int:
        """How many addresses there were."""
        return len(self._seen)

    @property
    def taken(self) -> int:
        """How many of them are pages that were taken."""
        return len(self._taken)

    def add(self, found: Found) -> None:
        """Add an address that may be a page of the release, if it is new and there is room."""
        if len(self._seen) < self._most and self.enter(found.address):
            self._queue.append(found)
            self._waiting.add(identity(found.address))

    def enter(self, url: httpx.URL | str) -> bool:
        """Count an address as seen. Says whether it is new."""
        if (key := identity(url)) in self._seen:
            return False
        self._seen.add(key)
        return True

    def first(self, keys: set[str]) -> None:
        """Let these addresses be the next ones."""
        ordered = sorted(self._queue, key=lambda found: identity(found.address) not in keys)
        self._queue = deque(ordered)

    def take(self, url: httpx.URL | str) -> None:
        """Count an address as a page that was taken."""
        self._taken.add(identity(url))
        self._copies.pop(identity(url), None)

    def is_settled_copy(self, copy: Found, of: httpx.URL) -> bool:
        """Say whether a page can be left out for another one, its canonical address.

        It can if that is a page that was taken. If that is not known yet, it is asked for, and the
        copy comes back if it turns out to be none.
        """
        key = identity(of)
        if key in self._taken:
            return True
        if key not in self._seen:
            self.add(replace(copy, address=str(of), named=True))
        if key not in self._waiting:
            return False
        self._copies.setdefault(key, []).append(copy)
        return True

    def leave(self, address: str) -> None:
        """Count an address as no page; what was left out for it comes back."""
        for copy in self._copies.pop(identity(address), ()):
            self._queue.append(replace(copy, kept=True))
