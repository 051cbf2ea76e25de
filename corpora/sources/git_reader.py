"""A Git repository as a source: its releases are tags or branches, their files those of a folder.

Nothing is checked out. A release's commit and trees are fetched without history, and of its files
those whose hash is new.
"""

from __future__ import annotations

import re
import shutil
import weakref
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from mimetypes import guess_type
from pathlib import Path, PurePosixPath
from posixpath import dirname, join, normpath
from tempfile import TemporaryDirectory, mkdtemp

from corpora.catalog.release import is_prerelease, sort_key
from corpora.errors import NothingThere, SourceError
from corpora.sources.git_address import git_address
from corpora.sources.git_links import original_addresses
from corpora.sources.git_objects import BlobReader, Entry, GitCommit
from corpora.sources.git_program import GitProgram, Stop
from corpora.sources.options import RELEASE, GitOptions
from corpora.sources.run_report import of_release
from corpora.sources.source import FetchedFile, FoundRelease, Secrets, has_short_parts
from ingestion.figures import PICTURES
from ingestion.includes import LARGEST_READ
from ingestion.listing import DEFAULT_LIMITS, passed_over
from ingestion.loaders import known_suffixes
from ingestion.messages import counted, message, message_noop

_NEXT = "next"
_FIRST, _TOGETHER = 20, 1000
"""Files that are fetched in one go: few at first, for whoever only wants to see some."""
_TRANSFERRED = 4
"""How many times the bytes of a release may cross the network: a server may send all folders."""
_MOST_HOPS = 8
_LONGEST_TARGET = 4096
_LFS = b"version https://git-lfs.github.com/spec/"
_UNREAD = ("image/", "video/", "audio/", "font/")

_NO_TEXT = "media"
_SUBMODULE = message_noop("submodules, which are repositories of their own")
_POINTER = "files that Git LFS keeps elsewhere"
_OUTWARD = message_noop("links that lead out of the repository")
_NOWHERE = message_noop("links to folders or to nothing")
_UNUSABLE = message_noop("files with names that no folder here may hold")
_MUCH = "pictures that are larger than 20 MB or than the room that max_bytes leaves"
_LARGE = f"files larger than {DEFAULT_LIMITS.file_size / 1e6:,.0f} MB"


