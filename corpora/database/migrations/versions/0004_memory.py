"""The quality memory: pairs of question and answer in clusters, what they cite, and their story."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the tables of the memory; an open question may want an answer without it."""
    op.add_column(
        "open_questions",
        sa.Column("afresh", sa.Boolean, nullable=False, server_default=sa.false()),
    )
    op.create_table(
        "memory_clusters",
        sa.Column("id", sa.Integer, primary_key=True),
        _to("release_id", "releases"),
        sa.Column("store", sa.String(8), nullable=False),
        sa.Column("embedding", sa.Text, nullable=False),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("total", sa.LargeBinary, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_memory_clusters_release_id_store_embedding_seq",
        "memory_clusters",
        ["release_id", "store", "embedding", "seq"],
    )
    op.create_table(
        "memory_pairs",
        sa.Column("id", sa.Integer, primary_key=True),
        _to("release_id", "releases"),
        _to("cluster_id", "memory_clusters"),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("store", sa.String(8), nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("asks", sa.Text, nullable=False),
        sa.Column("vector", sa.LargeBinary, nullable=False),
        sa.Column("embedding", sa.Text, nullable=False),
        sa.Column("answer", sa.JSON, nullable=False),
        sa.Column("links", sa.JSON, nullable=False),
        sa.Column("generation_id", sa.Integer),
        sa.Column("score", sa.Double, nullable=False),
        sa.Column("origin", sa.String(16), nullable=False),
        sa.Column("faithfulness", sa.Double),
        sa.Column("relevancy", sa.Double),
        sa.Column("rated_by", sa.Text, nullable=False),
        sa.Column("rated", sa.DateTime),
        sa.Column("suspended", sa.Text, nullable=False),
        sa.Column("reused", sa.Integer, nullable=False),
        sa.Column("last_used", sa.DateTime),
        sa.Column("created", sa.DateTime, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_memory_pairs_release_id_store_asks_embedding_seq",
        "memory_pairs",
        ["release_id", "store", "asks", "embedding", "seq"],
    )
    op.create_index(
        "ix_memory_pairs_release_id_store_embedding_seq",
        "memory_pairs",
        ["release_id", "store", "embedding", "seq"],
    )
    op.create_index(
        "ix_memory_pairs_release_id_suspended", "memory_pairs", ["release_id", "suspended"]
    )
    op.create_index("ix_memory_pairs_cluster_id", "memory_pairs", ["cluster_id"])
    op.create_index(
        "ix_memory_pairs_first_to_go",
        "memory_pairs",
        ["release_id", "store", "suspended", "score", "reused", "created", "origin"],
    )
    op.create_table(
        "memory_pages",
        _to("pair_id", "memory_pairs", primary_key=True),
        sa.Column("ordinal", sa.Integer, primary_key=True),
        sa.Column("file", sa.Text, nullable=False),
        sa.Column("page_hash", sa.LargeBinary(32), nullable=False),
        sa.Column("page_id", sa.Integer, nullable=False),
    )
    op.create_index("ix_memory_pages_page_id", "memory_pages", ["page_id"])
    op.create_table(
        "memory_uses",
        _to("turn_id", "turns", primary_key=True),
        _to("pair_id", "memory_pairs", primary_key=True),
        sa.Column("role", sa.String(16), nullable=False),
    )
    op.create_index("ix_memory_uses_pair_id", "memory_uses", ["pair_id"])
    op.create_table(
        "memory_events",
        sa.Column("id", sa.Integer, primary_key=True),
        _to("release_id", "releases"),
        sa.Column("at", sa.DateTime, nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("pair_id", sa.Integer, nullable=False),
        sa.Column("other_id", sa.Integer),
        sa.Column("reason", sa.Text, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_memory_events_release_id_at", "memory_events", ["release_id", "at"])


def _to(name: str, table: str, **options: Any) -> sa.Column[int]:
    return sa.Column(
        name,
        sa.Integer,
        sa.ForeignKey(f"{table}.id", ondelete="CASCADE"),
        nullable=False,
        **options,
    )
