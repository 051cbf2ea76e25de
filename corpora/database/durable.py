"""Files and folders that are to survive a power cut."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex


def sync(*places: Path) -> None:
    """Return once files and folders are on the disk, each folder with its names alone."""
    for place in places:
        handle = os.open(place, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Yield a file to write, which takes the place of `path` behind the block, or is gone."""
    aside = path.with_name(f"{path.name}.{token_hex(4)}.part")
    try:
        yield aside
        sync(aside)
        aside.replace(path)
        sync(path.parent)
    finally:
        aside.unlink(missing_ok=True)


def append_line(path: Path, line: str) -> None:
    """Add a line to a file; it is on the disk when this returns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")
        file.flush()
        os.fsync(file.fileno())
