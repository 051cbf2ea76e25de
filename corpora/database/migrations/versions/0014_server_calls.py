"""Requests to language models, counted by server."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the table; what was asked before is not counted."""
    op.create_table(
        "server_calls",
        sa.Column("id", sa.Integer(), primary_key=True),
        sa.Column("at", sa.DateTime(), nullable=False),
        sa.Column("server", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("error", sa.String(64), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("first_token", sa.Double(), nullable=True),
        sa.Column("prompt_tokens", sa.Integer(), nullable=False),
        sa.Column("completion_tokens", sa.Integer(), nullable=False),
    )
    facts = ["at", "server", "model", "error", "first_token", "seconds"]
    op.create_index("ix_server_calls_facts", "server_calls", facts)
