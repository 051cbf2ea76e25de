"""Each kind of source by its name: ours, and those that packages add."""

from collections.abc import Callable
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

from corpora.sources.options import FolderOptions, GitOptions, SiteOptions, SourceOptions
from corpora.sources.source import Secrets, SourceReader
from ingestion.plugins import BadPlugin, ExtensionPoint


@dataclass(frozen=True)
class SourceKind:
    """A kind of source: its options, and what opens one.

    An entry point in the group `strata.sources` names one of these; the name of the entry point is
    the kind's. With `by_content` a digest is of a file's content: files that are the same in the
    release taken before are `known` in a new one.
    """

    options: type[SourceOptions]
    open: Callable[[Any, Secrets], SourceReader]
    by_content: bool = False


def _ours(reader: str) -> Callable[[Any, Secrets], SourceReader]:
    # What reads a source is loaded when one of its kind is read.
    return lambda options, secrets: resolve_name(f"corpora.sources.{reader}")(options, secrets)


_OURS = {
    "git": SourceKind(GitOptions, _ours("git_reader:GitReader"), by_content=True),
    "site": SourceKind(SiteOptions, _ours("site.reader:SiteReader")),
    "folder": SourceKind(FolderOptions, _ours("folder_reader:FolderReader"), by_content=True),
}
SOURCES = ExtensionPoint("strata.sources", tuple(_OURS))


def kinds() -> tuple[str, ...]:
    """The names of all kinds. Raises BadPlugin where two packages add one name."""
    return (*_OURS, *SOURCES.added())


def source_kind(name: str) -> SourceKind:
    """The kind of this name. Raises ValueError with those that are, BadPlugin."""
    if name in _OURS:
        return _OURS[name]
    SOURCES.require(name)
    kind = SOURCES.load(name)
    if not isinstance(kind, SourceKind):
        raise BadPlugin(f"{name} (strata.sources) is not a SourceKind: repair the package")
    return kind
