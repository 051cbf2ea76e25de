"""Files become the documents of a generation; what was read before is not read again."""

import os
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from sqlalchemy import Select, insert, select
from sqlalchemy.orm import Session

import ingestion
from corpora.database.engine import Database, portions
from corpora.database.originals import Originals, PackedFile, pack
from corpora.database.tables import DocumentRow, GenerationRow, MemberRow
from corpora.generations.generations import require_claim, serving_beside
from corpora.generations.progress import Progress, Stage
from corpora.indexing import dual_chunking
from corpora.indexing.dual_chunking import SearchChunk, search_chunks
from corpora.indexing.pages import insert_document, read_document
from ingestion.listing import DEFAULT_LIMITS, Limits, Listing, SourceFile, list_files
from ingestion.page import Document, Rejected, Remark, UnreadableFile
from ingestion.reading import read_files

_PAGES_AT_ONCE = 200
_DOCUMENTS_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class ChunkingSettings:
    """How pages are cut: into `per_page` search chunks each, or near `target` characters."""

    per_page: int | None = None
    target: int = 500

    @property
    def fingerprint(self) -> str:
        """What search chunks depend on beside their page."""
        code = _code_hash(Path(dual_chunking.__file__))
        return f"per_page={self.per_page} target={self.target} code={code}"

    def cut(self, document: Document) -> list[tuple[SearchChunk, ...]]:
        """Cut the pages of a document into search chunks."""
        return [
            search_chunks(page, per_page=self.per_page, target=self.target)
            for page in document.pages
        ]


@dataclass(frozen=True, slots=True)
class Gathered:
    """Files read now, files taken over as they were read before, and files left out.

    `remarks` tell what was left out of files that were read now. `skipped` counts, by suffix, what
    is no documentation; `dropped` are files that the release held and this generation does not.
    """

    read: int
    unchanged: int
    rejected: tuple[Rejected, ...]
    skipped: Mapping[str, int]
    dropped: tuple[str, ...]
    remarks: tuple[Remark, ...] = ()


@dataclass(frozen=True, slots=True)
class _Read:
    source: str
    document: Document
    chunks: list[tuple[SearchChunk, ...]]
    original: PackedFile


