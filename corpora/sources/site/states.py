"""What is kept of each page between two readings, as the digest of its file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

import httpx

from corpora.sources.site.addresses import Place, identity
from corpora.sources.site.fetching import Answer
from ingestion.figures import PICTURES


@dataclass(frozen=True, slots=True)
class State:
    """A page as it was when it was read.

    `at` is its address below the folder of the release, or a whole one on another host; `by` that
    of the page that linked to it; `hash` and `size` are those of its content. `lastmod` is what the
    sitemap said, if no later change can go by the same time; `shows` are the pictures as the page
    writes them, None where they were not looked for, and `base` is what it says they begin at.
    """

    at: str
    hash: str
    size: int
    etag: str = ""
    modified: str = ""
    lastmod: str = ""
    by: str = ""
    shows: Sequence[str] | None = None
    base: str = ""

    @classmethod
    def of(
        cls,
        answer: Answer,
        place: Place,
        lastmod: str = "",
        by: str = "",
        shows: Sequence[str] | None = None,
        base: str = "",
    ) -> State:
        """That of a page that was just read."""
        return cls(
            shortened(answer.url, place),
            answer.digest,
            answer.size,
            answer.etag,
            answer.modified,
            settled(lastmod),
            by,
            shows,
            base,
        )

    @classmethod
    def read(cls, digest: str) -> State | None:
        """What a digest holds, or None where it is of another kind."""
        try:
            kept = json.loads(digest).items()
            return cls(**{key: value for key, value in kept if key in _FIELDS})
        except (ValueError, TypeError, AttributeError):
            return None

    def __str__(self) -> str:
        values = ((field, getattr(self, field)) for field in _FIELDS)
        return json.dumps(
            {key: value for key, value in values if value not in ("", None)}, separators=(",", ":")
        )

    @property
    def conditions(self) -> Mapping[str, str]:
        """The headers that ask for it only if it has changed."""
        if self.etag:
            return {"If-None-Match": self.etag}
        return {"If-Modified-Since": self.modified} if self.modified else {}


_FIELDS = tuple(field.name for field in fields(State))


class Known:
    """The states of the pages of one release, by what identifies their addresses."""

    def __init__(self, digests: Mapping[str, str], place: Place) -> None:
        self.paths: dict[str, str] = {}
        self.states: dict[str, State] = {}
        self.addresses: dict[str, str] = {}
        self.pictures: dict[str, State] = {}
        """Those of pictures by path."""
        base = place.start.join(place.folder)
        folder = str(base)
        for path, digest in digests.items():
            state = State.read(digest)
            if state is None:
                continue
            if Path(path).suffix.lower() in PICTURES:
                self.pictures[path] = state
                continue
            address = f"{folder}{state.at[2:]}"
            if not state.at.startswith("./") or place.inner:
                if (url := place.page(state.at, base)) is None:
                    continue
                address = str(url)
            key = identity(address)
            self.paths[key], self.states[key], self.addresses[key] = path, state, address

    def conditions(self, url: httpx.URL) -> Mapping[str, str]:
        """The headers of a conditional request; none for a page that is not known."""
        state = self.states.get(identity(url))
        # Once the pictures of pages were not looked for.
        return state.conditions if state and state.shows is not None else {}


def shortened(url: httpx.URL, place: Place) -> str:
    """An address as it is kept: without what all pages of the release share."""
    address = str(url)
    folder = str(place.start.join(place.folder))
    return f"./{address[len(folder) :]}" if address.startswith(folder) else address


def settled(lastmod: str) -> str:
    """The time of a change if it is exact, or a day that is over; else ""."""
    is_day = len(lastmod) == 10 and lastmod < datetime.now(UTC).date().isoformat()
    return lastmod if is_day or "T" in lastmod else ""
