"""The vector index of one generation of one release, where it is a directory that Chroma wrote.

Embedded Chroma survives neither a kill during writing nor a second writer. So an index is built
once in a fresh directory, probed, and from then on only read; whatever is wrong with it, it is
built again from the vectors in the database.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from hashlib import blake2b
from math import ceil
from pathlib import Path
from threading import Lock, Timer
from time import monotonic
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from corpora.errors import BrokenIndex

if TYPE_CHECKING:
    from chromadb import Collection
    from chromadb.api.client import Client
    from chromadb.api.collection_configuration import CreateHNSWConfiguration

COLLECTION = "search-chunks"
EQUAL = "equal.json"
"""The file beside Chroma's that names the ids left out of it, by the id of the same vector."""
HNSW: CreateHNSWConfiguration = {
    "space": "cosine",
    "max_neighbors": 24,
    "ef_construction": 200,
    "ef_search": 200,
}
"""A little more work than Chroma's own values, for a search that is nearly exact."""

PROBE_SECONDS = 120.0
PROBED = 64
_WHOLE = "whole"

_counting_clients = Lock()
"""Chroma shares what clients of one directory use, and counts them without a lock of its own."""


class VectorIndex(Protocol):
    """The vectors of a generation opened for reading, from any thread; `size` is their number."""

    size: int

    def nearest(self, vector: npt.NDArray[np.float32], k: int) -> list[tuple[int, float]]:
        """Return at most `k` pairs of id and cosine similarity, the nearest first."""

    def nearest_of_each(
        self, vectors: npt.NDArray[np.float32], k: int
    ) -> list[list[tuple[int, float]]]:
        """Return the same for each row of `vectors`, shape (queries, dimension)."""

    def close(self) -> None:
        """Release what is open; the index cannot be used afterwards."""


Batch = tuple[Sequence[int], npt.NDArray[np.float32]]
"""Ids and their unit vectors, shape (ids, dimension)."""


def build_index(
    directory: Path, batches: Iterable[Batch], on_progress: Callable[[int], None] = lambda _: None
) -> None:
    """Write an index of vectors to a directory of its own, one batch after the other.

    Of equal vectors one is indexed: many of them cut others off from the graph that is searched
    (HNSW), as each links to its nearest alone. `on_progress` is called with the number of vectors
    written so far. Raises FileExistsError if the directory holds anything, ValueError if a batch
    has not one vector for each id.
    """
    directory.mkdir(parents=True, exist_ok=True)
    if any(directory.iterdir()):
        raise FileExistsError(f"The directory {directory} is not empty; an index needs a new one.")
    first: dict[bytes, int] = {}
    equal: dict[int, list[int]] = {}
    written = 0
    client = _client(directory)
    try:
        collection = client.create_collection(
            COLLECTION, embedding_function=None, configuration={"hnsw": HNSW}
        )
        for ids, vectors in batches:
            kept = []
            for at, (i, vector) in enumerate(zip(ids, vectors, strict=True)):
                one = first.setdefault(blake2b(vector.tobytes(), digest_size=16).digest(), i)
                if one == i:
                    kept.append(at)
                else:
                    equal.setdefault(one, []).append(i)
            if kept:
                collection.add(ids=[str(ids[at]) for at in kept], embeddings=vectors[kept])
            written += len(ids)
            on_progress(written)
    finally:
        _close(client)
    (directory / EQUAL).write_text(json.dumps(equal), encoding="utf-8")


