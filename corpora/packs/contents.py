"""The documents and vectors of a release as members of a pack, and read from one again."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from pydantic import BaseModel, Field, ValidationError
from sqlalchemy import Select, select

from corpora.catalog.languages import LANGUAGES
from corpora.database.engine import Database, portions
from corpora.database.originals import Originals
from corpora.database.originals import pack as as_file
from corpora.database.tables import (
    DocumentRow,
    EmbeddingRow,
    FigureRow,
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
from ingestion.page import Block, BlockKind, Document, DocumentKind, Figure, Page, Picture
from ingestion.pictures import media_type

DOCUMENTS, VECTORS, HASHES = "documents.jsonl", "vectors.f4", "vectors.sha256"
ORIGINALS, PICTURES = "originals/", "pictures/"
_AT_ONCE = 500
_LONGEST_LINE = 500_000_000
_DIGEST = 32
_SHA256 = "^[0-9a-f]{64}$"
_ADDRESS = r"^(https?://[^\s@/?#]+([/?#]\S*)?)?$"
"""Of an original, to which citations link."""

Progressed = Callable[[int, int], None]


class _Figure(BaseModel):
    place: str
    caption: str = ""
    description: str = ""


class _Picture(BaseModel):
    content_hash: str = Field(pattern=_SHA256)
    width: int = Field(ge=1, le=100_000)
    height: int = Field(ge=1, le=100_000)
    original: str = Field(pattern=_SHA256)


class _Block(BaseModel):
    kind: BlockKind
    text: str
    path: tuple[str, ...] = ()
    anchor: str | None = None
    header: tuple[str, ...] = ()
    figures: tuple[_Figure, ...] = ()


class _Page(BaseModel):
    number: int = Field(ge=1)
    blocks: tuple[_Block, ...]
    chunks: tuple[tuple[int, int, str], ...]


class _Document(BaseModel):
    file: str = Field(min_length=1, max_length=4_096)
    title: str
    kind: DocumentKind
    content_hash: str = Field(pattern=_SHA256)
    reading: str
    pages: tuple[_Page, ...]
    pictures: dict[str, _Picture] = {}
    language: str | None = None
    address: str = Field("", pattern=_ADDRESS, max_length=2_000)


@dataclass(frozen=True)
class PackedDocument:
    """A document of a pack with the search chunks of each page; `reading`: what it was read by.

    `language` is what its sentences told, None where that is to be found out, and `address` that of
    its original on the web.
    """

    document: Document
    chunks: list[tuple[SearchChunk, ...]]
    reading: str
    language: str | None
    address: str


def document_lines(database: Database, generation: int, on_progress: Progressed) -> Iterator[bytes]:
    """The documents of a generation, a line of JSON each, in the order in which they were read."""
    members = select(MemberRow.document_id, MemberRow.address)
    of_generation = members.where(MemberRow.generation_id == generation)
    with database.reading() as session:
        ids = session.execute(of_generation.order_by(MemberRow.document_id)).all()
    for done, (document_id, address) in enumerate(ids):
        on_progress(done, len(ids))
        with database.reading() as session:
            document = read_document(session, document_id)
            row = session.get_one(DocumentRow, document_id)
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
            "reading": row.reading,
            "language": row.language,
            "address": address,
            "pages": [
                {
                    "number": page.number,
                    "blocks": [_as_json(block) for block in page.blocks],
                    "chunks": chunks.get(page.number, []),
                }
                for page in document.pages
            ],
            "pictures": {
                place: {
                    "content_hash": picture.content_hash,
                    "width": picture.width,
                    "height": picture.height,
                    "original": picture.original,
                }
                for place, picture in document.pictures.items()
            },
        }
        yield json.dumps(packed, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    on_progress(len(ids), len(ids))


def _as_json(block: Block) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "kind": block.kind,
        "text": block.text,
        "path": block.path,
        "anchor": block.anchor,
    }
    if block.header:
        fields["header"] = block.header
    if block.figures:
        fields["figures"] = list(map(asdict, block.figures))
    return fields


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
    return _kept(database, query, ORIGINALS)


def pictures_of(database: Database, generation: int) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The pictures of a generation's figures as members."""
    query = (
        select(FigureRow.content_hash)
        .distinct()
        .join(PageRow, PageRow.id == FigureRow.page_id)
        .join(MemberRow, MemberRow.document_id == PageRow.document_id)
        .where(MemberRow.generation_id == generation)
        .order_by(FigureRow.content_hash)
    )
    return _kept(database, query, PICTURES)


def _kept(
    database: Database, query: Select[str], folder: str
) -> Iterator[tuple[str, Iterator[bytes]]]:
    """The bytes of these hashes as members of a folder, as far as they are kept."""
    with database.reading() as session:
        hashes = session.scalars(query).all()
    for content_hash in hashes:
        data = Originals(database).read(content_hash)
        if data is not None:
            yield f"{folder}{content_hash}", iter([data])


def packed_pictures(pack: PackFile, document: Document) -> Iterator[FileRow]:
    """The pictures of a document of a pack, as they were drawn where it was made.

    Raises BadPack for one that is another, or is not of a kind that is kept.
    """
    for picture in document.pictures.values():
        file = as_file(pack.read(f"{PICTURES}{picture.content_hash}"), compress=False)
        try:
            media_type(file.data)
        except ValueError as error:
            raise BadPack("A picture of {file} in the pack is none.", file=document.file) from error
        if file.content_hash != picture.content_hash:
            raise BadPack("A picture of {file} in the pack is another one.", file=document.file)
        yield file


def packed_documents(pack: PackFile) -> Iterator[PackedDocument]:
    """The documents of a pack; raises BadPack for one that is malformed."""
    with pack.opened(DOCUMENTS) as lines:
        for number in range(pack.manifest.documents):
            line = lines.readline(_LONGEST_LINE)
            try:
                read = _Document.model_validate_json(line)
                yield _document(read)
            except (ValidationError, ValueError) as error:
                raise BadPack(
                    "Document {number} of the pack is malformed.", number=number + 1
                ) from error


def _document(read: _Document) -> PackedDocument:
    if canonical_name(read.file) != read.file or {"", ".."} & {*read.file.split("/")}:
        raise ValueError("a file's name leads elsewhere")
    pages = tuple(Page(page.number, tuple(map(_block, page.blocks))) for page in read.pages)
    chunks = [
        tuple(_chunk(of.text, *chunk) for chunk in page.chunks)
        for of, page in zip(pages, read.pages, strict=True)
    ]
    pictures = {place: Picture(**vars(picture)) for place, picture in read.pictures.items()}
    of = read.file, read.title, read.kind, read.content_hash, pages
    # What a newer version knows is found out anew.
    language = read.language if read.language in ("", *LANGUAGES) else None
    return PackedDocument(
        Document(*of, pictures=pictures), chunks, read.reading, language, read.address
    )


def _block(read: _Block) -> Block:
    return Block(**{**vars(read), "figures": tuple(Figure(**vars(f)) for f in read.figures)})


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
