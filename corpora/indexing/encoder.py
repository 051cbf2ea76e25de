"""Texts become the last hidden states of a transformer: its ONNX file and its tokenizer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from corpora.indexing.onnx_session import Numbers, Runtime, Session, Tokens, open_session

if TYPE_CHECKING:
    from tokenizers import Encoding, Tokenizer


@dataclass
class Encoder:
    """A transformer on the CPU, loaded when first used; any thread may use it.

    Tokens of a text after the `longest`-th are ignored, if there is one. `threads` is by default
    the number of cores; `batch` texts of similar length go through the model at once.
    """

    model: Path
    tokenizer_file: Path
    longest: int | None
    threads: int | None = None
    batch: int = 8
    runtime: Runtime = "auto"
    _loading: Lock = field(default_factory=Lock, init=False, repr=False)
    _loaded: tuple[Tokenizer, Session] | None = field(default=None, init=False, repr=False)

    def batches(
        self, texts: Sequence[str]
    ) -> Iterator[tuple[list[int], list[Encoding], Numbers, Tokens]]:
        """Yield what the model gives for some texts: their places, tokens, output and mask."""
        if texts:
            yield from self.run(self.tokenizer.encode_batch(list(texts)))

    def run(
        self, encodings: Sequence[Encoding], *, pairs: bool = False
    ) -> Iterator[tuple[list[int], list[Encoding], Numbers, Tokens]]:
        """The same of texts that were made tokens, or of `pairs` of texts."""
        _, session = self._load()
        by_length = sorted(range(len(encodings)), key=lambda i: len(encodings[i].ids))
        for first in range(0, len(by_length), self.batch):
            rows = by_length[first : first + self.batch]
            of_batch = [encodings[i] for i in rows]
            ids = np.zeros((len(of_batch), len(of_batch[-1].ids)), dtype=np.int64)
            mask, kinds = np.zeros_like(ids), np.zeros_like(ids)
            for row, encoding in enumerate(of_batch):
                ids[row, : len(encoding.ids)] = encoding.ids
                mask[row, : len(encoding.ids)] = 1
                if pairs:
                    kinds[row, : len(encoding.ids)] = encoding.type_ids
            inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": kinds}
            given = {name: of for name, of in inputs.items() if name in session.inputs}
            yield rows, of_batch, session.run(given), mask

    @property
    def tokenizer(self) -> Tokenizer:
        """Its tokenizer, loaded."""
        return self._load()[0]

    def _load(self) -> tuple[Tokenizer, Session]:
        with self._loading:
            if self._loaded is None:
                from tokenizers import Tokenizer

                tokenizer = Tokenizer.from_file(str(self.tokenizer_file))
                tokenizer.no_padding()
                if self.longest is None:
                    tokenizer.no_truncation()
                else:
                    tokenizer.enable_truncation(max_length=self.longest)
                session = open_session(self.model, self.runtime, self.threads)
                self._loaded = tokenizer, session
            return self._loaded
