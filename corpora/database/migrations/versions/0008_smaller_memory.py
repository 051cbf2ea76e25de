"""A saved answer has no links, no score by its words, and stays; uses are two."""

from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Drop what is not used; an answer that was measured as poor stays so."""
    op.execute("UPDATE memory_pairs SET relevancy = 0 WHERE faithfulness < 0.8")
    op.drop_index("ix_memory_pairs_first_to_go", "memory_pairs")
    op.create_index(
        "ix_memory_pairs_embedding_store_score", "memory_pairs", ["embedding", "store", "score"]
    )
    # Of uses that earlier versions kept, only these two roles count.
    op.execute("DELETE FROM memory_uses WHERE role NOT IN ('source', 'reuse')")
    for column in ("links", "faithfulness", "last_used"):
        op.drop_column("memory_pairs", column)