class GitReader:
    """Reads one repository (a `SourceReader`).

    Raises SourceError, when it is made too, for an address or a path that is none.
    """

    def __init__(self, options: GitOptions, secrets: Secrets) -> None:
        self.remarks: list[str] = []
        self._options = options
        self._address = git_address(options.url)
        self._path = _folder_in_repository(options.path)
        self._original = original_addresses(options.link, self._address)
        self._token = secrets.token(options.token, options.url) if options.token else ""
        self._files = {
            name: _there(secrets.file(given))
            for name in ("key", "known_hosts", "ca")
            if (given := getattr(options, name))
        }
        self._kept: GitProgram | None = None
        self._refs: dict[str, str] = {}

    def releases(self, check_stop: Stop = lambda: None) -> list[FoundRelease]:
        """The tags or branches that the options choose, the oldest release first, `next` last."""
        options = self._options
        with TemporaryDirectory(prefix="strata-git-") as folder:
            program = self._program(Path(folder))
            program.check_version()
            branches = options.refs == "branches" or options.next_branch
            refs = self._refs = _listed(program, check_stop, branches=branches)
        found = _matching(refs, f"refs/{_kind(options)}/", options.releases)
        chosen = self._chosen(list(found)) if found else []
        fixed = options.refs == "tags"
        releases = [FoundRelease(name, found[name], fixed) for name in chosen if name != _NEXT]
        if options.next_branch:
            revision = refs.get(f"refs/heads/{options.next_branch}")
            if revision is None:
                # The branch may have been removed: then it is gone as a tag is.
                self.remarks.append(
                    message(
                        "{address} has no branch {next_branch!r}{some}: name another one as "
                        "next_branch.",
                        address=self._address.url,
                        next_branch=options.next_branch,
                        some=_some(refs, "refs/heads/"),
                    )
                )
            else:
                releases.append(FoundRelease(_NEXT, revision))
        if not releases:
            raise NothingThere(
                "No release of {address} is chosen by {releases!r}{more}{some}: change the "
                "pattern of releases.",
                address=self._address.url,
                releases=options.releases,
                more=message(" since {release}", release=options.since) if options.since else "",
                some=_some(refs, f"refs/{_kind(options)}/"),
            )
        return releases

    def is_gone(self, release: str, check_stop: Stop) -> bool:
        """Whether the repository has no tag or branch of a release."""
        return self._ref(release) not in self._refs

    def fetch(
        self,
        release: FoundRelease,
        known: Mapping[str, str],
        folder: Path,
        check_stop: Stop,
        progress: Callable[[int, int | None], None],
    ) -> Iterator[FetchedFile]:
        """Yield every file of a release; see `SourceReader`."""
        program, most_bytes = self._kept_beside(folder), self._options.max_bytes
        ref = self._ref(release.name)
        commit = GitCommit(program, ref, release.revision, _TRANSFERRED * most_bytes, check_stop)
        commit.fetch()
        left_out: dict[str, list[str]] = {}
        try:
            files = self._files_of(commit, left_out)
            progress(0, len(files))
            read = _Reading(commit, folder, most_bytes, left_out, known)
            for done, (path, oid, content) in enumerate(read(files), 1):
                if content is not None or known.get(path) == oid:
                    original = self._original(release.revision, join(self._path, path))
                    yield FetchedFile(path, oid, original, content)
                check_stop()
                progress(done, len(files))
        finally:
            self._remark(release.name, left_out)

    def _program(self, folder: Path) -> GitProgram:
        return GitProgram(self._address, folder, self._token, **self._files)

    def _kept_beside(self, folder: Path) -> GitProgram:
        """A repository that lives as long as this reader, on the disk that files are fetched to."""
        if self._kept is None or not self._kept.repository.exists():
            place = Path(mkdtemp(prefix=".git-", dir=folder.parent))
            weakref.finalize(self, shutil.rmtree, place, ignore_errors=True)
            self._kept = self._program(place)
        return self._kept

    def _ref(self, release: str) -> str:
        if release == _NEXT and self._options.next_branch:
            return f"refs/heads/{self._options.next_branch}"
        return f"refs/{_kind(self._options)}/{self._options.releases.replace(RELEASE, release)}"

    def _chosen(self, names: list[str]) -> list[str]:
        options = self._options
        if options.since:
            names = [name for name in names if sort_key(name) >= sort_key(options.since)]
        finals = [name for name in names if not is_prerelease(name)]
        if not options.prereleases and 0 < len(finals) < len(names):
            number = len(names) - len(finals)
            self.remarks.append(
                counted(
                    "{number} pre-release was left out; the option prereleases takes them.",
                    "{number} pre-releases were left out; the option prereleases takes them.",
                    number,
                )
            )
            names = finals
        names = sorted(names, key=sort_key)
        return names[-options.newest :] if options.newest else names

    def _files_of(self, commit: GitCommit, left_out: dict[str, list[str]]) -> dict[str, str]:
        """The files to read, each with its blob, in order."""
        files: dict[str, str] = {}
        links: list[Entry] = []
        for entry in commit.entries(self._path):
            if not _is_usable(entry.path):
                left_out.setdefault(_UNUSABLE, []).append(entry.path)
            elif entry.is_submodule:
                left_out.setdefault(_SUBMODULE, []).append(entry.path)
            elif _is_hidden(entry.path):
                continue
            elif not _is_read(entry.path):
                left_out.setdefault(_NO_TEXT, []).append(entry.path)
            elif entry.is_link:
                links.append(entry)
                files[entry.path] = ""
            else:
                files[entry.path] = entry.oid
        if links:
            files |= self._followed(commit, links, left_out)
        # Pictures come last, so that there is room for all that is read.
        return {path: files[path] for path in sorted(files, key=_is_picture) if files[path]}

    def _followed(
        self, commit: GitCommit, links: list[Entry], left_out: dict[str, list[str]]
    ) -> dict[str, str]:
        """The files that links lead to, which may lie in other folders of the repository."""
        whole = {entry.path: entry for entry in commit.entries("")}
        targets: dict[str, str] = {}

        def target(reader: BlobReader, link: Entry) -> str:
            if link.oid not in targets:
                size = commit.fetch_blobs([link.oid])[link.oid]
                targets[link.oid] = reader.text(link.oid) if size <= _LONGEST_TARGET else ""
            return targets[link.oid]

        commit.fetch_blobs([link.oid for link in links])
        found = {}
        with commit.reading() as reader:
            for link in links:
                at, entry = join(self._path, link.path), link
                for _ in range(_MOST_HOPS):
                    at = normpath(join(dirname(at), target(reader, entry)))
                    if at not in whole or not (entry := whole[at]).is_link:
                        break
                if at.startswith(("/", "..")):
                    left_out.setdefault(_OUTWARD, []).append(link.path)
                elif at not in whole or entry.is_link or entry.is_submodule:
                    left_out.setdefault(_NOWHERE, []).append(link.path)
                else:
                    found[link.path] = entry.oid
        return found

    def _remark(self, release: str, left_out: dict[str, list[str]]) -> None:
        unread = Counter(PurePosixPath(path).suffix.lower() for path in left_out.pop(_NO_TEXT, []))
        if missed := passed_over(unread):
            self.remarks.append(of_release(release, missed))
        for kind, paths in left_out.items():
            self.remarks.append(
                message(
                    "{release}: left out {kind} ({number:,}, for example {example!r}).",
                    release=release,
                    kind=message(kind),
                    number=len(paths),
                    example=paths[0][:200],
                )
            )


