"""Addresses are asked for, one after the other, with pauses; each redirect is checked."""

import re
import time
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from http import HTTPStatus
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import BinaryIO

import httpcore
import httpx

from corpora.errors import SourceError
from corpora.sources.site.addresses import parsed
from corpora.sources.site.hosts import Refused, TooLong
from ingestion.messages import message

AGENT = "Strata"
"""What robots.txt calls this reader."""
TRIES, LONGEST_REST = 3, 120.0
MOST_REDIRECTS = 5
_TIMEOUT = httpx.Timeout(30, connect=10)
_BLOCK = 64 << 10
_PACKED = {"gzip": 31, "x-gzip": 31, "deflate": 15}
_FAILED = (httpcore.TimeoutException, httpcore.NetworkError, httpcore.ProtocolError)
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)
_ACCEPTED = "text/html,application/xhtml+xml,text/markdown,text/plain,application/pdf,*/*;q=0.1"

Check = Callable[[httpx.URL], None]
Conditions = Callable[[httpx.URL], Mapping[str, str]]


@dataclass(frozen=True)
class Answer:
    """What a site said about an address; the file holds the body where the status is 200."""

    url: httpx.URL
    status: int
    kind: str = ""
    charset: str = ""
    etag: str = ""
    modified: str = ""
    size: int = 0
    digest: str = ""

    @property
    def gone(self) -> bool:
        """Say whether there is nothing at the address any more."""
        return self.status in (404, 410)


class _Again(Exception):
    """A request failed in a way that may pass; holds the seconds that the site asks to wait."""

    def __init__(self, reason: str, rest: float = 0) -> None:
        super().__init__(reason)
        self.rest = rest


