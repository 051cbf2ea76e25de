"""The glossary: terms of a product and the words that mean the same."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the table of glossary entries."""
    op.create_table(
        "glossary_entries",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column(
            "product_id",
            sa.Integer,
            sa.ForeignKey("products.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("term", sa.Text, nullable=False),
        sa.Column("synonyms", sa.JSON, nullable=False),
        sa.UniqueConstraint("product_id", "term"),
    )
