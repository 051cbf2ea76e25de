"""Keys by which programs ask."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the table of keys."""
    op.create_table(
        "program_keys",
        sa.Column("id", sa.Integer(), primary_key=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("questions_per_minute", sa.Integer(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("used", sa.DateTime(), nullable=True),
        sa.UniqueConstraint("digest", name="uq_program_keys_digest"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_program_keys_owner", "program_keys", ["owner"])
