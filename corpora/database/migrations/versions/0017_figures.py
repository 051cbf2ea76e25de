"""Figures: the pictures that stand at the blocks of a page."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "figures",
        sa.Column("id", sa.Integer(), primary_key=True, nullable=False),
        sa.Column("page_id", sa.Integer(), nullable=False),
        sa.Column("block", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.String(64), nullable=False),
        sa.Column("section", sa.Text(), nullable=False),
        sa.Column("caption", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("original", sa.String(64), nullable=False),
        sa.ForeignKeyConstraint(
            ["page_id"], ["pages.id"], name="fk_figures_page_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["content_hash"], ["files.content_hash"], name="fk_figures_content_hash"
        ),
    )
    op.create_index("ix_figures_page_id", "figures", ["page_id"])
    op.create_index("ix_figures_content_hash", "figures", ["content_hash"])
