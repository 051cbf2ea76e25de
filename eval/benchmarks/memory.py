"""What a full memory costs: `python -m eval.benchmarks.memory --help`.

Stores of a release are filled with pairs whose vectors are drawn at random around some topics; the
questions that are asked are embedded for real. The time of a language model is no part of this:
a question that is reused needs none, and another one pays it besides.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from datetime import UTC, datetime
from math import ceil
from pathlib import Path
from statistics import median
from typing import Annotated

import numpy as np
import typer
from sqlalchemy import select

from chatbot.assembly import Chatbot, open_chatbot
from chatbot.memory.pairs import Happened, MemoryQuestion, NewPair, Origin, Score, Store
from chatbot.memory.stores.stores import Stores
from chatbot.settings import Settings
from corpora.catalog.catalog import Catalog
from corpora.database.tables import ReleaseRow

_TOPICS, _SPREAD, _SEED = 2_000, 0.05, 7
_MEASURED = (
    "reading a question",
    "searching both stores",
    "adding a pair, afterwards",
    "the first search after that",
)


def main(
    pairs: Annotated[int, typer.Option(help="Pairs in each of the two stores.")] = 20_000,
    asked: Annotated[int, typer.Option(help="How many questions are asked.")] = 200,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure reading a question, searching, adding a pair, and the first search after it."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(data_dir=Path(folder), generator="none", memory_limit=pairs + asked)
        chatbot = open_chatbot(settings)
        release = _release(chatbot)
        _fill(chatbot, release, pairs)
        figures = _measure(chatbot, release, asked)
        chatbot.database.close()
    if as_json:
        sys.stdout.write(json.dumps(figures))
        return
    sys.stdout.write(f"{'milliseconds':32}{'n':>6}{'median':>9}{'p95':>9}\n")
    for name, of in figures.items():
        sys.stdout.write(f"{name:32}{of['n']:6}{of['median']:9.1f}{of['p95']:9.1f}\n")


def _release(chatbot: Chatbot) -> int:
    Catalog(chatbot.database).add_release("harbour", "4.2")
    with chatbot.database.reading() as session:
        return session.scalars(select(ReleaseRow.id)).one()


def _fill(chatbot: Chatbot, release: int, pairs: int) -> None:
    """Append pairs to both stores, each in a cluster of its own."""
    draw = np.random.default_rng(_SEED)
    topics = draw.normal(size=(_TOPICS, chatbot.embedder.dimension))
    thresholds = chatbot.memory.recall.thresholds
    stores = Stores(chatbot.database, thresholds, pairs, clustering=False)
    embedding = chatbot.memory.reader.embedding
    for number in range(2 * pairs):
        near = topics[number % _TOPICS] + _SPREAD * draw.normal(size=topics.shape[1])
        vector = (near / np.linalg.norm(near)).astype(np.float32)
        question = MemoryQuestion(f"question {number}", f"question {number}", vector, embedding)
        stores.add(release, _pair(question, score=float(number % 2)))


def _pair(question: MemoryQuestion, score: float) -> NewPair:
    answer = {"text": "It is set at installation.", "value": "", "citations": []}
    return NewPair(question, answer, Score(score, Origin.MEASURED, datetime.now(UTC)))


def _measure(chatbot: Chatbot, release: int, asked: int) -> dict[str, dict[str, float]]:
    memory = chatbot.memory
    took: dict[str, list[float]] = {name: [] for name in _MEASURED}
    for number in range(asked):
        started = time.perf_counter()
        question = memory.reader.read(f"How long does pump {number} run at night?", "harbour")
        read = time.perf_counter()
        for store in Store:
            memory.recall.search.nearest(release, store, question, cosine=0.75, limit=8)
        searched = time.perf_counter()
        added = memory.stores.add(release, _pair(question, 1.0))
        kept = time.perf_counter()
        for store in Store:
            memory.recall.search.nearest(release, store, question, cosine=0.75, limit=8)
        again = time.perf_counter()
        memory.stores.remove([added.pair or 0], Happened.RETIRED, "measured")
        memory.recall.search.nearest(release, Store.HIGH, question, cosine=0.75, limit=8)
        for name, seconds in zip(
            _MEASURED,
            (read - started, searched - read, kept - searched, again - kept),
            strict=True,
        ):
            took[name].append(1000 * seconds)
    return {
        name: {
            "n": len(of),
            "median": median(of),
            "p95": sorted(of)[ceil(0.95 * len(of)) - 1],
        }
        for name, of in took.items()
    }


if __name__ == "__main__":
    typer.run(main)
