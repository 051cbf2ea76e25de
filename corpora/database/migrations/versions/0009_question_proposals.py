"""Questions of one's own, for the regression set."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the table of proposed questions."""
    op.create_table(
        "question_proposals",
        sa.Column("id", sa.Integer(), primary_key=True, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("product", sa.Text(), nullable=False),
        sa.Column("release", sa.Text(), nullable=False),
        sa.Column("gold", sa.JSON(), nullable=False),
        sa.Column("pages", sa.JSON(), nullable=False),
        sa.Column("came_from", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("decided", sa.DateTime(), nullable=True),
        sa.Column("decided_by", sa.Text(), nullable=False),
        sa.UniqueConstraint("digest", name="uq_question_proposals_digest"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_question_proposals_state_product", "question_proposals", ["state", "product"]
    )
