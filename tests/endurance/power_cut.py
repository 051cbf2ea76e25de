"""A power cut: what was written to a folder and not synced is gone."""

import os
import shutil
import subprocess
from pathlib import Path
from tempfile import mkstemp

_KEPT = "user.synced"
_SOURCE = Path(__file__).with_name("synced.c")


class PowerCut:
    """Keeps what processes with its `environment` sync in a folder, and drops all else.

    What the folder holds at the beginning counts as synced. Names are kept as they are, so that a
    file of which nothing was synced is there and empty: what a journal of names alone leaves.
    """

    def __init__(self, folder: Path, beside: Path) -> None:
        self._folder = folder
        self._synced = beside / "synced"
        self._synced.mkdir()
        library = beside / "synced.so"
        compiler = shutil.which("cc") or "cc"
        command = (compiler, "-O1", "-shared", "-fPIC", "-o", library, _SOURCE, "-ldl")
        subprocess.run([*map(str, command)], check=True)
        self.environment = {
            "LD_PRELOAD": str(library),
            "POWER_ROOT": str(folder),
            "POWER_SYNCED": str(self._synced),
        }
        for file in self._files():
            handle, copy = mkstemp(dir=self._synced)
            os.close(handle)
            shutil.copyfile(file, copy)
            os.setxattr(file, _KEPT, copy.encode())

    def happens(self) -> tuple[int, int]:
        """Drop what was not synced, once nothing runs; return of how many files, and bytes."""
        files = lost = 0
        for file in self._files():
            kept = b""
            if _KEPT in os.listxattr(file):
                kept = Path(os.fsdecode(os.getxattr(file, _KEPT))).read_bytes()
            before = file.read_bytes()
            if before != kept:
                files += 1
                lost += max(len(before) - len(kept), 0)
                # The inode stays, as the attribute on it does.
                file.write_bytes(kept)
        return files, lost

    def _files(self) -> list[Path]:
        return [f for f in self._folder.rglob("*") if f.is_file() and not f.name.endswith("-shm")]
