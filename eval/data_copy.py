"""A copy of a data folder for an experiment that writes: what is there stays as it is."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from chatbot.settings import BadSettings, Settings
from corpora.database.engine import sqlite_url


@contextmanager
def copied(settings: Settings) -> Iterator[Settings]:
    """Settings of a copy of the data folder, which is gone after the block.

    The copy is complete though others write meanwhile. Raises BadSettings for a database that is
    not in the folder.
    """
    if settings.database != sqlite_url(settings.data_dir):
        raise BadSettings(
            "the experiment writes, and copies what it writes into; a database of its own "
            "(database_url) it does not copy: unset STRATA_DATABASE_URL"
        )
    with tempfile.TemporaryDirectory(prefix="strata-copy-") as name:
        folder = Path(name)
        source = Path(settings.database.partition("///")[2])
        with (
            closing(sqlite3.connect(source)) as there,
            closing(sqlite3.connect(folder / source.name)) as here,
        ):
            there.backup(here)
        generations = settings.data_dir / "generations"
        if generations.is_dir():
            shutil.copytree(generations, folder / generations.name)
        yield settings.model_copy(update={"data_dir": folder, "database_url": None})
