"""One release's documentation, opened for reading, and nothing of any other release."""

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from itertools import islice, zip_longest
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Lock
from time import monotonic
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt
from sqlalchemy import select

from corpora.catalog.catalog import Catalog, Serving
from corpora.catalog.release import sort_key
from corpora.database.engine import Database
from corpora.database.originals import Originals
from corpora.database.read_once import once
from corpora.database.tables import (
    DocumentRow,
    EmbeddingModelRow,
    GenerationRow,
    MemberRow,
    PageRow,
    SearchChunkRow,
)
from corpora.indexing.dual_chunking import context_chunk
from corpora.indexing.indexes import are_built, are_left, open_indexes
from corpora.indexing.lexical import LexicalIndex
from corpora.indexing.missing_vectors import stored_vectors
from corpora.indexing.pages import (
    DOCUMENT,
    StoredChunk,
    StoredDocument,
    StoredPage,
    chunk_text,
    document_of,
    read_pages,
    select_chunks,
)
from corpora.indexing.single_chunks import SingleChunkIndex
from corpora.indexing.vectors import VectorIndex

CACHED_PAGES = 512
CACHED_CHUNKS = 1_000

_LET_GO: SimpleQueue[tuple[VectorIndex, LexicalIndex]] = SimpleQueue()
"""Indexes of corpora that nobody holds: the garbage collector may come upon them at any moment,
also while this thread holds the lock that closing them takes, so they wait for a better one."""

Row = TypeVar("Row")
_Chunk = tuple[StoredChunk, StoredDocument, bytes]
"""A search chunk, its document, and the hash that its vector is kept by."""


