"""Cosines of one embedder are not those of another: thresholds that let as many pairs through."""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
from sqlalchemy import select

from chatbot.graph.settings import GraphSettings
from chatbot.memory.questions import QuestionReader
from chatbot.memory.settings import MemorySettings
from corpora.database.engine import Database
from corpora.database.memory_tables import MemoryPairRow
from corpora.database.tables import ProductRow, ReleaseRow
from corpora.indexing.embedding import Embedder, Vectors
from ingestion.errors import StrataError

FEWEST = 30
"""Questions from which on a threshold is proposed: some hundred pairs."""


class TooFewQuestions(StrataError):
    """There are too few answered questions to propose thresholds from."""


@dataclass(frozen=True)
class Threshold:
    """A setting: its value for MiniLM, the share of pairs above it, and that of the embedder."""

    setting: str
    of_minilm: float
    share: float
    proposed: float


def propose_thresholds(
    database: Database, minilm: Embedder, embedder: Embedder
) -> tuple[int, list[Threshold]]:
    """Return how many remembered questions there are, and a value for each threshold.

    Questions of one product are compared in pairs, by MiniLM, for which the defaults were measured
    (τ and δ of ComRAG, the edge of GraphContextGen), and by the embedder in use. Raises
    TooFewQuestions.
    """
    by_product: defaultdict[str, set[str]] = defaultdict(set)
    columns = select(ProductRow.name, MemoryPairRow.question)
    query = columns.join(ReleaseRow, ReleaseRow.product_id == ProductRow.id).join(
        MemoryPairRow, MemoryPairRow.release_id == ReleaseRow.id
    )
    with database.reading() as session:
        for product, question in session.execute(query):
            by_product[product].add(question)
    asked = sum(map(len, by_product.values()))
    if asked < FEWEST:
        raise TooFewQuestions(
            "{asked} different questions are remembered, and {fewest} are needed to propose "
            "thresholds from: import curated answers, or let people ask first",
            asked=asked,
            fewest=FEWEST,
        )
    own, other = (_cosines(e, by_product) for e in (minilm, embedder))
    defaults = {
        "memory_tau": MemorySettings().memory_tau,
        "memory_delta": MemorySettings().memory_delta,
        "graph_threshold": GraphSettings().graph_threshold,
    }
    return asked, [
        Threshold(
            name,
            value,
            above := float((own >= value).mean()),
            round(float(np.quantile(other, 1 - above)), 3),
        )
        for name, value in defaults.items()
    ]


def _cosines(embedder: Embedder, by_product: dict[str, set[str]]) -> Vectors:
    """The cosines of all pairs of questions about one product, in one row."""
    reader = QuestionReader(embedder)
    found: list[Vectors] = []
    for product, questions in by_product.items():
        read = reader.read_all(sorted(questions), product)
        vectors = np.array([question.vector for question in read])
        found.append((vectors @ vectors.T)[np.triu_indices(len(vectors), 1)])
    return np.concatenate(found)
