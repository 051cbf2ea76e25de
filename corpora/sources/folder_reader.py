"""A folder or a mounted share as a source: each release is a folder in it."""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from hashlib import blake2b, file_digest
from io import BufferedReader
from pathlib import Path

from corpora.errors import SourceError
from corpora.sources.options import RELEASE, FolderOptions
from corpora.sources.source import FetchedFile, FoundRelease, Secrets
from ingestion.messages import message


class FolderReader:
    """Yields the files of a path with a release's name in place of `{release}`.

    Links that lead out of a release's folder are left out and said, and so are releases that are
    links out of the folder above them; hidden files are passed over.
    """

    def __init__(self, options: FolderOptions, secrets: Secrets) -> None:
        self.template = options.path
        self.remarks: list[str] = []

    def releases(self, check_stop: Callable[[], None] = lambda: None) -> list[FoundRelease]:
        """The folders that fit, each with a digest of its files' names, sizes and times."""
        above, part, below = self._parts()
        fitting = re.compile(re.escape(part).replace(re.escape(RELEASE), "(?P<release>.+)"))
        names = []
        try:
            for entry in sorted(os.scandir(above or "."), key=lambda entry: entry.name):
                fits = fitting.fullmatch(entry.name)
                if not fits or entry.name.startswith(".") or not Path(entry.path + below).is_dir():
                    continue
                if self._inside(fits["release"]) is None:
                    place = {"path": entry.path + below, "folder": above or message("its folder")}
                    self.remarks.append(
                        message("{path} leads out of {folder}, and was left out.", **place)
                    )
                    continue
                names.append(fits["release"])
        except OSError as error:
            raise _unreadable(above, error) from error
        return [FoundRelease(name, self._revision(name, check_stop)) for name in names]

    def is_gone(self, release: str, check_stop: Callable[[], None]) -> bool:
        """Whether there is no folder of a release; a link that leads nowhere is one."""
        try:
            self._root(release).lstat()
        except (FileNotFoundError, NotADirectoryError):
            return True
        except OSError as error:
            raise _unreadable(self._root(release), error) from error
        return False

    def fetch(
        self,
        release: FoundRelease,
        known: Mapping[str, str],
        folder: Path,
        check_stop: Callable[[], None],
        progress: Callable[[int, int | None], None],
    ) -> Iterator[FetchedFile]:
        """Yield every file in the folder of a release; one with a digest that is known unread."""
        root = self._root(release.name)
        inside = self._inside(release.name)
        if inside is None:
            raise SourceError(
                "{root} became a link out of the folder above it: undo that.", root=root
            )
        files = list(self._files(root, self.remarks.append))
        for done, path in enumerate(files):
            check_stop()
            progress(done, len(files))
            name = path.relative_to(root).as_posix()
            try:
                with _opened(path) as opened:
                    if not _lies_in(opened, path, inside):
                        self.remarks.append(
                            message(
                                "{path} is no file of the folder any more, and was left out.",
                                path=name,
                            )
                        )
                        continue
                    digest = file_digest(opened, "sha256").hexdigest()
                    content = None
                    if known.get(name) != digest:
                        content = folder / str(done)
                        opened.seek(0)
                        with content.open("wb") as copy:
                            shutil.copyfileobj(opened, copy)
            except OSError as error:
                raise _unreadable(path, error) from error
            yield FetchedFile(name, digest, None, content)
        progress(len(files), len(files))

    def _parts(self) -> tuple[str, str, str]:
        part = next(p for p in Path(self.template).parts if RELEASE in p)
        above, below = self.template.split(part, 1)
        return above, part, below

    def _inside(self, release: str) -> Path | None:
        """The real folder of a release, or None where it lies outside the folder above it."""
        real = Path(os.path.realpath(self._root(release)))
        above = os.path.realpath(self._parts()[0] or ".")
        return real if real.is_relative_to(above) else None

    def _root(self, name: str) -> Path:
        return Path(self.template.replace(RELEASE, name))

    def _revision(self, name: str, check_stop: Callable[[], None]) -> str:
        root = self._root(name)
        digest = blake2b(digest_size=16)
        for path in self._files(root, lambda remark: None):
            check_stop()
            try:
                found = path.stat()
            except OSError as error:
                raise _unreadable(path, error) from error
            seen = path.relative_to(root), found.st_size, found.st_mtime_ns
            digest.update(repr(seen).encode(errors="surrogateescape"))
        return digest.hexdigest()

    def _files(self, root: Path, remark: Callable[[str], None]) -> Iterator[Path]:
        inside = Path(os.path.realpath(root))

        def failed(error: OSError) -> None:
            raise _unreadable(error.filename, error) from error

        for place, folders, names in os.walk(root, onerror=failed):
            for name in [*folders]:
                if name.startswith(".") or Path(place, name).is_symlink():
                    folders.remove(name)
                    if not name.startswith("."):
                        names.append(name)
            folders.sort()
            for name in sorted(names):
                path = Path(place, name)
                if name.startswith("."):
                    continue
                relative = path.relative_to(root).as_posix().encode(errors="replace").decode()
                if not Path(os.path.realpath(path)).is_relative_to(inside):
                    remark(
                        message(
                            "{path} is a link out of the folder, and was left out.", path=relative
                        )
                    )
                elif path.is_file():
                    yield path
                elif path.is_symlink():
                    remark(
                        message(
                            "{path} is a link to a folder or to nothing, and was left out.",
                            path=relative,
                        )
                    )


def _opened(path: Path) -> BufferedReader:
    # Not blocking: where a pipe took the file's place, opening it would wait for a writer.
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    return os.fdopen(os.open(os.path.realpath(path), flags), "rb")


def _lies_in(opened: BufferedReader, path: Path, folder: Path) -> bool:
    """Whether what was opened is a file of a folder: since it was listed it may be another."""
    number = opened.fileno()
    if not stat.S_ISREG(os.fstat(number).st_mode):
        return False
    try:
        real = Path(f"/proc/self/fd/{number}").readlink()
    except OSError:
        # Only Linux has /proc.
        real = Path(os.path.realpath(path))
    return real.is_relative_to(folder)


def _unreadable(path: object, error: OSError) -> SourceError:
    why = (error.strerror or str(error)).lower()
    return SourceError(
        "{path} cannot be read ({why}). Check that it is there, that the share is mounted, "
        "and that the worker may read it.",
        path=path,
        why=why,
    )
