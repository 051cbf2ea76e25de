"""Retrieval over many chunks beside its engines alone: `python -m eval.benchmarks.retrieval`.

Made-up manuals in ten releases, of which each shares most files with the one before, are ingested
with made-up vectors around made-up topics, since embedding would take hours. Then the same queries
go to the engines alone (Chroma's collection and the full-text table of SQLite, opened beside
Strata's own), to the corpus, and through the whole of retrieval. Recall is held against exact
search, and a fresh process is timed until its first passages.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Annotated

import numpy as np
import typer
from rich.console import Console
from rich.table import Table

from corpora.building.building import Builder
from corpora.database.engine import Database, open_database, sqlite_url
from corpora.indexing.corpus import Corpus, open_corpus
from corpora.indexing.embedding import Vectors
from corpora.indexing.lexical import LexicalFile, tokens
from corpora.indexing.retrieval import RetrievalSettings, retrieve
from corpora.indexing.vectors import ChromaIndex
from eval.benchmarks.embedding import sample_texts

PRODUCT = "manual"
SECTIONS = 100
"""Of a file, each of which becomes a chunk."""
CHANGED = 0.2
"""Of the files of a release, those that the one before does not have."""
TOPICS, SPREAD = 500, 0.6
K = 10
SETTINGS = RetrievalSettings()
FRESH = """
import sys
from pathlib import Path
from corpora.database.engine import open_database, sqlite_url
from corpora.indexing.corpus import open_corpus
from corpora.indexing.retrieval import RetrievalSettings, retrieve
from corpora.indexing.vectors import ChromaIndex
from eval.benchmarks.retrieval import PRODUCT, MadeUp
data, question = Path(sys.argv[1]), sys.argv[2]
corpus = open_corpus(open_database(sqlite_url(data)), data, PRODUCT, sys.argv[3])
terms = dict.fromkeys(question.lower().split(), 1.0)
assert retrieve(corpus, MadeUp(), [question], terms, limit=8, settings=RetrievalSettings())
"""


class MadeUp:
    """Vectors that a text's hash puts beside one of the topics."""

    name = "made-up"
    dimension = 384

    def __init__(self) -> None:
        centres = np.random.default_rng(5).normal(size=(TOPICS, self.dimension))
        self._centres = centres / np.linalg.norm(centres, axis=1, keepdims=True)

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one unit row per text."""
        rows = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            seed = int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")
            noise = np.random.default_rng(seed).normal(size=self.dimension)
            vector = self._centres[seed % TOPICS] + SPREAD * noise / np.linalg.norm(noise)
            row[:] = vector / np.linalg.norm(vector)
        return rows


def main(
    chunks: Annotated[int, typer.Option(min=1000, help="Of all releases together.")] = 200_000,
    releases: Annotated[int, typer.Option(min=1)] = 10,
    queries: Annotated[int, typer.Option(min=20)] = 200,
) -> None:
    """Print p50 and p95 in milliseconds, ratios to the engines alone, recall, and a fresh start."""
    console = Console()
    with TemporaryDirectory(prefix="strata-bench-") as folder:
        data = Path(folder)
        database = open_database(sqlite_url(data))
        names = [f"{number}.0" for number in range(1, releases + 1)]
        with console.status("ingesting") as status:
            began = perf_counter()
            _ingest(database, data, names, chunks // releases // SECTIONS, status.update)
            taken = perf_counter() - began
        corpora = [open_corpus(database, data, PRODUCT, name) for name in names]
        held = sum(corpus.size for corpus in corpora)
        console.print(f"{held:,} chunks in {releases} releases, ingested in {taken:.0f} s")
        console.print(_measured(corpora, queries))
        began = perf_counter()
        asked = _queries(corpora[0], 1)[0]
        subprocess.run([sys.executable, "-c", FRESH, folder, asked, names[0]], check=True)
        console.print(
            f"A fresh process has its first passages after {perf_counter() - began:.1f} s."
        )
        database.close()


def _ingest(
    database: Database,
    data: Path,
    names: Sequence[str],
    files: int,
    told: Callable[[str], object],
) -> None:
    chance = random.Random(3)  # noqa: S311 - the same on every machine, and no secret
    sentences = [s.strip() for text in sample_texts(2000) for s in text.split(". ") if len(s) > 30]
    source = data / "source"
    source.mkdir()
    for name in names:
        for number in range(files):
            path = source / f"{number}.md"
            if not path.exists() or chance.random() < CHANGED:
                path.write_text(_manual(chance, sentences), encoding="utf-8")
        told(f"ingesting {name}")
        Builder(database, data, MadeUp()).ingest([source], product=PRODUCT, release=name)


def _manual(chance: random.Random, sentences: Sequence[str]) -> str:
    parts = []
    for number in range(SECTIONS):
        text = ""
        while len(text) < 420:
            text += f"{chance.choice(sentences)}. "
        parts.append(f"## Section {number}\n\n{text[:480]}")
    return "\n\n".join(parts)


def _queries(corpus: Corpus, count: int) -> list[str]:
    """Some words in a row of chunks drawn by lot."""
    chance = random.Random(4)  # noqa: S311
    documents = corpus.documents()
    asked: list[str] = []
    while len(asked) < count:
        page = chance.choice(corpus.pages_of(chance.choice(documents).id))
        words = page.text.split()
        if len(words) > 20:
            first = chance.randrange(len(words) - 8)
            asked.append(" ".join(words[first : first + 8]))
    return asked


def _engines(corpus: Corpus) -> tuple[ChromaIndex, LexicalFile]:
    vectors, lexical = corpus._vectors, corpus._lexical
    assert isinstance(vectors, ChromaIndex)
    assert isinstance(lexical, LexicalFile)
    return vectors, lexical


def _works(corpus: Corpus, embedder: MadeUp, asked: str) -> dict[str, Callable[[], object]]:
    """What is timed for a query."""
    vector = embedder.embed([asked])[0]
    terms = list(dict.fromkeys(tokens(asked)))
    vectors, index = _engines(corpus)
    match = " OR ".join(f'"{term}"' for term in terms)
    # Without the words that most chunks hold, which the corpus leaves out.
    telling = " OR ".join(f'"{t}"' for t in terms if 0 < corpus.frequency(t) <= corpus.size / 2)
    by_word = (
        "SELECT rowid, bm25(chunks, 2, 2, 1) AS score FROM chunks WHERE chunks MATCH ? "
        "ORDER BY score LIMIT ?"
    )
    most, candidates = SETTINGS.mmr_candidates, SETTINGS.lexical_candidates
    weighed = dict.fromkeys(terms, 1.0)
    return {
        "dense, engine": lambda: vectors._collection.query(
            query_embeddings=vector[np.newaxis], n_results=most, include=["distances"]
        ),
        "dense, corpus": lambda: corpus.nearest(vector, most),
        "lexical, engine": lambda: index._rows(by_word, (match, candidates)),
        "lexical, engine, telling words": lambda: index._rows(by_word, (telling, candidates)),
        "lexical, corpus": lambda: corpus.lexical(terms, candidates),
        "fused": lambda: retrieve(corpus, embedder, [asked], weighed, limit=8, settings=SETTINGS),
    }


def _measured(corpora: Sequence[Corpus], queries: int) -> Table:
    """Each query to one release, the engines and the corpus in turn."""
    embedder = MadeUp()
    seconds: dict[str, list[float]] = {}
    right = 0
    exact = [_all_vectors(corpus) for corpus in corpora]
    for number, asked in enumerate(_queries(corpora[0], queries)):
        corpus = corpora[number % len(corpora)]
        for name, work in _works(corpus, embedder, asked).items():
            began = perf_counter()
            work()
            seconds.setdefault(name, []).append(perf_counter() - began)
        ids, matrix = exact[number % len(corpora)]
        vector = embedder.embed([asked])[0]
        best = ids[np.argsort(-(matrix @ vector))[:K]]
        right += len({i for i, _ in corpus.nearest(vector, K)}.intersection(best.tolist()))
    table = Table("", "p50, ms", "p95, ms", title=f"recall of {K}: {right / K / queries:.3f}")
    for name, taken in seconds.items():
        table.add_row(name, *(f"{1000 * p:.1f}" for p in np.percentile(taken, (50, 95))))
    for words in ("lexical, engine", "lexical, engine, telling words"):
        engines = np.add(seconds["dense, engine"], seconds[words])
        ratios = np.percentile(seconds["fused"], (50, 95)) / np.percentile(engines, (50, 95))
        name = f"fused / both engines{words.removeprefix('lexical, engine')}"
        table.add_row(name, *(f"{ratio:.2f}" for ratio in ratios))
    return table


def _all_vectors(corpus: Corpus) -> tuple[np.ndarray, Vectors]:
    found = _engines(corpus)[0]._collection.get(include=["embeddings"])
    return np.array([int(i) for i in found["ids"]]), np.asarray(found["embeddings"])


if __name__ == "__main__":
    typer.run(main)
