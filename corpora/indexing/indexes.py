"""The two indexes of a generation, built from SQL: in a folder that is complete or not there.

Where a PostgreSQL has pgvector they lie in the database instead (`postgresql_indexes`).
"""

import json
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from secrets import token_hex
from typing import Any

import numpy as np
from sqlalchemy import Select, func, select

from corpora.catalog.languages import languages_of
from corpora.database.durable import sync
from corpora.database.engine import Database
from corpora.database.tables import (
    DocumentRow,
    EmbeddingModelRow,
    EmbeddingRow,
    GenerationRow,
    MemberRow,
    PageRow,
    SearchChunkRow,
)
from corpora.errors import BrokenIndex
from corpora.generations.disk import full_disk_is_named
from corpora.generations.generations import generation_dir, sweep_folders
from corpora.indexing import lexical, postgresql_indexes, vectors
from corpora.indexing.lexical import LexicalFile, LexicalIndex, LexicalRow
from corpora.indexing.pages import chunk_text, indexed_heading, select_chunks
from corpora.indexing.postgresql_indexes import PgLexical, PgVectors, hold_indexes
from corpora.indexing.vectors import Batch, ChromaIndex, Prober, VectorIndex

VERSION = 2
"""Changes whenever an index that was built before would have to be built anew."""

_LEXICAL = "lexical.db"
_MANIFEST = "manifest.json"
_ROWS_AT_ONCE = 1000
"""Chroma takes up to 5,461 vectors at once, in seconds that nobody could stop it in."""


def build_indexes(
    database: Database,
    data_dir: Path,
    generation_id: int,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    prober: Prober | None = None,
) -> None:
    """Build both indexes of a generation from SQL, probe them, and put them in place.

    What was in place is replaced; processes that have it open go on with what they hold.
    `on_progress` gets how many of how many vectors are indexed. Raises BrokenIndex if vectors are
    missing, or if what was built does not work.
    """
    model_id, dimension, total = _expected(database, generation_id)
    batches = _vectors(database, generation_id, model_id)
    rows = _lexical_rows(database, generation_id)

    def report(done: int) -> None:
        on_progress(done, total)

    report(0)
    if hold_indexes(database):
        postgresql_indexes.build(database, generation_id, dimension, batches, rows, report)
        return
    place = generation_dir(data_dir, generation_id)
    place.parent.mkdir(parents=True, exist_ok=True)
    aside = Path(tempfile.mkdtemp(prefix=f"{generation_id}.", dir=place.parent))
    try:
        lexical.build_index(aside / _LEXICAL, rows)
        # A name of its own for each build: Chroma remembers paths, and how opening them went.
        by_vector = aside / f"vectors-{token_hex(4)}"
        vectors.build_index(by_vector, batches, report)
        (prober.probe if prober else vectors.probe_index)(by_vector, total)
        manifest = {"version": VERSION, "vectors": by_vector.name, "files": _sizes(aside)}
        (aside / _MANIFEST).write_text(json.dumps(manifest), encoding="utf-8")
        aside.chmod(0o755)
        sync(*aside.rglob("*"), aside)
        _put_in_place(aside, place)
        sync(place.parent)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def open_indexes(
    database: Database, data_dir: Path, generation_id: int
) -> tuple[VectorIndex, LexicalIndex]:
    """Open both indexes of a generation; if they are missing or broken, build them again first."""
    with database.reading() as session:
        languages = tuple(languages_of(session, generation_id).documents)
    if hold_indexes(database):
        if not postgresql_indexes.is_built(database, generation_id):
            build_indexes(database, data_dir, generation_id)
        return PgVectors(database, generation_id), PgLexical(database, generation_id, languages)
    place = generation_dir(data_dir, generation_id)
    try:
        return _open(place, languages)
    except BrokenIndex:
        # Whatever is wrong with it, the database has all that it was made of.
        with full_disk_is_named(data_dir):
            build_indexes(database, data_dir, generation_id)
        # Where nothing is ingested, nobody else removes those of generations before.
        sweep_folders(database, data_dir)
    return _open(place, languages)


def are_built(database: Database, data_dir: Path, generation_id: int) -> bool:
    """Return whether the indexes of a generation are in the database, or stand on this machine."""
    if hold_indexes(database):
        return postgresql_indexes.is_built(database, generation_id)
    return generation_dir(data_dir, generation_id).exists()


def are_left(database: Database, data_dir: Path, generation_id: int) -> bool:
    """Return whether nobody has taken the folder of open indexes away."""
    return hold_indexes(database) or generation_dir(data_dir, generation_id).exists()


