"""Questions of a product that were answered before, found by words or meaning (ComRAG 5.2)."""

import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sqlalchemy import select

from chatbot.chatbot import Chatbot
from chatbot.memory.pairs import Store
from corpora.catalog.release import Product
from corpora.database.memory_tables import MemoryPairRow
from corpora.database.tables import ProductRow, ReleaseRow
from corpora.indexing.embedding import Vectors
from corpora.indexing.lexical import LexicalFile, LexicalRow, build_index, tokens


@dataclass(frozen=True, slots=True)
class AnsweredPair:
    """A question and its answer, with the release that it was answered from."""

    release: str
    question: str
    answer: str


@dataclass(frozen=True)
class AnsweredPairs:
    """The good pairs of a product's memory, whatever their release; those suspended are none."""

    pairs: Sequence[AnsweredPair]
    vectors: Vectors

    def by_words(self, question: str, k: int) -> list[AnsweredPair]:
        """The `k` questions that BM25 ranks first."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "questions.db"
            build_index(file, (LexicalRow(n, "", "", p.question) for n, p in enumerate(self.pairs)))
            with closing(LexicalFile.open(file)) as index:
                return [self.pairs[number] for number, _ in index.search(tokens(question), k)]

    def by_meaning(self, vector: Vectors, k: int) -> list[AnsweredPair]:
        """The `k` questions nearest by cosine; with MiniLM in the place of DPR."""
        if not self.pairs:
            return []
        return [self.pairs[i] for i in np.argsort(-(self.vectors @ vector), kind="stable")[:k]]


def answered_pairs(chatbot: Chatbot, product: Product) -> AnsweredPairs:
    """Read what the memory holds of a product now."""
    rows = (
        select(ReleaseRow.name, MemoryPairRow.question, MemoryPairRow.answer)
        .join(ReleaseRow, ReleaseRow.id == MemoryPairRow.release_id)
        .join(ProductRow, ProductRow.id == ReleaseRow.product_id)
        .where(ProductRow.name == product.name)
        .where(MemoryPairRow.store == Store.HIGH, MemoryPairRow.suspended == "")
        .order_by(MemoryPairRow.id)
    )
    with chatbot.database.reading() as session:
        pairs = [AnsweredPair(r, q, answer["text"]) for r, q, answer in session.execute(rows)]
    return AnsweredPairs(pairs, chatbot.embedder.embed([pair.question for pair in pairs]))
