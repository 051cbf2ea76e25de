"""What is to be said of files before they are taken, looked at before anything runs."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from sqlalchemy import Row, and_, select

from corpora.catalog.catalog import (
    Catalog,
    UnusableName,
    check_is_free,
    check_name,
    find_product,
    find_release,
)
from corpora.catalog.release import is_among, likely_meant, sort_key
from corpora.database.engine import Database, portions
from corpora.database.tables import DocumentRow, MemberRow, ReleaseRow
from corpora.documents.uploads import UploadedFile, name_objection
from ingestion.archives import Archive
from ingestion.decoding import objection
from ingestion.listing import DEFAULT_LIMITS, SourceFile, list_files
from ingestion.loaders import LOADERS
from ingestion.page import Rejected, UnreadableFile
from ingestion.sandbox import Sandbox

_AT_ONCE = 500
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


@dataclass(frozen=True, slots=True)
class Content:
    """A file as it would be called in its release, and the sha256 of its bytes."""

    file: str
    content_hash: str


def check(
    files: Sequence[UploadedFile], product: str, release: str, database: Database, largest: int
) -> tuple[Finding, ...]:
    """Look at files before they are taken for a release; `largest` bounds all together, in bytes.

    What lies in a zip is looked at too, and named by its path there.
    """
    findings = [*_of_release(product, release, database), *_of_all(files, largest)]
    if any(finding.blocking for finding in findings):
        return tuple(findings)
    probe = Sandbox(
        "ingestion.loaders.pdf:probe", memory=DEFAULT_LIMITS.memory, seconds=_PROBE_SECONDS
    )
    with closing(probe):
        look = _Look(probe)
        for file in files:
            findings += look.at(file)
    same = _duplicates(look.contents, product, release, database)
    return (*findings, *(Finding(file, problem, Weight.INFORMS) for file, problem in same))


def accepted(
    files: Sequence[UploadedFile], findings: Sequence[Finding]
) -> tuple[UploadedFile, ...]:
    """Return the files that nothing speaks against; none where the whole upload is blocked."""
    blocked = {finding.file for finding in findings if finding.blocking}
    return () if "" in blocked else tuple(file for file in files if file.name not in blocked)


def similar_release(product: str, name: str, catalog: Catalog) -> str | None:
    """Return the release of a product that a new name looks like a typing error of, if any."""
    for known in catalog.products(every=True):
        if is_among(product, known.name, *known.aliases):
            names = [release.name for release in known.releases]
            if is_among(name, *names):
                return None
            return likely_meant(name, names)
    return None


def _of_release(product: str, release: str, database: Database) -> Iterator[Finding]:
    try:
        check_name("product", product)
        check_name("release", release)
        with database.reading() as session:
            owner = find_product(session, product)
            if owner and find_release(session, product, release) is None:
                check_is_free(owner, release)
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
        if problem is None and file.size > DEFAULT_LIMITS.file_size:
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
        with closing(Archive(path)) as archive:
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
    largest = DEFAULT_LIMITS.file_size
    return f"{size / 1e6:,.1f} MB; the limit is {largest / 1e6:,.1f} MB; split the file"


def _duplicates(
    contents: Sequence[Content], product: str, release: str, database: Database
) -> Iterator[tuple[str, str]]:
    """Yield what is to be said of files that are twice in an upload, or in the product already.

    Compared is with what serves now. One file in two releases is the normal case, of which nothing
    is said; if several files are all those of another release, that is said once and of no file,
    which is then the empty name.
    """
    first: dict[str, str] = {}
    for content in contents:
        same = first.setdefault(content.content_hash, content.file)
        if same != content.file:
            yield content.file, f"identical to {same} in this upload"
    name = release.strip()
    own: list[tuple[str, str]] = []
    others: defaultdict[str, set[str]] = defaultdict(set)
    for other, file, content_hash in _served(contents, product, database):
        if other.casefold() == name.casefold():
            own.append((file, content_hash))
        else:
            others[content_hash].add(other)
    by_name = dict(own)
    by_hash = {content_hash: file for file, content_hash in own}
    if len(contents) > 1 and (
        everywhere := set.intersection(*(others[c.content_hash] for c in contents))
    ):
        named = ", ".join(sorted(everywhere, key=sort_key))
        yield (
            "",
            f"All files are identical to those of {named}. Check that {name} is the right release.",
        )
    for content in contents:
        if by_name.get(content.file) == content.content_hash:
            yield content.file, f"already in {name}, unchanged"
        elif content.file in by_name:
            yield content.file, f"replaces the file with this name in {name}"
        elif content.content_hash in by_hash:
            yield content.file, f"already in {name} as {by_hash[content.content_hash]}"


def _served(
    contents: Sequence[Content], product: str, database: Database
) -> Iterator[Row[str, str, str]]:
    """Release, file and hash of what serves of a product and has one of these hashes or names."""
    with database.reading() as session:
        owner = find_product(session, product)
        if owner is None:
            return
        serving = (
            select(ReleaseRow.name, DocumentRow.file, DocumentRow.content_hash)
            .join(MemberRow, MemberRow.document_id == DocumentRow.id)
            .join(
                ReleaseRow,
                and_(
                    ReleaseRow.id == DocumentRow.release_id,
                    ReleaseRow.published_generation_id == MemberRow.generation_id,
                ),
            )
            .where(ReleaseRow.product_id == owner.id)
        )
        for some in portions(contents, _AT_ONCE):
            hashes = {content.content_hash for content in some}
            names = {content.file for content in some}
            same_name = DocumentRow.file.in_(names) & DocumentRow.content_hash.not_in(hashes)
            yield from session.execute(serving.where(DocumentRow.content_hash.in_(hashes)))
            yield from session.execute(serving.where(same_name))
