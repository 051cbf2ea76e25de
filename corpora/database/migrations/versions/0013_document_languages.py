"""The language of each document, and what an administrator says of it."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Add the columns; until now every document was indexed as English."""

    def said(default: str) -> sa.Column[str]:
        return sa.Column("language", sa.Text(), nullable=False, server_default=default)

    op.add_column("products", said(""))
    op.add_column("releases", said(""))
    op.add_column("generations", said("en"))
    op.add_column("documents", sa.Column("language", sa.Text(), nullable=True))
