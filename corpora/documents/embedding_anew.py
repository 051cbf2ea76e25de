"""Releases that another embedder embedded than the one in use are embedded anew, as jobs."""

from sqlalchemy import select

from corpora.catalog.catalog import Serving
from corpora.database.engine import Database
from corpora.database.job_tables import JobRow
from corpora.database.tables import EmbeddingModelRow, GenerationRow, ProductRow, ReleaseRow
from corpora.jobs.jobs import JobKind, Jobs, JobState


def embedded_otherwise(database: Database, embedder: str) -> tuple[Serving, ...]:
    """What serves releases, retired ones left out, with vectors that are not of this embedder."""
    columns = ProductRow.name, ReleaseRow.name, GenerationRow.id
    query = (
        select(*columns)
        .join(ReleaseRow, ReleaseRow.product_id == ProductRow.id)
        .join(GenerationRow, GenerationRow.id == ReleaseRow.published_generation_id)
        .join(EmbeddingModelRow, EmbeddingModelRow.id == GenerationRow.model_id)
        .where(EmbeddingModelRow.name != embedder, ReleaseRow.retired.is_(False))
        .order_by(ProductRow.name, ReleaseRow.id.desc())
    )
    with database.reading() as session:
        return tuple(Serving(*row) for row in session.execute(query))


def order_embedding(database: Database, embedder: str, person: str) -> int:
    """Order a job for each such release that has none open or failed; return how many."""
    stands = JobRow.state.in_((JobState.WAITING, JobState.RUNNING, JobState.FAILED))
    query = select(JobRow.product, JobRow.release).where(JobRow.kind == JobKind.EMBED, stands)
    ordered = 0
    for serving in embedded_otherwise(database, embedder):
        with database.writing() as session:
            # Two workers may look at once: the second one sees the job of the first.
            known = {(product, release) for product, release in session.execute(query)}
            if (serving.product, serving.release) not in known:
                Jobs(database).add(
                    JobKind.EMBED, serving.product, serving.release, person, session=session
                )
                ordered += 1
    return ordered
