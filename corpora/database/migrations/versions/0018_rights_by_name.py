"""Rights of names, which outlive what has them; keys of admins of products; calls added up."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"


def upgrade() -> None:
    """Make the table anew, with what was said; until now only admins of Strata made such keys."""
    kept = op.get_bind().execute(
        sa.text(
            "SELECT p.name AS product, COALESCE(r.name, '') AS release, w.audience, w.groups, "
            "w.admins FROM rights w JOIN products p ON p.id = w.product_id "
            "LEFT JOIN releases r ON r.id = w.release_id"
        ).columns(groups=sa.JSON, admins=sa.JSON)
    )
    rows = [dict(row) for row in kept.mappings()]
    op.drop_table("rights")
    rights = op.create_table(
        "rights",
        sa.Column("id", sa.Integer(), primary_key=True, nullable=False),
        sa.Column("product", sa.Text(), nullable=False),
        sa.Column("release", sa.Text(), nullable=False),
        sa.Column("audience", sa.String(8), nullable=False),
        sa.Column("groups", sa.JSON(), nullable=False),
        sa.Column("admins", sa.JSON(), nullable=False),
    )
    op.bulk_insert(rights, rows)
    op.add_column(
        "program_keys",
        sa.Column("of_products", sa.Boolean(), nullable=False, server_default=sa.false()),
    )
    op.add_column(
        "server_calls", sa.Column("calls", sa.Integer(), nullable=False, server_default="1")
    )
    op.drop_index("ix_server_calls_facts", "server_calls")
    facts = ["at", "server", "model", "error", "calls", "first_token", "seconds"]
    op.create_index("ix_server_calls_facts", "server_calls", facts)
