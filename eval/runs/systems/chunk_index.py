"""Fixed-size chunks of all releases of a product in one index: what people build today.

The cutting is that of LangChain's tutorial on retrieval: 1,000 characters, 200 of them repeated.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from sqlalchemy import select

from chatbot.chatbot import Chatbot
from corpora.catalog.release import Product
from corpora.database.engine import Database, portions
from corpora.database.tables import EmbeddingModelRow
from corpora.indexing.embedding import Embedder, Vectors
from corpora.indexing.missing_vectors import TEXTS_AT_ONCE, store_vectors, stored_vectors
from corpora.indexing.pages import text_hash

SIZE, OVERLAP = 1000, 200
"""Characters of a chunk, and of each that the next one repeats."""
_HASHES_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk and the page that it was cut from."""

    release: str
    file: str
    title: str
    page: int
    page_id: int
    section: str
    anchors: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class ChunkIndex:
    """The chunks of a product, whatever their release, found by cosine."""

    chunks: Sequence[Chunk]
    vectors: Vectors

    def nearest(self, vector: Vectors, k: int, release: str | None = None) -> list[Chunk]:
        """The `k` chunks nearest to a vector, with `release` of that one alone."""
        scores = self.vectors @ vector
        order = (self.chunks[i] for i in np.argsort(-scores, kind="stable"))
        wanted = (chunk for chunk in order if release in (None, chunk.release))
        return [chunk for chunk, _ in zip(wanted, range(k), strict=False)]


def chunk_index(
    chatbot: Chatbot, product: Product, on_progress: Callable[[int, int], None]
) -> ChunkIndex:
    """Cut all pages of a product that are ingested; `on_progress` hears how many are embedded.

    The vectors are kept in the database like those of the paper's baseline, so that they are
    computed once.
    """
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(chunk_size=SIZE, chunk_overlap=OVERLAP)
    chunks = []
    for release in product.releases:
        corpus = chatbot.corpora.corpus(product.name, release.name)
        for document in corpus.documents():
            for page in corpus.pages_of(document.id):
                place = (release.name, document.file, document.title, page.number, page.id)
                section = " › ".join(page.heading_path)
                texts = splitter.split_text(page.text)
                chunks += [Chunk(*place, section, page.anchors, text) for text in texts]
    texts = [chunk.text for chunk in chunks]
    return ChunkIndex(chunks, _vectors(chatbot.database, chatbot.embedder, texts, on_progress))


def _vectors(
    database: Database,
    embedder: Embedder,
    texts: Sequence[str],
    on_progress: Callable[[int, int], None],
) -> Vectors:
    by_hash = {text_hash(text): text for text in texts}
    known: dict[bytes, Vectors] = {}
    with database.reading() as session:
        named = EmbeddingModelRow.name == embedder.name
        model_id = session.scalars(select(EmbeddingModelRow.id).where(named)).one()
        for some in portions(list(by_hash), _HASHES_AT_ONCE):
            known |= stored_vectors(session, model_id, some)
    # Of similar length side by side, which is faster; a vector depends a little on those beside it.
    missing = sorted(by_hash.keys() - known.keys(), key=lambda h: (len(by_hash[h]), by_hash[h]))
    for batch in portions(missing, TEXTS_AT_ONCE):
        on_progress(len(known), len(by_hash))
        vectors = embedder.embed([by_hash[hashed] for hashed in batch])
        with database.writing() as session:
            store_vectors(session, model_id, batch, vectors)
        known.update(zip(batch, vectors, strict=True))
    matrix = np.empty((len(texts), embedder.dimension), dtype=np.float32)
    for row, text in enumerate(texts):
        matrix[row] = known[text_hash(text)]
    return matrix
