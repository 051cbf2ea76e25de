"""Sources that documentation is brought from, and the addresses of what they brought."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add the tables of sources, the source of a job, and the address of a document."""
    op.add_column(
        "generation_documents", sa.Column("address", sa.Text(), nullable=False, server_default="")
    )
    op.add_column("jobs", sa.Column("source_id", sa.Integer(), nullable=True))
    op.create_table(
        "sources",
        sa.Column("id", sa.Integer(), primary_key=True, nullable=False),
        sa.Column("product", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(64), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("schedule", sa.Text(), nullable=False),
        sa.Column("next_run", sa.DateTime(), nullable=True),
        sa.Column("hook_secret", sa.Text(), nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("created", sa.DateTime(), nullable=False),
        sa.Column("last_run", sa.DateTime(), nullable=True),
        sa.Column("outcome", sa.String(16), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("report", sa.JSON(), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_sources_product", "sources", ["product"])
    op.create_index("ix_sources_next_run", "sources", ["next_run"])
    op.create_table(
        "source_releases",
        sa.Column("id", sa.Integer(), primary_key=True, nullable=False),
        sa.Column(
            "source_id",
            sa.Integer(),
            sa.ForeignKey("sources.id", name="fk_source_releases_source_id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("revision", sa.Text(), nullable=False),
        sa.Column("taken", sa.String(64), nullable=False),
        sa.Column("published", sa.DateTime(), nullable=True),
        sa.Column("error", sa.Text(), nullable=False),
        sa.UniqueConstraint("source_id", "name", name="uq_source_releases_source_id_name"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "source_files",
        sa.Column(
            "release_id",
            sa.Integer(),
            sa.ForeignKey(
                "source_releases.id",
                name="fk_source_files_release_id",
                ondelete="CASCADE",
            ),
            primary_key=True,
            nullable=False,
        ),
        sa.Column("path", sa.Text(), primary_key=True, nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.String(64), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=False),
    )
    op.create_index("ix_source_files_content_hash", "source_files", ["content_hash"])
