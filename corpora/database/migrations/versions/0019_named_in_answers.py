"""Which products and releases an answer names, for rights: a name in its question is none."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Add the column; answers of before are looked through for every name."""
    op.add_column("turns", sa.Column("named", sa.Text(), nullable=True))
