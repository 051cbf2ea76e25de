"""Files become the documents of a generation; what was read before is not read again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from sqlalchemy import Select, insert, select
from sqlalchemy.orm import Session

import ingestion
from corpora import dual_chunking
from corpora.database import Database
from corpora.dual_chunking import SearchChunk, search_chunks
from corpora.generations import require_claim
from corpora.pages import PackedFile, insert_document, pack, read_document, store_original
from corpora.progress import Progress, Stage
from corpora.tables import DocumentRow, GenerationRow, MemberRow, ReleaseRow
from ingestion.page import Document, Rejected
from ingestion.reading import SourceFile, list_files, read_files

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
    """Files read now, files taken over as they were read before, and files left out."""

    read: int
    unchanged: int
    rejected: tuple[Rejected, ...]


@dataclass(frozen=True, slots=True)
class _Read:
    source: str
    document: Document
    chunks: list[tuple[SearchChunk, ...]]
    original: PackedFile


def gather(
    paths: Sequence[Path],
    *,
    database: Database,
    generation_id: int,
    settings: ChunkingSettings,
    report: Callable[[Progress], None],
    workers: int | None = None,
) -> Gathered:
    """Read the files under `paths` and make them members of a generation.

    A file is known within its release by its path relative to what was ingested. One that the
    same code read before with the same content, also in an ingest that did not end, is taken
    over. Documents are written complete, many pages in one transaction.
    """
    report(Progress(Stage.LISTING, 0, 1))
    files, rejected = _distinct(list_files(paths))
    report(Progress(Stage.LISTING, 1, 1))
    known = _take_over(database, generation_id, files, settings)
    changed = {name: file for name, file in files.items() if name not in known}
    report(Progress(Stage.READING, len(known), len(files)))
    read: list[_Read] = []
    count = 0
    for done, item in enumerate(read_files(list(changed.values()), workers=workers), len(known)):
        if isinstance(item, Rejected):
            rejected.append(item)
        else:
            file = changed[item.file]
            original = pack(file.read_bytes())
            read.append(_Read(str(file.source), item, settings.cut(item), original))
            count += 1
        if sum(len(r.document.pages) for r in read) >= _PAGES_AT_ONCE:
            _write(database, generation_id, read, settings)
            read.clear()
        report(Progress(Stage.READING, done + 1, len(files), item.file))
    _write(database, generation_id, read, settings)
    return Gathered(count, len(known), tuple(rejected))


def carry_over(
    database: Database, generation_id: int, sources: Iterable[str], settings: ChunkingSettings
) -> tuple[str, ...]:
    """Make the documents that other ingests brought members too, and return what is left out.

    Left out is what came from one of `sources` before and was not read now, whether the file is
    gone or has become unreadable: an answer must not come from a text that is not there any more.
    Documents are cut anew, from their stored pages, if the settings for that have changed.
    """
    replaced = set(sources)
    with database.reading() as session:
        present = set(session.scalars(_members(generation_id, DocumentRow.file)))
        published = session.scalar(
            select(ReleaseRow.published_generation_id)
            .join(GenerationRow, GenerationRow.release_id == ReleaseRow.id)
            .where(GenerationRow.id == generation_id)
        )
        rows = session.execute(
            _members(published, DocumentRow.id, DocumentRow.file, MemberRow.source)
        ).all()
    absent = [row for row in rows if row.file not in present]
    carried = [row for row in absent if row.source not in replaced]
    for start in range(0, len(carried), _DOCUMENTS_AT_ONCE):
        with database.writing() as session:
            require_claim(session, generation_id)
            for row in carried[start : start + _DOCUMENTS_AT_ONCE]:
                document_id = _cut_anew(session, row.id, settings)
                _add_member(session, generation_id, document_id, row.source)
    return tuple(sorted(row.file for row in absent if row.source in replaced))


@cache
def reading_fingerprint() -> str:
    """What a document's pages depend on beside its file: the code that reads it."""
    return _code_hash(*sorted(Path(ingestion.__path__[0]).rglob("*.py")))


@cache
def _code_hash(*files: Path) -> str:
    return sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def _distinct(
    listed: Iterable[SourceFile | Rejected],
) -> tuple[dict[str, SourceFile], list[Rejected]]:
    """Keep the first file of each relative path, since that is what it is known by."""
    files: dict[str, SourceFile] = {}
    rejected: list[Rejected] = []
    for item in listed:
        if isinstance(item, Rejected):
            rejected.append(item)
        elif item.file in files:
            reason = (
                f"{files[item.file].source} holds a file of the same path. "
                "Ingest a folder that holds both, so that they can be told apart."
            )
            rejected.append(Rejected(item.file, reason))
        else:
            files[item.file] = item
    return files, rejected


def _take_over(
    database: Database,
    generation_id: int,
    files: dict[str, SourceFile],
    settings: ChunkingSettings,
) -> set[str]:
    """Make those files members that were read before as they are, and return their names."""
    hashes = {name: sha256(file.read_bytes()).hexdigest() for name, file in files.items()}
    with database.writing() as session:
        require_claim(session, generation_id)
        release = select(GenerationRow.release_id).where(GenerationRow.id == generation_id)
        rows = session.execute(
            select(DocumentRow.file, DocumentRow.content_hash, DocumentRow.id).where(
                DocumentRow.release_id == release.scalar_subquery(),
                DocumentRow.reading == reading_fingerprint(),
                DocumentRow.chunking == settings.fingerprint,
            )
        )
        known = {(file, content): document_id for file, content, document_id in rows}
        found = {name: known[name, h] for name, h in hashes.items() if (name, h) in known}
        for name, document_id in found.items():
            _add_member(session, generation_id, document_id, str(files[name].source))
    return set(found)


def _write(
    database: Database, generation_id: int, read: Sequence[_Read], settings: ChunkingSettings
) -> None:
    with database.writing() as session:
        require_claim(session, generation_id)
        release_id = session.get_one(GenerationRow, generation_id).release_id
        for r in read:
            store_original(session, r.document.content_hash, r.original)
            document_id = insert_document(
                session,
                r.document,
                r.chunks,
                release_id=release_id,
                reading=reading_fingerprint(),
                chunking=settings.fingerprint,
            )
            _add_member(session, generation_id, document_id, r.source)


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


def _add_member(session: Session, generation_id: int, document_id: int, source: str) -> None:
    session.execute(
        insert(MemberRow).values(
            generation_id=generation_id, document_id=document_id, source=source
        )
    )


def _members(generation_id: int | None, *columns: Any) -> Select[*tuple[Any, ...]]:
    return (
        select(*columns)
        .join(MemberRow, MemberRow.document_id == DocumentRow.id)
        .where(MemberRow.generation_id == generation_id)
    )