@dataclass(frozen=True)
class Gathering:
    """Makes documents members of a generation that is being built."""

    database: Database
    generation_id: int
    settings: ChunkingSettings
    report: Callable[[Progress], None]
    workers: int | None = None
    limits: Limits = DEFAULT_LIMITS

    @property
    def _reading(self) -> str:
        """What pages depend on beside their file: the code, and how scans are read."""
        ocr = self.limits.ocr
        return f"{reading_fingerprint()} ocr={ocr.languages}" if ocr else reading_fingerprint()

    def from_paths(self, paths: Sequence[Path]) -> Gathered:
        """Take the files under `paths`, and of the release what came from other paths before.

        A file is known within its release by its path relative to what was ingested.
        """
        self.report(Progress(Stage.LISTING, 0, 1))
        listing = list_files(paths, limits=self.limits)
        self.report(Progress(Stage.LISTING, 1, 1))
        # A path that is not there is a mistake rather than an empty source.
        there = {os.path.realpath(path) for path in paths if os.access(path, os.F_OK)}
        return self.from_files(listing, there)

    def from_files(self, listing: Listing, sources: Collection[str]) -> Gathered:
        """Take files, and of the release what came from other sources than these before.

        A file that the same code read before with the same content, also in an ingest that did
        not end, is taken over. Documents are written complete, many pages in one transaction. If
        no file can be read, nothing else becomes a member.
        """
        files = {file.file: file for file in listing if isinstance(file, SourceFile)}
        known = _known(self.database, self.generation_id, self.settings, self._reading)
        taken: dict[str, int] = {}

        def is_new(file: str, content_hash: str) -> bool:
            document_id = known.get((file, content_hash))
            if document_id is not None:
                taken[file] = document_id
            return document_id is None

        count = 0
        waiting: list[_Read] = []
        rejected: list[Rejected] = []
        remarks: list[Remark] = []
        last = ""

        def report() -> None:
            done = len(taken) + count + len(rejected)
            self.report(Progress(Stage.READING, done, len(listing), last))

        report()
        reading = read_files(
            listing, limits=self.limits, workers=self.workers, only=is_new, meanwhile=report
        )
        with closing(cast("Generator[Document | Rejected]", reading)) as items:
            for item in items:
                cut = item if isinstance(item, Rejected) else self._cut(item, files[item.file])
                if isinstance(cut, Rejected):
                    rejected.append(cut)
                else:
                    waiting.append(cut)
                    if cut.document.remarks:
                        remarks.append(Remark(item.file, "; ".join(cut.document.remarks)))
                    count += 1
                if sum(len(r.document.pages) for r in waiting) >= _PAGES_AT_ONCE:
                    self._write(waiting)
                    waiting.clear()
                last = item.file
                report()
        self._write(waiting)
        with self.database.writing() as session:
            require_claim(session, self.generation_id)
            members = [(i, str(files[name].source)) for name, i in taken.items()]
            _add_members(session, self.generation_id, members)
        self.report(Progress(Stage.READING, len(listing), len(listing)))
        if not (count or taken):
            return Gathered(0, 0, tuple(rejected), listing.skipped, ())
        left_out = self._carry_over(lambda file, source: source in sources)
        return Gathered(
            count, len(taken), tuple(rejected), listing.skipped, left_out, tuple(remarks)
        )

    def all_but(self, leaving: Collection[str]) -> Gathered:
        """Take what the release holds now, except some files."""
        left_out = self._carry_over(lambda file, source: file in leaving)
        with self.database.reading() as session:
            kept = len(session.scalars(_members(self.generation_id, DocumentRow.id)).all())
        return Gathered(0, kept, (), {}, left_out)

    def _cut(self, document: Document, file: SourceFile) -> _Read | Rejected:
        if not any(page.text for page in document.pages):
            return Rejected(document.file, "holds no text")
        try:
            data, _ = file.content(self.limits)
        except (OSError, UnreadableFile) as error:
            return Rejected(document.file, str(error))
        if sha256(data).hexdigest() != document.content_hash:
            return Rejected(document.file, "changed while it was being read; ingest again")
        return _Read(str(file.source), document, self.settings.cut(document), pack(data))

    def _write(self, read: Sequence[_Read]) -> None:
        with self.database.writing() as session:
            require_claim(session, self.generation_id)
            release_id = session.get_one(GenerationRow, self.generation_id).release_id
            originals = Originals(self.database)
            for r in read:
                originals.store(session, r.document.content_hash, r.original)
                document_id = insert_document(
                    session,
                    r.document,
                    r.chunks,
                    release_id=release_id,
                    reading=self._reading,
                    chunking=self.settings.fingerprint,
                )
                _add_members(session, self.generation_id, [(document_id, r.source)])

    def _carry_over(self, is_left_out: Callable[[str, str], bool]) -> tuple[str, ...]:
        """Make published documents members too, and return the files that are left out.

        `is_left_out` is asked by file and source of those that are no members yet. What came from
        a source that is read now and is not there any more, or has become unreadable, is left
        out: an answer must not come from it. Documents are cut anew, from their stored pages, if
        the settings for that have changed.
        """
        published = serving_beside(self.database, self.generation_id)
        with self.database.reading() as session:
            present = set(session.scalars(_members(self.generation_id, DocumentRow.file)))
            rows = session.execute(
                _members(published, DocumentRow.id, DocumentRow.file, MemberRow.source)
            ).all()
        absent = [row for row in rows if row.file not in present]
        carried = [row for row in absent if not is_left_out(row.file, row.source)]
        for some in portions(carried, _DOCUMENTS_AT_ONCE):
            with self.database.writing() as session:
                require_claim(session, self.generation_id)
                for row in some:
                    document_id = _cut_anew(session, row.id, self.settings)
                    _add_members(session, self.generation_id, [(document_id, row.source)])
        return tuple(sorted(row.file for row in absent if is_left_out(row.file, row.source)))


@cache
def reading_fingerprint() -> str:
    """What a document's pages depend on beside its file: the code that reads it."""
    return _code_hash(*sorted(Path(ingestion.__path__[0]).rglob("*.py")))


@cache
def _code_hash(*files: Path) -> str:
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def _known(
    database: Database, generation_id: int, settings: ChunkingSettings, reading: str
) -> dict[tuple[str, str], int]:
    """Return this release's documents, by file and content, that need not be read again."""
    with database.reading() as session:
        release_id = session.get_one(GenerationRow, generation_id).release_id
        rows = session.execute(
            select(DocumentRow.file, DocumentRow.content_hash, DocumentRow.id).where(
                DocumentRow.release_id == release_id,
                DocumentRow.reading == reading,
                DocumentRow.chunking == settings.fingerprint,
            )
        )
        return {(file, content_hash): i for file, content_hash, i in rows}


def _cut_anew(session: Session, document_id: int, settings: ChunkingSettings) -> int:
    """Return a document like this one that is cut by these settings: itself, if it is."""
    row = session.get_one(DocumentRow, document_id)
    if row.chunking == settings.fingerprint:
        return document_id
    document = read_document(session, document_id)
    return insert_document(
        session,
        document,
        settings.cut(document),
        release_id=row.release_id,
        reading=row.reading,
        chunking=settings.fingerprint,
    )


def _add_members(session: Session, generation_id: int, members: Iterable[tuple[int, str]]) -> None:
    rows = [
        {"generation_id": generation_id, "document_id": document_id, "source": source}
        for document_id, source in members
    ]
    if rows:
        session.execute(insert(MemberRow), rows)


def _members(generation_id: int | None, *columns: Any) -> Select[*tuple[Any, ...]]:
    return (
        select(*columns)
        .join(MemberRow, MemberRow.document_id == DocumentRow.id)
        .where(MemberRow.generation_id == generation_id)
    )
