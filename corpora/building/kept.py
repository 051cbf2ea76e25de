"""What is there already: documents that need not be read again, and files whose bytes are kept."""

from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Select, and_, case, func, or_, select
from sqlalchemy.orm import Session

from corpora.database.engine import Database
from corpora.database.originals import Originals
from corpora.database.tables import DocumentRow, FileRow, MemberRow, ReleaseRow
from corpora.indexing.figures import picture_beside
from ingestion.archives import Archive
from ingestion.listing import Limits, SourceFile
from ingestion.page import UnreadableFile


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFile(SourceFile):
    """A file whose bytes are in the database; `path` is where it once came from."""

    database: Database
    document_id: int
    content_hash: str

    def content(self, limits: Limits, archive: Archive | None = None) -> bytes:
        """Return the kept bytes; raises UnreadableFile where they went."""
        data = Originals(self.database).read(self.content_hash)
        if data is None:
            raise UnreadableFile("its original is no longer kept; ingest it again")
        return data

    def may_include(self, data: bytes) -> bool:
        """Return False: what it included is in it."""
        return False

    def picture(self, place: str, archive: Archive | None = None) -> bytes | None:
        """Return the picture at a place as it was kept with the document."""
        content_hash = picture_beside(self.database, self.document_id, place)
        return Originals(self.database).read(content_hash) if content_hash else None


class KnownDocument(NamedTuple):
    """A document that was read before, for this release or another one of the product."""

    id: int
    is_own: bool


def members(generation_id: int | None, *columns: Any) -> Select[*tuple[Any, ...]]:
    """Select columns of a generation's documents and memberships."""
    return (
        select(*columns)
        .join(MemberRow, MemberRow.document_id == DocumentRow.id)
        .where(MemberRow.generation_id == generation_id)
    )


def kept_files(database: Database, generation_id: int | None) -> tuple[KeptFile, ...]:
    """Return the files of a generation whose bytes are kept, by name."""
    columns = (
        *(DocumentRow.file, DocumentRow.content_hash, MemberRow.source, MemberRow.address),
        *(FileRow.size, DocumentRow.id),
    )
    query = (
        members(generation_id, *columns)
        .join(FileRow, FileRow.content_hash == DocumentRow.content_hash)
        .order_by(DocumentRow.file)
    )
    with database.reading() as session:
        return tuple(
            KeptFile(
                file,
                Path(source),
                size,
                Path(source),
                came_from=source,
                address=address,
                database=database,
                document_id=document_id,
                content_hash=content_hash,
            )
            for file, content_hash, source, address, size, document_id in session.execute(query)
        )


def known_documents(
    session: Session, release_id: int, files: Collection[str], reading: str, chunking: str
) -> dict[tuple[str, str], KnownDocument]:
    """Return the product's documents of these files, by file and content, as read and cut now.

    They need not be read again. Those of this release go before those of others, and ones without
    their bytes, which came in a pack, do not count. `reading` and `chunking` are fingerprints.
    """
    product_id = session.get_one(ReleaseRow, release_id).product_id
    of = DocumentRow.file, DocumentRow.content_hash
    own = case((DocumentRow.release_id == release_id, DocumentRow.id))
    found = (
        select(*of, func.max(own).label("own"), func.max(DocumentRow.id).label("newest"))
        .join(ReleaseRow, ReleaseRow.id == DocumentRow.release_id)
        .where(
            ReleaseRow.product_id == product_id,
            or_(ReleaseRow.id == release_id, ~ReleaseRow.retired),
            DocumentRow.reading == reading,
            DocumentRow.chunking == chunking,
        )
        .group_by(*of)
        .subquery()
    )
    is_kept = FileRow.content_hash == found.c.content_hash, FileRow.size > 0
    rows = session.execute(select(found).join(FileRow, and_(*is_kept)))
    return {
        (file, content_hash): KnownDocument(own or newest, own is not None)
        for file, content_hash, own, newest in rows
        if file in files
    }
