"""The first tables: releases and their documents, vectors, conversations."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create all tables."""
    _create_catalog()
    _create_documents()
    _create_conversations()


def _create_catalog() -> None:
    op.create_table(
        "products",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("aliases", sa.JSON, nullable=False),
        sa.Column("latest", sa.Text),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "releases",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("product_id", sa.Integer, _to("products"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("aliases", sa.JSON, nullable=False),
        sa.Column("prerelease", sa.Boolean),
        sa.Column("sorts_as", sa.Text),
        sa.Column("retired", sa.Boolean, nullable=False),
        sa.Column("published_generation_id", sa.Integer),
        sa.UniqueConstraint("product_id", "name"),
    )
    op.create_table(
        "embedding_models",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("dimension", sa.Integer, nullable=False),
        sa.UniqueConstraint("name"),
    )
    op.create_table(
        "generations",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("release_id", sa.Integer, _to("releases"), nullable=False, index=True),
        sa.Column("model_id", sa.Integer, sa.ForeignKey("embedding_models.id"), nullable=False),
        sa.Column("chunking", sa.Text, nullable=False),
        sa.Column("builder", sa.Text, nullable=False),
        sa.Column("heartbeat", sa.DateTime, nullable=False),
        sa.Column("created", sa.DateTime, nullable=False),
        sa.Column("published", sa.DateTime),
        sqlite_autoincrement=True,
    )


def _create_documents() -> None:
    op.create_table(
        "files",
        sa.Column("content_hash", sa.String(64), primary_key=True),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("compressed", sa.Boolean, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "documents",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("release_id", sa.Integer, _to("releases"), nullable=False),
        sa.Column("file", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column(
            "content_hash",
            sa.String(64),
            sa.ForeignKey("files.content_hash"),
            nullable=False,
            index=True,
        ),
        sa.Column("reading", sa.Text, nullable=False),
        sa.Column("chunking", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index(None, "documents", ["release_id", "file"])
    op.create_table(
        "generation_documents",
        sa.Column("generation_id", sa.Integer, _to("generations"), primary_key=True),
        sa.Column("document_id", sa.Integer, _to("documents"), primary_key=True, index=True),
        sa.Column("source", sa.Text, nullable=False),
    )
    op.create_table(
        "pages",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("document_id", sa.Integer, _to("documents"), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("anchor", sa.Text),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("blocks", sa.Text, nullable=False),
        sa.UniqueConstraint("document_id", "number"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "search_chunks",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("page_id", sa.Integer, _to("pages"), nullable=False),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Column("start", sa.Integer, nullable=False),
        sa.Column("end", sa.Integer, nullable=False),
        sa.Column("heading", sa.Text, nullable=False),
        sa.Column("text_hash", sa.LargeBinary(32), nullable=False, index=True),
        sa.UniqueConstraint("page_id", "ordinal"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "embeddings",
        sa.Column("model_id", sa.Integer, _to("embedding_models"), primary_key=True),
        sa.Column("text_hash", sa.LargeBinary(32), primary_key=True),
        sa.Column("vector", sa.LargeBinary, nullable=False),
    )


def _create_conversations() -> None:
    op.create_table(
        "conversations",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("product", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("created", sa.DateTime, nullable=False),
        sa.Column("updated", sa.DateTime, nullable=False, index=True),
    )
    op.create_table(
        "turns",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("conversation_id", sa.String(64), _to("conversations"), nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("answer", sa.JSON, nullable=False),
        sa.Column("release", sa.Text),
        sa.Column("created", sa.DateTime, nullable=False),
        sa.UniqueConstraint("conversation_id", "position"),
        sqlite_autoincrement=True,
    )


def _to(table: str) -> sa.ForeignKey:
    return sa.ForeignKey(f"{table}.id", ondelete="CASCADE")
