"""Which folders of the server a source may lie in: those that settings name."""

import re
from collections.abc import Sequence
from pathlib import Path
from posixpath import dirname

from corpora.errors import SourceError
from corpora.sources.git_address import git_address
from corpora.sources.options import FolderOptions, GitOptions, SourceOptions
from ingestion.messages import message

AT_THE_SERVER = "command line"
"""Who added a source at the server's command line, where it may lie in any folder."""


def require_allowed(options: SourceOptions, folders: Sequence[Path], *, anywhere: bool) -> None:
    """Raise SourceError for a path of this machine that settings do not open: it may hold anything.

    It holds for now alone: a folder can become a link to another one.
    """
    match options:
        case FolderOptions(path=path):
            # What stands before {release} may be the beginning of the names of its neighbours.
            given, place = path, dirname(path.partition("{release}")[0])
        case GitOptions(url=url) if _is_here(url):
            given = place = re.sub("^file:(//)?", "", url, flags=re.IGNORECASE)
        case _:
            return
    if ".." in Path(given).parts:
        raise SourceError(
            "{given} holds .., which may lead anywhere: give the plain path.", given=given
        )
    real = Path(place).resolve()
    if not anywhere and not any(real.is_relative_to(folder.resolve()) for folder in folders):
        is_link = str(real) != place.rstrip("/")
        leads = message(" (it leads to {path})", path=real) if is_link else ""
        raise SourceError(
            "{place} is a folder of the server that the setting source_folders "
            "(STRATA_SOURCE_FOLDERS) does not name{leads}. Add it there, or add the source on "
            "the server with `strata source add`.",
            place=place or ".",
            leads=leads,
        )


def require_possible(options: SourceOptions, *, is_here: bool) -> None:
    """Raise SourceError for a place that no run could ever read: no such scheme, no such folder.

    Folders are looked for if this `is_here`, at the worker's machine; others may be mounted there.
    """
    if isinstance(options, GitOptions) and (is_here or not _is_here(options.url)):
        git_address(options.url)
    if isinstance(options, FolderOptions) and is_here:
        above = dirname(options.path.partition("{release}")[0])
        if not Path(above or ".").is_dir():
            raise SourceError(
                "{above} is not a folder on this machine: check the path, and that the share is "
                "mounted.",
                above=above,
            )


def _is_here(url: str) -> bool:
    """Whether the address of a repository is a path of this machine, whatever else is in it."""
    is_path = url.startswith(("/", ".", "~")) or url.lower().startswith("file:")
    return is_path or not ("://" in url or ":" in url.partition("/")[0])
