"""Reading a site in tests as a source would."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from corpora.sources.options import SiteOptions
from corpora.sources.site.reader import SiteReader
from corpora.sources.source import FetchedFile, FoundRelease, Secrets, SourceReader


class Reading:
    """One reading of a release: its files, their content, and what was said."""

    def __init__(self, reader: SourceReader, release: str, known: Mapping[str, str]) -> None:
        self.files: dict[str, FetchedFile] = {}
        self.content: dict[str, bytes] = {}
        self.progress: list[tuple[int, int | None]] = []
        with TemporaryDirectory() as folder:
            fetched = reader.fetch(
                FoundRelease(release, ""),
                known,
                Path(folder),
                lambda: None,
                lambda done, of: self.progress.append((done, of)),
            )
            for file in fetched:
                assert file.path not in self.files
                self.files[file.path] = file
                if file.content is not None:
                    self.content[file.path] = file.content.read_bytes()
        self.remarks = " ".join(reader.remarks)

    @property
    def paths(self) -> set[str]:
        return set(self.files)

    @property
    def known(self) -> dict[str, str]:
        return {path: file.digest for path, file in self.files.items()}


def reader_of(url: str, **options: Any) -> SourceReader:
    """A reader without pauses that may read from this machine."""
    given: dict[str, Any] = {"delay": 0, "private_hosts": ("127.0.0.1",), **options}
    secrets = given.pop("secrets", Secrets())
    return SiteReader(SiteOptions(url=url, **given), secrets)


def read(
    url: str, release: str = "17.10", known: Mapping[str, str] | None = None, **options: Any
) -> Reading:
    """Read a release of a site."""
    return Reading(reader_of(url, **options), release, known or {})
