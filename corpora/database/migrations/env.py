"""Runs the migrations on the connection and in the transaction of `open_database`."""

from alembic import context

from corpora.database.tables import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    # All or nothing: the caller's transaction holds the write lock until every step is done.
    transactional_ddl=True,
    render_as_batch=True,
)
context.run_migrations()
