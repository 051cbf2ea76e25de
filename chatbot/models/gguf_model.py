"""A GGUF file that embeds or ranks, in this process: loaded at its first call, one at a time."""

import importlib
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any, Literal

_BATCH = 2048
"""Tokens of a text that go through the model at once: none is split."""


class GgufModel:
    """An encoder from a GGUF file, run by xllamacpp; any thread may call it."""

    def __init__(self, path: Path, task: Literal["embeddings", "rerank"], threads: int | None):
        self.path = path
        self._task = task
        self._threads = threads
        self._lock = Lock()
        self._server: Any = None

    def call(self, request: Mapping[str, Any]) -> Any:
        """The reply to a request. Raises FileNotFoundError, RuntimeError if it cannot be loaded."""
        with self._lock:
            self._server = self._server or self._start()
            return getattr(self._server, f"handle_{self._task}")(dict(request))

    def _start(self) -> Any:
        if not self.path.is_file():
            raise FileNotFoundError(self.path)
        # The library has no types.
        xllamacpp: Any = importlib.import_module("xllamacpp")
        params = xllamacpp.CommonParams()
        params.model.path = str(self.path)
        params.embedding = True
        if self._task == "rerank":
            params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_RANK
        params.n_ctx = params.n_batch = params.n_ubatch = _BATCH
        params.n_parallel = 1
        threads = self._threads or os.cpu_count() or 1
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
        params.verbosity = -1
        # The library opens a loopback port of its own; without a key any web page could use it.
        params.api_keys = [secrets.token_urlsafe(32)]
        return xllamacpp.Server(params)
