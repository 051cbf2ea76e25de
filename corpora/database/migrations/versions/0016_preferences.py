"""What people chose for the page."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    """Add the table; until now there was one language."""
    op.create_table(
        "preferences",
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("language", sa.String(16), nullable=False),
        sa.PrimaryKeyConstraint("owner", name=op.f("pk_preferences")),
    )
