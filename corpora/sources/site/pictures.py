"""The pictures that the pages of a release show: asked for once all its pages are there."""

import posixpath
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

import httpx

from corpora.errors import SourceError
from corpora.sources.site.addresses import parsed
from corpora.sources.site.fetching import Answer
from corpora.sources.site.hosts import Refused
from corpora.sources.site.remarks import PICTURES, LeftOut
from corpora.sources.site.site import Site
from corpora.sources.site.states import State
from corpora.sources.source import FetchedFile, has_short_parts
from ingestion.archives import stays_inside
from ingestion.figures import place_of
from ingestion.includes import LARGEST_READ
from ingestion.messages import message

MOST_FAILED = 3
"""After so many that a site did not answer for, the others wait for the next run."""
_UNSTATED = ("", "application/octet-stream", "binary/octet-stream")


@dataclass(frozen=True)
class _Wanted:
    """A picture by its address; `anew` where a page that shows it has changed."""

    url: httpx.URL
    anew: bool


class Pictures:
    """Finds them, and lays each where the reader of the page looks for it.

    `known` are the states of those that were kept, by path; `has_room` says whether so many bytes
    more may be read. None is worth a failure of the run: what cannot be had is left out.
    """

    def __init__(
        self, site: Site, known: Mapping[str, State], has_room: Callable[[int], bool]
    ) -> None:
        self.left_out = LeftOut(PICTURES)
        self._site, self._known, self._has_room = site, known, has_room
        self._wanted: dict[str, _Wanted] = {}
        self._failed = self._kept = self._done = 0
        self._is_full = False

    def shown(self, path: str, base: httpx.URL, sources: Iterable[str], *, anew: bool) -> None:
        """Want the pictures of a page at `path`, by what it writes; `base` is where that begins."""
        for source in sources:
            if not (place := place_of(source)):
                continue
            # Where `paths_of` looks first; what lies above the release has no place of its own.
            folder = "" if place.startswith("/") else posixpath.dirname(path)
            target = posixpath.normpath(posixpath.join(folder, place.lstrip("/")))
            url = parsed(source, base)
            if url is not None and place.startswith("//"):
                # Elsewhere than at the source's own hosts are badges and counters.
                url = self._site.place.own(url)
            if url is None or not stays_inside(target) or not has_short_parts(target):
                continue
            before = self._wanted.get(target)
            if before is None and len(self._wanted) >= self._site.options.max_pictures:
                self._is_full = True
            else:
                wanted = before.url if before else url
                self._wanted[target] = _Wanted(wanted, anew or bool(before and before.anew))

    @property
    def progress(self) -> tuple[int, int]:
        """How many are done, kept or left out, and of how many."""
        return self._done, len(self._wanted)

    def fetch(self, pages: Collection[str]) -> Iterator[FetchedFile]:
        """Yield them; none whose path cannot lie beside those of the `pages`."""
        files = {*pages}
        folders = {str(above) for file in files for above in PurePosixPath(file).parents}
        for path, wanted in self._wanted.items():
            self._done += 1
            above = {str(folder) for folder in PurePosixPath(path).parents}
            if path in files or path in folders or not above.isdisjoint(files):
                continue
            self._site.fetcher.check_stop()
            if (file := self._picture(path, wanted)) is not None:
                files.add(path)
                folders |= above
                yield file

    @property
    def remarks(self) -> list[str]:
        """What there is to say about them as a whole."""
        said: list[str] = []
        if self._is_full:
            most = self._site.options.max_pictures
            said.append(
                message("the first {number:,} pictures are kept (max_pictures).", number=most)
            )
        if self._failed >= MOST_FAILED:
            said.append(
                message("pictures were not asked for any more, as the site did not answer.")
            )
        return said

    def _picture(self, path: str, wanted: _Wanted) -> FetchedFile | None:
        state = self._known.get(path)
        is_settled = state is not None and not (wanted.anew or state.conditions)
        if state is not None and (is_settled or self._failed >= MOST_FAILED):
            return self._as_before(path, wanted, state)
        if self._failed >= MOST_FAILED:
            return None
        try:
            answer = self._site.fetcher.get(
                wanted.url,
                self._site.folder / "picture",
                most=LARGEST_READ,
                check=self._site.robots.check,
                conditions=lambda url: state.conditions if state else {},
            )
        except Refused as error:
            self.left_out.add(str(error), wanted.url)
            return None
        except SourceError:
            self._failed += 1
            self.left_out.add(message("the site did not answer"), wanted.url)
            return self._as_before(path, wanted, state) if state else None
        return self._answered(path, wanted, answer, state)

    def _answered(
        self, path: str, wanted: _Wanted, answer: Answer, state: State | None
    ) -> FetchedFile | None:
        if state and (answer.status == 304 or (answer.status != 200 and not wanted.anew)):
            return self._as_before(path, wanted, state)
        if answer.status != 200:
            answered = message("the site answered {status}", status=answer.status)
            self.left_out.add(answered, wanted.url)
            return None
        if not answer.kind.startswith("image/") and answer.kind not in _UNSTATED:
            self.left_out.add(message("it is {kind}", kind=answer.kind[:80]), wanted.url)
            return None
        if not self._has_room(answer.size):
            return None
        digest = str(State.of(answer, self._site.place))
        if state and state.hash == answer.digest:
            return FetchedFile(path, digest, str(answer.url), None)
        self._kept += 1
        content = self._site.folder / f"picture{self._kept:07}"
        return FetchedFile(
            path, digest, str(answer.url), (self._site.folder / "picture").rename(content)
        )

    def _as_before(self, path: str, wanted: _Wanted, state: State) -> FetchedFile | None:
        if not self._has_room(state.size):
            return None
        return FetchedFile(path, str(state), str(wanted.url), None)
