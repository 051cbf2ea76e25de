"""A cluster of the memory is a number of its pairs; what else was kept of it is computed."""

from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Turn the references to clusters into numbers, and drop the table and the unused columns."""
    # SQLite drops and fills the table anew, which takes along what hangs on its rows.
    op.execute("CREATE TEMPORARY TABLE kept_pages AS SELECT * FROM memory_pages")
    op.execute("CREATE TEMPORARY TABLE kept_uses AS SELECT * FROM memory_uses")
    for gone in (
        "release_id_store_asks_embedding_seq",
        "release_id_store_embedding_seq",
        "cluster_id",
    ):
        op.drop_index(f"ix_memory_pairs_{gone}", "memory_pairs")
    with op.batch_alter_table("memory_pairs", table_kwargs={"sqlite_autoincrement": True}) as pairs:
        pairs.drop_constraint("fk_memory_pairs_cluster_id", type_="foreignkey")
        pairs.alter_column("cluster_id", new_column_name="cluster")
        pairs.drop_column("seq")
        pairs.drop_column("generation_id")
    for columns in (("store", "asks"), ("embedding",), ("cluster",)):
        name = "_".join(("ix_memory_pairs_release_id", *columns))
        op.create_index(name, "memory_pairs", ["release_id", *columns])
    op.execute("DELETE FROM memory_pages")
    op.execute("DELETE FROM memory_uses")
    op.execute("INSERT INTO memory_pages SELECT * FROM kept_pages")
    op.execute("INSERT INTO memory_uses SELECT * FROM kept_uses")
    op.execute("DROP TABLE kept_pages")
    op.execute("DROP TABLE kept_uses")
    op.drop_table("memory_clusters")
