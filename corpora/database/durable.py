"""Files and folders that are to survive a power cut."""

import os
from pathlib import Path


def sync(*places: Path) -> None:
    """Return once files and folders are on the disk, each folder with its names alone."""
    for place in places:
        handle = os.open(place, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
