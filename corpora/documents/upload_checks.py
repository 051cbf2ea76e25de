"""What is to be said of files before they are taken, looked at before anything runs."""

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from threading import Thread

from sqlalchemy import Row, select

from corpora.catalog.catalog import (
    check_is_free,
    check_name,
    find_product,
    find_release,
    releases_of,
)
from corpora.catalog.release import likely_meant, sort_key
from corpora.database.engine import Database, portions
from corpora.database.tables import DocumentRow, MemberRow, ReleaseRow
from corpora.documents.uploads import UploadedFile, name_objection
from corpora.errors import UnusableName
from ingestion.archives import Archive
from ingestion.decoding import decode, objection
from ingestion.figures import PICTURES
from ingestion.listing import DEFAULT_LIMITS, SourceFile, list_files, passed_over
from ingestion.loaders import LOADERS, known_suffixes
from ingestion.messages import message, sentences
from ingestion.page import NotDocumentation, Rejected, UnreadableFile
from ingestion.sandbox import Sandbox
from ingestion.structured_data import may_be_openapi

_AT_ONCE = 500

_PROBE_SECONDS = 20.0
_LOOKED_INTO = 300_000_000
"""Bytes of a zip that are unpacked to look at them; the rest is looked at when it is read."""
_READY: deque[Sandbox] = deque()


_PICTURES_ALONE = message(
    "Pictures are shown with the documents that name them: choose those documents as well."
)


class Weight(StrEnum):
    """What a finding means for the upload."""

    BLOCKS = "blocks"
    ASKS = "asks"
    INFORMS = "informs"


@dataclass(frozen=True, slots=True)
class UploadNotice:
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
) -> tuple[UploadNotice, ...]:
    """Look at files before they are taken for a release; `largest` bounds all together, in bytes.

    What lies in a zip is looked at too, and named by its path there.
    """
    findings = [*_of_release(product, release, database), *_of_all(files, largest)]
    if any(finding.blocking for finding in findings):
        return tuple(findings)
    with closing(_ready_probe()) as probe:
        look = _Look(probe)
        for file in files:
            findings += look.at(file)
    same = _duplicates(look.contents, product, release, database)
    return (*findings, *(UploadNotice(file, problem, Weight.INFORMS) for file, problem in same))


def by_problem(findings: Iterable[UploadNotice]) -> dict[str, list[str]]:
    """The files of each problem; none where it is about all."""
    files: dict[str, list[str]] = {}
    for finding in findings:
        files.setdefault(finding.problem, []).extend(filter(None, [finding.file]))
    return files


def get_ready() -> None:
    """Let a child that opens PDFs begin, in the background: the next check is not to wait for it.

    Each check has a child of its own: one that a file has taken over sees no other person's files.
    """
    if not _READY:
        _READY.append(probe := _probe())
        Thread(target=probe.parse, args=(b"", "none.pdf"), daemon=True).start()


def _ready_probe() -> Sandbox:
    try:
        return _READY.popleft()
    except IndexError:
        return _probe()


def _probe() -> Sandbox:
    return Sandbox(
        "ingestion.loaders.pdf:probe", memory=DEFAULT_LIMITS.memory, seconds=_PROBE_SECONDS
    )


def accepted(
    files: Sequence[UploadedFile], findings: Sequence[UploadNotice]
) -> tuple[UploadedFile, ...]:
    """Return the files that nothing speaks against; none where the whole upload is blocked."""
    blocked = {finding.file for finding in findings if finding.blocking}
    return () if "" in blocked else tuple(file for file in files if file.name not in blocked)


def left_out(files: Sequence[UploadedFile], findings: Iterable[UploadNotice]) -> dict[str, str]:
    """Why each file that is not taken is not, by its name; of a zip the job itself tells."""
    blocked = {finding.file: finding.problem for finding in findings if finding.blocking}
    return {file.name: blocked[file.name] for file in files if file.name in blocked}


