"""Files become the documents of a generation; what was read before is not read again."""

import os
from collections import Counter
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import NamedTuple, cast

from sqlalchemy import func, insert, select
from sqlalchemy.orm import Session

import ingestion
from corpora.building.detection import detect
from corpora.building.kept import KeptFile, KnownDocument, kept_files, known_documents, members
from corpora.building.report import IngestReport
from corpora.database.engine import Database, portions
from corpora.database.originals import Originals, pack, without_bytes
from corpora.database.tables import (
    DocumentRow,
    EmbeddingModelRow,
    FileRow,
    GenerationRow,
    MemberRow,
    PageRow,
    ReleaseRow,
    SearchChunkRow,
)
from corpora.errors import BadPack, BeingBuilt
from corpora.generations.generations import built_before, require_claim
from corpora.generations.progress import Progress, Stage
from corpora.indexing import dual_chunking
from corpora.indexing.dual_chunking import SearchChunk, search_chunks
from corpora.indexing.figures import originals_beside
from corpora.indexing.missing_vectors import store_vectors
from corpora.indexing.pages import copy_documents, insert_document, read_document
from corpora.packs.container import PackFile
from corpora.packs.contents import ORIGINALS, packed_documents, packed_pictures, packed_vectors
from ingestion.archives import canonical_name
from ingestion.listing import DEFAULT_LIMITS, Limits, Listing, SourceFile, list_files
from ingestion.page import Document, Picture, Rejected, Remark, UnreadableFile
from ingestion.reading import Parsers, read_files

_PAGES_AT_ONCE = 200
_DOCUMENTS_AT_ONCE = 20
_TAKEN_AT_ONCE = 200


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


class _Member(NamedTuple):
    document_id: int
    source: str
    address: str = ""


class _Read(NamedTuple):
    source: str
    address: str
    document: Document
    chunks: list[tuple[SearchChunk, ...]]
    original: FileRow
    language: str


