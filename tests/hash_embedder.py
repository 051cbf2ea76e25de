"""An embedder for tests: texts that share words are near each other, and it takes no time."""

import re
from collections.abc import Sequence
from hashlib import sha256

import numpy as np
import numpy.typing as npt


class HashEmbedder:
    """Counts words at places that their hashes name; remembers what it was asked to embed."""

    name = "hashed-words"
    dimension = 384
    setting = ""

    def __init__(self) -> None:
        self.embedded: list[str] = []

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        self.embedded += texts
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for vector, text in zip(vectors, texts, strict=True):
            vector[0] = 0.01
            for word in re.findall(r"\w+", text.lower()):
                digest = sha256(word.encode()).digest()
                vector[int.from_bytes(digest[:4], "big") % self.dimension] += 1 - 2 * (
                    digest[4] & 1
                )
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    embed_queries = embed

    def knows_word(self, word: str) -> bool:
        """Every word is an ordinary one."""
        return True