class Prober:
    """Searches indexes in a process of its own, for a broken one can end the process.

    The process outlives an index that is whole, as its start takes a second. Used by one thread.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def probe(self, directory: Path, expected: int) -> None:
        """Open an index and search it.

        Raises BrokenIndex with the reason if that fails or there are not `expected` vectors.
        """
        process = self._process = self._process or _started()
        assert process.stdin
        assert process.stdout
        alarm = Timer(PROBE_SECONDS, process.kill)
        alarm.daemon = True
        began = monotonic()
        alarm.start()
        try:
            print(json.dumps([str(directory.resolve()), expected]), file=process.stdin, flush=True)
            told = process.stdout.readline().strip()
        except BrokenPipeError:
            told = ""
        finally:
            alarm.cancel()
        if told == _WHOLE:
            return
        if monotonic() - began >= PROBE_SECONDS:
            told = f"it did not answer in {PROBE_SECONDS:.0f} s"
        code = self.close()
        reason = told or f"its reader ended with code {code}"
        raise BrokenIndex(f"The vector index {directory} is broken: {reason}")

    def close(self) -> int | None:
        """End the process, and return how it ended; another one is started if need be."""
        process, self._process = self._process, None
        if process is None:
            return None
        # What has ended by itself says why; nothing that reads may hinder it from ending.
        process.kill()
        # Where it had ended already, what was meant for it is still to be written.
        with suppress(BrokenPipeError), process:
            pass
        return process.wait()


def probe_index(directory: Path, expected: int) -> None:
    """Probe one index; raises BrokenIndex as `Prober` does."""
    with closing(Prober()) as prober:
        prober.probe(directory, expected)


class ChromaIndex:
    """A directory of Chroma's opened for reading; several processes may have it open."""

    def __init__(
        self, client: Client, collection: Collection, equal: Mapping[int, Sequence[int]]
    ) -> None:
        self._client = client
        self._collection = collection
        self._equal = equal
        self._indexed = collection.count()
        self.size = self._indexed + sum(map(len, equal.values()))

    @classmethod
    def open(cls, directory: Path) -> ChromaIndex:
        """Open what `build_index` wrote; raise BrokenIndex if there is no such thing."""
        if not (directory / "chroma.sqlite3").is_file():
            raise BrokenIndex(f"There is no vector index in {directory}; build it again.")
        from chromadb.errors import ChromaError

        try:
            with ExitStack() as undo:
                client = _client(directory)
                undo.callback(_close, client)
                path = directory / EQUAL
                # Indexes that were built before equal vectors were left out have no such file.
                equal = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
                collection = client.get_collection(COLLECTION, embedding_function=None)
                index = cls(client, collection, {int(i): others for i, others in equal.items()})
                undo.pop_all()
                return index
        except (ChromaError, OSError, ValueError) as error:
            raise BrokenIndex(f"The vector index {directory} is broken: {error}") from error

    def nearest(self, vector: npt.NDArray[np.float32], k: int) -> list[tuple[int, float]]:
        """As in VectorIndex; raise BrokenIndex if the files are not what they were."""
        return self.nearest_of_each(vector[np.newaxis], k)[0]

    def nearest_of_each(
        self, vectors: npt.NDArray[np.float32], k: int
    ) -> list[list[tuple[int, float]]]:
        """As `nearest`, in one search, of which most is the same for any number of vectors."""
        if not self.size or not len(vectors):
            return [[] for _ in vectors]
        from chromadb.errors import ChromaError

        try:
            found = self._collection.query(
                query_embeddings=vectors, n_results=min(k, self._indexed), include=["distances"]
            )
        except ChromaError as error:
            raise BrokenIndex(f"The vector index cannot be searched: {error}") from error
        assert found["distances"] is not None
        return [
            sorted(
                (
                    (i, 1.0 - distance)
                    for one, distance in zip(map(int, ids), distances, strict=True)
                    for i in (one, *self._equal.get(one, ()))
                ),
                key=lambda pair: (-pair[1], pair[0]),
            )[:k]
            for ids, distances in zip(found["ids"], found["distances"], strict=True)
        ]

    def sample(self, count: int) -> npt.NDArray[np.float32]:
        """Return at most `count` of the vectors, evenly spread, one a row."""
        if not self.size:
            return np.empty((0, 0), dtype=np.float32)
        ids = self._collection.get(include=[])["ids"]
        spread = ids[:: ceil(len(ids) / count)]
        vectors = self._collection.get(ids=spread, include=["embeddings"])["embeddings"]
        return np.asarray(vectors, dtype=np.float32)

    def close(self) -> None:
        """Release the files and the memory; the index cannot be used afterwards."""
        _close(self._client)


def _client(directory: Path) -> Client:
    from chromadb.api.client import Client
    from chromadb.config import Settings

    settings = Settings(
        is_persistent=True, persist_directory=str(directory), anonymized_telemetry=False
    )
    with _counting_clients:
        try:
            return Client(settings=settings)
        except AttributeError:
            # Chroma keeps what it has begun for a path where it failed before, on a full disk say,
            # meets it again, half made, and forgets it only then.
            return Client(settings=settings)


def _close(client: Client) -> None:
    with _counting_clients:
        client.close()


def _probe(directory: Path, expected: int) -> None:
    index = ChromaIndex.open(directory)
    if index.size != expected:
        raise BrokenIndex(f"it holds {index.size} vectors, not {expected}")
    sample = index.sample(PROBED)
    found = sum(nearest[0][1] > 0.999 for nearest in index.nearest_of_each(sample, 1))
    # The search is approximate, so that now and then it misses a vector that is there.
    if found < 0.9 * len(sample):
        raise BrokenIndex(f"it finds only {found} of {len(sample)} vectors that it holds")
    index.close()


def _started() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "corpora.indexing.vectors"],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def _serve() -> None:
    """Probe one index after the other, as they come in, until one is broken."""
    # Whatever a library prints is no answer.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        directory, expected = json.loads(line)
        try:
            _probe(Path(directory), expected)
            told = _WHOLE
        except BrokenIndex as broken:
            told = " ".join(str(broken.__cause__ or broken).split()) or "its reader failed"
        print(told, file=answers, flush=True)


if __name__ == "__main__":
    _serve()
