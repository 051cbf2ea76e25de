"""The files of a release are read again, from the bytes that were kept, by today's parsers."""

from __future__ import annotations

import shutil
from pathlib import Path, PurePosixPath

from sqlalchemy import select

from corpora.building.building import Builder, IngestReport
from corpora.building.gathering import Gathered, Gathering
from corpora.catalog.catalog import Catalog
from corpora.database.tables import DocumentRow, FileRow, MemberRow
from corpora.generations.disk import full_disk_is_named, require_room
from corpora.generations.progress import Progress, Stage
from corpora.indexing.pages import read_original
from ingestion.reading import Listing, SourceFile


def reread(builder: Builder, product: str, release: str, folder: Path) -> IngestReport:
    """Read all files of a release again and publish what comes of it; `folder` is for the files.

    What the same parsers read before is taken over, and where everything was, nothing is
    published. A file that cannot be read any more is left out and reported. Raises as
    `corpora.building.building.ingest` does, and NoCorpus for a release that serves nothing.
    """
    serving = Catalog(builder.database).serving(product, release)

    def gather(gathering: Gathering) -> Gathered:
        files = _lay_out(builder, gathering, serving.generation, folder)
        return gathering.from_files(Listing(files), {str(file.source) for file in files})

    try:
        return builder.build(serving.product, serving.release, gather)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _lay_out(
    builder: Builder, gathering: Gathering, generation_id: int, folder: Path
) -> tuple[SourceFile, ...]:
    """Write the kept bytes of a generation's files into a folder, each named by its hash."""
    query = (
        select(DocumentRow.file, DocumentRow.content_hash, MemberRow.source, FileRow.size)
        .join(MemberRow, MemberRow.document_id == DocumentRow.id)
        .join(FileRow, FileRow.content_hash == DocumentRow.content_hash)
        .where(MemberRow.generation_id == generation_id)
        .order_by(DocumentRow.file)
    )
    with builder.database.reading() as session:
        rows = session.execute(query).all()
    with full_disk_is_named(builder.data_dir):
        require_room(builder.data_dir, sum(row.size for row in rows))
        folder.mkdir(parents=True, exist_ok=True)
        files = []
        for done, (file, content_hash, source, size) in enumerate(rows, start=1):
            path = folder / (content_hash + PurePosixPath(file).suffix.lower())
            with builder.database.reading() as session:
                data = read_original(session, content_hash)
            assert data is not None
            path.write_bytes(data)
            files.append(SourceFile(file, path, size, Path(source)))
            gathering.report(Progress(Stage.LISTING, done, len(rows), file))
    return tuple(files)
