"""Documents, pages, search chunks and original files as they are stored."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Insert,
    Integer,
    Label,
    ScalarSelect,
    Select,
    bindparam,
    func,
    insert,
    literal,
    select,
)
from sqlalchemy.orm import Session, aliased

from corpora.database.engine import Database
from corpora.database.tables import DocumentRow, FigureRow, MemberRow, PageRow, SearchChunkRow
from corpora.indexing.dual_chunking import SearchChunk
from corpora.indexing.figures import figure_rows, with_kept_figures
from ingestion.page import Block, BlockKind, Document, DocumentKind, Page

_held = aliased(MemberRow)
_ADDRESS = func.coalesce(
    select(_held.address)
    .where(_held.document_id == DocumentRow.id)
    .order_by(_held.generation_id.desc())
    .limit(1)
    .correlate(DocumentRow)
    .scalar_subquery(),
    "",
)
"""The address of its original, by the newest version of its release that has it."""
DOCUMENT = (
    DocumentRow.id,
    DocumentRow.file,
    DocumentRow.title,
    DocumentRow.kind,
    DocumentRow.content_hash,
    _ADDRESS,
)
"""The columns of which `document_of` makes a document."""


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A document of a release."""

    id: int
    file: str
    title: str
    kind: DocumentKind
    content_hash: str
    address: str = ""

    @property
    def format(self) -> str:
        """The file's suffix, lower-case and without its dot."""
        return PurePosixPath(self.file).suffix[1:].lower()


@dataclass(frozen=True)
class StoredPage(Page):
    """A page and its place: its document, and the ids of the pages before and after it there."""

    id: int
    document: StoredDocument
    previous_id: int | None = None
    next_id: int | None = None

    def __hash__(self) -> int:
        # Functions keep what they made of a page; its blocks may be thousands.
        return hash(self.id)


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A search chunk: characters `start` to `end` of the text of its page."""

    id: int
    page_id: int
    start: int
    end: int
    heading: str
    text: str = field(repr=False)


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
    """Write a document with the search chunks of each page, and return its id.

    `columns` are those that the document does not know itself.
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
    figures = [
        row
        for page_id, page in zip(page_ids, document.pages, strict=True)
        for row in figure_rows(page_id, page, document.pictures)
    ]
    if figures:
        session.execute(insert(FigureRow), figures)
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


def copy_documents(session: Session, ids: Sequence[int], release_id: int) -> dict[int, int]:
    """Copy documents, no two of one file, into another release; return the copies' ids by theirs.

    Pages, search chunks and figures are copied by the database: none is read here.
    """
    if not ids:
        return {}
    last = session.scalar(select(func.max(DocumentRow.id)))
    chosen = select(DocumentRow).where(DocumentRow.id.in_(ids))
    session.execute(_copying(DocumentRow, "release_id", literal(release_id), chosen))
    old, new = aliased(DocumentRow), aliased(DocumentRow)
    # One transaction writes at a time, so that all later documents are these copies.
    pairs = select(old.id, new.id).join(new, (new.file == old.file) & (new.id > last))
    copies = dict(session.execute(pairs.where(old.id.in_(ids))).all())
    original, copy = bindparam("original", type_=Integer), bindparam("copy", type_=Integer)
    page = aliased(PageRow)
    is_copy = (page.document_id == copy) & (page.number == PageRow.number)
    pages = select(PageRow).where(PageRow.document_id == original).order_by(PageRow.number)
    statements = [_copying(PageRow, "document_id", copy, pages)]
    for table in (SearchChunkRow, FigureRow):
        rows = select(table).select_from(table).join(PageRow, PageRow.id == table.page_id)
        rows = rows.join(page, is_copy).where(PageRow.document_id == original)
        rows = rows.order_by(PageRow.number, table.id)
        statements.append(_copying(table, "page_id", page.id, rows))
    for statement in statements:
        # One document after the other, by its indexes alone: a join of many would scan the tables.
        session.connection().execute(
            statement, [{"original": i, "copy": own} for i, own in copies.items()]
        )
    return copies


def _copying(table: Any, owner: str, key: Any, rows: Select[Any]) -> Insert:
    """Return what inserts rows of a table once more, with the `owner` that `key` says."""
    names = [c.key for c in table.__table__.columns if c.key not in ("id", owner)]
    copied = rows.with_only_columns(key, *(getattr(table, name) for name in names))
    return insert(table.__table__).from_select([owner, *names], copied)


def read_document(session: Session, document_id: int) -> Document:
    """Return a stored document as its loader yielded it."""
    pages = read_pages(session, PageRow.document_id == document_id)
    of = pages[0].document
    pages, pictures = with_kept_figures(session, pages)
    return Document(of.file, of.title, of.kind, of.content_hash, pages, pictures=pictures)


def read_pages(session: Session, *wanted: ColumnElement[bool]) -> tuple[StoredPage, ...]:
    """Return the pages that meet all conditions, in the order of each document."""
    place: tuple[Any, ...] = PageRow.id, _beside(later=False), _beside(later=True)
    rows = session.execute(
        select(PageRow.number, PageRow.text, PageRow.blocks, *place, *DOCUMENT)
        .join(DocumentRow, DocumentRow.id == PageRow.document_id)
        .where(*wanted)
        .order_by(PageRow.document_id, PageRow.number)
    )
    return tuple(
        StoredPage(number, _decode(text, blocks), page_id, document_of(document), before, after)
        for number, text, blocks, page_id, before, after, *document in rows
    )


def read_generation(
    database: Database, generation_id: int
) -> Iterator[tuple[StoredDocument, tuple[StoredPage, ...]]]:
    """Yield the documents of a generation with their pages, one document read at a time."""
    with database.reading() as session:
        members = select(MemberRow.document_id).where(MemberRow.generation_id == generation_id)
        ids = sorted(session.scalars(members))
    for document_id in ids:
        with database.reading() as session:
            pages = read_pages(session, PageRow.document_id == document_id)
        if pages:
            yield pages[0].document, pages


@cache
def _beside(*, later: bool) -> ScalarSelect[int]:
    """The id of the page before or after one in its document; numbers may leave some out.

    Made once: to put it together takes as long as to read with it.
    """
    other = aliased(PageRow)
    return (
        select(other.id)
        .where(other.document_id == PageRow.document_id)
        .where(other.number > PageRow.number if later else other.number < PageRow.number)
        .order_by(other.number if later else other.number.desc())
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


def document_of(columns: Iterable[Any]) -> StoredDocument:
    """Make a document of its columns."""
    document_id, file, title, kind, content_hash, address = columns
    return StoredDocument(document_id, file, title, DocumentKind(kind), content_hash, address)


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
