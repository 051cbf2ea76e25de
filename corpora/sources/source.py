"""What a reader of sources is: it lists the releases of a place, and fetches the files of one."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from pydantic import SecretStr

from corpora.errors import SourceError


@dataclass(frozen=True, slots=True)
class FoundRelease:
    """A release that a source has.

    `name` is what it is called in Strata. `revision` identifies its contents (a commit, a digest):
    if it equals what was taken last, there is nothing to do; "" is not known before reading.
    `fixed`: it is not expected to change (that of a tag), so that a run tells where it has.
    """

    name: str
    revision: str
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class FetchedFile:
    """A file of a release at its source.

    `path` is relative, with "/", as it is ingested; `digest` a blob hash, an ETag or a hash of the
    content; `address` where a reader of an answer finds the original, an http(s) URL or None;
    `content` the fetched file, under a name of its own below the folder that `fetch` got, or None
    where it is unchanged since `known`.
    """

    path: str
    digest: str
    address: str | None
    content: Path | None


class SourceReader(Protocol):
    """Reads one source; made by the factory of its kind from its options and the secrets.

    `remarks` tell in plain words what was left out and why; they grow while it reads. All methods
    raise SourceError: what failed, on which address, what to do next.
    """

    remarks: list[str]

    def releases(self, check_stop: Callable[[], None] = lambda: None) -> list[FoundRelease]:
        """The releases that the options choose, each with what identifies its contents.

        `check_stop` is called between two steps; it raises what ends the listing. Where the place
        answered and has none, NothingThere is raised, and `is_gone` asked of those taken before;
        none at all (a share that may not be mounted) is a failure that takes nothing away.
        """

    def is_gone(self, release: str, check_stop: Callable[[], None]) -> bool:
        """Whether a release that was taken before is no longer there at all.

        Asked behind `releases`, of one that it did not give, or of which `fetch` raised
        NothingThere. One that is there and not chosen is not gone.
        """

    def fetch(
        self,
        release: FoundRelease,
        known: Mapping[str, str],
        folder: Path,
        check_stop: Callable[[], None],
        progress: Callable[[int, int | None], None],
    ) -> Iterator[FetchedFile]:
        """Yield every file that the release has now; what is not yielded is gone.

        Files are yielded as they are fetched, so that whoever wants ten can stop after ten.

        Args:
            release: One that `releases` gave.
            known: The digest by path of what was fetched last.
            folder: An empty folder for the files; whoever gave it removes it.
            check_stop: To be called between two steps; raises what ends the reading.
            progress: Gets how many files are done, and of how many where that is known.
        """


@dataclass(frozen=True)
class Secrets:
    """What settings open to sources: tokens and files (keys, certificates) by name, and folders."""

    tokens: Mapping[str, SecretStr] = field(default_factory=dict, repr=False)
    files: Mapping[str, Path] = field(default_factory=dict)
    folders: tuple[Path, ...] = ()

    def token(self, name: str, address: str) -> str:
        """The token of this name, to be sent to an address.

        One that settings call `name@host` is for that host and those below it alone. Raises
        SourceError for another one, and where settings have no such token.
        """
        _, bound, host = name.rpartition("@")
        sent_to = f".{urlsplit(address).hostname or ''}"
        if bound and not sent_to.endswith(f".{host.lower()}"):
            raise SourceError(
                "The token {name!r} is for {host} alone, not for {address}.",
                name=name,
                host=host,
                address=address,
            )
        if name not in self.tokens:
            raise SourceError(
                "There is no token {name!r}: add it to the setting source_tokens "
                "(STRATA_SOURCE_TOKENS), and restart the worker.",
                name=name,
            )
        return self.tokens[name].get_secret_value()

    def file(self, name: str) -> Path:
        """The key or certificate file of this name. Raises SourceError where settings have none."""
        if name not in self.files:
            raise SourceError(
                "There is no file {name!r}: add its path to the setting source_files "
                "(STRATA_SOURCE_FILES), and restart the worker.",
                name=name,
            )
        return self.files[name]


def has_short_parts(path: str) -> bool:
    """Whether each part of a relative path is a name that a file may have: 255 bytes at most."""
    return all(len(part.encode(errors="surrogateescape")) <= 255 for part in path.split("/"))
