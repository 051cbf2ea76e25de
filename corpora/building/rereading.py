"""The files of a release are read again, from the bytes that were kept, by today's parsers."""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import select

from corpora.building.building import Builder, IngestReport
from corpora.building.gathering import Gathered, Gathering
from corpora.catalog.catalog import Catalog
from corpora.database.engine import Database
from corpora.database.originals import Originals
from corpora.database.tables import DocumentRow, FileRow, MemberRow
from corpora.generations.progress import Progress, Stage
from ingestion.archives import Archive
from ingestion.listing import Limits, Listing, SourceFile
from ingestion.page import UnreadableFile


@dataclass(frozen=True, slots=True, kw_only=True)
class _KeptFile(SourceFile):
    """A file whose bytes are in the database; `path` is where it once came from."""

    database: Database
    content_hash: str

    def content(
        self, limits: Limits, archive: Archive | None = None
    ) -> tuple[bytes, tuple[str, ...]]:
        data = Originals(self.database).read(self.content_hash)
        if data is None:
            raise UnreadableFile("its original is no longer kept; ingest it again")
        return data, ()


def reread(builder: Builder, product: str, release: str) -> IngestReport:
    """Read all files of a release again and publish what comes of it.

    What the same parsers read before is taken over, and where everything was, nothing is
    published. A file that cannot be read any more is left out and reported. Raises as
    `corpora.building.building.ingest` does, and NoCorpus for a release that serves nothing.
    """
    serving = Catalog(builder.database).serving(product, release)

    def gather(gathering: Gathering) -> Gathered:
        files = _kept(builder.database, serving.generation)
        gathering.report(Progress(Stage.LISTING, len(files), len(files)))
        return gathering.from_files(Listing(files), {str(file.source) for file in files})

    return builder.build(serving.product, serving.release, gather)


def _kept(database: Database, generation_id: int) -> tuple[_KeptFile, ...]:
    query = (
        select(DocumentRow.file, DocumentRow.content_hash, MemberRow.source, FileRow.size)
        .join(MemberRow, MemberRow.document_id == DocumentRow.id)
        .join(FileRow, FileRow.content_hash == DocumentRow.content_hash)
        .where(MemberRow.generation_id == generation_id)
        .order_by(DocumentRow.file)
    )
    with database.reading() as session:
        return tuple(
            _KeptFile(
                file,
                Path(source),
                size,
                Path(source),
                database=database,
                content_hash=content_hash,
            )
            for file, content_hash, source, size in session.execute(query)
        )
