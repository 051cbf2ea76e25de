"""The documents and vectors of a release as members of a pack, and read from one again."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import BaseModel, Field, ValidationError
from sqlalchemy import select

from corpora.database.engine import Database, portions
from corpora.database.originals import Originals
from corpora.database.tables import (
    DocumentRow,
    EmbeddingRow,
    FileRow,
    MemberRow,
    PageRow,
    SearchChunkRow,
)
from corpora.errors import BadPack
from corpora.indexing.dual_chunking import SearchChunk
from corpora.indexing.embedding import Vectors
from corpora.indexing.pages import read_document
from corpora.packs.container import PackFile
from ingestion.archives import canonical_name
from ingestion.page import Block, BlockKind, Document, DocumentKind, Page

DOCUMENTS, VECTORS, HASHES = "documents.jsonl", "vectors.f4", "vectors.sha256"
ORIGINALS = "originals/"
_AT_ONCE = 500
_LONGEST_LINE = 500_000_000
_DIGEST = 32

Progressed = Callable[[int, int], None]


class _Block(BaseModel):
    kind: BlockKind
    text: str
    path: tuple[str, ...] = ()
    anchor: str | None = None
    header: tuple[str, ...] = ()


class _Page(BaseModel):
    number: int = Field(ge=1)
    blocks: tuple[_Block, ...]
    chunks: tuple[tuple[int, int, str], ...]


class _Document(BaseModel):
    file: str = Field(min_length=1, max_length=4_096)
    title: str
    kind: DocumentKind
    content_hash: str = Field(pattern=r"^[0-9a-f]{64}$")
    reading: str
    pages: tuple[_Page, ...]


@dataclass(frozen=True)
class PackedDocument:
    """A document of a pack with the search chunks of each page; `reading`: what it was read by."""

    document: Document
    chunks: list[tuple[SearchChunk, ...]]
    reading: str


def document_lines(database: Database, generation: int, on_progress: Progressed) -> Iterator[bytes]:
    """The documents of a generation, a line of JSON each, in the order in which they were read."""
    members = select(MemberRow.document_id).where(MemberRow.generation_id == generation)
    with database.reading() as session:
        ids = session.scalars(members.order_by(MemberRow.document_id)).all()
    for done, document_id in enumerate(ids):
        on_progress(done, len(ids))
        with database.reading() as session:
            document = read_document(session, document_id)
            reading = session.get_one(DocumentRow, document_id).reading
            rows = session.execute(
                select(
                    PageRow.number, SearchChunkRow.start, SearchChunkRow.end, SearchChunkRow.heading
                )
                .join(SearchChunkRow, SearchChunkRow.page_id == PageRow.id)
                .where(PageRow.document_id == document_id)
                .order_by(PageRow.number, SearchChunkRow.ordinal)
            ).all()
        chunks: dict[int, list[tuple[int, int, str]]] = {}
        for number, start, end, heading in rows:
            chunks.setdefault(number, []).append((start, end, heading))
        packed = {
            "file": document.file,
            "title": document.title,
            "kind": document.kind,
            "content_hash": document.content_hash,
            "reading": reading,
            "pages": [
                {
                    "number": page.number,
                    "blocks": [_as_json(block) for block in page.blocks],
                    "chunks": chunks.get(page.number, []),
                }
                for page in document.pages
            ],
        }
        yield json.dumps(packed, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    on_progress(len(ids), len(ids))


def _as_json(block: Block) -> dict[str, Any]:
    fields = {"kind": block.kind, "text": block.text, "path": block.path, "anchor": block.anchor}
    return {**fields, "header": block.header} if block.header else fields


def text_hashes(database: Database, generation: int, model_id: int) -> list[bytes]:
    """The hashes of the texts of a generation that have vectors, in their own order."""
    with database.reading() as session:
        return list(
            session.scalars(
                select(SearchChunkRow.text_hash)
                .distinct()
                .join(PageRow, PageRow.id == SearchChunkRow.page_id)
                .join(MemberRow, MemberRow.document_id == PageRow.document_id)
                .join(EmbeddingRow, EmbeddingRow.text_hash == SearchChunkRow.text_hash)
                .where(MemberRow.generation_id == generation, EmbeddingRow.model_id == model_id)
                .order_by(SearchChunkRow.text_hash)
            )
        )


def vectors_of(database: Database, hashes: Sequence[bytes], model_id: int) -> Iterator[bytes]:
    """The vectors of texts, in the order of their hashes."""
    for some in portions(hashes, _AT_ONCE):
        with database.reading() as session:
            rows = session.execute(
                select(EmbeddingRow.text_hash, EmbeddingRow.vector).where(
                    EmbeddingRow.model_id == model_id, EmbeddingRow.text_hash.in_(some)
                )
            )
            found = {row.text_hash: row.vector for row in rows}
        yield b"".join(found[text_hash] for text_hash in some)


def originals_of(database: Database, generation: int) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The files of a generation's documents as members, as far as they are kept."""
    query = (
        select(FileRow.content_hash)
        .distinct()
        .join(DocumentRow, DocumentRow.content_hash == FileRow.content_hash)
        .join(MemberRow, MemberRow.document_id == DocumentRow.id)
        .where(MemberRow.generation_id == generation)
        .order_by(FileRow.content_hash)
    )
    with database.reading() as session:
        hashes = session.scalars(query).all()
    for content_hash in hashes:
        data = Originals(database).read(content_hash)
        if data is not None:
            yield f"{ORIGINALS}{content_hash}", iter([data])