class _Kept(Generic[Row]):
    """Rows of a generation, which never change, by their ids: those used last are kept at hand."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._held: dict[int, Row] = {}

    def of(self, ids: Sequence[int], read: Callable[[set[int]], Mapping[int, Row]]) -> list[Row]:
        """Return rows by their ids, in the order given; those not at hand are read."""
        held = self._held
        found = {i: held[i] for i in ids if i in held}
        if missing := set(ids) - found.keys():
            found |= read(missing)
        # Another thread may do the same: each puts a dict of its own in place.
        self._held = dict(islice((found | held).items(), self._most))
        return [found[i] for i in ids]


class Corpus:
    """One published generation of one release; it never changes and serves any thread.

    Pages and chunks of other releases do not exist here: to ask for one raises LookupError.
    """

    def __init__(self, database: Database, data_dir: Path, serving: Serving) -> None:
        self.product = serving.product
        self.release = serving.release
        self.generation = serving.generation
        self._database = database
        with database.reading() as session:
            generation = session.get_one(GenerationRow, serving.generation)
            model = session.get_one(EmbeddingModelRow, generation.model_id)
        self._model_id = model.id
        self.embedder, self.dimension = model.name, model.dimension
        """The name of what its vectors are of, and their length."""
        self._is_own = DocumentRow.release_id == generation.release_id
        self._vectors, self._lexical = open_indexes(database, data_dir, serving.generation)
        self.size = self._lexical.size
        """The number of search chunks."""
        self.nearest, self.nearest_of_each = self._vectors.nearest, self._vectors.nearest_of_each
        self.lexical, self.similar = self._lexical.search, self._lexical.similar
        self.frequency, self.idf = self._lexical.frequency, self._lexical.idf
        self.terms, self.wholes = self._lexical.terms, self._lexical.wholes
        self.compounds = self._lexical.compounds
        self.languages = self._lexical.languages
        self.single_chunks = SingleChunkIndex(database, serving.generation)
        """What the paper's baseline searches instead; empty until it is asked to embed."""
        self._let_go = weakref.finalize(self, _LET_GO.put, (self._vectors, self._lexical))
        self._let_go.atexit = False
        self._pages = _Kept[StoredPage](CACHED_PAGES)
        self._chunks = _Kept[_Chunk](CACHED_CHUNKS)
        self._chunk_vectors = _Kept[npt.NDArray[np.float32]](CACHED_CHUNKS)

    def chunk(self, chunk_id: int) -> StoredChunk:
        """Return a search chunk."""
        return self.chunks([chunk_id])[chunk_id]

    def chunks(self, ids: Iterable[int]) -> dict[int, StoredChunk]:
        """Return search chunks by their ids."""
        wanted = tuple(ids)
        return {chunk.id: chunk for chunk, _, _ in self._chunks.of(wanted, self._read_chunks)}

    def places(self, ids: Sequence[int]) -> list[tuple[int, StoredDocument]]:
        """Return the id of the page, and the document, of search chunks, in the order given."""
        found = self._chunks.of(ids, self._read_chunks)
        return [(chunk.page_id, document) for chunk, document, _ in found]

    def vectors(self, ids: Sequence[int]) -> npt.NDArray[np.float32]:
        """Return the vectors of search chunks, shape (ids, dimension), in the order given."""
        return np.array(self._chunk_vectors.of(ids, self._read_vectors), dtype=np.float32)

    def page(self, page_id: int) -> StoredPage:
        """Return a page; of an earlier generation too, so that old citations can be opened."""
        return self.pages([page_id])[0]

    def pages(self, ids: Sequence[int]) -> list[StoredPage]:
        """Return pages by their ids, in the order given."""
        return self._pages.of(ids, self._read_pages)

    def _read_chunks(self, ids: set[int]) -> dict[int, _Chunk]:
        chunk = SearchChunkRow.id, SearchChunkRow.page_id, SearchChunkRow.start, SearchChunkRow.end
        chosen = select_chunks(
            *chunk, SearchChunkRow.heading, chunk_text(), SearchChunkRow.text_hash, *DOCUMENT
        ).where(SearchChunkRow.id.in_(ids), self._is_own)
        with self._database.reading() as session:
            rows = session.execute(chosen).all()
        chunks = {row[0]: (StoredChunk(*row[:6]), document_of(row[7:]), row[6]) for row in rows}
        if gone := ids - chunks.keys():
            raise LookupError(f"{self.product} {self.release} has no search chunk {min(gone)}.")
        return chunks

    def _read_vectors(self, ids: set[int]) -> dict[int, npt.NDArray[np.float32]]:
        chunks = self._chunks.of(tuple(ids), self._read_chunks)
        hashes = {chunk.id: text_hash for chunk, _, text_hash in chunks}
        with self._database.reading() as session:
            # Joined to the chunks, SQLite would walk through all vectors of the model.
            found = stored_vectors(session, self._model_id, set(hashes.values()))
        return {i: found[text_hash] for i, text_hash in hashes.items()}

    def _read_pages(self, ids: set[int]) -> dict[int, StoredPage]:
        with self._database.reading() as session:
            read = read_pages(session, self._is_own, PageRow.id.in_(ids))
        pages = {page.id: page for page in read}
        if gone := ids - pages.keys():
            raise LookupError(
                f"This release has no page {min(gone)}; it may have been ingested anew."
            )
        return pages

    def pages_of(self, document_id: int) -> tuple[StoredPage, ...]:
        """Return the pages of a document in order."""
        with self._database.reading() as session:
            return read_pages(session, self._is_own, PageRow.document_id == document_id)

    def context_chunk(self, page_id: int, padding: int = 500) -> str:
        """Return a page with up to `padding` characters of each neighbour (Algorithm 1)."""
        page = self.page(page_id)
        around = [i for i in (page.previous_id, page.id, page.next_id) if i is not None]
        return context_chunk(self.pages(around), around.index(page.id), padding=padding)

    def documents(self) -> tuple[StoredDocument, ...]:
        """Return the documents of this generation, in the natural order of their files."""
        with self._database.reading() as session:
            rows = session.execute(
                select(*DOCUMENT)
                .join(MemberRow, MemberRow.document_id == DocumentRow.id)
                .where(MemberRow.generation_id == self.generation)
            ).all()
        return tuple(sorted(map(document_of, rows), key=lambda d: sort_key(d.file)))

    def original(self, content_hash: str) -> bytes:
        """Return the bytes of one of this release's files, as it was ingested."""
        with self._database.reading() as session:
            own = select(DocumentRow.id).where(self._is_own)
            found = session.scalar(own.where(DocumentRow.content_hash == content_hash).limit(1))
        data = Originals(self._database).read(content_hash) if found is not None else None
        if data is None:
            raise LookupError(f"{self.product} {self.release} has no file {content_hash}.")
        return data

    def close(self) -> None:
        """Close the indexes, which cannot be used afterwards."""
        if self._let_go.detach():
            self._vectors.close()
            self._lexical.close()