@dataclass(frozen=True)
class Gathering:
    """Makes documents members of a generation that is being built, and tells so in a report."""

    database: Database
    generation_id: int
    settings: ChunkingSettings
    report: IngestReport
    on_progress: Callable[[Progress], None]
    workers: int | None = None
    limits: Limits = DEFAULT_LIMITS
    parsers: Parsers | None = None

    def from_paths(self, paths: Sequence[Path]) -> None:
        """Take the files under `paths`, and of the release what came from other paths before."""
        self.on_progress(Progress(Stage.LISTING, 0, 1))
        listing = list_files(paths, limits=self.limits)
        self.on_progress(Progress(Stage.LISTING, 1, 1))
        # A path that is not there is a mistake rather than an empty source.
        there = {os.path.realpath(path) for path in paths if os.access(path, os.F_OK)}
        self._from_files(listing, there)

    def from_originals(self) -> None:
        """Take all files that the release holds now, from the bytes that were kept."""
        files = kept_files(self.database, built_before(self.database, self.generation_id))
        self.on_progress(Progress(Stage.LISTING, len(files), len(files)))
        self._from_files(Listing(files), {file.origin for file in files})

    def from_source(self, folder: Path, source: str, addresses: Mapping[str, str]) -> None:
        """Take the files of a source, laid out in a folder, and what came from elsewhere before.

        `source` is what the source is called, `addresses` are those of the originals by file. Where
        a document from elsewhere has the name of one of them, all get names below the source's.
        """
        self.on_progress(Progress(Stage.LISTING, 0, 1))
        listing = list_files([folder], limits=self.limits)
        self.on_progress(Progress(Stage.LISTING, 1, 1))
        elsewhere = self._named_elsewhere(source)
        self.report.apart = sorted(entry.file for entry in listing if entry.file in elsewhere)
        below = f"{source.replace(':', '-')}/" if self.report.apart else ""
        named = Listing(
            tuple(
                replace(
                    entry,
                    file=f"{below}{entry.file}",
                    below=below,
                    came_from=source,
                    address=_address_of(entry, addresses),
                )
                if isinstance(entry, SourceFile)
                else entry
                for entry in listing
            ),
            listing.skipped,
        )
        self._from_files(named, {source})

    def _named_elsewhere(self, source: str) -> set[str]:
        """The names of the release's documents that did not come from a source."""
        before = built_before(self.database, self.generation_id)
        with self.database.reading() as session:
            files = session.scalars(
                members(before, DocumentRow.file).where(MemberRow.source != source)
            )
            return set(map(canonical_name, files))

    def from_pack(self, pack: PackFile) -> None:
        """Take the documents of a pack as they were read and cut where it was made.

        What came from another pack of this release is replaced; they are cut anew where the
        settings for that are others here.
        """
        source = f"pack:{pack.manifest.product} {pack.manifest.release}"
        total, told = pack.manifest.documents, self.report
        originals = Originals(self.database)
        known = self._packed()
        for packed in packed_documents(pack):
            document = packed.document
            key = document.file, document.content_hash, packed.reading
            with self.database.writing() as session:
                document_id = known.get(key)
                if document_id is None:
                    name = f"{ORIGINALS}{document.content_hash}"
                    kept = _original(document, pack.read(name)) if pack.has(name) else None
                    originals.store(session, kept or without_bytes(document.content_hash))
                    for picture in packed_pictures(pack, document):
                        originals.store(session, picture)
                    same = pack.manifest.chunking == self.settings.fingerprint
                    document_id = insert_document(
                        session,
                        document,
                        packed.chunks if same else self.settings.cut(document),
                        release_id=self._release_id(session),
                        reading=packed.reading,
                        language=packed.language,
                        chunking=self.settings.fingerprint,
                    )
                    told.read += 1
                else:
                    told.unchanged += 1
                self._add(session, [_Member(document_id, source, packed.address)])
            done = told.read + told.unchanged
            self.on_progress(Progress(Stage.READING, done, total, document.file))
        self._take_vectors(pack)
        self._carry_over(lambda file, came_from: came_from == source)

    def _packed(self) -> dict[tuple[str, str, str], int]:
        """This release's documents that are cut as they are now, by what they were read from."""
        columns = DocumentRow.file, DocumentRow.content_hash, DocumentRow.reading, DocumentRow.id
        with self.database.reading() as session:
            rows = session.execute(
                select(*columns).where(
                    DocumentRow.release_id == self._release_id(session),
                    DocumentRow.chunking == self.settings.fingerprint,
                )
            )
            return {(file, content_hash, reading): i for file, content_hash, reading, i in rows}

    def _take_vectors(self, pack: PackFile) -> None:
        """Keep the vectors of this generation's own texts, if they are of the model in use."""
        with self.database.reading() as session:
            model = session.get_one(
                EmbeddingModelRow, session.get_one(GenerationRow, self.generation_id).model_id
            )
        if (model.name, model.dimension) != (pack.manifest.embedder, pack.manifest.dimension):
            return
        for hashes, vectors in packed_vectors(pack):
            with self.database.writing() as session:
                own = set(
                    session.scalars(
                        select(SearchChunkRow.text_hash)
                        .join(PageRow, PageRow.id == SearchChunkRow.page_id)
                        .join(MemberRow, MemberRow.document_id == PageRow.document_id)
                        .where(MemberRow.generation_id == self.generation_id)
                        .where(SearchChunkRow.text_hash.in_(hashes))
                    )
                )
                at = [i for i, text_hash in enumerate(hashes) if text_hash in own]
                if at:
                    store_vectors(session, model.id, [hashes[i] for i in at], vectors[at])

    def all_but(self, leaving: Collection[str]) -> None:
        """Take what the release holds now, except some files."""
        self.report.unchanged = self._carry_over(lambda file, source: file in leaving)

    def _from_files(self, listing: Listing, sources: Collection[str]) -> None:
        """Take files, and of the release what came from other sources than these before.

        What the same code read before with the same content is taken over, also from an ingest
        that did not end, and from other releases. If no file can be read, nothing else becomes a
        member.
        """
        told = self.report
        skipped = Counter(listing.skipped)
        told.skipped = skipped
        passed_over = 0
        files = {file.file: file for file in listing if isinstance(file, SourceFile)}
        with self.database.reading() as session:
            release_id, chunking = self._release_id(session), self.settings.fingerprint
            known = known_documents(session, release_id, files, self._reading, chunking)
        shown = originals_beside(self.database, [one.id for one in known.values()])
        taken: dict[str, KnownDocument] = {}
        waiting: list[_Read] = []
        last = ""

        def is_new(file: str, content_hash: str) -> bool:
            found = known.get((file, content_hash))
            if found is not None:
                taken[file] = found
            return found is None

        def pictures(file: str, content_hash: str) -> Mapping[str, str]:
            # Those that are kept are not what they were made of.
            found = None if isinstance(files[file], KeptFile) else known.get((file, content_hash))
            return shown.get(found.id, {}) if found else {}

        def report() -> None:
            done = len(taken) + told.read + len(told.rejected) + passed_over
            self.on_progress(Progress(Stage.READING, done, len(listing), last))

        report()
        reading = read_files(
            listing,
            limits=self.limits,
            workers=self.workers,
            parsers=self.parsers,
            release=self._release(),
            only=is_new,
            pictures=pictures,
            meanwhile=report,
        )
        with closing(cast("Generator[Document | Rejected]", reading)) as items:
            for item in items:
                cut = item if isinstance(item, Rejected) else self._cut(item, files[item.file])
                if isinstance(cut, Rejected) and cut.passed_over:
                    skipped[PurePosixPath(cut.file).suffix.lower()] += 1
                    passed_over += 1
                elif isinstance(cut, Rejected):
                    told.rejected.append(cut)
                else:
                    waiting.append(cut)
                    told.read += 1
                    if cut.document.remarks:
                        told.remarks.append(Remark(item.file, "; ".join(cut.document.remarks)))
                if sum(len(r.document.pages) for r in waiting) >= _PAGES_AT_ONCE:
                    self._write(waiting)
                    waiting.clear()
                last = item.file
                report()
        self._write(waiting)
        for some in portions(list(taken.items()), _TAKEN_AT_ONCE):
            self._take_over({files[name]: found for name, found in some})
            self.on_progress(Progress(Stage.READING, len(listing), len(listing)))
        told.unchanged = len(taken)
        if told.read or told.unchanged:
            self._carry_over(lambda file, source: source in sources)

    def _cut(self, document: Document, file: SourceFile) -> _Read | Rejected:
        if not any(page.text for page in document.pages):
            return Rejected(document.file, "holds no text")
        try:
            data = document.expanded or file.content(self.limits)
        except (OSError, UnreadableFile) as error:
            return Rejected(document.file, str(error))
        original = pack(data)
        if original.content_hash != document.content_hash:
            return Rejected(document.file, "changed while it was being read; ingest again")
        chunks, language = self.settings.cut(document), detect(document)
        return _Read(file.origin, file.address, document, chunks, original, language)

    def _write(self, read: Sequence[_Read]) -> None:
        with self.database.writing() as session:
            release_id = self._release_id(session)
            originals = Originals(self.database)
            added = []
            for source, address, document, chunks, original, language in read:
                originals.store(session, original, *map(_kept, document.pictures.values()))
                document_id = insert_document(
                    session,
                    document,
                    chunks,
                    release_id=release_id,
                    reading=self._reading,
                    chunking=self.settings.fingerprint,
                    language=language,
                )
                added.append(_Member(document_id, source, address))
            self._add(session, added)

    def _carry_over(self, is_left_out: Callable[[str, str], bool]) -> int:
        """Make the documents of the generation before members too, and count them.

        `is_left_out` is asked by file and source of those that are no members yet: what came from
        a source and is not there any more must not answer. They are cut anew if the settings for
        that have changed.
        """
        before = built_before(self.database, self.generation_id)
        with self.database.reading() as session:
            present = set(session.scalars(members(self.generation_id, DocumentRow.file)))
            columns = DocumentRow, MemberRow.source, MemberRow.address
            rows = session.execute(members(before, *columns)).all()
        carried = []
        for row, source, address in rows:
            if canonical_name(row.file) not in present:
                if is_left_out(row.file, source):
                    self.report.dropped.append(row.file)
                else:
                    carried.append((row, source, address))
        self.report.dropped.sort()
        for some in portions(carried, _DOCUMENTS_AT_ONCE):
            with self.database.writing() as session:
                self._add(
                    session,
                    [_Member(self._cut_anew(session, row), *place) for row, *place in some],
                )
        return len(carried)

    def _cut_anew(self, session: Session, row: DocumentRow) -> int:
        """Return a document like this one that is cut by these settings: itself, if it is."""
        if row.chunking == self.settings.fingerprint:
            return row.id
        document = read_document(session, row.id)
        return insert_document(
            session,
            document,
            self.settings.cut(document),
            release_id=row.release_id,
            reading=row.reading,
            chunking=self.settings.fingerprint,
            language=row.language,
        )

    def _add(self, session: Session, members: Iterable[_Member]) -> None:
        """Make documents members, each with its source; raise TakenOver."""
        require_claim(session, self.generation_id)
        rows = [{"generation_id": self.generation_id, **member._asdict()} for member in members]
        if rows:
            session.execute(insert(MemberRow), rows)

    def _take_over(self, taken: Mapping[SourceFile, KnownDocument]) -> None:
        """Make documents members, those of other releases as copies; raises BeingBuilt."""
        foreign = [found.id for found in taken.values() if not found.is_own]
        there = (
            select(func.count(DocumentRow.id))
            .join(ReleaseRow, ReleaseRow.id == DocumentRow.release_id)
            .where(DocumentRow.id.in_(foreign), ~ReleaseRow.retired)
        )
        with self.database.writing() as session:
            release_id = self._release_id(session)
            if session.scalar(there) != len(foreign):
                # A release that is deleted is retired first, and its pages go before its documents.
                raise BeingBuilt(
                    "A release with the same files has just been removed. Ingest again: its pages "
                    "are read anew then."
                )
            copies = copy_documents(session, foreign, release_id)
            self._add(
                session,
                (_Member(copies.get(i, i), f.origin, f.address) for f, (i, _) in taken.items()),
            )

    def _release(self) -> str:
        with self.database.reading() as session:
            generation = session.get_one(GenerationRow, self.generation_id)
            return session.get_one(ReleaseRow, generation.release_id).name

    def _release_id(self, session: Session) -> int:
        require_claim(session, self.generation_id)
        return session.get_one(GenerationRow, self.generation_id).release_id

    @property
    def _reading(self) -> str:
        """What pages depend on beside their file: the code, and how scans are read."""
        ocr = self.limits.ocr
        return f"{reading_fingerprint()} ocr={ocr.languages}" if ocr else reading_fingerprint()


def _address_of(file: SourceFile, addresses: Mapping[str, str]) -> str:
    """The address of a file; a member of an archive is found where the archive is."""
    if file.member is None:
        return addresses.get(file.file, "")
    return addresses.get(file.file.removesuffix(f"/{file.member.name}"), "")


def _kept(picture: Picture) -> FileRow:
    return pack(picture.data, compress=False)


def _original(document: Document, data: bytes) -> FileRow:
    file = pack(data)
    if file.content_hash != document.content_hash:
        raise BadPack(f"The original of {document.file} in the pack is of another file.")
    return file


@cache
def reading_fingerprint() -> str:
    """What a document's pages depend on beside its file: the code that reads it."""
    return _code_hash(*sorted(Path(ingestion.__path__[0]).rglob("*.py")))


@cache
def _code_hash(*files: Path) -> str:
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]
