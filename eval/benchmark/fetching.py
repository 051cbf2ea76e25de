"""The documentation of the benchmark is fetched, checked and unpacked, release by release."""

import argparse
import shutil
import tarfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from eval.benchmark.documents import Archive, Product, places, read_documents
from eval.benchmark.indexes import Indexes, sha256_of
from eval.gold import GoldError
from ingestion.archives import stays_inside

_MOST_BYTES = 1 << 30
"""What an archive may inflate to; the largest of the benchmark has a tenth."""
_MOST_MEMBERS = 50_000
_DAMAGE = (
    *(tarfile.TarError, zlib.error, EOFError, UnicodeError),
    *(FileExistsError, NotADirectoryError),
)


@dataclass(frozen=True, slots=True)
class Fetched:
    """How many releases are there now, how many of them were before, and what failed and why."""

    releases: int
    before: int
    failed: tuple[str, ...]


def fetch(
    folder: Path,
    products: Mapping[str, Product],
    indexes: Indexes,
    source: Path | None = None,
    on_progress: Callable[[int, int, str], None] = lambda done, total, file: None,
) -> Fetched:
    """Put the documentation into `folder`/documents/PRODUCT/RELEASE.

    The archives are those in `source`, or downloaded into `folder`/archives, where they stay. A
    release that is there whole is passed over; after one that fails the others are fetched.
    """
    archives = source or folder / "archives"
    wanted = list(places(folder, products))
    before, failed = 0, []
    for done, (name, release, target) in enumerate(wanted):
        product = products[name]
        archive = product.releases[release]
        on_progress(done, len(wanted), archive.file)
        if _files(target) == archive.documents:
            before += 1
            continue
        path = archives / archive.file
        try:
            if source is None and not path.is_file():
                archives.mkdir(parents=True, exist_ok=True)
                arriving = path.with_name(f"{path.name}.part")
                indexes.download(product, release, arriving)
                _require(archive, arriving)
                arriving.replace(path)
            _require(archive, path)
            unpack(path, product, archive.documents, target)
        except (GoldError, OSError) as error:
            failed.append(f"{name} {release}: {error}")
    on_progress(len(wanted), len(wanted), "")
    return Fetched(len(wanted) - len(failed), before, tuple(failed))


def fetched_by(
    parser: argparse.ArgumentParser, labels: Path
) -> tuple[argparse.Namespace, dict[str, Product]]:
    """Read a command line, and fetch the documentation of the products that it names.

    It has a folder, products, archives, and a folder with labels, which are `labels` by default.
    Raises GoldError.
    """
    parser.add_argument("folder", type=Path, help="where archives and data are kept")
    parser.add_argument("--product", action="append", help="only this product; repeatable")
    parser.add_argument("--from", dest="source", type=Path, help="a folder with the archives")
    what = "a folder with labels of your own, and documents.json"
    parser.add_argument("--labels", type=Path, default=labels, help=what)
    given = parser.parse_args()
    products = read_documents(given.labels / "documents.json").of(given.product or ())
    if failed := fetch(given.folder, products, Indexes(), given.source).failed:
        raise GoldError("; ".join(failed))
    return given, products


def unpack(path: Path, product: Product, documents: int, target: Path) -> None:
    """Write the files of an archive that are kept into the folder `target`, all of them or none.

    Links and devices are no files. Raises GoldError for an archive that is damaged, leads out of
    the folder, inflates without end, or does not have as many `documents` as it should.
    """
    aside = target.with_name(f"{target.name}.part")
    shutil.rmtree(aside, ignore_errors=True)
    try:
        _unpack(path, product, aside)
        if (number := _files(aside)) != documents:
            raise GoldError(f"{path.name}: {number} files would be kept instead of {documents}")
        shutil.rmtree(target, ignore_errors=True)
        aside.replace(target)
    except _DAMAGE as error:
        raise GoldError(f"{path.name}: damaged ({error})") from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _unpack(path: Path, product: Product, folder: Path) -> None:
    inflated = 0
    with tarfile.open(path) as packed:
        for number, member in enumerate(packed):
            inflated += member.size
            if inflated > _MOST_BYTES or number > _MOST_MEMBERS:
                raise GoldError(f"{path.name}: holds more than it may, and is taken for a bomb")
            if not member.isreg():
                continue
            if not stays_inside(member.name):
                raise GoldError(f"{path.name}: {member.name!r} leads out of the archive")
            kept = product.kept_as(member.name)
            if kept is None:
                continue
            file = folder / kept
            file.parent.mkdir(parents=True, exist_ok=True)
            content = packed.extractfile(member)
            if content is None or file.exists():
                raise GoldError(f"{path.name}: {member.name!r} stands in it twice")
            with content, file.open("wb") as written:
                shutil.copyfileobj(content, written)


def _require(archive: Archive, path: Path) -> None:
    if not path.is_file():
        raise GoldError(f"there is no file {path}")
    if sha256_of(path) != archive.sha256:
        raise GoldError(f"{path}: not the file that the questions are about, its SHA-256 differs")


def _files(folder: Path) -> int:
    return sum(path.is_file() for path in folder.rglob("*")) if folder.is_dir() else 0
