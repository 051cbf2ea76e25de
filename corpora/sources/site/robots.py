"""What robots.txt of each host allows this reader, and how long it is to wait between requests."""

from pathlib import Path

import httpx
from protego import Protego

from corpora.sources.site.addresses import parsed
from corpora.sources.site.fetching import AGENT, Fetcher
from corpora.sources.site.hosts import Refused, TooLong

_LARGEST = 500 << 10
_LONGEST_LINE, _MOST_STARS = 2_000, 8
_LONGEST_DELAY = 60.0


class Robots:
    """The rules of the hosts of a source, each read once (RFC 9309).

    Args:
        fetcher: Its `delay` becomes that of a host that asks for a longer one.
        folder: Where files lie for the time of reading.
        obeyed: Whether they count; the sitemaps that they name are known anyhow.
    """

    def __init__(self, fetcher: Fetcher, folder: Path, *, obeyed: bool) -> None:
        self._fetcher = fetcher
        self._folder = folder
        self._obeyed = obeyed
        self._rules: dict[str, Protego] = {}

    def check(self, url: httpx.URL) -> None:
        """Raise Refused for what they do not allow, SourceError where they cannot be read."""
        if self._obeyed and not self._of(url).can_fetch(str(url), AGENT):
            raise Refused("robots.txt of the site does not allow it")

    def sitemaps(self, url: httpx.URL) -> list[str]:
        """The addresses of sitemaps that they name."""
        return list(self._of(url).sitemaps)

    def _of(self, url: httpx.URL) -> Protego:
        host = f"{url.scheme}://{url.netloc.decode()}"
        if host not in self._rules:
            rules = self._rules[host] = Protego.parse(self._text(f"{host}/robots.txt"))
            if self._obeyed:
                asked = min(float(rules.crawl_delay(AGENT) or 0), _LONGEST_DELAY)
                self._fetcher.delay = max(self._fetcher.delay, asked)
        return self._rules[host]

    def _text(self, address: str) -> str:
        """The rules of a host; none where it has no such file, or one that nobody would read."""
        file = self._folder / "robots.txt"
        url = parsed(address)
        try:
            if url is None or self._fetcher.get(url, file, most=_LARGEST).status != 200:
                return ""
        except TooLong:
            pass  # What stands beyond the limit does not count, and what stands before it does.
        except Refused:
            return ""
        lines = file.read_text("utf-8", "replace").splitlines()
        file.unlink()
        return "\n".join(map(_bounded, lines))


def _bounded(line: str) -> str:
    """A line whose pattern takes no time to be compared: cut short, it holds for more addresses."""
    parts = line[:_LONGEST_LINE].split("*")
    return "*".join(parts[:_MOST_STARS])