def _of_release(product: str, release: str, database: Database) -> Iterator[UploadNotice]:
    meant = None
    try:
        check_name("product", product)
        check_name("release", release)
        with database.reading() as session:
            owner = find_product(session, product)
            if owner and find_release(session, product, release) is None:
                check_is_free(owner, release)
                meant = likely_meant(release, [row.name for row in releases_of(owner)])
    except UnusableName as error:
        yield UploadNotice("", str(error), Weight.BLOCKS)
    if meant:
        yield UploadNotice(
            "",
            message(
                "{release} is a new release with a name similar to {meant}. If you meant {meant}, "
                "choose it above.",
                release=release,
                meant=meant,
            ),
            Weight.ASKS,
        )


def _of_all(files: Sequence[UploadedFile], largest: int) -> Iterator[UploadNotice]:
    if not files:
        none = message("Choose at least one file to upload.")
        yield UploadNotice("", none, Weight.BLOCKS)
    suffixes = {PurePosixPath(file.name).suffix.lower() for file in files}
    if suffixes and suffixes <= PICTURES - {*known_suffixes()}:
        yield UploadNotice("", _PICTURES_ALONE, Weight.BLOCKS)
    total = sum(file.size for file in files)
    if total > largest:
        yield UploadNotice(
            "",
            message(
                "The files are {size:,.1f} MB in total; the limit is {limit:,.0f} MB. Upload them "
                "in parts, or raise STRATA_LARGEST_UPLOAD.",
                size=total / 1e6,
                limit=largest / 1e6,
            ),
            Weight.BLOCKS,
        )


class _Look:
    """Looks at one file after another, and gathers name and hash of those that are taken."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self._names: set[str] = set()
        self._folders: set[str] = set()
        self.contents: list[tuple[str, str]] = []

    def at(self, file: UploadedFile) -> Iterator[UploadNotice]:
        problem = name_objection(file.name) or self._clash(file.name)
        suffix = PurePosixPath(file.name).suffix.lower()
        if problem is None and file.is_archive:
            yield from self._in_archive(file)
            return
        is_picture = suffix in PICTURES and suffix not in known_suffixes()
        if problem is None and not is_picture and suffix not in known_suffixes():
            known = ", ".join([*known_suffixes(), ".zip"])
            problem = message("Strata does not read this format; use {known}", known=known)
        if problem is None and file.size > DEFAULT_LIMITS.file_size:
            sizes = {"size": file.size / 1e6, "limit": DEFAULT_LIMITS.file_size / 1e6}
            problem = message(
                "{size:,.1f} MB; the limit is {limit:,.1f} MB; split the file", **sizes
            )
        if not is_picture:
            problem = problem or self._in_file(file.name, file.content)
        if problem is not None:
            yield UploadNotice(file.name, problem, Weight.BLOCKS)

    def _clash(self, name: str) -> str | None:
        """Where letters' case does not count, `A.md` and `a.md` are one file."""
        own = name.casefold()
        above = {parent.as_posix() for parent in PurePosixPath(own).parents} - {"."}
        if own in self._names:
            return message("another file in this upload has the same name; rename one of them")
        if own in self._folders or above & self._names:
            return message("a folder and a file have the same name; rename one of them")
        self._names.add(own)
        self._folders |= above
        return None

    def _in_file(self, name: str, data: bytes) -> str | None:
        problem = objection(data, name)
        if problem is None and name.lower().endswith(".pdf"):
            probed = self._sandbox.parse(data, name)
            problem = probed.reason if isinstance(probed, Rejected) else None
        if problem is None:
            self.contents.append((name, sha256(data).hexdigest()))
        return problem

    def _in_archive(self, file: UploadedFile) -> Iterator[UploadNotice]:
        with TemporaryDirectory(prefix="strata-") as folder:
            path = Path(folder, PurePosixPath(file.name).name)
            path.write_bytes(file.content)
            listing = list_files([path])
            only = listing.entries[0] if len(listing) == 1 else None
            if isinstance(only, Rejected) and only.file == path.name:
                yield UploadNotice(file.name, only.reason, Weight.BLOCKS)
                return
            is_readable, left = False, _LOOKED_INTO
            skipped = Counter(listing.skipped)
            with closing(Archive(path)) as archive:
                for entry in listing:
                    left -= 0 if isinstance(entry, Rejected) else entry.size
                    try:
                        problem = self._in_member(entry, archive, is_looked_into=left >= 0)
                    except NotDocumentation:
                        skipped[PurePosixPath(entry.file).suffix.lower()] += 1
                        continue
                    is_readable |= problem is None
                    if problem is not None:
                        within = {"problem": problem, "file": file.name}
                        told = message("{problem} (in {file}; skipped)", **within)
                        yield UploadNotice(entry.file, told, Weight.ASKS)
        missed = passed_over(skipped)
        if not is_readable:
            empty = message("contains no file that can be read")
            yield UploadNotice(file.name, sentences([empty, missed], "; "), Weight.BLOCKS)
            return
        for said in filter(None, (missed, *listing.told)):
            yield UploadNotice(file.name, said, Weight.INFORMS)

    def _in_member(
        self, entry: SourceFile | Rejected, archive: Archive, *, is_looked_into: bool
    ) -> str | None:
        if isinstance(entry, Rejected):
            return entry.reason
        if entry.member is None or not is_looked_into:
            return None
        try:
            data = archive.read(entry.member)
            is_data = _is_data(entry.file, data)
        except UnreadableFile as error:
            return str(error)
        if is_data:
            raise NotDocumentation
        return self._in_file(entry.file, data)


