"""A client of Strata's REST interface in one file; it needs httpx and nothing else of Strata.

from strata_client import Strata

strata = Strata("https://strata.example.org", key="strata_…")
reply = strata.ask("What is the default hold-off time?", product="switch", release="17.20")
print(reply.answer, [citation["file"] for citation in reply.citations])
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

JSON = dict[str, Any]


class StrataFailure(Exception):
    """What the server refused or failed at; `status` is that of HTTP, 0 where there was none."""

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Reply:
    """An answer with marks such as [1] of its citations; `data` is all that the server said.

    `abstained` where the release does not tell. `turn` is what feedback is given to, where a
    `conversation` keeps it. `offers` are saved questions that may ask the same ("question",
    "score", …): asking one of them gives its answer.
    """

    answer: str
    product: str | None
    release: str | None
    abstained: bool
    citations: tuple[JSON, ...]
    conversation: str | None
    turn: int | None
    offers: tuple[JSON, ...]
    data: JSON = field(repr=False)

    @classmethod
    def of(cls, data: JSON) -> Reply:
        """The reply of what the server sent."""
        names = ("answer", "product", "release", "abstained", "conversation", "turn")
        given = {name: data.get(name) for name in names}
        offers = tuple(data.get("memory", {}).get("offers", ()))
        citations = tuple(data["citations"])
        return cls(citations=citations, offers=offers, data=data, **given)  # type: ignore[arg-type]


class Strata:
    """A Strata server; `key` is a program's key, which one on this computer may do without.

    `timeout` is in seconds, until the next sign of life. Every method raises StrataFailure.
    """

    def __init__(self, url: str, key: str | None = None, *, timeout: float = 300.0) -> None:
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._http = httpx.Client(
            base_url=f"{url.rstrip('/')}/api/v1", headers=headers, timeout=timeout
        )

    def __enter__(self) -> Strata:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._http.close()

    def products(self) -> list[JSON]:
        """The products with their releases, the oldest first."""
        return self._list("products")

    def ask(self, question: str, **asked: Any) -> Reply:
        """Ask; `asked` are product, release, conversation (“new” begins one), history, afresh,
        project (the texts of lock files and manifests by name, which state a release)."""
        return Reply.of(self._json("POST", "ask", json={"question": question, **asked}))

    def stream(self, question: str, **asked: Any) -> Iterator[tuple[str, JSON]]:
        """Ask, and hear what happens: (event, data), at last ("reply", …) for `Reply.of`.

        Events are waiting, step, found, offers (saved questions that may ask the same), and words
        as the model writes them, before they are checked. Whoever stops to listen stops the
        question.
        """
        body = {"question": question, **asked, "stream": True}
        with self._reached(), self._http.stream("POST", "ask", json=body) as response:
            if response.is_error:
                response.read()
            yield from _events(_checked(response))

    def search(self, query: str, **wanted: Any) -> JSON:
        """Find passages without an answer; `wanted` are product, release and limit."""
        return self._json("POST", "search", json={"query": query, **wanted})

    def changes(self, product: str, older: str, newer: str) -> JSON:
        """The parameters that are new, changed and gone, with their words in both releases."""
        asked = {"product": product, "older": older, "newer": newer}
        return self._json("GET", "changes", params=asked)

    def upgrade_guide(self, product: str, older: str, newer: str, uses: str = "") -> JSON:
        """What must change from one release to a later one, for what is used."""
        asked = {"product": product, "older": older, "newer": newer, "uses": uses}
        return self._json("POST", "upgrade-guide", json=asked)

    def release_gaps(self, product: str) -> list[JSON]:
        """What releases lost, only announce, or state in two ways; for admins."""
        found: list[JSON] = self._send("GET", "release-gaps", params={"product": product}).json()
        return found

    def page(self, page_id: int, quote: str = "") -> JSON:
        """A page of a document, with the places of a quotation."""
        return self._json("GET", f"pages/{page_id}", params={"quote": quote})

    def conversations(self) -> list[JSON]:
        """The conversations of this key."""
        return self._list("conversations")

    def turns(self, conversation: str) -> list[JSON]:
        """The questions of a conversation with their replies."""
        return self._list(f"conversations/{conversation}")

    def delete(self, conversation: str) -> None:
        """Delete a conversation."""
        self._send("DELETE", f"conversations/{conversation}")

    def still_true(self, turn: int) -> JSON | None:
        """How the words that an answer cites stand in every release of its product now."""
        found: JSON | None = self._send("GET", f"turns/{turn}/still-true").json()
        return found

    def rate(self, turn: int, thumbs: int, reason: str = "", comment: str = "") -> None:
        """Say what an answer is worth: 1 or -1."""
        given = {"thumbs": thumbs, "reason": reason, "comment": comment}
        self._send("PUT", f"turns/{turn}/feedback", json=given)

    def upload(
        self, product: str, release: str, files: Sequence[Path], *, anyway: bool = False
    ) -> JSON:
        """Add files to a release; return the job, which `wait` follows.

        `anyway` takes what asks for a second look, and leaves out what cannot be read.
        """
        sent = [("files", (path.name, path.read_bytes())) for path in files]
        params = {"product": product, "release": release, "anyway": anyway}
        return self._json("POST", "jobs", params=params, files=sent)

    def jobs(self) -> list[JSON]:
        """The last jobs."""
        return self._list("jobs")

    def job(self, job: int) -> JSON:
        """How far a job is."""
        return self._json("GET", f"jobs/{job}")

    def wait(self, job: int, every: float = 1.0) -> JSON:
        """Wait until a job is over, looking `every` so many seconds."""
        while (found := self.job(job))["state"] in ("waiting", "running"):
            time.sleep(every)
        return found

    def cancel(self, job: int) -> JSON:
        """Stop a job."""
        return self._json("DELETE", f"jobs/{job}")

    def _json(self, method: str, path: str, **request: Any) -> JSON:
        found: JSON = self._send(method, path, **request).json()
        return found

    def _list(self, path: str) -> list[JSON]:
        found: list[JSON] = self._send("GET", path).json()
        return found

    def _send(self, method: str, path: str, **request: Any) -> httpx.Response:
        with self._reached():
            return _checked(self._http.request(method, path, **request))

    @contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except httpx.HTTPError as error:
            address = self._http.base_url.copy_with(path="/")
            told = f"{address} does not answer ({error or type(error).__name__})."
            raise StrataFailure(told) from error


def _checked(response: httpx.Response) -> httpx.Response:
    if response.is_success:
        return response
    try:
        message = response.json()["error"]["message"]
    except (ValueError, KeyError, TypeError):
        message = f"The server answered {response.status_code}: {response.text[:200]}"
    raise StrataFailure(message, response.status_code)


def _events(response: httpx.Response) -> Iterator[tuple[str, JSON]]:
    name = ""
    for line in response.iter_lines():
        kind, _, value = line.partition(": ")
        if kind == "event":
            name = value
        elif kind == "data":
            data = json.loads(value)
            if name == "error":
                raise StrataFailure(data["message"])
            yield name, data
