"""A release pack becomes the documents of a generation, as they were read where it was made."""

from collections.abc import Callable

from sqlalchemy import select

from corpora.building.membership import Member, Membership
from corpora.database.originals import Originals, pack, without_bytes
from corpora.database.tables import (
    DocumentRow,
    EmbeddingModelRow,
    FileRow,
    GenerationRow,
    MemberRow,
    PageRow,
    SearchChunkRow,
)
from corpora.errors import BadPack
from corpora.generations.progress import Progress, Stage
from corpora.indexing.missing_vectors import store_vectors
from corpora.indexing.pages import insert_document
from corpora.packs.container import PackFile
from corpora.packs.contents import ORIGINALS, packed_documents, packed_pictures, packed_vectors
from ingestion.page import Document


def take_pack(of: Membership, packed: PackFile, on_progress: Callable[[Progress], None]) -> None:
    """Make the documents of a pack members of a generation.

    What came from another pack of this release is replaced; they are cut anew where the settings
    for that are others here.
    """
    source = f"pack:{packed.manifest.product} {packed.manifest.release}"
    total, told = packed.manifest.documents, of.report
    originals = Originals(of.database)
    known = _known(of)
    for one in packed_documents(packed):
        document = one.document
        key = document.file, document.content_hash, one.reading
        with of.database.writing() as session:
            document_id = known.get(key)
            if document_id is None:
                name = f"{ORIGINALS}{document.content_hash}"
                kept = _original(document, packed.read(name)) if packed.has(name) else None
                originals.store(session, kept or without_bytes(document.content_hash))
                for picture in packed_pictures(packed, document):
                    originals.store(session, picture)
                same = packed.manifest.chunking == of.settings.fingerprint
                document_id = insert_document(
                    session,
                    document,
                    one.chunks if same else of.settings.cut(document),
                    release_id=of.release_id(session),
                    reading=one.reading,
                    language=one.language,
                    chunking=of.settings.fingerprint,
                )
                told.read += 1
            else:
                told.unchanged += 1
            of.add(session, [Member(document_id, source, one.address)])
        done = told.read + told.unchanged
        on_progress(Progress(Stage.READING, done, total, document.file))
    _take_vectors(of, packed)
    of.carry_over(lambda file, came_from: came_from == source)


def _known(of: Membership) -> dict[tuple[str, str, str], int]:
    """This release's documents that are cut as they are now, by what they were read from."""
    columns = DocumentRow.file, DocumentRow.content_hash, DocumentRow.reading, DocumentRow.id
    with of.database.reading() as session:
        rows = session.execute(
            select(*columns).where(
                DocumentRow.release_id == of.release_id(session),
                DocumentRow.chunking == of.settings.fingerprint,
            )
        )
        return {(file, content_hash, reading): i for file, content_hash, reading, i in rows}


def _take_vectors(of: Membership, packed: PackFile) -> None:
    """Keep the vectors of this generation's own texts, if they are of the model in use."""
    with of.database.reading() as session:
        model = session.get_one(
            EmbeddingModelRow, session.get_one(GenerationRow, of.generation_id).model_id
        )
    if (model.name, model.dimension) != (packed.manifest.embedder, packed.manifest.dimension):
        return
    for hashes, vectors in packed_vectors(packed):
        with of.database.writing() as session:
            own = set(
                session.scalars(
                    select(SearchChunkRow.text_hash)
                    .join(PageRow, PageRow.id == SearchChunkRow.page_id)
                    .join(MemberRow, MemberRow.document_id == PageRow.document_id)
                    .where(MemberRow.generation_id == of.generation_id)
                    .where(SearchChunkRow.text_hash.in_(hashes))
                )
            )
            at = [i for i, text_hash in enumerate(hashes) if text_hash in own]
            if at:
                store_vectors(session, model.id, [hashes[i] for i in at], vectors[at])


def _original(document: Document, data: bytes) -> FileRow:
    file = pack(data)
    if file.content_hash != document.content_hash:
        raise BadPack("The original of {file} in the pack is of another file.", file=document.file)
    return file
