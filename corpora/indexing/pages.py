"""Documents, pages, search chunks and original files as they are stored."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

from sqlalchemy import ColumnElement, Label, ScalarSelect, Select, func, insert, select
from sqlalchemy.orm import Session, aliased

from corpora.database.tables import DocumentRow, PageRow, SearchChunkRow
from corpora.indexing.dual_chunking import SearchChunk
from ingestion.page import Block, BlockKind, Document, DocumentKind, Page

_DOCUMENT = (
    DocumentRow.id,
    DocumentRow.file,
    DocumentRow.title,
    DocumentRow.kind,
    DocumentRow.content_hash,
)


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document of a release; `format` is the file's suffix, lower-case and without its dot."""

    id: int
    file: str
    title: str
    kind: DocumentKind
    format: str
    content_hash: str


@dataclass(frozen=True, slots=True)
class StoredPage:
    """A page and its place: its document, and the ids of the pages before and after it there."""

    id: int
    number: int
    document: StoredDocument
    blocks: tuple[Block, ...] = field(repr=False)
    text: str = field(repr=False)
    anchor: str | None
    heading_path: tuple[str, ...]
    previous_id: int | None
    next_id: int | None

    @property
    def page(self) -> Page:
        """The page as it was read."""
        return Page(self.number, self.blocks)


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A search chunk: characters `start` to `end` of the text of its page."""

    id: int
    page_id: int
    ordinal: int
    start: int
    end: int
    heading: str
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class ChunkPlace:
    """The page that a search chunk is of, and what its document is."""

    page_id: int
    kind: DocumentKind
    title: str


def indexed_heading(title: str, heading: str) -> str:
    """Put the document's title before the headings of a chunk, unless they begin with it."""
    if not heading:
        return title
    return heading if heading.split(" > ")[0] == title else f"{title} > {heading}"


def indexed_text(title: str, heading: str, text: str) -> str:
    """Return what is embedded for a chunk: what leads to it, and its text."""
    return f"{indexed_heading(title, heading)}\n{text}"


def text_hash(indexed: str) -> bytes:
    """Return what the vector of an `indexed_text` is kept under."""
    return sha256(indexed.encode()).digest()


def insert_document(
    session: Session,
    document: Document,
    chunks: Iterable[Sequence[SearchChunk]],
    **columns: Any,
) -> int:
    """Write a document with its pages and their search chunks, and return its id.

    `chunks` holds those of each page, `columns` the document's columns that it does not know
    itself.
    """
    document_id: int = session.scalars(
        insert(DocumentRow).returning(DocumentRow.id),
        {
            "file": document.file,
            "title": document.title,
            "kind": document.kind.value,
            "content_hash": document.content_hash,
            **columns,
        },
    ).one()
    page_ids = session.scalars(
        insert(PageRow).returning(PageRow.id, sort_by_parameter_order=True),
        [
            {
                "document_id": document_id,
                "number": page.number,
                "anchor": page.anchor,
                "text": page.text,
                "blocks": _encode(page),
            }
            for page in document.pages
        ],
    ).all()
    rows = [
        {
            "page_id": page_id,
            "ordinal": ordinal,
            "start": chunk.start,
            "end": chunk.end,
            "heading": chunk.heading,
            "text_hash": text_hash(indexed_text(document.title, chunk.heading, chunk.text)),
        }
        for page_id, of_page in zip(page_ids, chunks, strict=True)
        for ordinal, chunk in enumerate(of_page)
    ]
    if rows:
        session.execute(insert(SearchChunkRow), rows)
    return document_id


def read_document(session: Session, document_id: int) -> Document:
    """Return a stored document as its loader yielded it."""
    row = session.execute(
        select(
            DocumentRow.file, DocumentRow.title, DocumentRow.kind, DocumentRow.content_hash
        ).where(DocumentRow.id == document_id)
    ).one()
    pages = session.execute(
        select(PageRow.number, PageRow.text, PageRow.blocks)
        .where(PageRow.document_id == document_id)
        .order_by(PageRow.number)
    )
    return Document(
        row.file,
        row.title,
        DocumentKind(row.kind),
        row.content_hash,
        tuple(Page(number, _decode(text, blocks)) for number, text, blocks in pages),
    )


def read_pages(session: Session, *wanted: ColumnElement[bool]) -> tuple[StoredPage, ...]:
    """Return the pages that meet all conditions, in the order of each document."""
    rows = session.execute(
        select(
            PageRow.id,
            PageRow.number,
            PageRow.text,
            PageRow.blocks,
            _beside(-1).label("before"),
            _beside(1).label("after"),
            *_DOCUMENT,
        )
        .join(DocumentRow, DocumentRow.id == PageRow.document_id)
        .where(*wanted)
        .order_by(PageRow.document_id, PageRow.number)
    )
    pages = []
    for page_id, number, text, blocks, previous_id, next_id, *document in rows:
        page = Page(number, _decode(text, blocks))
        pages.append(
            StoredPage(
                id=page_id,
                number=number,
                document=document_of(document),
                blocks=page.blocks,
                text=page.text,
                anchor=page.anchor,
                heading_path=page.heading_path,
                previous_id=previous_id,
                next_id=next_id,
            )
        )
    return tuple(pages)


def _beside(step: int) -> ScalarSelect[int]:
    """The id of the page before or after one in its document; numbers may leave some out."""
    other = aliased(PageRow)
    is_later, order = (
        (other.number > PageRow.number, other.number)
        if step > 0
        else (other.number < PageRow.number, other.number.desc())
    )
    return (
        select(other.id)
        .where(other.document_id == PageRow.document_id, is_later)
        .order_by(order)
        .limit(1)
        .correlate(PageRow)
        .scalar_subquery()
    )


def select_chunks(*columns: Any) -> Select[*tuple[Any, ...]]:
    """Return a query for search chunks with their pages and documents."""
    return (
        select(*columns)
        .select_from(SearchChunkRow)
        .join(PageRow, PageRow.id == SearchChunkRow.page_id)
        .join(DocumentRow, DocumentRow.id == PageRow.document_id)
    )


def chunk_text() -> Label[str]:
    """The text of a search chunk as a column, cut out by the database: a page may be large."""
    length = SearchChunkRow.end - SearchChunkRow.start
    return func.substr(PageRow.text, SearchChunkRow.start + 1, length).label("text")


def select_documents() -> Select[*tuple[Any, ...]]:
    """Return a query for rows of which `document_of` makes documents."""
    return select(*_DOCUMENT)


def document_of(columns: Iterable[Any]) -> StoredDocument:
    """Make a document of its columns."""
    document_id, file, title, kind, content_hash = columns
    suffix = PurePosixPath(file).suffix[1:].lower()
    return StoredDocument(document_id, file, title, DocumentKind(kind), suffix, content_hash)


def _encode(page: Page) -> str:
    # The text stands in its own column, so blocks only say where theirs begins and ends.
    blocks = [
        [block.kind.value, start, end, block.path, block.anchor, block.header]
        for start, end, block in page.spans()
    ]
    return json.dumps(blocks, ensure_ascii=False, separators=(",", ":"))


def _decode(text: str, blocks: str) -> tuple[Block, ...]:
    return tuple(
        Block(BlockKind(kind), text[start:end], tuple(path), anchor, tuple(header))
        for kind, start, end, path, anchor, header in json.loads(blocks)
    )
