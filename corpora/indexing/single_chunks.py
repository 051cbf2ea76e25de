"""The single chunks of a generation, found by cosine: what the baseline searches (QAMR IV-E)."""

from collections.abc import Sequence
from itertools import islice
from threading import Lock
from typing import NamedTuple

import numpy as np
from sqlalchemy import select

from corpora.database.engine import Database, portions
from corpora.database.tables import EmbeddingModelRow, GenerationRow, MemberRow, PageRow
from corpora.indexing.dual_chunking import SearchChunk, blocks_within, heading_of
from corpora.indexing.embedding import Embedder, Vectors
from corpora.indexing.missing_vectors import store_vectors, stored_vectors
from corpora.indexing.pages import indexed_text, read_pages, text_hash
from ingestion.page import Page

TEXTS_AT_ONCE = 16
"""How many texts are embedded between two commits: how long a stopped question keeps on."""

_HASHES_AT_ONCE = 1000


class SingleChunk(NamedTuple):
    """Characters `start` to `end` of the text of a stored page."""

    page_id: int
    start: int
    end: int


class SingleChunkIndex:
    """An index in memory that is made of the stored pages at first use; it serves any thread.

    A page is one chunk, a page of over 3,000 characters several that overlap by a quarter. Their
    vectors are kept in the database, where an ingest that removes a generation removes them too:
    then the next process computes them again. A vector is that of the heading and as much of the
    text as the embedder reads, some 1,000 characters of a long chunk.
    """

    def __init__(self, database: Database, generation: int) -> None:
        self._database = database
        self._generation = generation
        self._lock = Lock()
        self._model_id: int | None = None
        self._chunks: list[tuple[SingleChunk, bytes]] = []
        self._known: dict[bytes, Vectors] = {}
        self._waiting: dict[bytes, str] = {}
        """Texts without a vector, by their hashes."""
        self._matrix: Vectors | None = None

    def embed_some(self, embedder: Embedder) -> int:
        """Embed a batch of what has no vector yet, and return how many texts are left.

        Call it until it returns 0; then the index can be searched. Whoever calls it meanwhile
        takes part in the same work. Raises ValueError for another embedder than that of the
        generation.
        """
        with self._lock:
            if self._matrix is not None:
                return 0
            if self._model_id is None:
                self._model_id = self._begin(embedder)
            if hashes := list(islice(self._waiting, TEXTS_AT_ONCE)):
                vectors = embedder.embed([self._waiting[hashed] for hashed in hashes])
                with self._database.writing() as session:
                    store_vectors(session, self._model_id, hashes, vectors)
                self._known.update(zip(hashes, vectors, strict=True))
                for hashed in hashes:
                    del self._waiting[hashed]
            if not self._waiting:
                matrix = np.empty((len(self._chunks), embedder.dimension), dtype=np.float32)
                for row, (_, hashed) in enumerate(self._chunks):
                    matrix[row] = self._known[hashed]
                self._matrix, self._known = matrix, {}
            return len(self._waiting)

    def nearest(self, vector: Vectors, k: int) -> list[tuple[int, float]]:
        """Return at most `k` pairs of chunk number and cosine similarity, the nearest first."""
        scores = self._embedded() @ vector
        first = np.argsort(-scores, kind="stable")[:k]
        return [(int(i), float(scores[i])) for i in first]

    def nearest_of_each(self, vectors: Vectors, k: int) -> list[list[tuple[int, float]]]:
        """Return the same for each row of `vectors`."""
        return [self.nearest(vector, k) for vector in vectors]

    def vectors(self, numbers: Sequence[int]) -> Vectors:
        """Return the vectors of chunks, shape (numbers, dimension), in the order given."""
        chosen: Vectors = self._embedded()[list(numbers)]
        return chosen

    def chunk(self, number: int) -> SingleChunk:
        """Return a chunk."""
        return self._chunks[number][0]

    def _embedded(self) -> Vectors:
        if self._matrix is None:
            raise RuntimeError(
                f"The single chunks of generation {self._generation} are not embedded yet; call "
                "embed_some until it returns 0."
            )
        return self._matrix

    def _begin(self, embedder: Embedder) -> int:
        """Cut the pages, take the vectors that there are, and return the id of the model."""
        chunks: list[tuple[SingleChunk, bytes]] = []
        texts: dict[bytes, str] = {}
        with self._database.reading() as session:
            model_id, model = session.execute(
                select(EmbeddingModelRow.id, EmbeddingModelRow.name)
                .join(GenerationRow, GenerationRow.model_id == EmbeddingModelRow.id)
                .where(GenerationRow.id == self._generation)
            ).one()
            if model != embedder.name:
                raise ValueError(
                    f"Generation {self._generation} was embedded by {model}, not {embedder.name}; "
                    "ingest the release again, or use that model."
                )
            members = select(MemberRow.document_id).where(
                MemberRow.generation_id == self._generation
            )
            for document_id in session.scalars(members.order_by(MemberRow.document_id)).all():
                for page in read_pages(session, PageRow.document_id == document_id):
                    for chunk in single_chunks(page):
                        text = indexed_text(page.document.title, chunk.heading, chunk.text)
                        hashed = text_hash(text)
                        texts[hashed] = text
                        chunks.append((SingleChunk(page.id, chunk.start, chunk.end), hashed))
            for some in portions(list(texts), _HASHES_AT_ONCE):
                self._known |= stored_vectors(session, model_id, some)
        # Texts of similar length side by side, which the embedder does faster.
        waiting = [(hashed, text) for hashed, text in texts.items() if hashed not in self._known]
        self._waiting = dict(sorted(waiting, key=lambda item: len(item[1])))
        self._chunks = chunks
        return int(model_id)


def single_chunks(page: Page, *, limit: int = 3000) -> tuple[SearchChunk, ...]:
    """Take a page whole, or split it into chunks of at most `limit` characters.

    Each chunk repeats the end of the one before it: a quarter, and what makes the first word whole.
    """
    text = page.text
    chunks: list[SearchChunk] = []
    within = blocks_within(page)
    start = end = 0
    while end < len(text):
        end = min(start + limit, len(text))
        if end < len(text):
            end = _word_start(text, end, reach=limit // 4)
        heading = heading_of(page, within(start, end))
        chunks.append(SearchChunk(start, end, text[start:end], heading))
        start = _word_start(text, end - limit // 4, reach=limit // 8)
    return tuple(chunks)


def _word_start(text: str, at: int, *, reach: int) -> int:
    """Go back to where a word begins, or stay if none begins within `reach` characters."""
    for offset in range(at, max(0, at - reach), -1):
        if text[offset - 1].isspace() and not text[offset : offset + 1].isspace():
            return offset
    return at
