"""The single chunks of a generation, found by cosine: what the baseline searches (QAMR IV-E)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
from sqlalchemy import select

from corpora.database.engine import Database, portions
from corpora.database.tables import EmbeddingModelRow, GenerationRow, MemberRow, PageRow
from corpora.indexing.dual_chunking import SearchChunk, heading_of
from corpora.indexing.embedding import Embedder, Vectors
from corpora.indexing.missing_vectors import store_vectors, stored_vectors
from corpora.indexing.pages import StoredPage, indexed_text, read_pages, text_hash
from ingestion.page import Page

TEXTS_AT_ONCE = 16
"""How many texts are embedded between two commits: how long a stopped question keeps on."""

_HASHES_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class SingleChunk:
    """Characters `start` to `end` of the text of a stored page."""

    page_id: int
    start: int
    end: int


@dataclass
class _Unfinished:
    """Chunks with their texts' hashes, the vectors known so far, and the texts without one."""

    chunks: list[SingleChunk]
    hashes: list[bytes]
    vectors: dict[bytes, Vectors]
    waiting: list[tuple[bytes, str]]


class SingleChunkIndex:
    """An index in memory that is made of the stored pages at first use; it serves any thread.

    A page is one chunk, a page of over 3,000 characters several that overlap by a quarter. Their
    vectors are looked up by the hash of their text and kept in the database, where an ingest that
    removes a generation also removes them: then the next process computes them again. A vector
    is that of the heading and as much of the text as the embedder reads, with MiniLM 256 tokens,
    some 1,000 characters; the rest of a long chunk cannot be found, but is answered from.
    """

    def __init__(self, database: Database, generation: int) -> None:
        self._database = database
        self._generation = generation
        self._lock = Lock()
        self._unfinished: _Unfinished | None = None
        self._chunks: list[SingleChunk] = []
        self._matrix: Vectors | None = None
        self._model_id = 0

    def embed_some(self, embedder: Embedder) -> int:
        """Embed a batch of what has no vector yet, and return how many texts are left.

        Call it until it returns 0; then the index can be searched. Whoever calls it meanwhile
        takes part in the same work, so that nothing is embedded twice and whoever stops leaves
        the others nothing but the rest. Raises ValueError for another embedder than that of the
        generation.
        """
        with self._lock:
            if self._matrix is not None:
                return 0
            if self._unfinished is None:
                self._unfinished = self._begin(embedder)
            work = self._unfinished
            if batch := work.waiting[:TEXTS_AT_ONCE]:
                hashes = [hashed for hashed, _ in batch]
                vectors = embedder.embed([text for _, text in batch])
                with self._database.writing() as session:
                    store_vectors(session, self._model_id, hashes, vectors)
                work.vectors.update(zip(hashes, vectors, strict=True))
                del work.waiting[: len(batch)]
            if not work.waiting:
                matrix = np.empty((len(work.chunks), embedder.dimension), dtype=np.float32)
                for row, hashed in enumerate(work.hashes):
                    matrix[row] = work.vectors[hashed]
                self._chunks, self._matrix, self._unfinished = work.chunks, matrix, None
            return len(work.waiting)

    def nearest(self, vector: Vectors, k: int) -> list[tuple[int, float]]:
        """Return at most `k` pairs of chunk number and cosine similarity, the nearest first."""
        scores = self._embedded() @ vector
        first = np.argsort(-scores, kind="stable")[:k]
        return [(int(i), float(scores[i])) for i in first]

    def vectors(self, numbers: Sequence[int]) -> Vectors:
        """Return the vectors of chunks, shape (numbers, dimension), in the order given."""
        chosen: Vectors = self._embedded()[list(numbers)]
        return chosen

    def chunk(self, number: int) -> SingleChunk:
        """Return a chunk."""
        return self._chunks[number]

    def _embedded(self) -> Vectors:
        if self._matrix is None:
            raise RuntimeError(
                f"The single chunks of generation {self._generation} are not embedded yet; call "
                "embed_some until it returns 0."
            )
        return self._matrix

    def _begin(self, embedder: Embedder) -> _Unfinished:
        with self._database.reading() as session:
            self._model_id, model = session.execute(
                select(EmbeddingModelRow.id, EmbeddingModelRow.name)
                .join(GenerationRow, GenerationRow.model_id == EmbeddingModelRow.id)
                .where(GenerationRow.id == self._generation)
            ).one()
            if model != embedder.name:
                raise ValueError(
                    f"Generation {self._generation} was embedded by {model}, not {embedder.name}; "
                    "ingest the release again, or use that model."
                )
            documents = session.scalars(
                select(MemberRow.document_id)
                .where(MemberRow.generation_id == self._generation)
                .order_by(MemberRow.document_id)
            ).all()
            chunks: list[SingleChunk] = []
            hashes: list[bytes] = []
            texts: dict[bytes, str] = {}
            for document_id in documents:
                for chunk, text in _cut(read_pages(session, PageRow.document_id == document_id)):
                    hashed = text_hash(text)
                    chunks.append(chunk)
                    hashes.append(hashed)
                    texts[hashed] = text
            vectors: dict[bytes, Vectors] = {}
            for some in portions(list(texts), _HASHES_AT_ONCE):
                vectors |= stored_vectors(session, self._model_id, some)
        waiting = [item for item in texts.items() if item[0] not in vectors]
        # Texts of similar length side by side, which the embedder does faster.
        waiting.sort(key=lambda item: len(item[1]))
        return _Unfinished(chunks, hashes, vectors, waiting)


def _cut(pages: Iterable[StoredPage]) -> Iterable[tuple[SingleChunk, str]]:
    for page in pages:
        for chunk in single_chunks(page.page):
            text = indexed_text(page.document.title, chunk.heading, chunk.text)
            yield SingleChunk(page.id, chunk.start, chunk.end), text


def single_chunks(
    page: Page, *, limit: int = 3000, overlap: float = 0.25
) -> tuple[SearchChunk, ...]:
    """Take a page whole, or split it into chunks of at most `limit` characters.

    Each chunk repeats the end of the one before it: `overlap` of the limit and what makes the
    first word whole. Raises ValueError unless 0 <= overlap <= 0.5.
    """
    if not 0 <= overlap <= 0.5:
        raise ValueError(f"overlap is {overlap}; give a share between 0 and 0.5")
    text = page.text
    chunks: list[SearchChunk] = []
    start = end = 0
    while end < len(text):
        end = min(start + limit, len(text))
        if end < len(text):
            end = _word_start(text, end, reach=limit // 4)
        heading = heading_of(page, start, end)
        chunks.append(SearchChunk(page.number, start, end, text[start:end], heading))
        start = _word_start(text, end - round(limit * overlap), reach=limit // 8)
    return tuple(chunks)


def _word_start(text: str, at: int, *, reach: int) -> int:
    """Go back to where a word begins, or stay if none begins within `reach` characters."""
    for offset in range(at, max(0, at - reach), -1):
        if text[offset - 1].isspace() and not text[offset : offset + 1].isspace():
            return offset
    return at
