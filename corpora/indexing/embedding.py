"""Texts become vectors: all-MiniLM-L6-v2 on onnxruntime or OpenVINO (QAMR III-A, step 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from corpora.errors import ModelMissing
from corpora.indexing.onnx_session import Runtime, Session, Tokens, open_session

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

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

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return one row per text, float32 and of length one."""


class MiniLM:
    """all-MiniLM-L6-v2 from an ONNX file, on the CPU; loaded when first used, thread-safe.

    Tokens after the 256th are ignored; a vector is the mean of the token vectors, scaled to
    length one. `threads` is by default the number of cores; `batch` texts of similar length go
    through the model at once. The `runtime` is OpenVINO where it is installed (the extra `fast`),
    else onnxruntime. Raises ModelMissing on first use if something is not there.
    """

    name = "all-minilm-l6-v2-int8"
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
        self._model = model
        self._tokenizer = tokenizer
        self._threads = threads
        self._batch = batch
        self.runtime = runtime
        self._loading = Lock()
        self._loaded: tuple[Tokenizer, Session] | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return an array of shape (texts, 384), float32, rows of length one, in input order."""
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        for rows, _, hidden, mask in self._batches(texts):
            # Normalising makes the division of the mean unnecessary.
            summed = np.einsum("rtd,rt->rd", hidden, mask.astype(np.float32))
            vectors[rows] = summed / np.linalg.norm(summed, axis=1, keepdims=True)
        return vectors

    def token_vectors(self, texts: Sequence[str]) -> list[TokenVectors]:
        """Return the WordPieces of each text and their vectors, without the marks of its ends."""
        found = [TokenVectors((), np.empty((0, self.dimension), np.float32))] * len(texts)
        for rows, encodings, hidden, _ in self._batches(texts):
            for row, encoding, of_text in zip(rows, encodings, hidden, strict=True):
                own = [i for i, special in enumerate(encoding.special_tokens_mask) if not special]
                vectors = of_text[own] / np.linalg.norm(of_text[own], axis=1, keepdims=True)
                found[row] = TokenVectors(tuple(encoding.tokens[i] for i in own), vectors)
        return found

    def _batches(
        self, texts: Sequence[str]
    ) -> Iterator[tuple[list[int], list[Encoding], Vectors, Tokens]]:
        """The last hidden states and the mask of texts of similar length, with their places."""
        if not texts:
            return
        tokenizer, session = self._load()
        encodings = tokenizer.encode_batch(list(texts))
        by_length = sorted(range(len(texts)), key=lambda i: len(encodings[i].ids))
        for first in range(0, len(by_length), self._batch):
            rows = by_length[first : first + self._batch]
            batch = [encodings[i] for i in rows]
            ids = np.zeros((len(batch), len(batch[-1].ids)), dtype=np.int64)
            mask = np.zeros_like(ids)
            for row, encoding in enumerate(batch):
                ids[row, : len(encoding.ids)] = encoding.ids
                mask[row, : len(encoding.ids)] = 1
            kinds = np.zeros_like(ids)
            inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": kinds}
            hidden = session.run(inputs)
            yield rows, batch, hidden, mask

    def knows_word(self, word: str) -> bool:
        """Say whether a lower-case word is one WordPiece: ordinary English, not a coined name."""
        tokenizer, _ = self._load()
        return tokenizer.token_to_id(word) is not None

    def _load(self) -> tuple[Tokenizer, Session]:
        with self._loading:
            if self._loaded is None:
                self._loaded = self._start()
            return self._loaded

    def _start(self) -> tuple[Tokenizer, Session]:
        for file in (self._model, self._tokenizer):
            if not file.is_file():
                raise ModelMissing(
                    f"The embedding model's file {file} is missing; run `strata models pull`."
                )
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(self._tokenizer))
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_length=MAX_TOKENS)
        return tokenizer, open_session(self._model, self.runtime, self._threads)
