"""Vectors of texts that were embedded lately, which cost nothing to have again."""

import logging
import sqlite3
import weakref
from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from threading import Lock

import numpy as np

from corpora.indexing.embedding import Embedder, Vectors

_BUSY_SECONDS = 1.0

_log = logging.getLogger(__name__)


class RecentVectors:
    """An embedder that keeps the last `most` vectors and computes only the others; thread-safe.

    With a `file` several processes share what is kept, and later ones find it there; a file that
    cannot be used is done without. A vector takes 4 bytes a dimension: 10,000 of 384 some 15 MB.
    """

    def __init__(self, embedder: Embedder, file: Path | None = None, most: int = 10_000) -> None:
        self.name = embedder.name
        self.setting = embedder.setting
        self._embedder = embedder
        self._file = file or ":memory:"
        self._most = most
        self._lock = Lock()
        self._opened: sqlite3.Connection | None = None

    @property
    def dimension(self) -> int:
        """That of the embedder."""
        return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text, as the embedder does."""
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        keys = {text: self._key(text) for text in texts}
        found: dict[bytes, Vectors] = {}

        def read(kept: sqlite3.Connection) -> None:
            for key in keys.values():
                for (vector,) in kept.execute("SELECT vector FROM vectors WHERE key = ?", (key,)):
                    found[key] = np.frombuffer(vector, "<f4")

        self._in_transaction(read)
        if missing := [text for text, key in keys.items() if key not in found]:
            new = dict(zip(map(self._key, missing), self._embedder.embed(missing), strict=True))
            found |= new
            self._in_transaction(lambda kept: self._write(kept, new))
        return np.stack([found[keys[text]] for text in texts])

    def embed_queries(self, queries: Sequence[str]) -> Vectors:
        """Return one row per query, as the embedder does; they are not kept."""
        return self._embedder.embed_queries(queries)

    def _key(self, text: str) -> bytes:
        return blake2b(f"{self.name}\n{text}".encode(errors="replace"), digest_size=16).digest()

    def _write(self, kept: sqlite3.Connection, vectors: Mapping[bytes, Vectors]) -> None:
        rows = [(key, vector.astype("<f4").tobytes()) for key, vector in vectors.items()]
        kept.executemany("INSERT OR IGNORE INTO vectors(key, vector) VALUES (?, ?)", rows)
        gone = "DELETE FROM vectors WHERE place <= (SELECT max(place) FROM vectors) - ?"
        kept.execute(gone, (self._most,))

    def _in_transaction(self, work: Callable[[sqlite3.Connection], None]) -> None:
        with self._lock:
            try:
                if self._opened is None:
                    self._opened = _open(self._file)
                    weakref.finalize(self, self._opened.close)
                with self._opened:
                    work(self._opened)
            except sqlite3.Error as error:
                # It spares work and holds nothing of its own: whoever asks is not to notice.
                _log.warning("%s cannot be used and is done without: %s", self._file, error)
                self._file, self._opened = ":memory:", None


def _open(file: Path | str) -> sqlite3.Connection:
    connection = sqlite3.connect(file, timeout=_BUSY_SECONDS, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = OFF")
    connection.execute(
        "CREATE TABLE IF NOT EXISTS vectors"
        " (place INTEGER PRIMARY KEY, key BLOB UNIQUE, vector BLOB)"
    )
    return connection
