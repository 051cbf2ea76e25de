"""What there is to read in files, folders and archives, and the bytes of each."""

import os
import stat
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from unicodedata import normalize

from ingestion.archives import Archive, Member, canonical_name
from ingestion.figures import paths_of
from ingestion.includes import LARGEST_READ, may_include
from ingestion.loaders import LOADERS, known_suffixes
from ingestion.messages import counted, message, sentences
from ingestion.ocr import Ocr
from ingestion.page import Rejected, UnreadableFile

_MACHINERY = frozenset({"_static", "_sources", "__pycache__", "node_modules"})
"""Folders that come with a documentation site and hold nothing to read."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one file or archive may cost; sizes in bytes, times in seconds.

    Scanned pages are read if `ocr` says how.
    """

    file_size: int = 200_000_000
    archive_files: int = 20_000
    archive_size: int = 2_000_000_000
    archive_ratio: int = 200
    memory: int = 1 << 30
    seconds: float = 60.0
    ocr: Ocr | None = None


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that can be read; `member` is set where it lies in the archive at `path`.

    `file` is its name relative to what was given, with "/" between its parts; `source` is what
    was given, unless it `came_from` elsewhere. `address` is that of the original on the web.
    `below` is what its name was put below, "/" at its end, which is no folder of the source.
    """

    file: str
    path: Path
    size: int
    source: Path
    member: Member | None = None
    came_from: str = ""
    address: str = ""
    below: str = ""

    @property
    def origin(self) -> str:
        """Where it came from: what replaces it, and what it leaves with."""
        return self.came_from or str(self.source)

    def content(self, limits: Limits, archive: Archive | None = None) -> bytes:
        """Return its bytes; raise OSError or UnreadableFile where they cannot be had.

        `archive` is the one that it lies in, where that is open already.
        """
        if self.member is None:
            return _bytes_of(self.path, limits.file_size)
        if archive is not None:
            return archive.read(self.member)
        with closing(open_archive(self.path, limits)) as opened:
            return opened.read(self.member)

    @property
    def inside(self) -> str:
        """Its path in the folder or the archive that it lies in."""
        return self.file.removeprefix(self.below) if self.member is None else self.member.name

    def may_include(self, data: bytes) -> bool:
        """Say whether its bytes seem to include other files."""
        return may_include(data, self.inside)

    def beside(self, name: str, archive: Archive | None = None) -> bytes | None:
        """Return what lies in the same folder or archive, for a text to include, or None."""
        if archive is not None:
            return archive.named(name, LARGEST_READ)
        return _beside(self.source, name)

    def picture(self, place: str, archive: Archive | None = None) -> bytes | None:
        """Return the bytes of a picture that the document shows from beside it, or None."""
        found = (self.beside(path, archive) for path in paths_of(place, self.inside))
        return next(filter(None, found), None)


@dataclass(frozen=True)
class Listing:
    """What there is to read, in order; `skipped` counts what was passed over, by suffix.

    `told` says of archives in which letters the names of their files were read.
    """

    entries: tuple[SourceFile | Rejected, ...]
    skipped: Counter[str] = field(default_factory=Counter)
    told: Sequence[str] = ()

    def __iter__(self) -> Iterator[SourceFile | Rejected]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


_FURNITURE = frozenset(
    {
        *("hidden", ".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".bmp", ".ico"),
        *(".css", ".scss", ".js", ".mjs", ".map", ".woff", ".woff2", ".ttf", ".eot", ".otf"),
        *(".webmanifest", ".inv", ".buildinfo", ".doctree", ".pickle"),
    }
)
"""What pages are drawn with and built from: nobody looks for it among what is read."""
_KINDS = {"openapi": "OpenAPI", "docbook": "DocBook/DITA", "man": "man", "asciidoc": "AsciiDoc"}
"""What a loader looks for in files whose suffix may mean other things."""
_NAMED = 12
_NOT_REGULAR = message("not a regular file")


def passed_over(skipped: Mapping[str, int]) -> str:
    """Say in a sentence or more what was left out, with its numbers; "" where none is missed.

    Files of formats that nothing reads, and those whose suffix means data as often, by what
    Strata looked for in them.
    """
    kinds: dict[str, Counter[str]] = {}
    for suffix, number in skipped.items():
        if suffix not in _FURNITURE:
            kind = _KINDS.get(LOADERS.get(suffix, ""), "")
            kinds.setdefault(kind, Counter())[suffix] += number
    unread = kinds.pop("", None)
    told = [
        counted(
            "{number} file was left out, as it is data and not {kind}: {formats}.",
            "{number} files were left out, as they are data and not {kind}: {formats}.",
            of.total(),
            kind=kind,
            formats=_formats(of),
        )
        for kind, of in kinds.items()
    ]
    if unread:
        of_formats = counted(
            "{number} file was left out, in formats that Strata does not read: {formats}.",
            "{number} files were left out, in formats that Strata does not read: {formats}.",
            unread.total(),
            formats=_formats(unread),
        )
        told.insert(0, of_formats)
    return sentences(told)


def _formats(missed: Counter[str]) -> str:
    formats: list[str] = [
        f"{suffix} ({n:,})" if suffix else message("without a suffix ({n:,})", n=n)
        for suffix, n in missed.most_common(_NAMED)
    ]
    if len(missed) > _NAMED:
        last = {"format": formats.pop(), "more": len(missed) - _NAMED}
        formats.append(message("{format} and {more} more", **last))
    return sentences(formats, ", ")


def list_files(paths: Sequence[Path], *, limits: Limits = DEFAULT_LIMITS) -> Listing:
    """Find the files to read: the ones named, those in folders, those in zip archives.

    In folders and archives hidden files and files of other formats are passed over and counted,
    and links that lead out of the folder are not followed; a file that is named itself is rejected
    if nothing reads it. Two files of one name: the first is kept, the second rejected.
    """
    lister = _Lister(limits)
    entries: dict[str, SourceFile | Rejected] = {}
    for path in paths:
        for entry in lister.find(path):
            if entry.file in entries:
                reason = message(
                    "another file of this name was given; ingest the folder above both"
                )
                entry = Rejected(f"{path}: {entry.file}", reason)
            if isinstance(entry, SourceFile):
                entry = replace(entry, source=_real(path))
            entries[entry.file] = entry
    return Listing(tuple(entries.values()), lister.skipped, lister.told)


@dataclass(frozen=True)
class _Lister:
    limits: Limits
    skipped: Counter[str] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)

    def find(self, path: Path) -> Iterator[SourceFile | Rejected]:
        try:
            if path.is_dir():
                yield from self._in_folder(path)
            elif not path.is_file():
                there = os.path.lexists(path)
                missing = message("not found; check the path")
                yield Rejected(_utf8(str(path)), _NOT_REGULAR if there else missing)
            elif path.suffix.lower() not in {*known_suffixes(), ".zip"}:
                known = ", ".join([*known_suffixes(), ".zip"])
                suffix = path.suffix or message("this")
                reason = message(
                    "Strata cannot read {suffix}; known are {known}", suffix=suffix, known=known
                )
                yield Rejected(path.name, reason)
            else:
                yield from self._file(path, canonical_name(path.name), "")
        except OSError as error:
            yield Rejected(_utf8(str(path)), why_unreadable(error))

    def _in_folder(self, folder: Path) -> Iterator[SourceFile | Rejected]:
        root = _real(folder)
        unlisted: list[OSError] = []
        for place, folders, names in os.walk(folder, onerror=unlisted.append):
            folders[:] = sorted(n for n in folders if not n.startswith(".") and n not in _MACHINERY)
            for name in sorted(names):
                path = Path(place, name)
                suffix = path.suffix.lower()
                if name.startswith(".") or suffix not in {*known_suffixes(), ".zip"}:
                    self.skipped["hidden" if name.startswith(".") else _utf8(suffix)] += 1
                    continue
                file = canonical_name(path.relative_to(folder).as_posix())
                try:
                    if reason := _objection(path, root):
                        yield Rejected(_utf8(file), reason)
                    else:
                        yield from self._file(path, file, f"{_utf8(file)}/")
                except OSError as error:
                    yield Rejected(_utf8(file), why_unreadable(error))
        for failed in unlisted:
            yield Rejected(_utf8(os.path.relpath(failed.filename, folder)), why_unreadable(failed))

    def _file(self, path: Path, file: str, prefix: str) -> Iterator[SourceFile | Rejected]:
        """A file, or the files in a zip, whose names begin with a prefix."""
        if path.suffix.lower() == ".zip":
            yield from self._in_archive(path, prefix)
        elif _utf8(file) != file:
            yield Rejected(_utf8(file), message("its name is not UTF-8; rename it"))
        elif (size := path.stat().st_size) > self.limits.file_size:
            yield Rejected(file, _too_large(size, self.limits.file_size))
        else:
            yield SourceFile(file, path, size, path)

    def _in_archive(self, path: Path, prefix: str) -> Iterator[SourceFile | Rejected]:
        try:
            archive = open_archive(path, self.limits)
        except UnreadableFile as error:
            yield Rejected(prefix.rstrip("/") or path.name, str(error))
            return
        with closing(archive):
            if archive.letters:
                read_as = message(
                    "The zip {file} does not say how its file names are encoded; they were read as "
                    "{letters}.",
                    file=prefix.rstrip("/") or path.name,
                    letters=archive.letters,
                )
                self.told.append(read_as)
            for member in archive.members():
                if isinstance(member, Rejected):
                    yield Rejected(prefix + member.file, member.reason)
                    continue
                parts = PurePosixPath(member.name)
                hidden = any(p.startswith(".") or p in _MACHINERY for p in parts.parts)
                if hidden or parts.suffix.lower() not in known_suffixes():
                    self.skipped["hidden" if hidden else parts.suffix.lower()] += 1
                elif member.size > self.limits.file_size:
                    yield Rejected(
                        prefix + member.name, _too_large(member.size, self.limits.file_size)
                    )
                else:
                    yield SourceFile(prefix + member.name, path, member.size, path, member)


def _objection(path: Path, root: Path) -> str | None:
    """Why a file that was found in a folder is left alone, if anything."""
    if not _real(path).is_relative_to(root):
        return message("a link that leads out of the folder; ingest its target")
    if path.is_file():
        return None
    loop = path.is_symlink() and not path.exists()
    return message("a link that leads to nothing or to itself") if loop else _NOT_REGULAR


def _real(path: Path) -> Path:
    # Path.resolve() fails on a link that leads to itself.
    return Path(os.path.realpath(path))


def _utf8(name: str) -> str:
    """A name that can be printed, whatever bytes the file system has for it."""
    return name.encode(errors="replace").decode()


def why_unreadable(error: OSError) -> str:
    """Say why the system does not let a file be read."""
    return message("cannot be read ({reason})", reason=(error.strerror or str(error)).lower())


def _bytes_of(path: Path, largest: int) -> bytes:
    """Read a file, which need not be what it was when it was listed."""

    def without_waiting(name: str, flags: int) -> int:
        # For whoever writes into a pipe that stands in its place.
        return os.open(name, flags | os.O_NONBLOCK)

    with open(path, "rb", opener=without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise UnreadableFile("not a regular file any more")
        data = file.read(largest + 1)
    if len(data) > largest:
        raise UnreadableFile(_too_large(len(data), largest))
    return data


def _beside(folder: Path, name: str) -> bytes | None:
    """Return the bytes of a file in a folder that was given, or None for any other file."""
    # A Mac's names are parted into letters and accents, and stand so in the folder.
    written = next((n for n in (name, normalize("NFD", name)) if (folder / n).exists()), name)
    path = _real(folder / written)
    hidden = any(part.startswith(".") for part in name.split("/"))
    if hidden or not path.is_relative_to(folder):
        return None
    try:
        return _bytes_of(path, LARGEST_READ)
    except (OSError, UnreadableFile):
        return None


def open_archive(path: Path, limits: Limits) -> Archive:
    """Open an archive within the limits; raises UnreadableFile."""
    return Archive(
        path,
        max_entries=limits.archive_files,
        max_bytes=limits.archive_size,
        max_ratio=limits.archive_ratio,
    )


def _too_large(size: int, largest: int) -> str:
    sizes = {"size": size / 1e6, "limit": largest / 1e6}
    return message("{size:,.1f} MB, and the limit is {limit:,.1f} MB; split it", **sizes)
