"""Question and passage read together and scored: a cross-encoder from an ONNX file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Protocol

import numpy as np

from corpora.errors import RerankerFailed
from corpora.indexing.encoder import Encoder
from corpora.indexing.onnx_session import Numbers, Runtime, model_in

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer

MOST_TOKENS = 512
"""A question with its passage is cut to so many tokens, or to fewer where the model takes fewer."""
BEST = 24
"""Passages that are scored for a question: the best by the scores that cost nothing."""


class Reranker(Protocol):
    """Scores passages by how well they answer a question."""

    def score(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """Score passages for a question.

        Args:
            question: What is asked, in the asker's words.
            passages: The texts, each of some hundred words at most.

        Returns:
            A number from 0 to 1 for each passage, in their order; higher answers better.

        Raises:
            RerankerFailed: with what to do; the answer is found without it.
        """


class CrossEncoder:
    """A cross-encoder from a folder with `tokenizer.json` and an ONNX file, on the CPU.

    The file is `model.onnx`, `model_int8.onnx` or `model_quantized.onnx`, there or in `onnx/`, and
    gives one number for each pair (its sigmoid is the score) or one for each of two classes. It is
    loaded when first used; any thread may use it. A `batch` of one passage is the fastest on two
    cores: in a larger one all are padded to its longest. Raises RerankerFailed.
    """

    def __init__(
        self, folder: Path, threads: int | None = None, *, batch: int = 1, runtime: Runtime = "auto"
    ) -> None:
        self._folder = folder
        self._threads = threads
        self._batch = batch
        self._runtime: Runtime = runtime
        self._loading = Lock()

    def score(self, question: str, passages: Sequence[str]) -> list[float]:
        """Return a score from 0 to 1 for each passage, in their order."""
        if not passages:
            return []
        with self._loading:
            encoder = self._encoder
        try:
            tokenizer = encoder.tokenizer
        except Exception as error:
            # The runtimes and the tokenizer raise classes of their own for files they cannot use.
            raise RerankerFailed(
                f"{encoder.model} cannot be loaded ({error}): fetch it again, or set "
                "STRATA_RERANKER to off"
            ) from error
        places: list[int] = []
        logits: list[Numbers] = []
        try:
            pairs = self._pairs(tokenizer, question, passages)
            for rows, _, output, _ in encoder.run(pairs, pairs=True):
                places += rows
                logits.append(output)
        except Exception as error:
            # Likewise for what they cannot use.
            raise RerankerFailed(
                f"{self._folder} could not score passages ({error}): set STRATA_RERANKER to "
                "another reranker, or to off"
            ) from error
        return [float(of) for of in self._likely(np.concatenate(logits)[np.argsort(places)])]

    def _pairs(
        self, tokenizer: Tokenizer, question: str, passages: Sequence[str]
    ) -> list[Encoding]:
        """The question with each passage; the question takes half of the room at most."""
        (asked,) = tokenizer.encode_batch([question], add_special_tokens=False)
        asked.truncate(self._longest // 2)
        others = len(asked.ids) + tokenizer.num_special_tokens_to_add(is_pair=True)
        pairs = []
        for passage in tokenizer.encode_batch(passages, add_special_tokens=False):
            passage.truncate(self._longest - others)
            pairs.append(tokenizer.post_process(asked, passage))
        return pairs

    def _likely(self, logits: Numbers) -> Numbers:
        """The probability that a passage answers: of one logit, or of two classes the second."""
        classes = logits.shape[1] if logits.ndim == 2 else 0
        if classes not in (1, 2):
            raise RerankerFailed(
                f"{self._folder} is no cross-encoder: it gives {logits.shape} where one number for "
                "each passage is needed; set STRATA_RERANKER to one, or to off"
            )
        margin = logits[:, 0] if classes == 1 else logits[:, 1] - logits[:, 0]
        return np.asarray(0.5 * (1.0 + np.tanh(margin / 2)), dtype=np.float32)

    @cached_property
    def _encoder(self) -> Encoder:
        model, vocabulary = model_in(self._folder), self._folder / "tokenizer.json"
        if model is None or not vocabulary.is_file():
            raise RerankerFailed(
                f"{self._folder} does not hold a reranker: it needs tokenizer.json and "
                "model.onnx; set STRATA_RERANKER to such a folder, or to off"
            )
        return Encoder(model, vocabulary, None, self._threads, self._batch, self._runtime)

    @cached_property
    def _longest(self) -> int:
        try:
            about = json.loads((self._folder / "config.json").read_text("utf-8"))
            return min(int(about["max_position_embeddings"]), MOST_TOKENS)
        except (OSError, KeyError, TypeError, ValueError):
            return MOST_TOKENS
