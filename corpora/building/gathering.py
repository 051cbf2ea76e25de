"""Files become the documents of a generation; what was read before is not read again."""

import os
from collections import Counter
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import NamedTuple, cast

from corpora.building.detection import detect
from corpora.building.fingerprints import ChunkingSettings, reading_fingerprint
from corpora.building.kept import KeptFile, KnownDocument, kept_files, known_documents
from corpora.building.membership import Member, Membership
from corpora.building.pack_taking import take_pack
from corpora.building.report import IngestReport
from corpora.database.engine import Database, portions
from corpora.database.originals import Originals, pack
from corpora.database.tables import FileRow
from corpora.generations.generations import built_before
from corpora.generations.progress import Progress, Stage
from corpora.indexing.dual_chunking import SearchChunk
from corpora.indexing.figures import originals_beside
from corpora.indexing.pages import insert_document
from corpora.packs.container import PackFile
from ingestion.listing import DEFAULT_LIMITS, Limits, Listing, SourceFile, list_files
from ingestion.loaders import known_suffixes
from ingestion.messages import message, sentences
from ingestion.page import Document, Picture, Rejected, Remark, UnreadableFile
from ingestion.reading import Parsers, read_files

_PAGES_AT_ONCE = 200
_DOCUMENTS_AT_ONCE = 20
_TAKEN_AT_ONCE = 200


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
        elsewhere = self._members.named_elsewhere(source)
        self.report.apart = sorted(entry.file for entry in listing if entry.file in elsewhere)
        below = f"{source.replace(':', '-')}/" if self.report.apart else ""
        entries = tuple(
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
        )
        named = replace(listing, entries=entries)
        self._from_files(named, {source})

    def from_pack(self, pack: PackFile) -> None:
        """Take the documents of a pack as they were read and cut where it was made."""
        take_pack(self._members, pack, self.on_progress)

    def all_but(self, leaving: Collection[str]) -> None:
        """Take what the release holds now, except some files."""
        self.report.unchanged = self._members.carry_over(lambda file, source: file in leaving)

    def _from_files(self, listing: Listing, sources: Collection[str]) -> None:
        """Take files, and of the release what came from other sources than these before.

        What the same code read before with the same content is taken over, also from an ingest
        that did not end, and from other releases. If no file can be read, nothing else becomes a
        member.
        """
        told = self.report
        skipped = Counter(listing.skipped)
        told.skipped, told.archives = skipped, [*listing.told]
        passed_over = 0
        files = {file.file: file for file in listing if isinstance(file, SourceFile)}
        with self.database.reading() as session:
            release_id, chunking = self._members.release_id(session), self.settings.fingerprint
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

        included: set[tuple[Path, str]] = set()

        def on_included(file: SourceFile, name: str) -> None:
            included.add((file.path if file.member else file.source, name))

        def report() -> None:
            done = len(taken) + told.read + len(told.rejected) + passed_over
            self.on_progress(Progress(Stage.READING, done, len(listing), last))

        report()
        reading = read_files(
            listing,
            limits=self.limits,
            workers=self.workers,
            parsers=self.parsers,
            release=self._members.release_name(),
            only=is_new,
            pictures=pictures,
            meanwhile=report,
            on_included=on_included,
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
                        told.remarks.append(
                            Remark(item.file, sentences(cut.document.remarks, "; "))
                        )
                if sum(len(r.document.pages) for r in waiting) >= _PAGES_AT_ONCE:
                    self._write(waiting)
                    waiting.clear()
                last = item.file
                report()
        # What stands in a document is not left out.
        suffixes = Counter(PurePosixPath(name).suffix.lower() for _, name in included)
        skipped.subtract({s: n for s, n in suffixes.items() if s not in known_suffixes()})
        told.skipped = +skipped
        self._write(waiting)
        for some in portions(list(taken.items()), _TAKEN_AT_ONCE):
            self._members.take_over({files[name]: found for name, found in some})
            self.on_progress(Progress(Stage.READING, len(listing), len(listing)))
        told.unchanged = len(taken)
        if told.read or told.unchanged:
            self._members.carry_over(lambda file, source: source in sources)

    def _cut(self, document: Document, file: SourceFile) -> _Read | Rejected:
        if not any(page.text for page in document.pages):
            return Rejected(document.file, message("holds no text"))
        try:
            data = document.expanded or file.content(self.limits)
        except (OSError, UnreadableFile) as error:
            return Rejected(document.file, str(error))
        original = pack(data)
        if original.content_hash != document.content_hash:
            changed = message("changed while it was being read; ingest again")
            return Rejected(document.file, changed)
        chunks, language = self.settings.cut(document), detect(document)
        return _Read(file.origin, file.address, document, chunks, original, language)

    def _write(self, read: Sequence[_Read]) -> None:
        with self.database.writing() as session:
            release_id = self._members.release_id(session)
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
                added.append(Member(document_id, source, address))
            self._members.add(session, added)

    @property
    def _members(self) -> Membership:
        return Membership(self.database, self.generation_id, self.settings, self.report)

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