class OpenCorpora:
    """The corpora that a running chat has open, each the published one whenever it is asked for.

    A corpus stays usable for whoever holds it. When a newer generation has taken its place, or
    others have been asked for since, it is closed after the last one who holds it lets it go.
    """

    def __init__(
        self,
        database: Database,
        data_dir: Path,
        *,
        limit: int = 16,
        catalog: Catalog | None = None,
    ) -> None:
        self._database = database
        self._data_dir = data_dir
        self._catalog = catalog or Catalog(database)
        self._limit = limit
        self._lock = Lock()
        self._open: dict[tuple[str, str], Corpus] = {}
        self._opening: dict[int, Lock] = {}

    @property
    def database(self) -> Database:
        """The database that they are read from."""
        return self._database

    def corpus(self, product: str, release: str) -> Corpus:
        """Return the corpus that serves a release now; raise NoCorpus if there is none.

        A question has the same one to its end.
        """
        return once(self._corpus, product, release)

    def _corpus(self, product: str, release: str) -> Corpus:
        _close_let_go()
        serving = self._catalog.serving(product, release)
        name = serving.product, serving.release
        with self._lock:
            opening = self._opening.setdefault(serving.generation, Lock())
        with opening:
            with self._lock:
                held = self._open.get(name)
            if (
                held is None
                or held.generation != serving.generation
                or not are_left(self._database, self._data_dir, held.generation)
            ):
                held = Corpus(self._database, self._data_dir, serving)
            with self._lock:
                # At the end: the first is the one unused for longest.
                self._open.pop(name, None)
                self._open[name] = held
                while len(self._open) > self._limit:
                    del self._open[next(iter(self._open))]
        return held

    def limited(self, catalog: Catalog) -> "OpenCorpora":
        """The same corpora, open for both, of the releases that a catalog of fewer has."""
        limited = copy(self)
        limited._catalog = catalog
        return limited

    def open_built(self, seconds: float) -> None:
        """Open releases before they are asked about, the newest of each product first.

        None is opened whose indexes would have to be built, nor after so many seconds.
        """
        end = monotonic() + seconds
        of_each = [reversed(product.releases) for product in self._catalog.products()]
        newest = (release for some in zip_longest(*of_each) for release in some if release)
        for release in islice(newest, self._limit):
            generation = self._catalog.serving(release.product, release.name).generation
            if monotonic() < end and are_built(self._database, self._data_dir, generation):
                self.corpus(release.product, release.name)

    def close(self) -> None:
        """Close every corpus, used or not."""
        with self._lock:
            for corpus in self._open.values():
                corpus.close()
            self._open.clear()
        _close_let_go()


def open_corpus(database: Database, data_dir: Path, product: str, release: str) -> Corpus:
    """Open the published generation of a release; raise NoCorpus if there is none.

    If its indexes are missing or broken they are built again from the database first.
    """
    serving = Catalog(database).serving(product, release)
    return Corpus(database, data_dir, serving)


def _close_let_go() -> None:
    with suppress(Empty):
        while True:
            for index in _LET_GO.get_nowait():
                index.close()