def _is_data(name: str, data: bytes) -> bool:
    """Whether a file is YAML or JSON, and certainly no description of an interface."""
    is_structured = LOADERS.get(PurePosixPath(name).suffix.lower()) == "openapi"
    return is_structured and bool(data.strip()) and not may_be_openapi(decode(data))


def _duplicates(
    contents: Sequence[tuple[str, str]], product: str, release: str, database: Database
) -> Iterator[tuple[str, str]]:
    """Yield what is to be said of files that are twice in an upload, or in the product already.

    Compared is with what serves now. One file in two releases is the normal case, of which nothing
    is said; if several files are all those of another release, that is said once and of no file,
    which is then the empty name.
    """
    first: dict[str, str] = {}
    for file, content_hash in contents:
        same = first.setdefault(content_hash, file)
        if same != file:
            yield file, message("identical to {file} in this upload", file=same)
    name = release.strip()
    by_name: dict[str, str] = {}
    by_hash: dict[str, str] = {}
    others: defaultdict[str, set[str]] = defaultdict(set)
    for other, file, content_hash in _served(contents, product, database):
        if other.casefold() == name.casefold():
            by_name[file], by_hash[content_hash] = content_hash, file
        else:
            others[content_hash].add(other)
    if len(contents) > 1 and (
        everywhere := set.intersection(*(others[content_hash] for _, content_hash in contents))
    ):
        named = ", ".join(sorted(everywhere, key=sort_key))
        yield (
            "",
            message(
                "All files are identical to those of {others}. Check that {release} is the right "
                "release.",
                others=named,
                release=name,
            ),
        )
    for file, content_hash in contents:
        if by_name.get(file) == content_hash:
            yield file, message("already in {release}, unchanged", release=name)
        elif file in by_name:
            yield file, message("replaces the file with this name in {release}", release=name)
        elif content_hash in by_hash:
            there = {"release": name, "file": by_hash[content_hash]}
            yield file, message("already in {release} as {file}", **there)


def _served(
    contents: Sequence[tuple[str, str]], product: str, database: Database
) -> Iterator[Row[str, str, str]]:
    """Release, file and hash of what serves of a product and has one of these hashes or names."""
    with database.reading() as session:
        owner = find_product(session, product)
        if owner is None:
            return
        serving = (
            select(ReleaseRow.name, DocumentRow.file, DocumentRow.content_hash)
            .join(MemberRow, MemberRow.generation_id == ReleaseRow.published_generation_id)
            .join(DocumentRow, DocumentRow.id == MemberRow.document_id)
            .where(ReleaseRow.product_id == owner.id)
        )
        for some in portions(contents, _AT_ONCE):
            names, hashes = zip(*some, strict=True)
            alike = DocumentRow.file.in_(names) | DocumentRow.content_hash.in_(hashes)
            yield from session.execute(serving.where(alike))
