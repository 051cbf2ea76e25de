"""Files that were listed become documents; what cannot be read is reported by name."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from itertools import islice
from pathlib import Path
from queue import SimpleQueue

from ingestion.archives import Archive
from ingestion.decoding import objection
from ingestion.includes import Included
from ingestion.listing import (
    DEFAULT_LIMITS,
    Limits,
    SourceFile,
    open_archive,
    why_unreadable,
)
from ingestion.messages import message
from ingestion.page import Document, Rejected, UnreadableFile
from ingestion.sandbox import Sandbox
from ingestion.shown_pictures import pictures_of

_MEANWHILE_SECONDS = 0.5


class Parsers:
    """Child processes that parse files, by default two or one on a single core.

    They are started when first needed, and outlive a reading that was not broken off.
    """

    def __init__(self, limits: Limits = DEFAULT_LIMITS, count: int | None = None) -> None:
        self._limits = limits
        self._count = count or min(2, os.cpu_count() or 1)
        self._sandboxes: list[Sandbox] = []

    def opened(self) -> list[Sandbox]:
        """The processes, each for one file at a time."""
        of = self._limits
        while len(self._sandboxes) < self._count:
            self._sandboxes.append(Sandbox(memory=of.memory, seconds=of.seconds, ocr=of.ocr))
        return self._sandboxes

    def close(self) -> None:
        """End them at once, whatever they do; later ones are new."""
        for sandbox in self._sandboxes:
            sandbox.close()
        self._sandboxes = []


def read_files(
    files: Iterable[SourceFile | Rejected],
    *,
    limits: Limits = DEFAULT_LIMITS,
    workers: int | None = None,
    parsers: Parsers | None = None,
    release: str = "",
    only: Callable[[str, str], bool] | None = None,
    pictures: Callable[[str, str], Mapping[str, str]] = lambda file, digest: {},
    meanwhile: Callable[[], None] = lambda: None,
    on_included: Callable[[SourceFile, str], None] = lambda file, name: None,
) -> Iterator[Document | Rejected]:
    """Yield a document or a rejection for each file, in the order of `files`.

    Files are parsed by `parsers`, or else by so many `workers` of its own, a few ahead of what was
    asked for. `release` is the name of the release that they document, which a
    text may leave to be filled in. `only` is called with a file's name and the sha256 of its bytes;
    where it returns False the file is not parsed and nothing is yielded for it, unless one of the
    `pictures` that it showed before (their sha256 by place) is another one now; `meanwhile` is
    called then, and every half a second while a file is being parsed. What it raises ends the
    reading, and so does closing the iterator: the children end at once. `on_included` is called,
    from several threads, with a file and the name of one that it includes or takes values from.
    """
    children = parsers or Parsers(limits, workers)
    sandboxes = children.opened()
    count = len(sandboxes)
    reader = _Reader(limits, release, only, pictures, on_included)
    for sandbox in sandboxes:
        reader.idle.put(sandbox)
    pool = ThreadPoolExecutor(count, thread_name_prefix="reading")
    is_over = False
    ahead: deque[Future[Document | Rejected | None]] = deque()
    entries = iter(files)
    try:
        while True:
            next_ones = islice(entries, 2 * count + 1 - len(ahead))
            ahead.extend(pool.submit(reader.read, entry) for entry in next_ones)
            if not ahead:
                is_over = True
                return
            while not wait([ahead[0]], _MEANWHILE_SECONDS).done:
                meanwhile()
            if read := ahead.popleft().result():
                yield read
            else:
                meanwhile()
    finally:
        if parsers is None or not is_over:
            children.close()
        pool.shutdown(cancel_futures=True)
        reader.close()


@dataclass
class _Reader:
    """Reads one file after another, from several threads."""

    limits: Limits
    release: str
    only: Callable[[str, str], bool] | None
    pictures: Callable[[str, str], Mapping[str, str]]
    on_included: Callable[[SourceFile, str], None]
    idle: SimpleQueue[Sandbox] = field(default_factory=SimpleQueue)
    archives: dict[Path, Archive] = field(default_factory=dict)

    def read(self, entry: SourceFile | Rejected) -> Document | Rejected | None:
        if isinstance(entry, Rejected):
            return entry
        try:
            archive = self._archive(entry)
            data = entry.content(self.limits, archive)
        except OSError as error:
            return Rejected(entry.file, why_unreadable(error))
        except UnreadableFile as error:
            return Rejected(entry.file, str(error))
        if reason := objection(data, entry.file):
            return Rejected(entry.file, reason)
        sandbox = self.idle.get()
        try:
            return self._parsed(entry, data, archive, sandbox)
        finally:
            self.idle.put(sandbox)

    def _parsed(
        self, entry: SourceFile, data: bytes, archive: Archive | None, sandbox: Sandbox
    ) -> Document | Rejected | None:
        included = Included(None)
        if entry.may_include(data):
            read_beside = partial(self._beside, entry, archive)
            answer = sandbox.include(data, entry.inside, read_beside, self.release)
            if isinstance(answer, Rejected):
                return replace(answer, file=entry.file)
            included = answer
        whole = None if included.text is None else included.text.encode()
        data = data if whole is None else whole
        digest = sha256(data).hexdigest()
        picture = partial(entry.picture, archive=archive)
        shown = self.pictures(entry.file, digest).items()
        same = all(sha256(picture(place) or b"").hexdigest() == one for place, one in shown)
        if self.only is not None and same and not self.only(entry.file, digest):
            return None
        read = sandbox.parse(data, entry.file)
        if isinstance(read, Rejected):
            return read
        pictures, lacking = pictures_of(read, data, picture, sandbox)
        remarks = read.remarks + lacking
        if included.missing:
            missing = message(
                "{number} of the files that it includes were not read, as they are not in what was "
                "given or too much (such as {example})",
                number=len(included.missing),
                example=included.missing[0],
            )
            remarks += (missing,)
        return replace(read, remarks=remarks, expanded=whole, pictures=pictures)

    def _beside(self, entry: SourceFile, archive: Archive | None, name: str) -> bytes | None:
        found = entry.beside(name, archive)
        if found is not None:
            self.on_included(entry, name)
        return found

    def _archive(self, entry: SourceFile) -> Archive | None:
        if entry.member is None:
            return None
        if entry.path not in self.archives:
            self.archives.setdefault(entry.path, open_archive(entry.path, self.limits))
        return self.archives[entry.path]

    def close(self) -> None:
        for archive in self.archives.values():
            archive.close()