class _Reading:
    """Fetches and writes the files of a release that are new, in their order."""

    def __init__(
        self,
        commit: GitCommit,
        folder: Path,
        most_bytes: int,
        left_out: dict[str, list[str]],
        known: Mapping[str, str],
    ) -> None:
        self._commit, self._folder, self._known = commit, folder, known
        self._left_out, self._most_bytes = left_out, most_bytes
        self._counts: Counter[str] = Counter()

    def __call__(self, files: Mapping[str, str]) -> Iterator[tuple[str, str, Path | None]]:
        """Yield path, blob and content, which is None for what is known, or left out."""
        together = _FIRST
        rest = list(files.items())
        while rest:
            batch, rest = rest[:together], rest[together:]
            together = _TOGETHER
            new = {oid for path, oid in batch if self._known.get(path) != oid}
            sizes = self._commit.fetch_blobs(list(new)) if new else {}
            with self._commit.reading() as reader:
                for path, oid in batch:
                    is_new = self._known.get(path) != oid
                    yield (
                        path,
                        oid,
                        self._written(reader, path, oid, sizes[oid]) if is_new else None,
                    )

    def _written(self, reader: BlobReader, path: str, oid: str, size: int) -> Path | None:
        if size > DEFAULT_LIMITS.file_size:
            self._left_out.setdefault(_LARGE, []).append(path)
            return None
        if _is_picture(path) and (
            size > LARGEST_READ or self._counts["bytes"] + size > self._most_bytes
        ):
            self._left_out.setdefault(_MUCH, []).append(path)
            return None
        self._counts["bytes"] += size
        if self._counts["bytes"] > self._most_bytes:
            raise SourceError(
                "{address} has more than {most_bytes:,.0f} MB of files in one release: name a "
                "path with less in it, or raise the source's max_bytes.",
                address=self._commit.program.address.url,
                most_bytes=self._most_bytes / 1e6,
            )
        self._counts["files"] += 1
        file = self._folder / f"{self._counts['files']:06}"
        if reader.write(oid, file).startswith(_LFS):
            file.unlink()
            self._left_out.setdefault(_POINTER, []).append(path)
            return None
        return file


def _kind(options: GitOptions) -> str:
    return "tags" if options.refs == "tags" else "heads"


def _listed(program: GitProgram, check_stop: Stop, *, branches: object) -> dict[str, str]:
    """The tags, and branches if need be, each with the commit that it means in the end."""
    kinds = ["--tags", "--heads"] if branches else ["--tags"]
    refs: dict[str, str] = {}
    command = ["ls-remote", "--quiet", *kinds, "origin"]
    with program.run(command, check_stop=check_stop, most_bytes=1 << 26) as printed:
        for line in printed:
            oid, _, ref = line.decode(errors="replace").rstrip("\n").partition("\t")
            # An annotated tag stands twice, the second time as what it is of.
            if "\ufffd" not in ref and re.fullmatch(r"[0-9a-f]{40}(?:[0-9a-f]{24})?", oid):
                refs[ref.removesuffix("^{}")] = oid
    return refs


def _matching(refs: Mapping[str, str], prefix: str, pattern: str) -> dict[str, str]:
    """The revision by release, of the refs that are like the pattern.

    Directly behind a letter a release begins with a digit: v{release} is not "vendor".
    """
    before, _, after = pattern.partition(RELEASE)
    name = r"\d.*" if before[-1:].isalpha() else ".+"
    like = re.compile(f"{re.escape(prefix + before)}({name}){re.escape(after)}")
    found = ((like.fullmatch(ref), oid) for ref, oid in refs.items())
    return {match[1]: oid for match, oid in found if match}


def _some(refs: Mapping[str, str], prefix: str) -> str:
    names = [ref.removeprefix(prefix) for ref in refs if ref.startswith(prefix)]
    if not names:
        return message(" (there is none at all)")
    return message(" (there are {names})", names=", ".join(names[-5:]))


def _folder_in_repository(path: str) -> str:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith("/") or ".." in parts or any(not part.isprintable() for part in parts):
        raise SourceError(
            "{path!r} is not a folder in a repository: give a path such as docs/, without ..",
            path=path,
        )
    return "/".join(parts)


def _there(file: Path) -> Path:
    if not file.is_file():
        raise SourceError("{file} is not there: correct the setting source_files.", file=file)
    return file


def _is_usable(path: str) -> bool:
    """Whether a path stays in a folder, and can be shown."""
    parts = path.split("/")
    inside = not path.startswith("/") and not {"", ".", ".."} & set(parts) and "\\" not in path
    plain = inside and path.isprintable() and "\ufffd" not in path
    return plain and len(path) <= 1000 and has_short_parts(path)


def _is_picture(path: str) -> bool:
    return PurePosixPath(path).suffix.lower() in PICTURES


def _is_hidden(path: str) -> bool:
    return any(part.startswith(".") for part in path.split("/"))


def _is_read(path: str) -> bool:
    """Whether a file may be documentation, or be included or shown by it."""
    media = (guess_type(path)[0] or "").startswith(_UNREAD)
    return not media or _is_picture(path) or PurePosixPath(path).suffix.lower() in known_suffixes()
