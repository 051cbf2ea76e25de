"""Small documents of an invented product, and what a test needs to ingest them."""

from collections.abc import Callable
from pathlib import Path

from corpora.building.building import Builder
from corpora.building.report import IngestReport
from corpora.database.engine import Database
from corpora.generations.progress import Progress
from tests.data_folders import data_dir_of
from tests.hash_embedder import HashEmbedder

GUIDE = """# Installation guide

## Mounting

The beacon is mounted on a mast of at least {mast} metres. Tighten every bolt by hand first.

## Power

Connect the supply to the terminal marked P1. The beacon needs {volts} volts.
"""
ALARMS = """# Alarms

## Lamp failure

The alarm `lamp-failure` is raised when the lamp current stays below {current} mA.
"""


def write(folder: Path, **texts: str) -> Path:
    """Write files named after the arguments, "__" standing for a folder, as Markdown."""
    for name, text in texts.items():
        file = folder / f"{name.replace('__', '/')}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def write_beacon(folder: Path, mast: int = 12) -> Path:
    """Write a guide and a page of alarms."""
    guide = GUIDE.format(mast=mast, volts=48)
    return write(folder, guide=guide, reference__alarms=ALARMS.format(current=350))


def ingest_beacon(
    database: Database,
    *paths: Path,
    product: str = "Beacon",
    release: str = "17.10",
    embedder: HashEmbedder | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    cancelled: Callable[[], bool] = lambda: False,
    data_dir: Path | None = None,
) -> IngestReport:
    """Ingest into a data folder, by default the one that the database belongs to."""
    return Builder(
        database,
        data_dir or data_dir_of(database),
        embedder or HashEmbedder(),
        on_progress=on_progress,
        cancelled=cancelled,
        workers=1,
    ).ingest(paths, product=product, release=release)


def many_pages(folder: Path, files: int = 8, sections: int = 12) -> Path:
    """Write files whose every section is a page or more."""
    for number in range(files):
        text = [f"# Part {number}"]
        for section in range(sections):
            words = " ".join(f"word{number}x{section}x{i}" for i in range(220))
            text.append(f"## Section {number}.{section}\n\n{words}.")
        write(folder, **{f"part{number}": "\n\n".join(text)})
    return folder
