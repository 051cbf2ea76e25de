"""A use of a remembered answer may be another wording of its question; events are kept no more."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the words of a use, and drop the table of events."""
    op.add_column("memory_uses", sa.Column("asks", sa.Text(), nullable=False, server_default=""))
    op.create_index("ix_memory_uses_asks", "memory_uses", ["asks"])
    op.drop_index("ix_memory_events_release_id_at", "memory_events")
    op.drop_table("memory_events")