class Fetcher:
    """Asks for addresses, with pauses between them.

    Args:
        transport: What sends the requests.
        check: Raises Refused for an address of a host that is not to be asked.
        delay: Seconds between two requests.
        token: What to sign in with, at the hosts for which `signs_in` holds; a user and a password
            are parted by a colon.
    """

    def __init__(
        self,
        transport: httpx.BaseTransport,
        check: Check,
        *,
        delay: float = 0,
        token: str = "",
        signs_in: Callable[[httpx.URL], bool] = lambda url: False,
    ) -> None:
        self._client = httpx.Client(transport=transport, timeout=_TIMEOUT, trust_env=False)
        self._client.headers = httpx.Headers(
            {"User-Agent": _agent(), "Accept": _ACCEPTED, "Accept-Encoding": "gzip"}
        )
        self._check = check
        self._authorization = _authorization(token) if token else None
        self._signs_in = signs_in
        self._last = float("-inf")
        self.delay = delay
        self.check_stop: Callable[[], None] = lambda: None

    def get(
        self,
        url: httpx.URL,
        target: Path,
        *,
        most: int,
        check: Check = lambda url: None,
        conditions: Conditions = lambda url: {},
    ) -> Answer:
        """Ask for an address, and write what it holds into a file.

        Args:
            url: The address, in the form of `parsed`.
            target: The file that is written, with the content unpacked.
            most: The bytes that it may have.
            check: Raises Refused for addresses that are not asked, by way of a redirect too.
            conditions: The headers of a conditional request to an address.

        Raises:
            Refused: where the address, or one that it leads to, is not to be read.
            SourceError: where the site does not answer, or with an error of its own.
        """
        for turn in range(1, TRIES + 1):
            try:
                return self._follow(url, target, most, check, conditions)
            except _Again as error:
                failure = error
                if turn < TRIES:
                    self._pause(max(error.rest, 2.0 ** (2 * turn - 1)))
        raise SourceError(
            "{url} could not be read: {failure}, {tries} times. Nothing that is served "
            "changes. Try again later; if it goes on, ask whoever runs the site.",
            url=url,
            failure=failure,
            tries=TRIES,
        ) from failure

    def close(self) -> None:
        """Close all connections."""
        self._client.close()

    def _follow(
        self, url: httpx.URL, target: Path, most: int, check: Check, conditions: Conditions
    ) -> Answer:
        for _ in range(MOST_REDIRECTS + 1):
            self._check(url)
            check(url)
            answer = self._ask(url, target, most, conditions(url))
            if isinstance(answer, Answer):
                return answer
            if url.scheme == "https" and answer.scheme == "http":
                raise Refused(
                    "it leads from https to {answer}, which anybody could change", answer=answer
                )
            url = answer
        raise Refused("it leads on more than {most_redirects} times", most_redirects=MOST_REDIRECTS)

    def _ask(
        self, url: httpx.URL, target: Path, most: int, conditions: Mapping[str, str]
    ) -> Answer | httpx.URL:
        """One request: an answer, or the address that it leads to."""
        self._pause(self._last + self.delay - time.monotonic())
        headers = dict(conditions)
        if self._authorization and self._signs_in(url):
            headers["Authorization"] = self._authorization
        try:
            with self._client.stream("GET", url, headers=headers) as response:
                return self._read(url, response, target, most)
        except (*_FAILED, httpx.HTTPError, zlib.error) as error:
            raise _Again(str(error) or type(error).__name__) from error
        finally:
            self._last = time.monotonic()

    def _read(
        self, url: httpx.URL, response: httpx.Response, target: Path, most: int
    ) -> Answer | httpx.URL:
        status, headers = response.status_code, response.headers
        if status in (301, 302, 303, 307, 308):
            to = parsed(headers.get("location", ""), url)
            if to is None:
                raise Refused("it leads to an address that cannot be read")
            return to
        if status == 429 or status >= 500:
            name = next((s.phrase for s in HTTPStatus if s == status), message("an error"))
            answered = message("the site answered {status} ({name})", status=status, name=name)
            raise _Again(answered, _rest(headers))
        kind, _, more = headers.get("content-type", "").partition(";")
        charset = _CHARSET.search(more)
        answer = Answer(
            url,
            status,
            kind.strip().lower(),
            charset[1].lower() if charset else "",
            headers.get("etag", "")[:200],
            headers.get("last-modified", "")[:60],
        )
        if status != 200:
            return answer
        size, digest = 0, sha256()
        with target.open("wb") as file:
            for block in self._unpacked(response):
                size += len(block)
                if size > most:
                    raise TooLong("it is longer than {most:,} bytes", most=most)
                digest.update(block)
                _write(file, block)
        return replace(answer, size=size, digest=digest.hexdigest())

    def _unpacked(self, response: httpx.Response) -> Iterator[bytes]:
        """The body in blocks of bounded size, however well it was packed."""
        packing = response.headers.get("content-encoding", "identity").strip().lower()
        if packing in ("", "identity"):
            for data in response.iter_raw():
                self.check_stop()
                yield data
            return
        if packing not in _PACKED:
            raise Refused(
                "it comes packed as {packing!r}, which was not asked for", packing=packing[:20]
            )
        unpacking = zlib.decompressobj(_PACKED[packing])
        for data in response.iter_raw():
            while data and not unpacking.eof:
                self.check_stop()
                yield unpacking.decompress(data, _BLOCK)
                data = unpacking.unconsumed_tail
        while not unpacking.eof:
            rest = unpacking.decompress(unpacking.unconsumed_tail, _BLOCK)
            if not rest:
                raise _Again(message("the answer ended too early"))
            yield rest

    def _pause(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        self.check_stop()
        while (left := until - time.monotonic()) > 0:
            time.sleep(min(left, 0.5))
            self.check_stop()


def _write(file: BinaryIO, block: bytes) -> None:
    try:
        file.write(block)
    except OSError as error:
        raise SourceError(
            "{file} cannot be written ({error}): make room there.", file=file.name, error=error
        ) from error


def _rest(headers: httpx.Headers) -> float:
    asked = headers.get("retry-after", "")
    return min(float(asked), LONGEST_REST) if asked.isascii() and asked.isdecimal() else 0


def _authorization(token: str) -> str:
    if ":" in token:
        return f"Basic {b64encode(token.encode()).decode()}"
    return f"Bearer {token}"


def _agent() -> str:
    try:
        return f"{AGENT}/{version('strata-docs')} (reads documentation)"
    except PackageNotFoundError:
        return f"{AGENT} (reads documentation)"
