"""Commits, trees and blobs of a repository, fetched by git and no more of them than is needed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from corpora.errors import SourceError
from corpora.sources.git_program import GitProgram, NotGiven, Stop, end
from ingestion.messages import message

_MOST_FILES = 100_000
_MOST_LISTED = 32_000_000
"""Bytes of a listing: a small repository can hold a tree of more names than any disk."""
_FETCH = ("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules")
_NO_FILES = "--filter=blob:none"
_PARTIAL = {"remote.origin.promisor": "true", "remote.origin.partialclonefilter": "blob:none"}
"""For fetching alone: whatever else reads the repository then never fetches by itself."""
_PIECE = 1 << 20


@dataclass(frozen=True, slots=True)
class Entry:
    """A path in a tree: a file, a link (whose blob is its target), or a submodule."""

    path: str
    mode: str
    oid: str

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link."""
        return self.mode == "120000"

    @property
    def is_submodule(self) -> bool:
        """Whether it stands for another repository."""
        return self.mode == "160000"


@dataclass(frozen=True)
class GitCommit:
    """Gets the objects of a commit that a tag or branch points to.

    What was fetched for one commit is there for the next. No command may print and store more than
    `most_bytes`.
    """

    program: GitProgram
    ref: str
    revision: str
    most_bytes: int
    check_stop: Stop

    def fetch(self) -> None:
        """Fetch it with its trees, without its history, and with its files only if it must.

        Raises SourceError where the tag or branch points to another one by now.
        """
        self.program.make_repository(self.revision)
        wanted = f"+{self.ref}:refs/strata/{self.revision}"
        if self.program.gives_all:
            self._run([*_FETCH, "--depth=1", "origin", wanted])
        else:
            self._run([*_FETCH, _NO_FILES, "--depth=1", "origin", wanted], settings=_PARTIAL)
        if self.sizes([self.revision])[self.revision] is None:
            raise SourceError(
                "{ref} of {address} moved while it was read: run the source again.",
                ref=self.ref.split("/", 2)[2],
                address=self.program.address.url,
            )

    def fetch_blobs(self, oids: Sequence[str]) -> dict[str, int]:
        """Fetch those of some blobs that are not here yet, in one go.

        Returns the size of each. Where a server gives no single files (over ssh, to a host that
        does not let git name its protocol), the commit is fetched again with all its files.
        """
        sizes = self.sizes(oids)
        missing = [oid for oid, size in sizes.items() if size is None]
        if missing:
            try:
                self._run(
                    [*_FETCH, _NO_FILES, "--stdin", "origin"],
                    stdin="".join(f"{oid}\n" for oid in missing).encode(),
                    settings={**_PARTIAL, "fetch.negotiationAlgorithm": "noop"},
                )
            except NotGiven:
                # What is here already would not be sent again.
                self.program.forget_repository()
                self.program.gives_all = True
                self.fetch()
                missing = list(oids)
            sizes |= self.sizes(missing)
        had = {oid: size for oid, size in sizes.items() if size is not None}
        if len(had) < len(sizes):
            raise SourceError(
                "{address} did not send {number:,} files that it lists: check the repository "
                "with `git fsck`, and run the source again.",
                address=self.program.address.url,
                number=len(sizes) - len(had),
            )
        return had

    def sizes(self, names: Iterable[str]) -> dict[str, int | None]:
        """The size of each object by its name, None for one that is not here."""
        names = list(dict.fromkeys(names))
        sizes: dict[str, int | None] = {}
        with self.program.run(
            ["cat-file", "--batch-check=%(objectsize)", "--buffer"],
            stdin="".join(f"{name}\n" for name in names).encode(),
            check_stop=self.check_stop,
        ) as printed:
            for name, line in zip(names, printed, strict=True):
                sizes[name] = int(line) if line.strip().isdigit() else None
        return sizes

    def entries(self, path: str) -> list[Entry]:
        """What lies below a folder, by paths relative to it, in order.

        Paths that are no UTF-8 have replacement characters. Raises SourceError where there is no
        such folder, or more in it than anybody documents.
        """
        tree = f"{self.revision}:{path}"
        if self.sizes([tree])[tree] is None:
            raise SourceError(
                "There is no folder {path!r} in {address} at {revision}: give the path that "
                "this release has its documentation in.",
                path=path,
                address=self.program.address.url,
                revision=self.revision[:12],
            )
        with self.program.run(
            ["ls-tree", "-r", "-z", "--full-tree", tree],
            check_stop=self.check_stop,
            most_bytes=_MOST_LISTED,
        ) as printed:
            listed = printed.read().decode(errors="replace").split("\0")[:-1]
        if len(listed) > _MOST_FILES:
            raise SourceError(
                "{address} has more than {most_files:,} files{more}: name a path with less in it.",
                address=self.program.address.url,
                most_files=_MOST_FILES,
                more=message(" in {path}", path=path) if path else "",
            )
        entries = []
        for row in listed:
            (mode, _, oid), name = (row.partition("\t")[0].split(" "), row.partition("\t")[2])
            entries.append(Entry(name, mode, oid))
        return entries

    @contextmanager
    def reading(self) -> Iterator[BlobReader]:
        """A reader of blobs that are here."""
        pipe = subprocess.PIPE
        process = self.program.start(["cat-file", "--batch"], pipe, pipe, subprocess.DEVNULL)
        assert process.stdin
        assert process.stdout
        try:
            with process.stdin, process.stdout:
                yield BlobReader(process.stdin, process.stdout)
        finally:
            end(process)

    def _run(self, arguments: Sequence[str], **given: object) -> None:
        with self.program.run(
            arguments,
            check_stop=self.check_stop,
            most_bytes=self.most_bytes,
            **given,  # type: ignore[arg-type]
        ):
            pass


@dataclass(frozen=True)
class BlobReader:
    """Reads blobs one after the other from a `git cat-file --batch`."""

    ask: IO[bytes]
    told: IO[bytes]

    def write(self, oid: str, file: Path) -> bytes:
        """Write a blob to a file, and return how it begins."""
        left = self._size(oid)
        head = b""
        with file.open("wb") as out:
            while left:
                piece = self.told.read(min(left, _PIECE))
                if not piece:
                    raise SourceError(
                        "git ended while it read {oid}: run the source again.", oid=oid
                    )
                head = head or piece[:200]
                out.write(piece)
                left -= len(piece)
        self.told.read(1)
        return head

    def text(self, oid: str) -> str:
        """Read a small blob."""
        data = self.told.read(self._size(oid))
        self.told.read(1)
        return data.decode(errors="replace")

    def _size(self, oid: str) -> int:
        self.ask.write(f"{oid}\n".encode())
        self.ask.flush()
        header = self.told.readline().split()
        if len(header) != 3:
            raise SourceError("git cannot read the object {oid}: run the source again.", oid=oid)
        return int(header[2])
