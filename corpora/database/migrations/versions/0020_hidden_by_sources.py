"""Which releases a source hid, as they are gone there: they are shown again when they are back."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Add the column; nothing was hidden by a source before."""
    hidden: sa.Column[bool] = sa.Column(
        "hidden", sa.Boolean(), nullable=False, server_default=sa.false()
    )
    op.add_column("source_releases", hidden)
