"""The tables of the one database: what is true is here, every index is built from it.

A document belongs to one release and is written once; a generation of the release is a set of
such documents, shares what did not change with the one before, and never changes once published.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime
from typing import Any, ClassVar

from sqlalchemy import (
    JSON,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    String,
    Text,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, declared_attr, mapped_column, relationship

from ingestion.messages import kept, read

_NAMES = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class UtcDateTime(TypeDecorator[datetime]):
    """A moment, stored in UTC; SQLite drops time zones, so it is put back on reading."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Turn an aware moment into naive UTC."""
        return value and value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Turn naive UTC into an aware moment."""
        return value and value.replace(tzinfo=UTC)


class Told(TypeDecorator[str]):
    """A text that stays a message (`ingestion.messages`), if it is one."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Keep what it was made of behind it."""
        return value if value is None else str(kept(value))

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        """Make it a message again."""
        return value if value is None else str(read(value))


class ToldJson(TypeDecorator[dict[str, Any]]):
    """JSON whose texts stay messages, if they are some."""

    impl = JSON
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """Keep what they were made of behind them."""
        return kept(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """Make them messages again."""
        return read(value)


class Base(DeclarativeBase):
    """What all tables share: constraint names that migrations can rely on."""

    metadata = MetaData(naming_convention=_NAMES)
    type_annotation_map: ClassVar = {
        datetime: UtcDateTime,
        str: Text,
        bytes: LargeBinary,
        list[str]: JSON,
        list[dict[str, Any]]: JSON,
        dict[str, Any]: JSON,
    }

    @declared_attr.directive
    def __tablename__(cls) -> str:  # noqa: N805
        """Its class says it, unless the class gives another: a ProductRow is one of "products"."""
        words = re.sub("(?<!^)(?=[A-Z])", "_", cls.__name__.removesuffix("Row"))
        return f"{words.lower()}s"


def owned_by(table: str, **options: Any) -> Mapped[Any]:
    """Return a column with the id of a row in another table, which takes this row along."""
    return mapped_column(ForeignKey(f"{table}.id", ondelete="CASCADE"), **options)


class ProductRow(Base):
    """A documented product; `latest` is the release name that an admin set, if any.

    `language` is that of all its documents, if an admin said so; else each one's own is told.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    aliases: Mapped[list[str]]
    latest: Mapped[str | None]
    language: Mapped[str] = mapped_column(default="")
    releases: Mapped[list[ReleaseRow]] = relationship(viewonly=True)


class ReleaseRow(Base):
    """A release of a product and the generation that serves it, to which no foreign key can point.

    `prerelease` and `sorts_as` override what the name says; a `retired` release is hidden; from
    `end_of_life` on it has no support; `language` goes before that of the product.
    """

    __table_args__ = (UniqueConstraint("product_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    product_id: Mapped[int] = owned_by("products")
    name: Mapped[str]
    aliases: Mapped[list[str]]
    prerelease: Mapped[bool | None]
    sorts_as: Mapped[str | None]
    retired: Mapped[bool]
    end_of_life: Mapped[date | None]
    published_generation_id: Mapped[int | None]
    language: Mapped[str] = mapped_column(default="")
    product: Mapped[ProductRow] = relationship(viewonly=True)


class EmbeddingModelRow(Base):
    """An embedding model whose vectors are kept; `setting` opens it again."""

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    dimension: Mapped[int]
    setting: Mapped[str] = mapped_column(default="")


class GenerationRow(Base):
    """One state of a release's documentation.

    It is being built as long as both `published` and `waiting` are empty; since `waiting` it is
    complete and waits for an admin's yes. `language` is the one in which all its documents are
    indexed; empty: each in its own.
    """

    # An id names a folder and stands in other processes' memory: it is never given out twice.
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(primary_key=True)
    release_id: Mapped[int] = owned_by("releases", index=True)
    model_id: Mapped[int] = mapped_column(ForeignKey("embedding_models.id"))
    chunking: Mapped[str]
    builder: Mapped[str]
    heartbeat: Mapped[datetime]
    created: Mapped[datetime]
    published: Mapped[datetime | None]
    waiting: Mapped[datetime | None]
    language: Mapped[str] = mapped_column(default="")


class FileRow(Base):
    """The bytes of an ingested file, once for each content, so that it can be shown again."""

    content_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    size: Mapped[int]
    compressed: Mapped[bool]
    data: Mapped[bytes]


class DocumentRow(Base):
    """A file of a release as it was read and cut; never changed once written.

    `language` is the one that its sentences told, "" where they told none, None where nobody has
    looked yet.
    """

    # Stored citations name documents, pages and chunks by id: an id is never given out twice.
    __table_args__ = (Index(None, "release_id", "file"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    release_id: Mapped[int] = owned_by("releases")
    file: Mapped[str]
    title: Mapped[str]
    kind: Mapped[str] = mapped_column(String(32))
    content_hash: Mapped[str] = mapped_column(ForeignKey("files.content_hash"), index=True)
    reading: Mapped[str]
    chunking: Mapped[str]
    language: Mapped[str | None]


class MemberRow(Base):
    """A document belongs to a generation, and came from `source`: a path that was ingested.

    `address` is where the original is found on the web, an http(s) URL, or empty.
    """

    __tablename__ = "generation_documents"

    generation_id: Mapped[int] = owned_by("generations", primary_key=True)
    document_id: Mapped[int] = owned_by("documents", primary_key=True, index=True)
    source: Mapped[str]
    address: Mapped[str] = mapped_column(default="", server_default="")


class PageRow(Base):
    """A page of a document; `blocks` is JSON that refers into `text` by offsets."""

    __table_args__ = (UniqueConstraint("document_id", "number"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    document_id: Mapped[int] = owned_by("documents")
    number: Mapped[int]
    anchor: Mapped[str | None]
    text: Mapped[str]
    blocks: Mapped[str]


class FigureRow(Base):
    """A picture at a block of a page, which is a number from 0; its bytes are a file's.

    `section` are the headings above it, joined as a citation's are. `place` is its path beside the
    document, empty where it lies within; `original` the hash of what the picture was made of.
    """

    id: Mapped[int] = mapped_column(primary_key=True)
    page_id: Mapped[int] = owned_by("pages", index=True)
    block: Mapped[int]
    content_hash: Mapped[str] = mapped_column(ForeignKey("files.content_hash"), index=True)
    section: Mapped[str]
    caption: Mapped[str]
    description: Mapped[str]
    width: Mapped[int]
    height: Mapped[int]
    place: Mapped[str]
    original: Mapped[str] = mapped_column(String(64))


class SearchChunkRow(Base):
    """A search chunk: characters `start` to `end` of its page, and the hash of what is embedded."""

    __table_args__ = (UniqueConstraint("page_id", "ordinal"), {"sqlite_autoincrement": True})

    id: Mapped[int] = mapped_column(primary_key=True)
    page_id: Mapped[int] = owned_by("pages")
    ordinal: Mapped[int]
    start: Mapped[int]
    end: Mapped[int]
    heading: Mapped[str]
    text_hash: Mapped[bytes] = mapped_column(LargeBinary(32), index=True)


class EmbeddingRow(Base):
    """A vector (little-endian float32) of a text, shared by all generations and releases."""

    model_id: Mapped[int] = owned_by("embedding_models", primary_key=True)
    text_hash: Mapped[bytes] = mapped_column(LargeBinary(32), primary_key=True)
    vector: Mapped[bytes]


class GlossaryRow(Base):
    """A term of a product's glossary and the words that mean the same."""

    __tablename__ = "glossary_entries"
    __table_args__ = (UniqueConstraint("product_id", "term"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    product_id: Mapped[int] = owned_by("products")
    term: Mapped[str]
    synonyms: Mapped[list[str]]
