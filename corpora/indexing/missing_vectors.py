"""Vectors for the texts of a generation that no generation of any release had before."""

from collections.abc import Callable, Collection, Sequence
from typing import Any

import numpy as np
from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from corpora.database.engine import Database, insert_or_ignore, portions
from corpora.database.tables import (
    DocumentRow,
    EmbeddingRow,
    GenerationRow,
    MemberRow,
    SearchChunkRow,
)
from corpora.generations.generations import require_claim
from corpora.generations.progress import Progress, Stage
from corpora.indexing.embedding import Embedder, Vectors
from corpora.indexing.pages import chunk_text, indexed_text, select_chunks

TEXTS_AT_ONCE = 64
"""How many texts are embedded between two commits: what a killed ingest loses at most."""


def embed_missing(
    database: Database,
    generation_id: int,
    embedder: Embedder,
    report: Callable[[Progress], None],
) -> int:
    """Embed the texts that have no vector by this model yet, and return how many there were.

    Raises TakenOver if another builder replaced the generation meanwhile.
    """
    with database.reading() as session:
        model_id = session.get_one(GenerationRow, generation_id).model_id
        missing = session.execute(_missing(generation_id, model_id)).all()
    report(Progress(Stage.EMBEDDING, 0, len(missing)))
    done = 0
    for batch in portions(missing, TEXTS_AT_ONCE):
        vectors = embedder.embed(_texts(database, [chunk_id for chunk_id, _ in batch]))
        with database.writing() as session:
            require_claim(session, generation_id)
            store_vectors(session, model_id, [text_hash for _, text_hash in batch], vectors)
        done += len(batch)
        report(Progress(Stage.EMBEDDING, done, len(missing)))
    return done


def store_vectors(
    session: Session, model_id: int, hashes: Sequence[bytes], vectors: Vectors
) -> None:
    """Keep one vector for each text's hash, unless the model has one for it already."""
    rows = [
        {"model_id": model_id, "text_hash": text_hash, "vector": vector.tobytes()}
        for text_hash, vector in zip(hashes, vectors.astype("<f4"), strict=True)
    ]
    session.execute(insert_or_ignore(session, EmbeddingRow), rows)


def stored_vectors(
    session: Session, model_id: int, hashes: Collection[bytes]
) -> dict[bytes, Vectors]:
    """Return the vectors that a model has for texts, by their hashes, as far as it has them."""
    rows = session.execute(
        select(EmbeddingRow.text_hash, EmbeddingRow.vector).where(
            EmbeddingRow.model_id == model_id, EmbeddingRow.text_hash.in_(hashes)
        )
    )
    return {text_hash: np.frombuffer(vector, "<f4") for text_hash, vector in rows}


def _missing(generation_id: int, model_id: int) -> Select[*tuple[Any, ...]]:
    """Each text's first chunk and hash, texts of similar length side by side."""
    known = select(EmbeddingRow.text_hash).where(
        EmbeddingRow.text_hash == SearchChunkRow.text_hash, EmbeddingRow.model_id == model_id
    )
    first = func.min(SearchChunkRow.id)
    return (
        select_chunks(first, SearchChunkRow.text_hash)
        .join(MemberRow, MemberRow.document_id == DocumentRow.id)
        .where(MemberRow.generation_id == generation_id, ~known.exists())
        .group_by(SearchChunkRow.text_hash)
        .order_by(func.min(SearchChunkRow.end - SearchChunkRow.start), first)
    )


def _texts(database: Database, chunk_ids: Sequence[int]) -> list[str]:
    columns = SearchChunkRow.id, DocumentRow.title, SearchChunkRow.heading, chunk_text()
    with database.reading() as session:
        rows = session.execute(select_chunks(*columns).where(SearchChunkRow.id.in_(chunk_ids)))
        texts = {chunk_id: indexed_text(*parts) for chunk_id, *parts in rows}
    return [texts[chunk_id] for chunk_id in chunk_ids]