def packed_documents(pack: PackFile) -> Iterator[PackedDocument]:
    """The documents of a pack; raises BadPack for one that is malformed."""
    with pack.opened(DOCUMENTS) as lines:
        for number in range(pack.manifest.documents):
            line = lines.readline(_LONGEST_LINE)
            try:
                read = _Document.model_validate_json(line)
                yield _document(read)
            except (ValidationError, ValueError) as error:
                raise BadPack(f"Document {number + 1} of the pack is malformed.") from error


def _document(read: _Document) -> PackedDocument:
    if canonical_name(read.file) != read.file or {"", ".."} & {*read.file.split("/")}:
        raise ValueError("a file's name leads elsewhere")
    pages = tuple(
        Page(page.number, tuple(Block(**vars(block)) for block in page.blocks))
        for page in read.pages
    )
    chunks = [
        tuple(_chunk(of.text, *chunk) for chunk in page.chunks)
        for of, page in zip(pages, read.pages, strict=True)
    ]
    document = Document(read.file, read.title, read.kind, read.content_hash, pages)
    return PackedDocument(document, chunks, read.reading)


def _chunk(text: str, start: int, end: int, heading: str) -> SearchChunk:
    if not 0 <= start < end <= len(text):
        raise ValueError("a chunk lies outside its page")
    return SearchChunk(start, end, text[start:end], heading)


def packed_vectors(pack: PackFile) -> Iterator[tuple[list[bytes], Vectors]]:
    """The vectors of a pack with the hashes of their texts; raises BadPack for no unit vectors."""
    dimension = pack.manifest.dimension
    with pack.opened(HASHES) as hashes, pack.opened(VECTORS) as vectors:
        while digests := hashes.read(_DIGEST * _AT_ONCE):
            some = [digests[i : i + _DIGEST] for i in range(0, len(digests), _DIGEST)]
            data = vectors.read(len(some) * dimension * 4)
            if len(digests) % _DIGEST or len(data) != len(some) * dimension * 4:
                raise BadPack("The vectors of the pack are not as many as their texts.")
            found = np.frombuffer(data, "<f4").reshape(len(some), dimension)
            if not np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-2):
                raise BadPack("The vectors of the pack are malformed.")
            yield some, found
