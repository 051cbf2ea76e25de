"""What is to be said of files before they are taken, looked at before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from corpora.catalog.catalog import (
    Catalog,
    UnusableName,
    check_is_free,
    check_name,
    find_product,
    releases_of,
)
from corpora.catalog.release_typos import likely_meant
from corpora.database.engine import Database
from corpora.documents.upload_duplicates import Content, same_elsewhere
from corpora.documents.uploads import UploadedFile, name_objection
from ingestion.archives import Archive
from ingestion.loaders import LOADERS
from ingestion.page import Rejected, UnreadableFile
from ingestion.reading import Limits, SourceFile, list_files
from ingestion.sandbox import Sandbox
from ingestion.sniffing import objection

_LIMITS = Limits()
_PROBE_SECONDS = 20.0
_LOOKED_INTO = 300_000_000
"""Bytes of a zip that are unpacked to look at them; the rest is looked at when it is read."""


class Weight(StrEnum):
    """What a finding means for the upload."""

    BLOCKS = "blocks"
    ASKS = "asks"
    INFORMS = "informs"


@dataclass(frozen=True, slots=True)
class Finding:
    """What is to be said of a file before it is taken; `file` is empty where it is about all.

    One that blocks keeps the file, or the whole upload, out; one that asks wants a confirmation.
    """

    file: str
    problem: str
    weight: Weight

    @property
    def blocking(self) -> bool:
        """Whether the file, or the whole upload, is not taken."""
        return self.weight is Weight.BLOCKS


def check(
    files: Sequence[UploadedFile], product: str, release: str, database: Database, largest: int
) -> tuple[Finding, ...]:
    """Look at files before they are taken for a release; `largest` bounds all together, in bytes.

    What lies in a zip is looked at too, and named by its path there.
    """
    findings = [*_of_release(product, release, database), *_of_all(files, largest)]
    if any(finding.blocking for finding in findings):
        return tuple(findings)
    with Sandbox("ingestion.loaders.pdf:probe", seconds=_PROBE_SECONDS) as sandbox:
        look = _Look(sandbox)
        for file in files:
            findings += look.at(file)
    same = same_elsewhere(look.contents, product, release, database)
    return (*findings, *(Finding(file, problem, Weight.INFORMS) for file, problem in same))


def accepted(
    files: Sequence[UploadedFile], findings: Sequence[Finding]
) -> tuple[UploadedFile, ...]:
    """Return the files that nothing speaks against; none where the whole upload is blocked."""
    blocked = {finding.file for finding in findings if finding.blocking}
    return () if "" in blocked else tuple(file for file in files if file.name not in blocked)


def similar_release(product: str, name: str, catalog: Catalog) -> str | None:
    """Return the release of a product that a new name looks like a typing error of, if any."""
    wanted = product.strip().casefold()
    for known in catalog.products(every=True):
        if wanted in (n.casefold() for n in (known.name, *known.aliases)):
            names = [release.name for release in known.releases]
            if name.strip().casefold() in (n.casefold() for n in names):
                return None
            return likely_meant(name, names)
    return None


def _of_release(product: str, release: str, database: Database) -> Iterator[Finding]:
    try:
        check_name("product", product)
        check_name("release", release)
        with database.reading() as session:
            owner = find_product(session, product)
            wanted = release.strip().casefold()
            if owner and wanted not in (r.name.casefold() for r in releases_of(session, owner)):
                check_is_free(session, owner, release)
    except UnusableName as error:
        yield Finding("", str(error), Weight.BLOCKS)
        return
    meant = similar_release(product, release, Catalog(database))
    if meant is not None:
        yield Finding(
            "",
            f"{release} is a new release with a name similar to {meant}. If you meant {meant}, "
            "choose it above.",
            Weight.ASKS,
        )


def _of_all(files: Sequence[UploadedFile], largest: int) -> Iterator[Finding]:
    if not files:
        yield Finding("", "Choose at least one file to upload.", Weight.BLOCKS)
    total = sum(file.size for file in files)
    if total > largest:
        yield Finding(
            "",
            f"The files are {total / 1e6:,.1f} MB in total; the limit is {largest / 1e6:,.0f} MB. "
            "Upload them in parts, or raise STRATA_LARGEST_UPLOAD.",
            Weight.BLOCKS,
        )


class _Look:
    """Looks at one file after another, and gathers what those that are taken contain."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._names: set[str] = set()
        self._folders: set[str] = set()
        self.contents: list[Content] = []

    def at(self, file: UploadedFile) -> Iterator[Finding]:
        problem = name_objection(file.name) or self._clash(file.name)
        suffix = PurePosixPath(file.name).suffix.lower()
        if problem is None and not file.is_archive and suffix not in LOADERS:
            known = ", ".join([*LOADERS, ".zip"])
            problem = f"{suffix or 'a file without a suffix'} is not supported; use {known}"
        if problem is None and file.is_archive:
            yield from self._in_archive(file)
            return
        if problem is None and file.size > _LIMITS.file_size:
            problem = _too_large(file.size)
        if problem is None:
            problem = self._in_file(file.name, file.read_bytes())
        if problem is not None:
            yield Finding(file.name, problem, Weight.BLOCKS)

    def _clash(self, name: str) -> str | None:
        """Where letters' case does not count, `A.md` and `a.md` are one file."""
        own = name.casefold()
        above = {parent.as_posix() for parent in PurePosixPath(own).parents} - {"."}
        if own in self._names:
            return "another file in this upload has the same name; rename one of them"
        if own in self._folders or above & self._names:
            return "a folder and a file have the same name; rename one of them"
        self._names.add(own)
        self._folders |= above
        return None

    def _in_file(self, name: str, data: bytes) -> str | None:
        problem = objection(data, name)
        if problem is None and name.lower().endswith(".pdf"):
            probed = self._sandbox.parse(data, name)
            problem = probed.reason if isinstance(probed, Rejected) else None
        if problem is None:
            self.contents.append(Content(name, sha256(data).hexdigest()))
        return problem

    def _in_archive(self, file: UploadedFile) -> Iterator[Finding]:
        with TemporaryDirectory(prefix="strata-") as folder:
            if isinstance(file.content, Path):
                path = file.content
            else:
                path = Path(folder, "upload.zip")
                path.write_bytes(file.content)
            readable = 0
            for name, problem in self._members(path):
                readable += problem is None
                if name == path.name:
                    yield Finding(file.name, problem or "", Weight.BLOCKS)
                    return
                if problem is not None:
                    yield Finding(name, f"{problem} (in {file.name}; skipped)", Weight.ASKS)
        if not readable:
            yield Finding(file.name, "contains no supported file", Weight.BLOCKS)

    def _members(self, path: Path) -> Iterator[tuple[str, str | None]]:
        """The files that an ingest would read, and what speaks against each of them, if anything.

        A zip that cannot be opened is named itself.
        """
        left = _LOOKED_INTO
        listing = list_files([path])
        if not any(isinstance(entry, SourceFile) for entry in listing):
            yield from ((e.file, e.reason) for e in listing if isinstance(e, Rejected))
            return
        with Archive(path) as archive:
            for entry in listing:
                if isinstance(entry, Rejected):
                    yield entry.file, entry.reason
                    continue
                left -= entry.size
                if left < 0 or entry.member is None:
                    yield entry.file, None
                    continue
                try:
                    data = archive.read(entry.member)
                except UnreadableFile as error:
                    yield entry.file, str(error)
                else:
                    yield entry.file, self._in_file(entry.file, data)


def _too_large(size: int) -> str:
    return f"{size / 1e6:,.1f} MB; the limit is {_LIMITS.file_size / 1e6:,.1f} MB; split the file"
