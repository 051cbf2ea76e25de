"""How fast the question graph is, by its size: `python -m eval.benchmarks.question_graph`.

Questions are made-up vectors around made-up topics, in a SQLite database of their own. The topics
lie apart, or so that all is one component: linked, where each lies near the next, and branched,
where each lies near an earlier one drawn by lot, so that a few edges lead anywhere. In brackets
stand the milliseconds of the processor, which a busy machine changes less.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Annotated

import numpy as np
import numpy.typing as npt
import typer
from rich.console import Console
from rich.table import Table
from sqlalchemy import insert

from chatbot.graph.question_graph import QuestionGraph
from chatbot.memory.pairs import MemoryQuestion, Origin, Store
from chatbot.memory.stores.neighbours import Neighbours
from corpora.catalog.catalog import Catalog
from corpora.database.engine import Database, open_database, sqlite_url
from corpora.database.memory_tables import MemoryPairRow
from corpora.indexing.embedding import Vectors

DIMENSION = 384
THRESHOLD = 0.8
KINDS = {"apart": (20, 0.5, 0.0), "linked": (10, 0.4, 0.2), "branched": (10, 0.4, 0.25)}
"""Questions of a topic, how far they lie from its centre, and this from the one that it is near."""


def main(
    sizes: Annotated[list[int] | None, typer.Option(help="Questions of a release.")] = None,
    rounds: Annotated[int, typer.Option(help="Questions asked, and questions added.")] = 40,
) -> None:
    """Print for each size the density, the time to build, and p50 / p95 in milliseconds."""
    console = Console(width=120)
    table = Table(
        "questions", "topics", "edges", "density", "build, s", "query, ms", "add, ms", "remove, ms"
    )
    for size in sizes or (5_000, 20_000, 50_000):
        for kind in KINDS:
            table.add_row(*_measured(size, kind, rounds))
    console.print(table)


def _measured(size: int, kind: str, rounds: int) -> Sequence[str]:
    random = np.random.default_rng(size)
    made = _made(random, size + 2 * rounds, kind)
    with TemporaryDirectory() as folder:
        database = open_database(sqlite_url(Path(folder)))
        release = Catalog(database).add_release("made-up", "1.0")
        _store(database, release, made[:size])
        graph = QuestionGraph(database, Neighbours(database), THRESHOLD)
        asked = [MemoryQuestion("How?", "", vector, "made-up") for vector in made[size:]]
        started = perf_counter()
        nodes, edges = graph.size(release, asked[0])
        building = perf_counter() - started
        querying, adding, removing = [], [], []
        for question in asked[:rounds]:
            querying.append(_seconds(graph.related, release, question, 2))
        for number, question in enumerate(asked[rounds:]):
            _store(database, release, question.vector[np.newaxis])
            adding.append(_seconds(graph.size, release, question))
            with database.writing() as session:
                session.delete(session.get_one(MemoryPairRow, number + 1))
            removing.append(_seconds(graph.size, release, question))
        database.close()
    density = 2 * edges / (nodes * (nodes - 1))
    times = (_percentiles(taken) for taken in (querying, adding, removing))
    return f"{nodes:,}", kind, f"{edges:,}", f"{density:.5f}", f"{building:.1f}", *times


def _made(random: np.random.Generator, size: int, kind: str) -> Vectors:
    """Vectors of length one, in no order; two of a topic have a cosine of about 0.8 or 0.86."""
    each, spread, step = KINDS[kind]
    topics = size // each
    centres = _scaled(random.normal(size=(topics, DIMENSION)))
    for number in range(1, topics if step else 0):
        near = number - 1 if kind == "linked" else random.integers(number)
        centres[number] = _scaled(centres[near] + step * centres[number])
    noise = random.normal(size=(size, DIMENSION)) * spread / np.sqrt(DIMENSION)
    return _scaled(centres[random.integers(topics, size=size)] + noise).astype(np.float32)


def _scaled(vectors: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    scaled: npt.NDArray[np.float64] = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return scaled


def _store(database: Database, release: int, vectors: Vectors) -> None:
    alike = {
        "release_id": release,
        "store": Store.HIGH,
        "question": "How?",
        "asks": "how",
        "embedding": "made-up",
        "answer": {"text": "So.", "value": "So.", "citations": []},
        "links": [],
        "score": 1.0,
        "origin": Origin.IMPORTED,
        "rated_by": "",
        "created": datetime.now(UTC),
    }
    rows = [{**alike, "vector": vector.astype("<f4").tobytes()} for vector in vectors]
    with database.writing() as session:
        session.execute(insert(MemoryPairRow), rows)


def _seconds(work: Callable[..., object], *arguments: object) -> tuple[float, float]:
    """By the clock, and of the processor."""
    started, used = perf_counter(), process_time()
    work(*arguments)
    return perf_counter() - started, process_time() - used


def _percentiles(seconds: Sequence[tuple[float, float]]) -> str:
    half, most = np.percentile(seconds, (50, 95), axis=0) * 1000
    return f"{half[0]:.0f} / {most[0]:.0f} ({half[1]:.0f})"


if __name__ == "__main__":
    typer.run(main)
