"""The queries of questions that are asked at the same moment, embedded together and once each."""

from collections.abc import Callable, Sequence
from threading import Lock

import numpy as np

from corpora.errors import EmbedderFailed
from corpora.indexing.embedding import Vectors

_TOGETHER = 16
"""More at once are embedded by themselves: nobody waits for those of a whole memory."""
_KEPT = 1_000


class QueriesTogether:
    """What embeds queries, called with all that wait for it; the last thousand are kept.

    Half of what a short query takes is the same for a batch of them, and a question that is begun
    ahead, read and held against saved ones needs the vector of its words more than once.
    """

    def __init__(self, embed_queries: Callable[[Sequence[str]], Vectors]) -> None:
        self._embed_queries = embed_queries
        self._embedding = Lock()
        self._waiting: dict[str, None] = {}
        self._kept: dict[str, Vectors] = {}

    def __call__(self, queries: Sequence[str]) -> Vectors:
        """Return one row per query, in input order; raises EmbedderFailed."""
        if not 0 < len(queries) <= _TOGETHER:
            return self._embed_queries(queries)
        own = dict.fromkeys(queries)
        self._waiting.update(own)
        with self._embedding:
            try:
                found = {query: self._kept[query] for query in own if query in self._kept}
                if new := [query for query in own if query not in found]:
                    found |= self._embedded(new, own)
                return np.stack([found[query] for query in queries])
            finally:
                for query in own:
                    self._waiting.pop(query, None)

    def _embedded(self, new: list[str], own: dict[str, None]) -> dict[str, Vectors]:
        """The vectors of new queries, and of those of others who wait by now."""
        others = [q for q in tuple(self._waiting) if q not in own and q not in self._kept]
        together = (new + others)[: max(_TOGETHER, len(new))]
        try:
            vectors = self._embed_queries(together)
        except EmbedderFailed:
            if together == new:
                raise
            # It may be for a text of others.
            together = new
            vectors = self._embed_queries(new)
        embedded = dict(zip(together, vectors, strict=True))
        self._kept |= embedded
        for query in list(self._kept)[:-_KEPT]:
            del self._kept[query]
        return embedded
