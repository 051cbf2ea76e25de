"""The vectors of texts that come again: the passages of much-read pages."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import numpy as np

from corpora.indexing.embedding import Embedder, Vectors


class RecentVectors:
    """An embedder that keeps the last `most` vectors and computes only the others; thread-safe.

    A vector takes 4 bytes a dimension: 10,000 of 384 some 15 MB.
    """

    def __init__(self, embedder: Embedder, most: int = 10_000) -> None:
        self._embedder = embedder
        self._most = most
        self._lock = Lock()
        self._kept: OrderedDict[str, Vectors] = OrderedDict()

    @property
    def name(self) -> str:
        """That of the embedder."""
        return self._embedder.name

    @property
    def dimension(self) -> int:
        """That of the embedder."""
        return self._embedder.dimension

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text, as the embedder does."""
        with self._lock:
            found = {text: self._kept[text] for text in texts if text in self._kept}
            for text in found:
                self._kept.move_to_end(text)
        missing = list(dict.fromkeys(text for text in texts if text not in found))
        if missing:
            found.update(zip(missing, self._embedder.embed(missing), strict=True))
            with self._lock:
                self._kept.update((text, found[text].copy()) for text in missing)
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return np.stack([found[text] for text in texts])
