"""Texts become vectors: all-MiniLM-L6-v2 on onnxruntime or OpenVINO (QAMR III-A, step 3)."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from corpora.errors import ModelMissing
from corpora.indexing.encoder import Encoder
from corpora.indexing.onnx_session import Runtime
from corpora.settings import MINILM

Vectors = npt.NDArray[np.float32]

MAX_TOKENS = 256


@dataclass(frozen=True)
class TokenVectors:
    """The tokens of a text and their vectors in its context: float32, rows of length one."""

    tokens: tuple[str, ...]
    vectors: Vectors


class Embedder(Protocol):
    """Turns texts into unit vectors; `name` changes whenever the vectors would."""

    @property
    def name(self) -> str:
        """What vectors of this embedder are stored under."""

    @property
    def dimension(self) -> int:
        """The length of a vector."""

    @property
    def setting(self) -> str:
        """What opens it again: a value of STRATA_EMBEDDER."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text of documentation, float32 and of length one.

        Raises EmbedderFailed with what to do.
        """

    def embed_queries(self, queries: Sequence[str]) -> Vectors:
        """Return one row per question or query, to be compared with those of texts. Likewise."""


@runtime_checkable
class KnowsFormer(Protocol):
    """An embedder that knows those which releases were embedded with before it."""

    def named(self, name: str) -> Embedder | None:
        """The embedder of this name, or None where it is not at hand any more."""


def embedder_named(name: str, embedder: Embedder) -> Embedder | None:
    """The embedder itself, or one before it, by the name that vectors are stored under."""
    if embedder.name == name:
        return embedder
    return embedder.named(name) if isinstance(embedder, KnowsFormer) else None


class MiniLM:
    """all-MiniLM-L6-v2 from an ONNX file, on the CPU; loaded when first used, thread-safe.

    Tokens after the 256th are ignored; a vector is the mean of the token vectors, scaled to
    length one. `threads` is by default the number of cores; `batch` texts of similar length go
    through the model at once. The `runtime` is OpenVINO where it is installed (the extra `fast`),
    else onnxruntime. Raises ModelMissing on first use if something is not there.
    """

    name = "all-minilm-l6-v2-int8"
    setting = MINILM
    dimension = 384

    def __init__(
        self,
        model: Path,
        tokenizer: Path,
        threads: int | None = None,
        *,
        batch: int = 8,
        runtime: Runtime = "auto",
    ) -> None:
        self._encoder = Encoder(model, tokenizer, MAX_TOKENS, threads, batch, runtime)
        self.runtime = runtime

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return an array of shape (texts, 384), float32, rows of length one, in input order."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for rows, _, hidden, mask in self._there().batches(texts):
            vectors[rows] = mean_of_tokens(hidden, mask)
        return vectors

    embed_queries = embed

    def token_vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Return the WordPieces of each text and their vectors, without the marks of its ends."""
        found = [TokenVectors((), np.empty((0, self.dimension), np.float32))] * len(texts)
        for rows, encodings, hidden, _ in self._there().batches(texts):
            for row, encoding, of_text in zip(rows, encodings, hidden, strict=True):
                own = [i for i, special in enumerate(encoding.special_tokens_mask) if not special]
                vectors = unit(of_text[own])
                found[row] = TokenVectors(tuple(encoding.tokens[i] for i in own), vectors)
        return found

    def knows_word(self, word: str) -> bool:
        """Say whether a lower-case word is one WordPiece: ordinary English, not a coined name."""
        return self._there().tokenizer.token_to_id(word) is not None

    def _there(self) -> Encoder:
        for file in (self._encoder.model, self._encoder.tokenizer_file):
            if not file.is_file():
                raise ModelMissing(
                    f"The embedding model's file {file} is missing; run `strata models pull`."
                )
        return self._encoder


def unit(rows: Vectors) -> Vectors:
    """The rows scaled to length one."""
    scaled: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return scaled


def mean_of_tokens(hidden: Vectors, mask: npt.NDArray[np.int64]) -> Vectors:
    """The mean of the vectors of each text's tokens, of length one."""
    # Normalising makes the division of the mean unnecessary.
    return unit(np.einsum("rtd,rt->rd", hidden, mask.astype(np.float32)))
