"""Generations that wait for an admin's yes, and checks of accepted answers against them."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the column and both tables."""
    op.add_column("generations", sa.Column("waiting", sa.DateTime(), nullable=True))
    op.create_table(
        "release_checks",
        sa.Column("id", sa.Integer(), primary_key=True, nullable=False),
        sa.Column("generation_id", sa.Integer(), nullable=False),
        sa.Column("against", sa.Text(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("finished", sa.DateTime(), nullable=True),
        sa.Column("told", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["generation_id"],
            ["generations.id"],
            name="fk_release_checks_generation_id",
            ondelete="CASCADE",
        ),
        sa.UniqueConstraint("generation_id", name="uq_release_checks_generation_id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "checked_answers",
        sa.Column("id", sa.Integer(), primary_key=True, nullable=False),
        sa.Column("check_id", sa.Integer(), nullable=False),
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(16), nullable=False),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("details", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["check_id"],
            ["release_checks.id"],
            name="fk_checked_answers_check_id",
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["pair_id"],
            ["memory_pairs.id"],
            name="fk_checked_answers_pair_id",
            ondelete="CASCADE",
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_checked_answers_check_id_pair_id",
        "checked_answers",
        ["check_id", "pair_id"],
        unique=True,
    )
    op.create_index("ix_checked_answers_pair_id", "checked_answers", ["pair_id"])