def check_indexes(database: Database, data_dir: Path, generation_id: int) -> None:
    """Open and search the indexes of a generation that are built; raise BrokenIndex with why."""
    if hold_indexes(database):
        postgresql_indexes.check(database, generation_id)
        return
    place = generation_dir(data_dir, generation_id)
    by_vector, by_word = _open(place)
    by_vector.close()
    by_word.close()
    vectors.probe_index(place / _intact_manifest(place)["vectors"], by_vector.size)


def _open(place: Path, languages: Sequence[str] = ()) -> tuple[ChromaIndex, LexicalFile]:
    manifest = _intact_manifest(place)
    if manifest is None:
        raise BrokenIndex(f"{place} does not hold the files that were put there.")
    by_vector = ChromaIndex.open(place / manifest["vectors"])
    try:
        return by_vector, LexicalFile.open(place / _LEXICAL, languages)
    except BrokenIndex:
        by_vector.close()
        raise


def _put_in_place(aside: Path, place: Path) -> None:
    if place.exists():
        # A folder cannot be replaced by renaming, so the old one steps aside first. A reader that
        # comes in between finds none, and builds its own.
        old = Path(tempfile.mkdtemp(prefix=f"{place.name}.", dir=place.parent))
        place.replace(old / "old")
        shutil.rmtree(old, ignore_errors=True)
    try:
        aside.rename(place)
    except OSError:
        # Another process rebuilt the same generation and was first; its folder is as good.
        if _intact_manifest(place) is None:
            raise


def _intact_manifest(place: Path) -> Any:
    """Return the manifest if the folder holds the files that were probed, by name and size.

    A reader's lock or journal may lie beside them.
    """
    try:
        manifest = json.loads((place / _MANIFEST).read_text(encoding="utf-8"))
        intact = manifest["files"].items() <= _sizes(place).items()
    except (OSError, ValueError):
        return None
    return manifest if intact and manifest["version"] == VERSION else None


def _sizes(folder: Path) -> dict[str, int]:
    return {
        path.relative_to(folder).as_posix(): path.stat().st_size
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != _MANIFEST
    }


def _expected(database: Database, generation_id: int) -> tuple[int, int, int]:
    """The embedding model, the dimension of its vectors, and how many chunks have one to index.

    Raises BrokenIndex if some have none.
    """
    with database.reading() as session:
        model_id, dimension = session.execute(
            select(EmbeddingModelRow.id, EmbeddingModelRow.dimension)
            .join(GenerationRow, GenerationRow.model_id == EmbeddingModelRow.id)
            .where(GenerationRow.id == generation_id)
        ).one()
        chunks = _chunks(generation_id, func.count())
        total = session.scalar(chunks) or 0
        embedded = session.scalar(chunks.where(_vector(model_id).exists())) or 0
    if embedded < total:
        raise BrokenIndex(
            f"{total - embedded} of {total} search chunks of generation {generation_id} have no "
            "vector. Ingest the release again."
        )
    return model_id, dimension, total


def _vectors(database: Database, generation_id: int, model_id: int) -> Iterator[Batch]:
    with database.reading() as session:
        vector = _vector(model_id).scalar_subquery()
        rows = session.execute(
            _chunks(generation_id, SearchChunkRow.id, vector).order_by(SearchChunkRow.id)
        )
        for some in rows.yield_per(_ROWS_AT_ONCE).partitions():
            ids = [chunk_id for chunk_id, _ in some]
            yield ids, np.array([np.frombuffer(vector, "<f4") for _, vector in some])


def _lexical_rows(database: Database, generation_id: int) -> Iterator[LexicalRow]:
    columns = SearchChunkRow.id, SearchChunkRow.heading, chunk_text(), PageRow.anchor
    of_document = DocumentRow.title, DocumentRow.file, DocumentRow.language
    with database.reading() as session:
        languages = languages_of(session, generation_id)
        rows = session.execute(
            _chunks(generation_id, *columns, *of_document).order_by(SearchChunkRow.id)
        )
        for chunk_id, heading, text, anchor, title, file, own in rows.yield_per(_ROWS_AT_ONCE):
            name, language = f"{file} {anchor or ''}", languages.of(own)
            yield LexicalRow(chunk_id, indexed_heading(title, heading), name, text, language)


def _chunks(generation_id: int, *columns: Any) -> Select[*tuple[Any, ...]]:
    members = select(MemberRow.document_id).where(MemberRow.generation_id == generation_id)
    return select_chunks(*columns).where(DocumentRow.id.in_(members))


def _vector(model_id: int) -> Select[bytes]:
    """The vector of a chunk. Joined, it would have SQLite begin with those of all releases."""
    own = EmbeddingRow.text_hash == SearchChunkRow.text_hash
    return select(EmbeddingRow.vector).where(own, EmbeddingRow.model_id == model_id)
