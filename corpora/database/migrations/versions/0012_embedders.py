"""What opens an embedder again that releases were embedded with."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Add the column; until now there was one embedder."""
    column = sa.Column("setting", sa.Text(), nullable=False, server_default="minilm")
    op.add_column("embedding_models", column)
