"""Who may see a product or a release, and the groups that people and keys are in."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Add both tables and the column; until now everything was open to all."""
    op.create_table(
        "rights",
        sa.Column("id", sa.Integer(), primary_key=True, nullable=False),
        sa.Column("product_id", sa.Integer(), nullable=False),
        sa.Column("release_id", sa.Integer(), nullable=True),
        sa.Column("audience", sa.String(8), nullable=False),
        sa.Column("groups", sa.JSON(), nullable=False),
        sa.Column("admins", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["product_id"], ["products.id"], name="fk_rights_product_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["release_id"], ["releases.id"], name="fk_rights_release_id", ondelete="CASCADE"
        ),
    )
    op.create_index("ix_rights_product_id", "rights", ["product_id"])
    op.create_index("ix_rights_release_id", "rights", ["release_id"])
    op.create_table(
        "memberships",
        sa.Column("person", sa.Text(), primary_key=True, nullable=False),
        sa.Column("groups", sa.JSON(), nullable=False),
        sa.Column("seen", sa.DateTime(), nullable=False),
    )
    op.add_column("program_keys", sa.Column("groups", sa.JSON(), nullable=True))
