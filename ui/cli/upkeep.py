"""`strata backup`, `restore`, `move` and `doctor`: what is kept is copied, checked and mended."""

import shutil
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from rich.table import Table
from sqlalchemy.exc import DBAPIError
from typer import Argument, Exit, Option

from chatbot.administration.doctor import Health, examine
from chatbot.settings import read_settings
from corpora.database.copying import copy_database
from corpora.database.engine import Database
from corpora.database.engine import open_database as open_url
from corpora.errors import NotCopied
from corpora.generations.generations import sweep_schemas
from ui.cli.terminal import AsJson, open_database, print_result, printable, progress_bars
from ui.wording.amounts import how_many

_STYLES = {Health.FAULT: "red", Health.MENDED: "green", Health.NOTE: "dim"}
BackupFile = Annotated[Path, Argument(help="The file of the backup.", dir_okay=False)]


def backup(file: BackupFile, as_json: AsJson = False) -> None:
    """Write everything in the database into one file, while Strata runs.

    The file is a SQLite database, whatever database is in use; `strata restore` reads it.
    """
    if file.exists():
        raise NotCopied(f"{file} already exists. Name a new file.")
    # Aside, so that a file of this name is a whole backup.
    if not file.absolute().parent.is_dir():
        raise NotCopied(f"There is no folder {file.absolute().parent}. Make it, or name another.")
    with _copy_failures(file), TemporaryDirectory(dir=file.absolute().parent) as folder:
        aside = Path(folder) / file.name
        with closing(open_url(f"sqlite:///{aside}")) as target:
            counts = _copied(open_database(), target)
        aside.rename(file)
    _print_counts(counts, as_json, f"in {file}")


def restore(file: BackupFile, as_json: AsJson = False) -> None:
    """Copy a backup into the database in use, which must be empty."""
    if not file.is_file():
        raise NotCopied(f"There is no file {file}. Name one that `strata backup` wrote.")
    target = open_database()
    # A backup of an earlier version is brought up to date, and the file itself stays as it is.
    if file.with_name(f"{file.name}-wal").exists() or not _is_ours(file):
        raise NotCopied(f"{file} was not written by `strata backup`, or is in use.")
    data_dir = read_settings().data_dir
    data_dir.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=data_dir) as folder, _copy_failures(data_dir):
        copied = shutil.copy(file, folder)
        with closing(open_url(f"sqlite:///{Path(copied).absolute()}")) as source:
            counts = _copied(source, target)
    # Their numbers are given out anew, so that what stands there would be taken for another's.
    shutil.rmtree(data_dir / "generations", ignore_errors=True)
    _print_counts(counts, as_json, "restored")


def move(
    url: Annotated[str, Argument(help="For instance postgresql://user@host/strata.")],
    as_json: AsJson = False,
) -> None:
    """Copy everything into another, empty database; the one in use is not changed.

    Stop the server and the workers first: what they write meanwhile is not copied. Then set
    STRATA_DATABASE_URL, and start them again; indexes are built when they are needed.
    """
    with closing(open_url(url)) as target, _copy_failures(read_settings().data_dir):
        counts = _copied(open_database(), target)
    _print_counts(counts, as_json, "moved. Set STRATA_DATABASE_URL to use it")


def doctor(
    mend: Annotated[
        bool, Option("--mend", help="Rebuild broken indexes and remove leftovers.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check database, models, indexes, disk, jobs and clock; exit code 1 means a fault."""
    findings = tuple(examine(read_settings(), open_database(), mend=mend))
    table = Table("", "", "", box=None, show_header=False)
    for finding in findings:
        style = _STYLES.get(finding.health)
        table.add_row(finding.health, printable(finding.what), printable(finding.told), style=style)
    print_result(as_json, findings, table)
    if any(finding.health is Health.FAULT for finding in findings):
        raise Exit(1)


def _is_ours(file: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as backup:
            return backup.execute("SELECT 1 FROM alembic_version").fetchone() is not None
    except sqlite3.Error:
        return False


@contextmanager
def _copy_failures(place: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, DBAPIError) as error:
        reason = error.orig if isinstance(error, DBAPIError) else error
        raise NotCopied(
            f"{place}: {reason}. No data was changed; fix this and try again."
        ) from error


def _copied(source: Database, target: Database) -> dict[str, int]:
    # Generations are given the numbers of the source, for which other indexes may lie there.
    sweep_schemas(target)
    with progress_bars() as show:
        return copy_database(source, target, show)


def _print_counts(counts: Mapping[str, int], as_json: bool, what: str) -> None:
    rows = how_many(sum(counts.values()), "row")
    summary = f"{rows} in {how_many(len(counts), 'table')}, each compared: {what}."
    print_result(as_json, {"rows": counts}, summary)
